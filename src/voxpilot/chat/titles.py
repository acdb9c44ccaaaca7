"""What a chat is called until somebody gives it a name."""

from __future__ import annotations

LENGTH = 50


def title_of(text: str) -> str:
    """The beginning of its first message."""
    return " ".join(text.split())[:LENGTH]
