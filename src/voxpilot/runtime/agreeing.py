"""Whether an agent may be started, and given tool servers, as the settings now have it.

Lives here: asking a person when its command or the tool servers are others than
those that were agreed to, and what follows from the answer. Lives elsewhere:
what is compared (agents/agreed.py), starting (launching.py), opening the
sessions that are given them (restoring.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from voxpilot.agents.agreed import SERVERS, as_agreed, is_agreed, servers_as_agreed
from voxpilot.agents.catalog import Catalog
from voxpilot.agents.opening import no_longer_wanted
from voxpilot.chat.events import NoticeGiven
from voxpilot.runtime import questions, tasks, turn
from voxpilot.settings import McpServer
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import AgreedCommand, Question

PURPOSE = "agent-command"
WHY = "The settings file was changed since {}. If it was not you, look into who did that."
_NOT_NOW = {"id": "not-now", "label": "Not now", "kind": "not_now"}


def is_given(ledger: Ledger, catalog: Catalog, agent: str, now: float) -> bool:
    """Whether the agent may start with its present command; asks a person if it is another one."""
    wanted = as_agreed(catalog, agent, now)
    return _is_given(ledger, catalog, agent, wanted, is_agreed(catalog, agent), now)


def are_servers_given(
    ledger: Ledger, catalog: Catalog, agent: str, servers: Mapping[str, McpServer], now: float
) -> bool:
    """Whether the agent may be told of these tool servers; asks a person if they are others."""
    wanted, known = servers_as_agreed(servers, now), catalog.agreed.get(SERVERS)
    is_known = known is None or known.fingerprint == wanted.fingerprint
    return _is_given(ledger, catalog, agent, wanted, is_known, now)


def _is_given(
    ledger: Ledger, catalog: Catalog, agent: str, wanted: AgreedCommand, is_known: bool, now: float
) -> bool:
    known = catalog.agreed.get(wanted.agent)
    open_question = next((q for q in _questions(ledger, wanted) if q.detail["agent"] == agent), None)
    given = ledger.get(AgreedCommand, wanted.agent)  # in this very step
    if is_known or (given is not None and given.fingerprint == wanted.fingerprint):
        if open_question is not None:  # agreed to in another chat, or changed back
            questions.choose_for_person(ledger, open_question, "start", "rule", now)
        if known is None or known.fingerprint != wanted.fingerprint:
            ledger.save(wanted)  # counts once it is stored
        return True
    if open_question is not None and open_question.detail["fingerprint"] != wanted.fingerprint:
        questions.cancel(ledger, open_question, now)
        open_question = None
    if open_question is None:
        _ask(ledger, catalog, agent, wanted, now)
    return False


def decided(ledger: Ledger, question: Question, at: float) -> None:
    agent, about = question.detail["agent"], _about(question)
    if question.option_id == "start":
        shown, fingerprint = question.detail["text"], question.detail["fingerprint"]
        ledger.save(AgreedCommand(agent=about, fingerprint=fingerprint, shown=shown, at=at))
        return
    no_longer_wanted(ledger, agent)
    what = "the tool servers have changed" if about == SERVERS else "the agent's command has changed"
    text = f"Nothing was started, for {what}. Send a message to be asked again."
    ledger.emit(NoticeGiven(level="info", code="not-agreed", text=text, turn=question.turn), at)
    for task in tasks.waiting_for(ledger, agent):
        turn.finish(ledger, task, "cancelled", "cancelled", at)


def stored(ledger: Ledger, catalog: Catalog) -> bool:
    """What was agreed to in a step counts in every chat once it is on disk; whether there was any."""
    given = ledger.all(AgreedCommand)
    for row in given:
        catalog.agreed[row.agent] = row
        ledger.unlearn(row)  # there may be a later one from elsewhere
    return bool(given)


def _questions(ledger: Ledger, wanted: AgreedCommand) -> list[Question]:
    open_ones = [question for question in ledger.all(Question) if question.purpose == PURPOSE]
    return [question for question in open_ones if _about(question) == wanted.agent]


def _about(question: Question) -> str:
    """What was changed: an agent's command, or the tool servers."""
    return str(question.detail.get("about") or question.detail["agent"])


def _ask(ledger: Ledger, catalog: Catalog, agent: str, wanted: AgreedCommand, now: float) -> None:
    current, task = turn.running(ledger), tasks.behind(ledger, agent)
    name, before = catalog.describe(agent).display_name, catalog.agreed[wanted.agent]
    if wanted.agent == SERVERS:
        title, label = f"Give {name} other tool servers than before?", "Use these"
        why = WHY.format("they were last used")
    else:
        title, label = f"Start {name} with another command than before?", "Start it so"
        why = WHY.format("it was last started")
    detail = {
        "agent": agent,
        "about": wanted.agent,
        "text": wanted.shown,
        "before": before.shown,
        "fingerprint": wanted.fingerprint,
        "why": why,
    }
    questions.ask_ourselves(
        ledger,
        PURPOSE,
        "confirm",
        title,
        detail,
        ({"id": "start", "label": label, "kind": "start"}, _NOT_NOW),
        now,
        turn=current.id if current else None,
        agent=agent,
        tool_call_id=task.tool_call_id if task else None,
    )
