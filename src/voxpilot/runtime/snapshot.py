"""A chat as a reader who comes now gets it first.

Lives here: which of its blocks go along, and whether there are more. Lives
elsewhere: the fold they are from (chat/transcript.py), blocks that are kept
(storage/folds.py), what a reader gets afterwards (live_chat.py).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import orjson

from voxpilot.chat.events import Json
from voxpilot.chat.transcript import Transcript

OPEN_TURN_BYTES = 4_000_000
"""Of an open turn, no more than this goes along beyond what was asked for."""
ENDED_TURN_BYTES = 500_000
"""And of the newest turn when it has ended: nothing changes it any more, but its end tells of all of it."""

Kept = Callable[[int, int], Awaitable[list[Json]]]
"""Kept blocks before a position, at most so many, oldest first."""


async def taken(transcript: Transcript, tail: int, kept: Kept) -> tuple[int, bytes]:
    """The number it goes up to, and the fold so far as JSON with its newest blocks.

    `has_older` says whether there are blocks before the first of them.
    """
    seq, chat = transcript.head["seq"], orjson.dumps(transcript.head)
    shown, first = newest(transcript, tail)
    has_older = len(shown) < len(transcript.blocks)
    if shown and not has_older:
        missing = max(0, tail - len(shown))
        older = await kept(first, missing + 1)
        has_older = len(older) > missing
        shown = [*map(orjson.dumps, older[1:] if has_older else older), *shown]
    words = (seq, chat, b",".join(shown), b"true" if has_older else b"false")
    return seq, b'{"seq":%d,"chat":%b,"blocks":[%b],"has_older":%b}' % words


def newest(transcript: Transcript, tail: int) -> tuple[list[bytes], int]:
    """The newest blocks and all others of the turn that runs, since events may still change any of them.

    Without a turn that runs, those of the newest turn: how many files it changed is told at its end.
    Also the position of the first. If the turn is enormous its oldest blocks stay behind, to be paged in
    like those of earlier turns; a later event about one of them then shows as a block of its own, until the
    chat is opened anew.
    """
    blocks = transcript.blocks if tail else []
    wanted = max(0, len(blocks) - tail)
    first, chosen = len(blocks), list[bytes]()
    beyond, turn_from = 0, min(wanted, _beginning_of_turn(transcript))
    most = ENDED_TURN_BYTES if transcript.head["turn"] is None else OPEN_TURN_BYTES
    while first > turn_from:
        block = orjson.dumps(blocks[first - 1])
        beyond += len(block) if first <= wanted else 0
        if beyond > most:
            break
        chosen.append(block)
        first -= 1
    return chosen[::-1], blocks[first]["pos"] if chosen else 0


def _beginning_of_turn(transcript: Transcript) -> int:
    running = transcript.head["turn"]
    ended = (block["turn"] for block in reversed(transcript.blocks) if block.get("turn"))
    turn = next(ended, None) if running is None else running["id"]
    if turn is None:
        return len(transcript.blocks)
    places = (at for at, block in enumerate(transcript.blocks) if block.get("turn") == turn)
    return next(places, len(transcript.blocks))
