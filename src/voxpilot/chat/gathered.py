"""What was read for a message before it is sent, as it is stored with its turn.

Lives here: its form. Lives elsewhere: reading it (runtime/context/), what of it goes to an agent
(agents/requests/assembling.py) and to the assistant (assistant/attachments.py, assistant/instructions.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from voxpilot.chat.events import ContextSent, Json
from voxpilot.values import dataclass

DUE: Json = {"due": True}
"""In place of it, while it still has to be read."""
Piece = dict[str, Any]
"""What an attachment became. `kind` is `given` (sent as it is), `file` (with `uri`, and `text` or `data` if
it is small), `words` (a text), or `missing` (with `why`)."""
GIVEN: Piece = {"kind": "given"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    pieces: tuple[Piece, ...] = ()
    """One for each attachment, in order."""
    skills_folder: str | None = None
    index: str = ""
    """The list of skills, with their folder."""
    indexed: int = 0
    full: tuple[Json, ...] = ()
    """Skills in full: `id`, `name`, `path`, `why`, `text`."""
    instructions: tuple[Json, ...] = ()
    """`source` and `text` of each."""
    left_out: tuple[Json, ...] = ()

    def as_json(self) -> Json:
        return {name: getattr(self, name) for name in self.__slots__ if getattr(self, name)}

    def piece(self, number: int) -> Piece:
        return self.pieces[number] if number < len(self.pieces) else GIVEN

    def sent(
        self, turn: str, message_id: str, files: Sequence[Json], left_out: Sequence[Json]
    ) -> ContextSent | None:
        """The event that says what was sent along; None if nothing was."""
        event = ContextSent(
            turn=turn,
            message_id=message_id,
            skills_folder=self.skills_folder if self.index else None,
            indexed=self.indexed,
            skills=tuple({name: one[name] for name in ("id", "name", "path", "why")} for one in self.full),
            instructions=tuple(one["source"] for one in self.instructions),
            files=tuple(files),
            left_out=(*self.left_out, *left_out),
        )
        said = (event.indexed, event.skills, event.instructions, event.files, event.left_out)
        return event if any(said) else None


def kept(stored: Json | None, is_agents: bool) -> Json | None:
    """What is needed of it when its turn has ended: the assistant's model gets its messages again with each
    later one, an agent remembers them."""
    if stored is None or is_agents or is_due(stored):
        return None
    found = read(stored)
    chosen = tuple(one for one in found.full if one["why"] == "chosen")
    return Gathered(pieces=found.pieces, full=chosen).as_json() or None


def is_due(stored: Json | None) -> bool:
    return stored is not None and "due" in stored


def read(stored: Json | None) -> Gathered:
    """What was stored with a turn; nothing if nothing was."""
    if stored is None or is_due(stored):
        return Gathered()
    values: Any = {name: tuple(v) if isinstance(v, list) else v for name, v in stored.items()}
    return Gathered(**values)
