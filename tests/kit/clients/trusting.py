"""The question about a folder that is not trusted yet."""

from __future__ import annotations

from tests.kit.clients.driver import Talk


def asked(talk: Talk) -> list[str]:
    return [question["title"] for question in talk.of_kind("question")]
