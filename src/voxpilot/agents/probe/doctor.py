"""The doctor: tests an agent step by step and reports each step as it happens.

Lives here: the steps, and what each outcome means for a person. Lives elsewhere: the process being tested
(probe.py), the checks of this machine (cli/checkup.py), showing it (web/routes/agents.py, cli/doctor.py).
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any, Literal

from voxpilot import search_path
from voxpilot.agents.installed.capabilities import abilities_of, in_words, name_of, sign_in_methods
from voxpilot.agents.installed.catalog import Agent, Catalog
from voxpilot.agents.installed.failures import AgentRefused, describe_error, wants_sign_in
from voxpilot.agents.installed.sandboxing import version_of
from voxpilot.agents.installed.versions import is_enough
from voxpilot.agents.probe.probe import AgentEnded, Trial, on_trial
from voxpilot.agents.requests.sessions import check_begun, greeting
from voxpilot.chat.events import Json
from voxpilot.errors import VoxPilotError
from voxpilot.values import dataclass

Outcome = Literal["ok", "warning", "failed"]
STDERR_LINES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a test."""

    name: str
    outcome: Outcome
    text: str
    hint: str = ""
    detail: str = ""
    """The agent's error output, if it may help."""
    seconds: float = 0.0


class _Failed(Exception):
    """The test cannot continue."""

    def __init__(self, step: Step) -> None:
        super().__init__(step.text)
        self.step = step


async def examine(
    catalog: Catalog,
    agent: Agent,
    limit_seconds: float,
    parent: Path | None = None,
    sighted: Callable[[Json], None] = lambda _: None,
) -> AsyncGenerator[Step, None]:
    """Test the agent; yields each step when it is done and ends after the first failure.

    `sighted` gets the agent's answer to `initialize`.
    """
    try:
        async with aclosing(_tried(catalog, agent, limit_seconds, parent, sighted)) as steps:
            async for step in steps:
                yield step
    except _Failed as failed:
        yield failed.step


async def _tried(
    catalog: Catalog, agent: Agent, limit_seconds: float, parent: Path | None, sighted: Callable[[Json], None]
) -> AsyncGenerator[Step, None]:
    yield await asyncio.to_thread(_found, agent)
    if agent.command and agent.entry.version_args:
        yield await _version(catalog, agent)
    watch = _Watch()
    try:
        async with on_trial(catalog, agent, parent) as trial:
            await _or_fail("starts", trial, watch, limit_seconds, trial.alive())
            where = "" if agent.entry.sandbox == "off" else f" in its sandbox ({agent.entry.sandbox})"
            yield watch.step("starts", "ok", f"It starts{where}.")
            answer = await _or_fail(
                "handshake",
                trial,
                watch,
                limit_seconds,
                trial.ask("initialize", greeting(agent.fs, agent.terminal)),
            )
            begun = _begun(watch, answer)
            sighted(begun)
            yield _handshake(watch, begun)
            yield _capabilities(watch, begun)
            params = {"cwd": str(trial.workspace), "mcpServers": []}
            answer = await _or_fail("session", trial, watch, limit_seconds, trial.ask("session/new", params))
            yield _session(watch, agent, begun, answer)
            closing = _closing(begun)
            for method in closing:
                gone = {"sessionId": answer[0]["sessionId"]}
                await _or_fail("closing", trial, watch, limit_seconds, trial.ask(method, gone))
            words = "The session was closed." if closing else "The session closes when the agent exits."
            yield watch.step("closing", "ok", words)
    except VoxPilotError as error:
        raise _Failed(watch.step("starts", "failed", error.message, error.hint)) from error
    yield watch.step("ends", "ok", "It was stopped and left nothing running.")


class _Watch:
    """Tells how long each step took."""

    def __init__(self) -> None:
        self._since = time.monotonic()

    def step(self, name: str, outcome: Outcome, text: str, hint: str = "", detail: str = "") -> Step:
        before, self._since = self._since, time.monotonic()
        took = round(self._since - before, 3)
        return Step(name=name, outcome=outcome, text=text, hint=hint, detail=detail, seconds=took)


def _found(agent: Agent) -> Step:
    if found := agent.path:
        return Step(name="found", outcome="ok", text=f"Found at {found}.")
    if not agent.command and agent.entry.tcp:
        return Step(name="found", outcome="ok", text=f"VoxPilot connects to it at {agent.entry.tcp}.")
    searched = agent.search_path.replace(os.pathsep, ", ")
    hint = f"{agent.how_to_install} Searched folders: {searched}."
    if silent := search_path.silent(agent.search_path):
        hint += f" These folders did not respond: {', '.join(silent)}."
    text = f"{agent.command!r} was not found on PATH." if agent.command else "It has no command."
    raise _Failed(Step(name="found", outcome="failed", text=text, hint=hint))


async def _version(catalog: Catalog, agent: Agent) -> Step:
    watch = _Watch()
    version = await asyncio.to_thread(version_of, catalog, agent)
    least = agent.entry.minimum_version
    if version is None:
        return watch.step("version", "warning", "It did not report its version.")
    if is_enough(version, least) is False:
        return watch.step(
            "version",
            "warning",
            f"Version {version} is older than {least}.",
            agent.how_to_update,
        )
    return watch.step(
        "version", "ok", f"Version {version}{f', {least} or later is required' if least else ''}."
    )


async def _or_fail(name: str, trial: Trial, watch: _Watch, limit_seconds: float, waiting: Any) -> Any:
    """Wait for the agent, up to the time limit."""
    try:
        async with asyncio.timeout(limit_seconds):
            return await waiting
    except AgentEnded as ended:
        why = ended.why
        raise _Failed(watch.step(name, "failed", why.message, why.hint, why.detail)) from ended
    except TimeoutError as late:
        text = f"It did not respond within {limit_seconds:g} s."
        hint = "Run its command in a terminal; it may be waiting for input."
        detail = _tail(await trial.last_words())
        raise _Failed(watch.step(name, "failed", text, hint, detail)) from late


def _begun(watch: _Watch, answer: tuple[Any, Json | None]) -> Json:
    result, error = answer
    try:
        if error is not None:
            raise AgentRefused(describe_error(error).message)
        return check_begun(result)
    except AgentRefused as refused:
        raise _Failed(watch.step("handshake", "failed", refused.message, refused.hint)) from refused


def _handshake(watch: _Watch, begun: Json) -> Step:
    name, version = name_of(begun)
    who = " ".join(part for part in (name, version) if part) or "it did not report its name"
    return watch.step("handshake", "ok", f"Protocol version {begun['protocolVersion']}: {who}.")


def _capabilities(watch: _Watch, begun: Json) -> Step:
    words = in_words(abilities_of(begun))
    text = f"It {', '.join(words)}." if words else "It has no optional capabilities."
    return watch.step("capabilities", "ok", text)


def _session(watch: _Watch, agent: Agent, begun: Json, answer: tuple[Any, Json | None]) -> Step:
    result, error = answer
    if wants_sign_in(error):
        names = [str(method.get("name") or method["id"]) for method in sign_in_methods(begun)]
        ways = f"Ways to sign in: {', '.join(names)}." if names else ""
        hint = f"{agent.login_hint} {ways}".strip() or "Sign in with its own login command."
        raise _Failed(watch.step("session", "failed", "It is not signed in.", hint))
    if error is not None or not isinstance(result, dict) or not isinstance(result.get("sessionId"), str):
        text = describe_error(error).message if error else "It opened a session without an id."
        raise _Failed(watch.step("session", "failed", text))
    return watch.step(
        "session", "ok", "A session was opened. The agent is signed in, or does not require signing in."
    )


def _closing(begun: Json) -> list[str]:
    """How to leave nothing behind in the agent's own history, as far as it offers that."""
    abilities = abilities_of(begun)
    ways = {"session/close": abilities.close, "session/delete": abilities.delete}
    return [method for method, offered in ways.items() if offered]


def _tail(text: str) -> str:
    return "\n".join(text.splitlines()[-STDERR_LINES:])
