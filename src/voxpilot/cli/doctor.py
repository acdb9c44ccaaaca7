"""`voxpilot doctor`: what is wrong here, and with which agent.

Lives here: the order of the checks, and printing them. Lives elsewhere: the checks
(checkup.py, agents/probe/doctor.py).
"""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from dataclasses import asdict

from voxpilot.agents.installed.accepted import hold_to_accepted
from voxpilot.agents.installed.approved_commands import is_agreed
from voxpilot.agents.installed.catalog import Agent, Catalog
from voxpilot.agents.probe.doctor import Step, examine
from voxpilot.cli.checkup import checkup
from voxpilot.cli.text import clean
from voxpilot.errors import VoxPilotError
from voxpilot.settings.live import LiveSettings

_SIGNS = {"ok": "✓", "warning": "!", "failed": "✗"}


def doctor(live: LiveSettings, names: list[str], as_json: bool) -> int:
    """Check the machine and test the named agents, or all installed ones; 1 if anything is wrong."""
    catalog = Catalog(live)
    problem = hold_to_accepted(live, catalog)
    catalog.learn_path()
    agents = [catalog.get(name) for name in names] or [agent for agent in catalog.all() if agent.path]
    report = _Report(as_json)
    report.about("This machine")
    if problem is not None:
        report.tell(None, _unknown_consent(problem))
    for step in checkup(live, catalog):
        report.tell(None, step)
    asyncio.run(_try_all(live, catalog, agents, report))
    if not names:
        missing = [agent.display_name for agent in catalog.all() if not agent.path]
        report.close(f"Not installed: {', '.join(missing)}." if missing else "")
    return 1 if report.failures else 0


async def _try_all(live: LiveSettings, catalog: Catalog, agents: list[Agent], report: _Report) -> None:
    for agent in agents:
        report.about(agent.display_name)
        if not is_agreed(catalog, agent.id):
            report.tell(agent, _not_agreed(live))
            continue
        async with aclosing(examine(catalog, agent, live.now.start_timeout)) as steps:
            async for step in steps:
                report.tell(agent, step)


def _not_agreed(live: LiveSettings) -> Step:
    text = f"Not tested: the command in {live.path} has not been approved."
    hint = (
        "Send the agent a message in the browser; you are then asked to approve its command. "
        "If you did not write it, find out who did."
    )
    return Step(name="agreed", outcome="failed", text=text, hint=hint)


def _unknown_consent(problem: VoxPilotError) -> Step:
    text = f"Approvals cannot be read, so only built-in commands are tested. {problem.message}"
    return Step(name="consent", outcome="failed", text=text, hint=problem.hint)


class _Report:
    """Prints each step as it is done."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self.failures = 0

    def about(self, name: str) -> None:
        if not self._as_json:
            print(clean(f"{name}"), flush=True)

    def tell(self, agent: Agent | None, step: Step) -> None:
        self.failures += step.outcome == "failed"
        if self._as_json:
            print(json.dumps({"agent": agent.id if agent else None, **asdict(step)}), flush=True)
            return
        took = f"  ({step.seconds:.1f} s)" if step.seconds >= 0.05 else ""
        print(clean(f"  {_SIGNS[step.outcome]} {step.text}{took}"), flush=True)
        for line in (*filter(None, [step.hint]), *step.detail.splitlines()):
            print(clean(f"      {line}"), flush=True)

    def close(self, text: str) -> None:
        if text and not self._as_json:
            print(clean(text), flush=True)
