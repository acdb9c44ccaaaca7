"""Files read and written for agents: requested, approved, done and shown.

Lives here: the stages of such a request and what each leads to. A read is done immediately; for a write we
read the existing file, show a person the diff and ask, and overwrite only the version that was read. Lives
elsewhere: the files themselves (workspace/files.py), running a stage (jobs.py), ACP
(agents/requests/callbacks.py).
"""

from __future__ import annotations

import posixpath
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from voxpilot.agents.installed.sandboxing import seen_by
from voxpilot.agents.requests import callbacks
from voxpilot.chat.events import Json, ToolCallChanged, ToolCallStarted
from voxpilot.errors import VoxPilotError
from voxpilot.runtime.questions import consent
from voxpilot.runtime.shared.boundaries import real_path
from voxpilot.runtime.shared.services import Services
from voxpilot.storage.chats import file_views
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.request_rows import Request
from voxpilot.storage.database.rows import FileView, Process, Question, Session
from voxpilot.storage.database.subjects import FileRequest, ReadFile, Stage, WriteFile
from voxpilot.storage.directory import uploads
from voxpilot.threads import look_at
from voxpilot.workspace import files
from voxpilot.workspace.folder import PathRefused

if TYPE_CHECKING:
    from voxpilot.runtime.callbacks.jobs import Finish, Job

PURPOSE = "write"
"""The purpose of a question whether a file may be written."""


def begin(ledger: Ledger, request: Request, session: Session) -> None:
    """Accept a request: a read is due immediately, a write only if somebody can be asked about it."""
    wanted = request.about(FileRequest)
    reading = isinstance(wanted, ReadFile)
    if not reading and not consent.may_be_asked(ledger, session):
        callbacks.stopped(ledger, request)
        return
    ledger.change(request, subject=replace(wanted, stage=Stage.READ if reading else Stage.LOOK))


def decided(ledger: Ledger, question: Question, at: float) -> None:
    """A person answered whether a file may be written."""
    request = ledger.get(Request, question.request_id)
    if request is None:
        return
    if (question.outcome or "").startswith("allow"):
        ledger.change(request, subject=replace(request.about(WriteFile), stage=Stage.WRITE))
        return
    callbacks.rejected(ledger, request, question.reason)
    _show_end(ledger, request, "failed", at, "Rejected.")


async def _sandbox_of(
    services: Services, ledger: Ledger, request: Request, to_write: bool
) -> files.Check | None:
    """Limits what we do for a sandboxed agent to what its sandbox would let it do itself.

    It checks the opened file, because the path may lead elsewhere a moment later.
    """
    process = ledger.get(Process, request.process_id)
    if process is None or process.sandbox == "off":
        return None
    roots, shared = ledger.chat.roots, (_attached_files(services, ledger),)
    view = await look_at(roots, seen_by, services.catalog, process.agent, process.sandbox, roots, shared)

    def check(path: str) -> None:
        mark = view.allows(path)
        if mark not in ("read", "write"):
            raise PathRefused("The sandbox of this agent hides this file.")
        if to_write and mark != "write":
            raise PathRefused("The sandbox of this agent does not allow writing this file.")

    return check


def _attached_files(services: Services, ledger: Ledger) -> str:
    """The folder of the files that people attached in this chat, which its agents may read."""
    return real_path(str(uploads.folder_of(services.settings.data_dir, ledger.chat.id)))


async def _read(services: Services, ledger: Ledger, request: Request) -> Finish:
    wanted = request.about(ReadFile)
    try:
        check = await _sandbox_of(services, ledger, request, to_write=False)
        roots = (*ledger.chat.roots, _attached_files(services, ledger))
        found = await look_at((wanted.path, *roots), files.read, roots, wanted.path, check)
    except VoxPilotError as error:
        return _failed(error)
    text = files.part_of(found.text, wanted.line, wanted.limit)

    def finish(ledger: Ledger, request: Request, at: float) -> None:
        session = ledger.get(Session, wanted.session)
        _note(ledger, request, found.version, at)
        callbacks.give_text(ledger, request, text)
        if session is not None and _announced(ledger, request) is None:
            ledger.emit(_own_call(request, "read", "completed"), at)

    return finish


async def _look(services: Services, ledger: Ledger, request: Request) -> Finish:
    wanted = request.about(WriteFile)
    try:
        check = await _sandbox_of(services, ledger, request, to_write=True)
        roots = ledger.chat.roots
        found = await look_at((wanted.path, *roots), files.look, roots, wanted.path, check)
    except VoxPilotError as error:
        return _failed(error)
    seen = await file_views.last_seen(services.db, wanted.session, wanted.path)
    conflict = found is not None and seen is not None and seen != found.version

    def finish(ledger: Ledger, request: Request, at: float) -> None:
        session = ledger.get(Session, wanted.session)
        if session is None or not consent.may_be_asked(ledger, session):
            callbacks.stopped(ledger, request)
            return
        change = _change(request, found.text if found else None)
        call = _announced(ledger, request)
        if call is None:
            ledger.emit(_own_call(request, "edit", "pending", change), at)
        before = found.version if found else None
        tool = call or _own_id(request)
        subject = replace(request.about(WriteFile), before=before, tool=tool, ours=call is None)
        request = ledger.change(request, subject=subject)
        detail = {
            "tool_kind": "edit",
            "locations": [{"path": wanted.path}],
            "content": [change],
            "from_disk": True,
            "tool": tool,
            **({"conflict": True} if conflict else {}),
        }
        title = f"Write {posixpath.basename(wanted.path):.200}"
        consent.seek(ledger, request, session, PURPOSE, title, detail, at)

    return finish


async def _write(services: Services, ledger: Ledger, request: Request) -> Finish:
    wanted = request.about(WriteFile)
    name = request.id.replace(":", "-")
    try:
        check = await _sandbox_of(services, ledger, request, to_write=True)
        roots, path = ledger.chat.roots, wanted.path
        version = await look_at(
            (path, *roots), files.write, roots, path, wanted.content, wanted.before, name, check
        )
    except VoxPilotError as error:
        return _failed(error)

    def finish(ledger: Ledger, request: Request, at: float) -> None:
        _note(ledger, request, version, at)
        callbacks.give_nothing(ledger, request)
        _show_end(ledger, request, "completed", at)

    return finish


ERRANDS: dict[Stage, Job] = {Stage.READ: _read, Stage.LOOK: _look, Stage.WRITE: _write}


def _failed(error: VoxPilotError) -> Finish:
    def finish(ledger: Ledger, request: Request, at: float) -> None:
        """Show that the call failed, whatever the agent reports about it."""
        callbacks.failed(ledger, request, error)
        if isinstance(request.subject, WriteFile) and request.subject.ours:
            _show_end(ledger, request, "failed", at, error.message)
            return
        kind = "read" if isinstance(request.subject, ReadFile) else "edit"
        ledger.emit(_own_call(request, kind, "failed", _words(error.message)), at)

    return finish


def _note(ledger: Ledger, request: Request, version: str, at: float) -> None:
    """Remember which version of the file this session has seen."""
    wanted = request.about(FileRequest)
    view = FileView(
        request_id=request.id, session_id=wanted.session, path=wanted.path, version=version, at=at
    )
    ledger.save(view)


def _announced(ledger: Ledger, request: Request) -> str | None:
    """The open tool call in which the agent itself names this file."""
    wanted = request.about(FileRequest)
    return ledger.transcript.open_tool_at(wanted.turn, wanted.tool_call_id, wanted.path)


def _own_id(request: Request) -> str:
    return f"fs-{request.id}"


def _own_call(request: Request, kind: str, status: str, *content: Json) -> ToolCallStarted:
    wanted = request.about(FileRequest)
    line = wanted.line if isinstance(wanted, ReadFile) else None
    place: Json = {"path": wanted.path, **({"line": line} if line else {})}
    verb = "Read" if kind == "read" else "Write"
    return ToolCallStarted(
        id=_own_id(request),
        title=f"{verb} {posixpath.basename(wanted.path):.200}",
        tool_kind=kind,
        status=status,
        locations=(place,),
        content=content,
        turn=wanted.turn,
        tool_call_id=wanted.tool_call_id,
    )


def _show_end(ledger: Ledger, request: Request, status: str, at: float, why: str | None = None) -> None:
    """Report in our own call how it ended; an agent's own call is ended by the agent."""
    wanted = request.about(WriteFile)
    if not wanted.ours:
        return
    more: dict[str, Any] = {"output": why} if why else {}
    event = ToolCallChanged(
        id=_own_id(request),
        status=status,
        turn=wanted.turn,
        tool_call_id=wanted.tool_call_id,
        **more,
    )
    ledger.emit(event, at)


def _change(request: Request, old: str | None) -> Json:
    wanted = request.about(WriteFile)
    return {"type": "diff", "path": wanted.path, "oldText": old, "newText": wanted.content}


def _words(text: str) -> Json:
    return {"type": "content", "content": {"type": "text", "text": text}}
