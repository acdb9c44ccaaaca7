"""Every route with every method, with values in place of its parameters."""

from __future__ import annotations

import re

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND")


def filled(path: str, chat: str) -> str:
    return re.sub(r"\{\w+\}", "1", path.replace("{chat_id}", chat))
