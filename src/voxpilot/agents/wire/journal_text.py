"""An agent's text from its journal, without a chat.

Lives here: the plain text of its messages, for a rescue. Lives elsewhere: everything else in a journal
(requests/dialogue.py, updates/translate.py).
"""

from __future__ import annotations

from pathlib import Path

import orjson

from voxpilot.keeper.journal import PRINTED, JournalReader


def text_after(directory: Path, offset: int) -> str:
    """All text of the agent's messages after an offset of its journal."""
    said = []
    with JournalReader(directory, offset) as reader:
        while records := reader.read():
            for record in records:
                if record.type == PRINTED:
                    said += [_text(line) for line in record.payload.splitlines()]
    return "".join(said)


def _text(line: bytes) -> str:
    try:
        match orjson.loads(line):
            case {
                "params": {"update": {"sessionUpdate": "agent_message_chunk", "content": {"text": str(text)}}}
            }:
                return text
    except orjson.JSONDecodeError:
        pass
    return ""
