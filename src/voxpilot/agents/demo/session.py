"""One conversation, as the agent remembers it.

Lives here: the state of a session, and its history in a form that can be replayed. Lives elsewhere: storing
it on disk (store.py).
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field

from voxpilot.agents.demo import choices
from voxpilot.agents.demo.protocol.peer import Json

IN_HISTORY = ("user_message_chunk", "agent_message_chunk", "agent_thought_chunk", "tool_call", "plan")


@dataclass(slots=True)
class Session:
    id: str
    cwd: str
    title: str = ""
    settings: dict[str, str] = field(default_factory=choices.defaults)
    always_allowed: list[str] = field(default_factory=list)
    """The kinds of tool calls that the person always allows."""
    toured_for: str | None = None
    """The message that started the tour, if there was one."""
    numbers: int = 0
    used_tokens: int = 0
    history: list[Json] = field(default_factory=list)
    updated_at: str = ""

    def new_id(self, what: str) -> str:
        """An id that this session has never used, not even before it was loaded."""
        self.numbers += 1
        return f"{what}-{self.numbers}"

    def remember(self, update: Json) -> None:
        """Add an update to the history: chunks are joined, and a tool call keeps only its current state."""
        match update:
            case {"sessionUpdate": "tool_call_update", "toolCallId": call_id}:
                self._tool_call(call_id).update({**update, "sessionUpdate": "tool_call"})
            case {"messageId": message_id, "content": {"text": text}} if self._ends_with_text_of(message_id):
                self.history[-1]["content"]["text"] += text
            case {"sessionUpdate": kind} if kind in IN_HISTORY:
                self.history.append(deepcopy(update))

    def _tool_call(self, call_id: str) -> Json:
        return next(entry for entry in reversed(self.history) if entry.get("toolCallId") == call_id)

    def _ends_with_text_of(self, message_id: str) -> bool:
        last = self.history[-1] if self.history else {}
        return last.get("messageId") == message_id and "text" in last["content"]
