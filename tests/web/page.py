"""What a page would show, folded by hand: a second opinion on the product's own fold.

Lives here: texts, tool calls, questions, messages, turns and the queue, from events, snapshots or blocks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.kit.clients.sse import Event


@dataclass
class Page:
    messages: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    thoughts: dict[str, str] = field(default_factory=dict)
    tools: dict[str, dict[str, Any]] = field(default_factory=dict)
    questions: dict[str, str | None] = field(default_factory=dict)
    """By id: what was decided, None while open."""
    ends: dict[str, str] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    queue: dict[str, str] = field(default_factory=dict)
    running: str | None = None
    seq: int = 0

    def take(self, events: Iterable[Event]) -> Page:
        for event in events:
            if event.kind == "snapshot":
                self.begin(event.data["chat"], event.data["blocks"])
            elif event.is_stored and event.seq > self.seq:
                self.seq = event.seq
                self._event(event.kind, event.data)
        return self

    def begin(self, head: dict[str, Any], blocks: list[dict[str, Any]]) -> Page:
        """Show a given fold."""
        self.seq = head["seq"]
        self.running = head["turn"]["id"] if head["turn"] else None
        self.queue = {message["id"]: message["text"] for message in head["queue"]}
        self.add(blocks)
        asked = {id for id, answer in self.questions.items() if answer is None}
        assert asked == set(head["questions"]) or not blocks, "a page that wants no blocks gets no questions"
        return self

    def add(self, blocks: Iterable[dict[str, Any]]) -> None:
        for block in blocks:
            self._block(block)

    def _block(self, block: dict[str, Any]) -> None:
        match block["kind"]:
            case "message":
                self.messages[block["id"]] = block["text"]
            case "text":
                self.texts[block["message_id"]] = block["text"]
            case "thought":
                self.thoughts[block["message_id"]] = block["text"]
            case "tool":
                self.tools[block["id"]] = {name: block[name] for name in ("title", "status", "content")}
            case "question":
                self.questions[block["id"]] = block.get("answer", {}).get("outcome")
            case "turn":
                self.ends[block["turn"]] = block["stop_reason"]
            case "notice":
                self.notices.append(block["code"])

    def _event(self, kind: str, data: dict[str, Any]) -> None:
        match kind:
            case "message":
                known = data["id"] in self.queue
                if data.get("queued"):
                    self.queue[data["id"]] = data["text"]
                elif known:
                    del self.queue[data["id"]]
                if not data.get("queued") and not data.get("removed"):
                    self.messages[data["id"]] = data["text"]
            case "turn-started":
                self.running = data["turn"]
                if (text := self.queue.pop(data["message_id"], None)) is not None:
                    self.messages[data["message_id"]] = text
            case "text-delta":
                self.texts[data["message_id"]] = self.texts.get(data["message_id"], "") + data["content"]
            case "thought-delta":
                self.thoughts[data["message_id"]] = (
                    self.thoughts.get(data["message_id"], "") + data["content"]
                )
            case "tool-call" | "tool-update":
                tool = self.tools.setdefault(data["id"], {"title": "", "status": "pending", "content": []})
                tool.update({name: data[name] for name in tool if name in data})
            case "question":
                self.questions[data["id"]] = None
            case "answer":
                self.questions[data["question_id"]] = data["outcome"]
            case "notice" if data["code"] != "stopping":
                self.notices.append(data["code"])
            case "turn-ended":
                self.running = None
                self.ends[data["turn"]] = data["stop_reason"]
