"""What of a frame may be shown or passed on: its shape, but no texts and no secrets.

Lives here: replacing texts by their length, and masking secrets where texts are wanted. Lives elsewhere:
recognising secrets by their names and forms (settings/masking.py), reading frames (frame_log.py).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from voxpilot.settings.masking import MASK, hide_args, is_secret
from voxpilot.values import dataclass

DEEPEST, MOST_ITEMS = 12, 60
LONGEST_WORD, LONGEST_TEXT, LONGEST_KEY = 200, 2_000, 100
_SHORTEST_SECRET = 6
_WORDS = {
    "jsonrpc", "method", "id", "sessionId", "sessionUpdate", "type", "kind", "status", "stopReason",
    "toolCallId", "modeId", "currentModeId", "modelId", "currentModelId", "optionId", "configId",
    "outcome", "priority", "messageId", "terminalId", "requestId", "version", "mimeType", "category",
    "signal", "action", "mode", "role", "methodId", "name", "reason", "error.message",
}  # fmt: skip
"""Fields of the protocol that hold a word or an id, not a text."""

_CAPABILITIES = {"auth", "authMethods"}
"""Fields of the protocol whose names look secret; each field within them is judged by its own name."""


@dataclass(frozen=True, slots=True)
class Redaction:
    """How much is shown."""

    with_texts: bool = False
    """Texts of people, agents and files, with secrets masked; otherwise only their lengths."""
    secrets: tuple[str, ...] = ()
    """Values that are masked wherever they appear, the longest first."""

    @classmethod
    def hiding(cls, values: Collection[str], with_texts: bool = False) -> Redaction:
        known = {value for value in values if len(value) >= _SHORTEST_SECRET}
        return cls(with_texts, tuple(sorted(known, key=lambda value: (-len(value), value))))

    def value(self, value: Any, key: str = "", depth: int = 0) -> Any:
        """The same value without what must not be shown. Bounded, whatever an agent sends."""
        if depth > DEEPEST:
            return "…"
        if isinstance(value, Mapping | list | tuple) and is_secret(key) and key not in _CAPABILITIES:
            return MASK
        if isinstance(value, Mapping):
            return self._object(value, key, depth)
        if isinstance(value, list | tuple):
            shown = [self.value(item, key, depth + 1) for item in value[:MOST_ITEMS]]
            return shown + ([f"… {len(value) - MOST_ITEMS} more"] if len(value) > MOST_ITEMS else [])
        if isinstance(value, str):
            return self._string(value, key)
        return MASK if is_secret(key) and not isinstance(value, bool) and value is not None else value

    def text(self, text: str, most: int = LONGEST_TEXT) -> str:
        """A text that is shown, with its secrets masked."""
        margin = max(LONGEST_WORD, *map(len, self.secrets[:1]), 0)
        text = text[: most + margin]  # masking must not depend on where it is cut
        for secret in self.secrets:
            text = text.replace(secret, MASK)
        hidden = hide_args([text])[0]
        return hidden if len(hidden) <= most else f"{hidden[:most]}…"

    def _object(self, value: Mapping[Any, Any], key: str, depth: int) -> dict[str, Any]:
        """A pair of name and value, as in `env` and `headers`, is judged by the name."""
        within = "error." if key == "error" else ""
        named = value.get("name")
        is_hidden = isinstance(named, str) and is_secret(named)
        items = list(value.items())[:MOST_ITEMS]
        shown = {
            self.text(str(name), LONGEST_KEY): MASK
            if is_hidden and name == "value"
            else self.value(inner, f"{within}{name}", depth + 1)
            for name, inner in items
        }
        return shown if len(value) <= MOST_ITEMS else {**shown, "…": f"{len(value) - MOST_ITEMS} more"}

    def _string(self, text: str, key: str) -> str:
        if is_secret(key):
            return MASK if text else ""
        if key in _WORDS:
            return self.text(text, LONGEST_WORD)
        return self.text(text) if self.with_texts else _length(text)


def _length(text: str) -> str:
    return f"‹{len(text):,} character{'' if len(text) == 1 else 's'}›" if text else ""
