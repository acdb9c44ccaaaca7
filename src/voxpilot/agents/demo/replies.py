"""Which answer a message gets.

Lives here: reading a prompt, choosing, and the short answers.
Lives elsewhere: the long answer (tour.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote

from voxpilot.agents.demo.protocol import updates
from voxpilot.agents.demo.protocol.peer import INTERNAL_ERROR, INVALID_PARAMS, Json, RpcError
from voxpilot.agents.demo.tour import tour
from voxpilot.agents.demo.turn import Turn

SLOW_SECONDS = 60
TITLE_LETTERS = 60


@dataclass(frozen=True, slots=True)
class Prompt:
    blocks: list[Json]
    """The content of a message: its text, and what was attached to it."""

    @property
    def text(self) -> str:
        return " ".join(block["text"] for block in self.blocks if isinstance(block.get("text"), str)).strip()

    @property
    def command(self) -> str:
        """The word after a slash at the very beginning; commands are ordinary text on the wire."""
        first_word = (self.text.split() or [""])[0]
        return first_word[1:] if first_word.startswith("/") else ""

    @property
    def in_short(self) -> str:
        line = " ".join(self.text.split()) or self._attached or "…"
        return line if len(line) <= TITLE_LETTERS else f"{line[: TITLE_LETTERS - 1]}…"

    @property
    def _attached(self) -> str:
        """The name of the first file."""
        places = [block.get("uri") or block.get("resource", {}).get("uri", "") for block in self.blocks]
        return next((unquote(place.rpartition("/")[2]) for place in places if place), "")


def read_prompt(blocks: object) -> Prompt:
    if isinstance(blocks, list) and all(isinstance(block, dict) for block in blocks):
        return Prompt(blocks)
    raise RpcError(INVALID_PARAMS, "The prompt must be a list of content blocks.")


async def reply(turn: Turn, prompt: Prompt) -> None:
    session = turn.session
    message = session.new_id("message")
    for block in prompt.blocks:
        session.remember(updates.chunk("user_message_chunk", message, block))
    if not session.title:
        session.title = prompt.in_short
        turn.tell(updates.title(session.title))
    match prompt.command:
        case "slow":
            await talk_slowly(turn)
        case "error":
            await fail(turn)
        case command if command == "tour" or session.toured_for is None:
            session.toured_for = session.toured_for or prompt.in_short
            await tour(turn)
        case _:
            await turn.say(turn.voice.follow_up.format(first=session.toured_for, now=prompt.in_short))


async def talk_slowly(turn: Turn) -> None:
    seconds = [f"Second {second} of {SLOW_SECONDS}." for second in range(1, SLOW_SECONDS + 1)]
    await turn.say("\n".join(seconds), seconds=SLOW_SECONDS)


async def fail(turn: Turn) -> None:
    await turn.say("I am about to fail, as requested.")
    raise RpcError(
        INTERNAL_ERROR, "This is the error you asked for.", {"hint": "Send another message to continue."}
    )
