"""What a chat is called until somebody gives it a name."""

from __future__ import annotations

LENGTH = 50


def title_of(text: str) -> str:
    """The beginning of its first message, cut between two words where that is possible."""
    words = " ".join(text.split())
    if len(words) <= LENGTH:
        return words
    cut = words[: LENGTH - 1]
    whole, space, _ = cut.rpartition(" ")
    return f"{whole if space and len(whole) > LENGTH // 2 else cut}…"
