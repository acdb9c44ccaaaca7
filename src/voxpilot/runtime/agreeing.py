"""Whether an agent may be started as the settings now have it.

Lives here: asking a person when its command is another than the one that was
agreed to, and what follows from the answer. Lives elsewhere: what is compared
(agents/agreed.py), starting (launching.py).
"""

from __future__ import annotations

from voxpilot.agents.agreed import as_agreed, is_agreed
from voxpilot.agents.catalog import Catalog
from voxpilot.agents.opening import no_longer_wanted
from voxpilot.chat.events import NoticeGiven
from voxpilot.runtime import questions, tasks, turn
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import AgreedCommand, Question

PURPOSE = "agent-command"
WHY = "The settings file was changed since it was last started. If it was not you, look into who did that."
OPTIONS = (
    {"id": "start", "label": "Start it so", "kind": "start"},
    {"id": "not-now", "label": "Not now", "kind": "not_now"},
)


def is_given(ledger: Ledger, catalog: Catalog, agent: str, now: float) -> bool:
    """Whether the agent may start with its present command; asks a person if it is another one."""
    wanted, known = as_agreed(catalog, agent, now), catalog.agreed.get(agent)
    open_question = next((q for q in _questions(ledger) if q.detail["agent"] == agent), None)
    given = ledger.get(AgreedCommand, agent)  # in this very step
    if is_agreed(catalog, agent) or (given is not None and given.fingerprint == wanted.fingerprint):
        if open_question is not None:  # agreed to in another chat, or changed back
            questions.choose_for_person(ledger, open_question, "start", "rule", now)
        if known is None or known.fingerprint != wanted.fingerprint:
            ledger.save(wanted)  # counts once it is stored
        return True
    if open_question is not None and open_question.detail["fingerprint"] != wanted.fingerprint:
        questions.cancel(ledger, open_question, now)
        open_question = None
    if open_question is None:
        _ask(ledger, catalog, wanted, now)
    return False


def decided(ledger: Ledger, question: Question, at: float) -> None:
    agent = question.detail["agent"]
    if question.option_id == "start":
        shown, fingerprint = question.detail["text"], question.detail["fingerprint"]
        ledger.save(AgreedCommand(agent=agent, fingerprint=fingerprint, shown=shown, at=at))
        return
    no_longer_wanted(ledger, agent)
    text = "Nothing was started, for the agent's command has changed. Send a message to be asked again."
    ledger.emit(NoticeGiven(level="info", code="not-agreed", text=text, turn=question.turn), at)
    if (current := turn.running(ledger)) is not None:
        for task in [task for task in tasks.of_turn(ledger, current) if task.agent == agent]:
            turn.finish(ledger, task, "cancelled", "cancelled", at)


def stored(ledger: Ledger, catalog: Catalog) -> bool:
    """What was agreed to in a step counts in every chat once it is on disk; whether there was any."""
    given = ledger.all(AgreedCommand)
    for row in given:
        catalog.agreed[row.agent] = row
        ledger.unlearn(row)  # there may be a later one from elsewhere
    return bool(given)


def _questions(ledger: Ledger) -> list[Question]:
    return [question for question in ledger.all(Question) if question.purpose == PURPOSE]


def _ask(ledger: Ledger, catalog: Catalog, wanted: AgreedCommand, now: float) -> None:
    current = turn.running(ledger)
    name, before = catalog.describe(wanted.agent).display_name, catalog.agreed[wanted.agent]
    detail = {
        "agent": wanted.agent,
        "text": wanted.shown,
        "before": before.shown,
        "fingerprint": wanted.fingerprint,
        "why": WHY,
    }
    questions.ask_ourselves(
        ledger,
        PURPOSE,
        "confirm",
        f"Start {name} with another command than before?",
        detail,
        OPTIONS,
        now,
        turn=current.id if current else None,
        agent=wanted.agent,
    )
