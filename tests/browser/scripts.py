"""Pieces of scripts that several browser tests use."""

from __future__ import annotations

from typing import Any

from tests.fakes.script import update

GO_UP = """(words) => new Promise((done) => {
  const box = document.querySelector(".scroller");
  const isThere = () => document.querySelector('[data-testid="block-text"]')?.textContent.includes(words);
  const up = () => {
    if (isThere()) return done();
    box.scrollTop = 0;
    setTimeout(up, 20);
  };
  up();
})"""


def call(id: str, *content: dict[str, Any], kind: str = "tool_call", status: str = "pending") -> str:
    said = {"sessionUpdate": kind, "toolCallId": id, "title": id, "kind": "edit", "status": status}
    return update({**said, "content": list(content)})


def diff(path: str, old: str, new: str) -> dict[str, Any]:
    return {"type": "diff", "path": path, "oldText": old, "newText": new}
