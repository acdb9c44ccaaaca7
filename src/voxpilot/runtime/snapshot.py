"""A chat as a reader who comes now gets it first.

Lives here: which of its blocks go along. Lives elsewhere: the fold they are
from (chat/transcript.py), blocks that are kept (storage/folds.py), what a
reader gets afterwards (live_chat.py).
"""

from __future__ import annotations

import orjson

from voxpilot.chat.transcript import Transcript

OPEN_TURN_BYTES = 4_000_000
"""Of an open turn, no more than this goes along beyond what was asked for."""
ENDED_TURN_BYTES = 500_000
"""And of the newest turn when it has ended: nothing changes it any more, but its end tells of all of it."""


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
