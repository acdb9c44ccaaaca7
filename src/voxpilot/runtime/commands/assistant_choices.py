"""What a person chooses for the assistant in one chat: its model, and which of its tools are off.

Lives here: checking and storing the choice; it applies from the assistant's next request. Lives elsewhere:
the model that is used (assistant/providers.py), the tools (assistant/toolbox.py).
"""

from __future__ import annotations

from collections.abc import Collection

from voxpilot.assistant import toolbox
from voxpilot.chat.events import ChatInfoChanged, Json
from voxpilot.errors import Invalid
from voxpilot.storage.chats.ledger import Ledger


def check_tools(off: Collection[str]) -> None:
    if unknown := sorted(set(off) - set(toolbox.names())):
        raise Invalid(f"Unknown tool: {unknown[0]}.", f"Tools: {', '.join(toolbox.names())}.")


def switches_on(ledger: Ledger, off: Collection[str] | None) -> bool:
    """Whether a tool would be on again if exactly these were off."""
    return off is not None and bool(set(ledger.chat.tools_off) - set(off))


def change(ledger: Ledger, model: Json | None, off: Collection[str] | None, now: float) -> None:
    """What is None stays as it is; an empty model leaves it to the settings."""
    if model is not None and model != (ledger.chat.model or {}):
        ledger.change(ledger.chat, model=model or None)
        ledger.emit(ChatInfoChanged(model=model), now)
    tools = None if off is None else tuple(name for name in toolbox.names() if name in off)
    if tools is not None and tools != ledger.chat.tools_off:
        ledger.change(ledger.chat, tools_off=tools)
        ledger.emit(ChatInfoChanged(tools_off=tools), now)
