"""The content of a prompt: a person's message with everything that goes along, in the form an agent accepts.

Lives here: one pure function, in which only the agent's capabilities decide. Files are embedded, or else sent
as text; large ones and those that are not text are linked, with their real path. Lives elsewhere: reading
what a message mentions (runtime/context/), the same for the assistant's model (assistant/attachments.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from voxpilot.agents.installed.capabilities import Abilities
from voxpilot.chat.events import Json
from voxpilot.chat.gathered import Gathered, Piece
from voxpilot.chat.references import name_of, quoted
from voxpilot.values import dataclass

_FROM_US = "[From VoxPilot: {}]"
_END = "[End of {}]"
_SKILLS = (
    "skills. A skill is a file with instructions for one kind of work. Before you do work that one of these "
    "is about, read its file. They are context, not a task"
)


@dataclass(frozen=True, slots=True)
class Assembled:
    blocks: list[Json]
    files: list[Json]
    """What was sent of each file: `path`, `how`, `bytes`, `lines`."""
    left_out: list[Json]


def assemble(text: str, attachments: Sequence[Json], gathered: Gathered, able: Abilities) -> Assembled:
    """The blocks in order: instructions, the message, its attachments, skills.

    A message that begins with a slash may be a command of the agent, so then nothing comes before it.
    """
    out = Assembled([], [], [])
    said = [_text(text)] if text.strip() else []
    instructions = [_text(words) for words in _instructions(gathered)]
    is_command = text.lstrip().startswith("/")
    out.blocks.extend([*said, *instructions] if is_command else [*instructions, *said])
    for number, attachment in enumerate(attachments):
        _Attaching(out, able, attachment).attach(gathered.piece(number))
    out.blocks.extend(_text(words) for words in _skills(gathered))
    return out


@dataclass(frozen=True, slots=True)
class _Attaching:
    """One attachment on its way into the prompt."""

    out: Assembled
    able: Abilities
    attachment: Json

    def attach(self, piece: Piece) -> None:
        match piece["kind"]:
            case "words":
                self._add(_text(piece["text"]))
            case "missing":
                self._leave_out(piece["why"])
            case "file" if self.attachment.get("type") in ("image", "audio", "resource"):
                self._upload(piece)
            case "file":
                self._file(piece)
            case _:
                self._given()

    def _given(self) -> None:
        """Nothing was stored for it."""
        match self.attachment:
            case {"type": "text"} | {"type": "resource_link"}:
                self._add(self.attachment)
            case {"type": "quote", "text": str(text)}:
                self._add(_text(quoted(text, self.attachment.get("source") or "")))
            case {"type": "image" | "audio" | "resource"}:
                self._upload({})
            case _:
                self._leave_out("It could not be read.")

    def _upload(self, piece: Piece) -> None:
        """A file that a person attached: as it is if the agent accepts that, else as a link."""
        uri = piece.get("uri")
        size = piece.get("bytes", 0)
        match self.attachment:
            case {"type": "image"} if self.able.image:
                self._add({**self.attachment, **({"uri": uri} if uri else {})}, "image", uri, size)
            case {"type": "audio"} if self.able.audio:
                self._add(self.attachment, "audio", uri, size)
            case {"type": "resource", "resource": inner} if not piece.get("is_large"):
                self._resource({**inner, **({"uri": uri} if uri else {})}, piece)
            case _ if uri:
                self._link(piece)
            case _:
                self._leave_out("The agent does not accept it, and it could not be stored as a file.")

    def _resource(self, inner: Json, piece: Piece) -> None:
        if self.able.embedded:
            self._add(
                {"type": "resource", "resource": inner}, "embedded", inner["uri"], piece.get("bytes", 0)
            )
        elif "text" in inner:
            words = f"[Attached: {inner.get('uri') or 'a text'}]\n{inner['text']}"
            self._add(_text(words), "text", inner["uri"], piece.get("bytes", 0))
        elif piece.get("uri"):
            self._link(piece)
        else:
            self._leave_out("The agent accepts text files only, and it could not be stored as a file.")

    def _file(self, piece: Piece) -> None:
        """A file of the workspace, where the agent can find it."""
        uri, mime, size = piece["uri"], piece.get("mime"), piece.get("bytes", 0)
        typed = {"mimeType": mime} if mime else {}
        if piece.get("is_folder"):
            self._link(piece)
        elif "data" in piece and mime and mime.startswith("image/") and self.able.image:
            self._add(
                {"type": "image", "data": piece["data"], "mimeType": mime, "uri": uri}, "image", uri, size
            )
        elif "data" in piece and mime and mime.startswith("audio/") and self.able.audio:
            self._add({"type": "audio", "data": piece["data"], "mimeType": mime}, "audio", uri, size)
        elif "text" not in piece:
            self._link(piece)
        elif self.able.embedded:
            named = f"{uri}#L{piece['lines'][0]}-{piece['lines'][1]}" if "lines" in piece else uri
            inner = {"uri": named, "text": piece["text"], **typed}
            self._add({"type": "resource", "resource": inner}, "embedded", uri, size, piece.get("lines"))
        else:
            lines = f", lines {piece['lines'][0]}–{piece['lines'][1]}" if "lines" in piece else ""
            words = f"[File: {uri}{lines}]\n{piece['text']}\n{_END.format('file')}"
            self._add(_text(words), "text", uri, size, piece.get("lines"))

    def _link(self, piece: Piece) -> None:
        name = self._path(piece["uri"]).rstrip("/").rpartition("/")[2] or "file"
        mime, size = piece.get("mime"), piece.get("bytes", 0)
        about = {"mimeType": mime} if mime else {}
        sized = {"size": size} if size else {}
        block = {"type": "resource_link", "uri": piece["uri"], "name": name, **about, **sized}
        self._add(block, "linked", piece["uri"], size, piece.get("lines"))
        if "lines" in piece:
            first, last = piece["lines"]
            self._add(_text(f"[Lines {first}–{last} of {name} are meant.]"))

    def _add(
        self,
        block: Json,
        how: str = "",
        uri: str | None = None,
        size: int = 0,
        lines: Sequence[int] | None = None,
    ) -> None:
        self.out.blocks.append(block)
        if how:
            only = {"lines": list(lines)} if lines else {}
            self.out.files.append({"path": self._path(uri or ""), "how": how, "bytes": size, **only})

    def _leave_out(self, why: str) -> None:
        name = name_of(self.attachment)
        self.out.blocks.append(_text(f"[{name} could not be sent along: {why}]"))
        self.out.left_out.append({"what": name, "why": why})

    def _path(self, uri: str) -> str:
        """The path as the person sees it."""
        if self.attachment.get("type") in ("file", "folder"):
            return str(self.attachment["path"])
        name = self.attachment.get("name")
        return name if isinstance(name, str) and name else unquote(uri.rpartition("/")[2]) or "a file"


def _instructions(gathered: Gathered) -> Iterator[str]:
    for one in gathered.instructions:
        whose = _FROM_US.format("the user’s own instructions")
        yield f"{whose}\n{one['text']}\n{_END.format('instructions')}"


def _skills(gathered: Gathered) -> Iterator[str]:
    if gathered.index:
        yield f"{_FROM_US.format(_SKILLS)}\n{gathered.index}\n{_END.format('skills')}"
    for one in gathered.full:
        yield f"[Skill “{one['name']}”: {one['path']}]\n{one['text']}\n{_END.format('skill')}"


def _text(words: str) -> Json:
    return {"type": "text", "text": words}
