"""Whether agents may be started in a folder at all.

An agent reads settings, hooks and instructions of the folder it is started in,
and some of them run code. So nothing is started before a person has said, once
for a folder and all in it, that its files are to be trusted. Lives here: that
question and what follows from it. Lives elsewhere: starting (progress.py).
"""

from __future__ import annotations

from collections.abc import Iterable

from voxpilot.agents.opening import no_longer_wanted
from voxpilot.chat.events import NoticeGiven
from voxpilot.chat.permissions import is_inside
from voxpilot.runtime import questions, tasks, turn
from voxpilot.runtime.ground import real_path
from voxpilot.settings import Settings
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Question, Session, TrustedFolder

PURPOSE = "trust"
WHY = "Agents started here can run its code and follow its settings and instructions."
OPTIONS = (
    {"id": "trust", "label": "Trust this folder", "kind": "trust"},
    {"id": "not-now", "label": "Not now", "kind": "not_now"},
)


def is_given(ledger: Ledger, settings: Settings, agent: str, now: float) -> bool:
    """Whether an agent may start in the chat's folders; asks a person who has not said so yet."""
    folders = (ledger.chat.workspace, *ledger.chat.directories)
    missing = untrusted(folders, ledger.all(TrustedFolder), settings)
    open_question = questions.asked(ledger, PURPOSE)
    if not missing:
        if open_question is not None:  # answered in another chat
            questions.choose_for_person(ledger, open_question, "trust", "rule", now)
        return True
    if open_question is None:
        _ask(ledger, missing, agent, now)
    return False


def decided(ledger: Ledger, question: Question, at: float) -> None:
    if question.option_id == "trust":
        for folder in question.detail["folders"]:
            ledger.save(TrustedFolder(path=folder, at=at))
        return
    for session in [session for session in ledger.all(Session) if session.wanted]:
        no_longer_wanted(ledger, session.agent)
    text = "Nothing was started, for the folder is not trusted. Send a message to be asked again."
    ledger.emit(NoticeGiven(level="info", code="not-trusted", text=text, turn=question.turn), at)
    if (current := turn.running(ledger)) is not None:
        for task in tasks.of_turn(ledger, current):
            turn.finish(ledger, task, "cancelled", "cancelled", at)


def _ask(ledger: Ledger, folders: list[str], agent: str, now: float) -> None:
    current, task = turn.running(ledger), tasks.behind(ledger, agent)
    questions.ask_ourselves(
        ledger,
        PURPOSE,
        "confirm",
        f"Do you trust the files in {' and '.join(folders)}?",
        {"folders": folders, "why": WHY},
        OPTIONS,
        now,
        turn=current.id if current else None,
        agent=agent,
        tool_call_id=task.tool_call_id if task else None,
    )


def untrusted(folders: Iterable[str], given: Iterable[TrustedFolder], settings: Settings) -> list[str]:
    """Those of the folders for which nobody has vouched, links followed."""
    chosen = [str(folder) for folder in (*settings.trusted_folders, settings.data_dir / "scratch")]
    trusted = [*map(real_path, chosen), *(row.path for row in given)]
    return [folder for folder in map(real_path, folders) if not is_inside(folder, trusted)]
