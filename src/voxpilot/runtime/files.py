"""Files read and written for agents: what is asked, agreed to, done and shown.

Lives here: the stages of such a request and what each leads to. A read is done
at once; for a write we look at what is there, ask a person with the difference
in view, and write only over what was looked at. Lives elsewhere: the files
themselves (workspace/files.py), running a stage (errands.py), ACP (agents/callbacks.py).
"""

from __future__ import annotations

import asyncio
import posixpath
from typing import TYPE_CHECKING, Any

from voxpilot.agents import callbacks
from voxpilot.chat.events import Json, ToolCallChanged, ToolCallStarted
from voxpilot.errors import VoxPilotError
from voxpilot.runtime import consent
from voxpilot.runtime.house import House
from voxpilot.storage import file_views
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import FileView, Question, Request, Session
from voxpilot.workspace import files

if TYPE_CHECKING:
    from voxpilot.runtime.errands import Errand, Finish

PURPOSE = "write"
"""Of a question whether a file may be written."""


def begin(ledger: Ledger, request: Request, session: Session) -> None:
    """Take a request in: a read is due at once, a write only if somebody can be asked about it."""
    reading = request.subject["do"] == "read"
    if not reading and not consent.may_be_asked(ledger, session):
        callbacks.stopped(ledger, request)
        return
    ledger.change(request, subject={**request.subject, "stage": "read" if reading else "look"})


def decided(ledger: Ledger, question: Question, at: float) -> None:
    """A person answered whether a file may be written."""
    request = ledger.get(Request, question.request_id)
    if request is None:
        return
    if (question.outcome or "").startswith("allow"):
        ledger.change(request, subject={**request.subject, "stage": "write"})
        return
    callbacks.rejected(ledger, request, question.reason)
    _show_end(ledger, request, "failed", at, "Rejected.")


async def _read(house: House, ledger: Ledger, request: Request) -> Finish:
    wanted = request.subject
    try:
        found = await asyncio.to_thread(files.read, ledger.chat.roots, wanted["path"])
    except VoxPilotError as error:
        return _failed(error)
    text = files.part_of(found.text, wanted["line"], wanted["limit"])

    def finish(ledger: Ledger, request: Request, at: float) -> None:
        session = ledger.get(Session, wanted["session"])
        _note(ledger, request, found.version, at)
        callbacks.give_text(ledger, request, text)
        if session is not None and _announced(ledger, request) is None:
            ledger.emit(_own_call(request, "read", "completed"), at)

    return finish


async def _look(house: House, ledger: Ledger, request: Request) -> Finish:
    wanted = request.subject
    try:
        found = await asyncio.to_thread(files.look, ledger.chat.roots, wanted["path"])
    except VoxPilotError as error:
        return _failed(error)
    seen = await file_views.last_seen(house.db, wanted["session"], wanted["path"])
    conflict = found is not None and seen is not None and seen != found.version

    def finish(ledger: Ledger, request: Request, at: float) -> None:
        session = ledger.get(Session, wanted["session"])
        if session is None or not consent.may_be_asked(ledger, session):
            callbacks.stopped(ledger, request)
            return
        change = _change(request, found.text if found else None)
        call = _announced(ledger, request)
        if call is None:
            ledger.emit(_own_call(request, "edit", "pending", change), at)
        before = found.version if found else None
        subject = {
            **request.subject,
            "before": before,
            "tool": call or _own_id(request),
            "ours": call is None,
        }
        request = ledger.change(request, subject=subject)
        detail = {
            "tool_kind": "edit",
            "locations": [{"path": wanted["path"]}],
            "content": [change],
            "tool": subject["tool"],
            **({"conflict": True} if conflict else {}),
        }
        title = f"Write {posixpath.basename(wanted['path']):.200}"
        consent.seek(ledger, request, session, PURPOSE, title, detail, at)

    return finish


async def _write(house: House, ledger: Ledger, request: Request) -> Finish:
    wanted = request.subject
    name = request.id.replace(":", "-")
    try:
        version = await asyncio.to_thread(
            files.write, ledger.chat.roots, wanted["path"], wanted["content"], wanted["before"], name
        )
    except VoxPilotError as error:
        return _failed(error)

    def finish(ledger: Ledger, request: Request, at: float) -> None:
        _note(ledger, request, version, at)
        callbacks.give_nothing(ledger, request)
        _show_end(ledger, request, "completed", at)

    return finish


ERRANDS: dict[str, Errand] = {"read": _read, "look": _look, "write": _write}


def _failed(error: VoxPilotError) -> Finish:
    def finish(ledger: Ledger, request: Request, at: float) -> None:
        """Whatever an agent said of the call itself, that it failed is shown."""
        callbacks.failed(ledger, request, error)
        if request.subject.get("ours"):
            _show_end(ledger, request, "failed", at, error.message)
            return
        kind = "read" if request.subject["do"] == "read" else "edit"
        ledger.emit(_own_call(request, kind, "failed", _words(error.message)), at)

    return finish


def _note(ledger: Ledger, request: Request, version: str, at: float) -> None:
    """Remember what this session knows of the file."""
    session, path = request.subject["session"], request.subject["path"]
    ledger.save(FileView(request_id=request.id, session_id=session, path=path, version=version, at=at))


def _announced(ledger: Ledger, request: Request) -> str | None:
    """The open tool call in which the agent itself tells of this file."""
    wanted = request.subject
    return ledger.transcript.open_tool_at(wanted["turn"], wanted["tool_call_id"], wanted["path"])


def _own_id(request: Request) -> str:
    return f"fs-{request.id}"


def _own_call(request: Request, kind: str, status: str, *content: Json) -> ToolCallStarted:
    wanted = request.subject
    place: Json = {"path": wanted["path"], **({"line": wanted["line"]} if wanted.get("line") else {})}
    verb = "Read" if kind == "read" else "Write"
    return ToolCallStarted(
        id=_own_id(request),
        title=f"{verb} {posixpath.basename(wanted['path']):.200}",
        tool_kind=kind,
        status=status,
        locations=(place,),
        content=content,
        turn=wanted["turn"],
        tool_call_id=wanted["tool_call_id"],
    )


def _show_end(ledger: Ledger, request: Request, status: str, at: float, why: str | None = None) -> None:
    """Say in our own call how it ended; an agent's call is the agent's to end."""
    wanted = request.subject
    if not wanted.get("ours"):
        return
    more: dict[str, Any] = {"output": why} if why else {}
    event = ToolCallChanged(
        id=_own_id(request),
        status=status,
        turn=wanted["turn"],
        tool_call_id=wanted["tool_call_id"],
        **more,
    )
    ledger.emit(event, at)


def _change(request: Request, old: str | None) -> Json:
    wanted = request.subject
    return {"type": "diff", "path": wanted["path"], "oldText": old, "newText": wanted["content"]}


def _words(text: str) -> Json:
    return {"type": "content", "content": {"type": "text", "text": text}}
