"""Whether an agent may be started with its current command and tool servers.

Lives here: asking a person when the command or the tool servers differ from those that were approved, and
what follows from the answer. Lives elsewhere: what is compared (agents/installed/approved_commands.py),
starting (process_start.py), opening the sessions that are given them (session_restore.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from voxpilot.agents.installed.approved_commands import SERVERS, as_agreed, is_agreed, servers_as_agreed
from voxpilot.agents.installed.catalog import Catalog
from voxpilot.agents.requests.opening import no_longer_wanted
from voxpilot.chat.events import NoticeGiven
from voxpilot.runtime.questions import open_questions
from voxpilot.runtime.questions.open_questions import NewQuestion
from voxpilot.runtime.turns import tasks, turn
from voxpilot.settings import McpServer
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import AgreedCommand, Question
from voxpilot.storage.database.states import TurnState

PURPOSE = "agent-command"
WHY = "The settings file has changed since {}. If you did not change it, find out who did."
_NOT_NOW = {"id": "not-now", "label": "Not now", "kind": "not_now"}


def require_approval(ledger: Ledger, catalog: Catalog, agent: str, now: float) -> bool:
    """Whether the agent may start with its current command; asks a person if it has changed."""
    wanted = as_agreed(catalog, agent, now)
    return _require(ledger, catalog, agent, wanted, is_agreed(catalog, agent), now)


def require_servers(
    ledger: Ledger, catalog: Catalog, agent: str, servers: Mapping[str, McpServer], now: float
) -> bool:
    """Whether the agent may get these tool servers; asks a person if they have changed."""
    wanted, known = servers_as_agreed(servers, now), catalog.consents.commands.get(SERVERS)
    is_known = known is not None and known.fingerprint == wanted.fingerprint
    is_known = is_known or (known is None and not servers)
    return _require(ledger, catalog, agent, wanted, is_known, now)


def _require(
    ledger: Ledger, catalog: Catalog, agent: str, wanted: AgreedCommand, is_known: bool, now: float
) -> bool:
    known = catalog.consents.commands.get(wanted.agent)
    open_question = next((q for q in _questions(ledger, wanted) if q.detail["agent"] == agent), None)
    given = ledger.get(AgreedCommand, wanted.agent)  # in this very step
    if is_known or (given is not None and given.fingerprint == wanted.fingerprint):
        if open_question is not None:  # approved in another chat, or changed back
            open_questions.choose_for_person(ledger, open_question, "start", "rule", now)
        if known is None or known.fingerprint != wanted.fingerprint:
            ledger.save(wanted)
        return True
    if open_question is not None and open_question.detail["fingerprint"] != wanted.fingerprint:
        open_questions.cancel(ledger, open_question, now)
        open_question = None
    if open_question is None:
        _ask(ledger, catalog, agent, wanted, now)
    return False


def decided(ledger: Ledger, question: Question, at: float) -> None:
    agent, about = question.detail["agent"], _about(question)
    if question.option_id == "start":
        shown, fingerprint = question.detail["text"], question.detail["fingerprint"]
        sandbox = question.detail.get("sandbox", "off")
        ledger.save(AgreedCommand(agent=about, fingerprint=fingerprint, shown=shown, sandbox=sandbox, at=at))
        return
    no_longer_wanted(ledger, agent)
    what = "the MCP servers have changed" if about == SERVERS else "its command has changed"
    text = f"The agent was not started because {what}. Send a message to be asked again."
    ledger.emit(NoticeGiven(level="info", code="not-agreed", text=text, turn=question.turn), at)
    for task in tasks.waiting_for(ledger, agent):
        turn.finish(ledger, task, TurnState.CANCELLED, "cancelled", at)


def _questions(ledger: Ledger, wanted: AgreedCommand) -> list[Question]:
    open_ones = [question for question in ledger.all(Question) if question.purpose == PURPOSE]
    return [question for question in open_ones if _about(question) == wanted.agent]


def _about(question: Question) -> str:
    """What was changed: an agent's command, or the tool servers."""
    return str(question.detail.get("about") or question.detail["agent"])


def _ask(ledger: Ledger, catalog: Catalog, agent: str, wanted: AgreedCommand, now: float) -> None:
    current, task = turn.running(ledger), tasks.behind(ledger, agent)
    name, before = catalog.describe(agent).display_name, catalog.consents.commands.get(wanted.agent)
    if wanted.agent == SERVERS:
        title, label = f"Use the changed MCP servers with {name}?", "Use these"
        why = WHY.format("the MCP servers were last used")
    elif before is None:
        title, label = f"Start {name}? It was added in the settings file.", "Start"
        why = WHY.format("VoxPilot was first started")
    else:
        title, label = f"Start {name} with the changed command?", "Start with this command"
        why = WHY.format("the agent was last started")
    has_lost_sandbox = before is not None and before.sandbox != "off" and wanted.sandbox == "off"
    detail = {
        "agent": agent,
        "about": wanted.agent,
        "text": wanted.shown + ("\nwithout a sandbox" if has_lost_sandbox else ""),
        "before": before.shown if before else "",
        "sandbox": wanted.sandbox,
        "fingerprint": wanted.fingerprint,
        "why": why,
    }
    open_questions.ask_ourselves(
        ledger,
        NewQuestion(
            purpose=PURPOSE,
            type="confirm",
            title=title,
            detail=detail,
            options=({"id": "start", "label": label, "kind": "start"}, _NOT_NOW),
            turn=current.id if current else None,
            agent=agent,
            tool_call_id=task.tool_call_id if task else None,
        ),
        now,
    )
