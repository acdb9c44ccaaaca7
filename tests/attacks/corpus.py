"""Texts that try to do more than be read.

Lives here: reading corpus.json; the page's own tests read it too (frontend/src/markdown/attacks.fixture.ts).
"""

from __future__ import annotations

import json
from pathlib import Path

_CORPUS = json.loads(Path(__file__).with_name("corpus.json").read_text(encoding="utf-8"))

TERMINAL: list[str] = _CORPUS["terminal"]
"""What a command's output may contain: titles, links, clipboards, cursors, eight-bit controls."""
SCHEMES: list[str] = _CORPUS["schemes"]
"""Addresses that no link may lead to."""
MARKUP: list[str] = [
    *_CORPUS["raw"],
    *(form.replace("{}", target) for target in SCHEMES for form in _CORPUS["forms"]),
]
ATTACKS = [*MARKUP, *TERMINAL]
