"""Reading what goes along with one message.

Lives here: the parts, each with its own time limit, so that one disk that does not respond does not hold the
others. Nothing here is run, and a part that cannot be read is named with the reason. Lives elsewhere: when to
do it (gathering.py), skills (skills_in_use.py), files of the workspace (workspace/mentioned.py).
"""

from __future__ import annotations

import asyncio
import binascii
import logging
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from voxpilot.assistant.tools.outcome import MOST_FOR_THE_MODEL
from voxpilot.chat.events import Json
from voxpilot.chat.gathered import GIVEN, Gathered, Piece
from voxpilot.chat.references import name_of
from voxpilot.chat.summary import in_words, summarize
from voxpilot.errors import NotFound, VoxPilotError
from voxpilot.runtime.context.needs import PROJECT_FILES, personal_instructions
from voxpilot.runtime.context.skills_in_use import NOT_TRUSTED, skills_in_use
from voxpilot.runtime.processes import trust
from voxpilot.runtime.shared.services import Services
from voxpilot.storage.chats import chat_list, folds
from voxpilot.storage.database.rows import Chat, Turn
from voxpilot.storage.database.sqlite import Connection
from voxpilot.storage.directory import uploads
from voxpilot.threads import look_at
from voxpilot.workspace import mentioned

if TYPE_CHECKING:
    from voxpilot.chat.shapes import Block

log = logging.getLogger(__name__)
SECONDS = 5.0
"""How long one part may take."""
SKILL_SECONDS = 10.0
MOST_EMBEDDED = 1_000_000
"""Bytes of files that go along with one message; those after that are linked."""
MOST_PICTURES = 20_000_000
"""Bytes of pictures and sound of the workspace that go along with one message, in base64."""
PROJECT_BYTES = 32_000
"""Bytes of one file with instructions."""
_BLOCKS = 300
"""Blocks of another chat that are looked at for its summary."""


async def gather(services: Services, chat: Chat, turn: Turn) -> Gathered:
    """Everything that goes along with the turn's message."""
    chosen = [one["id"] for one in turn.attachments if one.get("type") == "skill"]
    attached = [_attachment(services, chat, turn, n, one) for n, one in enumerate(turn.attachments)]
    skills, (instructions, unread), pieces = await asyncio.gather(
        _skills(services, chat, turn, chosen), _instructions(services, chat, turn), asyncio.gather(*attached)
    )
    return replace(
        skills,
        pieces=tuple(_bounded(pieces)),
        instructions=instructions,
        left_out=(*skills.left_out, *unread),
    )


def is_used(services: Services, workspace: str, *, by_agent: bool) -> bool:
    """Whether skills and instructions of the workspace are followed.

    An agent gets nothing before its folder is trusted; the assistant answers in any folder.
    """
    given = services.catalog.consents.folders
    return by_agent or not trust.untrusted((workspace,), given, services.settings)


async def _skills(services: Services, chat: Chat, turn: Turn, chosen: Sequence[str]) -> Gathered:
    try:
        async with asyncio.timeout(SKILL_SECONDS):
            found = await skills_in_use(services, chat.workspace)
            if not is_used(services, chat.workspace, by_agent=bool(turn.agent)):
                found = found.from_an_untrusted_folder(chosen)
            full, left_out = await found.in_full(chosen)
    except TimeoutError:
        return _no_skills(f"The disk did not respond within {SKILL_SECONDS:.0f} s.")
    except VoxPilotError as error:
        return _no_skills(error.message)
    except Exception:
        log.exception("the skills could not be read: chat=%s", chat.id)
        return _no_skills("They could not be read because of an internal error.")
    index = found.index()
    over = [*found.problems, *index.left_out]
    return Gathered(
        skills_folder=(found.folder if found.folder.skills else found.personal).path,
        index=index.text,
        indexed=index.count,
        full=tuple(full),
        left_out=(*left_out, *({"what": what, "why": why} for what, why in over)),
    )


def _no_skills(why: str) -> Gathered:
    return Gathered(left_out=({"what": "Skills", "why": why},))


async def _attachment(services: Services, chat: Chat, turn: Turn, number: int, given: Json) -> Piece:
    """Never fails: what cannot be read is named with the reason."""
    try:
        async with asyncio.timeout(SECONDS):
            return await _piece(services, chat, turn, number, given)
    except VoxPilotError as error:
        return _missing(error.message)
    except TimeoutError:
        return _missing(f"The disk did not respond within {SECONDS:.0f} s.")
    except Exception:
        log.exception("an attachment could not be read: chat=%s turn=%s number=%d", chat.id, turn.id, number)
        return _missing("It could not be read because of an internal error.")


async def _piece(services: Services, chat: Chat, turn: Turn, number: int, given: Json) -> Piece:
    limit = services.settings.embed_limit_bytes
    match given:
        case {"type": "file" | "folder", "path": str(path)}:
            lines = given.get("lines") if given["type"] == "file" else None
            paths = (path, *chat.roots) if path.startswith("/") else chat.roots
            found = await look_at(paths, mentioned.read, chat.roots, path, lines, limit)
            return {"kind": "file", **found.as_json()}
        case {"type": "diff"}:
            return await _diff(services, chat)
        case {"type": "skill"}:
            return {"kind": "words", "text": f"[Use the skill “{name_of(given)}” for this.]"}
        case {"type": "chat", "id": str(id)}:
            return await _other_chat(services, chat, id, name_of(given))
        case {"type": "image" | "audio" | "resource"}:
            return await _upload(services, chat, turn, number, given)
    return GIVEN


async def _upload(services: Services, chat: Chat, turn: Turn, number: int, given: Json) -> Piece:
    """Store a file that was attached, so that it has a path; if that fails, it is sent as it is."""
    key = f"{turn.message_id}/{number}"
    folder = services.settings.data_dir
    try:
        path, size = await look_at(str(folder), _store, folder, chat.id, key, given)
    except VoxPilotError as error:
        log.warning("an attachment was not stored: chat=%s why=%s", chat.id, error.message)
        return GIVEN
    mime = given.get("mimeType") or given.get("resource", {}).get("mimeType") or mentioned.kind_of(path.name)
    typed = {"mime": mime} if isinstance(mime, str) else {}
    large = {"is_large": True} if size > services.settings.embed_limit_bytes else {}
    return {"kind": "file", "uri": mentioned.uri_of(str(path)), "bytes": size, **typed, **large}


def _store(folder: Path, chat_id: str, key: str, given: Json) -> tuple[Path, int]:
    name, data = _contents(given)
    return uploads.store(folder, chat_id, key, name, data), len(data)


def _contents(given: Json) -> tuple[str, bytes]:
    inner = given.get("resource", given)
    uri, called = inner.get("uri"), given.get("name")
    name = unquote(uri.rstrip("/").rpartition("/")[2]) if isinstance(uri, str) else ""
    name = called if isinstance(called, str) and called else name
    if isinstance(inner.get("text"), str):
        return name or "text.txt", inner["text"].encode(errors="replace")
    try:
        data = b64decode(inner.get("data") or inner.get("blob") or "", validate=True)
    except (binascii.Error, ValueError) as error:
        raise VoxPilotError("Its data is not base64.") from error
    ending = str(given.get("mimeType") or "").rpartition("/")[2].partition("+")[0]
    return name or f"{given['type']}.{ending or 'bin'}", data


async def _diff(services: Services, chat: Chat) -> Piece:
    from voxpilot.assistant.tools.git_tools import GitDiff, git_diff  # heavy: imports a model library

    given, settings = services.catalog.consents.folders, services.settings
    if trust.untrusted(chat.roots, given, settings):
        raise VoxPilotError("The folder is not trusted, so git was not asked.")
    found = await git_diff(chat.roots, GitDiff(), trust.trusted_folders(given, settings))
    text = found.content[:MOST_FOR_THE_MODEL].strip()
    if not text:
        raise VoxPilotError("There are no uncommitted changes.")
    return {"kind": "words", "text": f"[Uncommitted changes in {chat.workspace}]\n{text}\n[End of changes]"}


async def _other_chat(services: Services, chat: Chat, id: str, name: str) -> Piece:
    if id == chat.id:
        raise VoxPilotError("This is the chat itself.")
    about = await chat_list.summary(services.db, id)
    if about is None:
        raise NotFound("The chat does not exist any more.")
    first, last = await services.db.read(lambda db: _ends_of(db, id), is_long=True)
    known = {block["pos"] for block in last}
    words = in_words(summarize([*(block for block in first if block["pos"] not in known), *last]))
    title = about["title"] or name
    return {
        "kind": "words",
        "text": f"[Summary of the earlier chat “{title}”, in {about['workspace']}]\n"
        f"{words or 'Nothing happened in it.'}\n[End of summary]",
    }


def _ends_of(db: Connection, id: str) -> tuple[list[Block], list[Block]]:
    """The first and the newest blocks of a chat."""
    newest = folds.load(db, id).here
    oldest = folds.older_blocks(db, id, 50, 10)
    before = folds.older_blocks(db, id, newest[0]["pos"], _BLOCKS) if newest else []
    return oldest, [*(block for block in before if block["pos"] >= 50), *newest]


async def _instructions(
    services: Services, chat: Chat, turn: Turn
) -> tuple[tuple[Json, ...], tuple[Json, ...]]:
    """The person's own and those of the project, which agents read themselves."""
    settings = services.settings
    found = [*personal_instructions(settings, for_agent=bool(turn.agent))]
    left_out: list[Json] = []
    if not turn.agent and settings.project_instructions:
        for name in PROJECT_FILES:
            text, why = await project_file(chat.workspace, name)
            if text and not is_used(services, chat.workspace, by_agent=bool(turn.agent)):
                text, why = "", NOT_TRUSTED
            if why:
                left_out.append({"what": name, "why": why})
            if text:
                found.append({"source": name, "text": text})
    return tuple(found), tuple(left_out)


async def project_file(workspace: str, name: str) -> tuple[str, str]:
    """The text of a file with instructions, and why it was not read, if it is there."""
    try:
        async with asyncio.timeout(SECONDS):
            found = await look_at(workspace, mentioned.read, (workspace,), name, None, PROJECT_BYTES)
    except NotFound:
        return "", ""
    except VoxPilotError as error:
        return "", error.message
    except TimeoutError:
        return "", f"The disk did not respond within {SECONDS:.0f} s."
    if found.text is None or found.is_folder:
        return "", f"It is not a text file of at most {PROJECT_BYTES // 1000} kB."
    return found.text.strip(), ""


def _bounded(pieces: Sequence[Piece]) -> list[Piece]:
    """Files beyond the limits of a message are linked."""
    room = {"text": MOST_EMBEDDED, "data": MOST_PICTURES}
    kept: list[Piece] = []
    for piece in pieces:
        for held in room if piece["kind"] == "file" and not piece.get("is_folder") else ():
            size = len(piece.get(held, "").encode())
            if size > room[held]:
                piece = {name: value for name, value in piece.items() if name != held}
            else:
                room[held] -= size
        kept.append(piece)
    return kept


def _missing(why: str) -> Piece:
    return {"kind": "missing", "why": why}
