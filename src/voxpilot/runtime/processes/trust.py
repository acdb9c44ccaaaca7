"""Whether programs (agents, git, a search) may run in a folder at all.

An agent reads settings, hooks and instructions from the folder it is started in, and some of them run code.
So nothing is started before a person has said, once for a folder and everything in it, that its files are
trusted. Lives here: that question and what follows from it. Lives elsewhere: starting agents
(process_start.py), the assistant's tools (assistant/assistant_turn.py).
"""

from __future__ import annotations

from collections.abc import Iterable

from voxpilot.agents.installed.consents import Consents
from voxpilot.agents.requests.opening import no_longer_wanted
from voxpilot.assistant import toolbox
from voxpilot.chat.events import NoticeGiven
from voxpilot.chat.gathered import DUE
from voxpilot.chat.permissions.decide import is_inside
from voxpilot.runtime.questions import open_questions
from voxpilot.runtime.questions.open_questions import NewQuestion
from voxpilot.runtime.shared.boundaries import real_path
from voxpilot.runtime.turns import delegation, tasks, turn
from voxpilot.settings import Settings
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.model_rows import Call
from voxpilot.storage.database.rows import Question, Session, TrustedFolder
from voxpilot.storage.database.states import CallState, TurnState

PURPOSE = "trust"
WHY = "Agents follow the instructions and settings in the folder they start in, and can run its code."
NOT_RUN = "Nothing was run because this folder is not trusted."
NOT_STARTED = "The agent was not started because this folder is not trusted."
_NOT_NOW = {"id": "not-now", "label": "Not now", "kind": "not_now"}


def require_trust(
    ledger: Ledger,
    settings: Settings,
    consents: Consents,
    agent: str | None,
    now: float,
    tool_call_id: str | None = None,
) -> bool:
    """Whether an agent, or without one a tool, may run in the chat's folders; asks a person if unknown."""
    folders = (ledger.chat.workspace, *ledger.chat.directories)
    missing = untrusted(folders, consents.folders_with(ledger), settings)
    open_question = open_questions.asked(ledger, PURPOSE)
    if not missing:
        if open_question is not None:  # answered in another chat
            open_questions.choose_for_person(ledger, open_question, "trust", "rule", now)
        return True
    if open_question is None:
        task = tasks.behind(ledger, agent) if agent else None
        _ask(ledger, missing, agent, task.tool_call_id if task else tool_call_id, now)
    return False


def was_refused(ledger: Ledger, turn_id: str) -> bool:
    """Whether the person has answered "not now" in this turn: then nothing asks again until the next turn."""
    return ledger.transcript.find("notice", f"not-trusted/{turn_id}") is not None


def decided(ledger: Ledger, question: Question, at: float) -> None:
    if question.option_id == "trust":
        for folder in question.detail["folders"]:
            ledger.save(TrustedFolder(path=folder, at=at))
        _gather_again(ledger)
        return
    for session in [session for session in ledger.all(Session) if session.wanted]:
        no_longer_wanted(ledger, session.agent)
    waiting = [
        call
        for call in ledger.all(Call)
        if call.state is CallState.WAITING and toolbox.needs_trust(call.name)
    ]
    for call in waiting:
        delegation.end(ledger, call, NOT_RUN, None, True, at)
    text = f"{NOT_RUN if waiting else NOT_STARTED} Send a message to be asked again."
    ledger.emit(NoticeGiven(level="info", code="not-trusted", text=text, turn=question.turn), at)
    if (current := turn.running(ledger)) is not None:
        for task in tasks.of_turn(ledger, current):
            turn.finish(ledger, task, TurnState.CANCELLED, "cancelled", at)


def _gather_again(ledger: Ledger) -> None:
    """What goes along with the message was read before git could be asked, and has not been sent yet."""
    current = turn.running(ledger)
    if current is None or not current.agent or current.context is None:
        return
    if not any(tasks.prompt_request(ledger, task) for task in tasks.of_turn(ledger, current)):
        ledger.change(current, context=DUE)


def _ask(ledger: Ledger, folders: list[str], agent: str | None, tool_call_id: str | None, now: float) -> None:
    current = turn.running(ledger)
    label = "Trust this folder" if len(folders) == 1 else "Trust these folders"
    open_questions.ask_ourselves(
        ledger,
        NewQuestion(
            purpose=PURPOSE,
            type="confirm",
            title=f"Do you trust the files in {' and '.join(folders)}?",
            detail={"folders": folders, "why": WHY},
            options=({"id": "trust", "label": label, "kind": "trust"}, _NOT_NOW),
            turn=current.id if current else None,
            agent=agent,
            tool_call_id=tool_call_id,
        ),
        now,
    )


def untrusted(folders: Iterable[str], given: Iterable[TrustedFolder], settings: Settings) -> list[str]:
    """The folders that nobody has trusted, with links resolved."""
    trusted = trusted_folders(given, settings)
    return [folder for folder in map(real_path, folders) if not is_inside(folder, trusted)]


def trusted_folders(given: Iterable[TrustedFolder], settings: Settings) -> list[str]:
    """All trusted folders, with links resolved; without those whose disk does not respond."""
    chosen = [str(folder) for folder in (*settings.trusted_folders, settings.data_dir / "scratch")]
    known = [real for path in chosen if (real := real_path(path)) != "/" or path == "/"]
    return [*known, *(row.path for row in given)]
