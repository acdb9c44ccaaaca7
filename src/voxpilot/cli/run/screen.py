"""A turn as it is printed: the agent's text to standard output, everything else to standard error.

Lives here: one rule for each kind of event, and keeping lines apart where both
outputs share a terminal. Lives elsewhere: asking (questions.py), what may
reach a terminal (text.py).
"""

from __future__ import annotations

import json
import os
from typing import Protocol, TextIO

from voxpilot.chat.events import Json
from voxpilot.cli.client import ChatEvent
from voxpilot.cli.run.barred import Barred, wrapped
from voxpilot.cli.text import Cleaner, clean, drawable, one_line

_RULE = "\u2501\u2501\u2501 Question " + "\u2501" * 9
_MARKS = {"completed": "[x]", "in_progress": "[>]"}


class View(Protocol):
    """How a run is shown."""

    def take(self, event: ChatEvent, is_ours: bool) -> None: ...
    def note(self, text: str) -> None: ...
    def ask(self, text: str) -> None: ...
    def close(self) -> None: ...


class Lines:
    """Everything as JSON, one event per line; only what a person must know goes to standard error."""

    def __init__(self, out: TextIO, err: TextIO) -> None:
        self._out = out
        self._err = err

    def take(self, event: ChatEvent, is_ours: bool) -> None:
        # ASCII only, so that an agent's text cannot affect the terminal.
        self._out.write(json.dumps({"event": event.kind, **event.body}) + "\n")
        self._out.flush()

    def note(self, text: str) -> None:
        print(text, file=self._err, flush=True)

    def ask(self, text: str) -> None:
        self.note(text)

    def close(self) -> None:
        pass


class Screen:
    """For people. Standard output gets only the agent's text, so that it can be piped."""

    def __init__(self, out: TextIO, err: TextIO) -> None:
        self._out = out
        self._err = err
        self._shared = out.isatty() and err.isatty()
        has_colour = "NO_COLOR" not in os.environ
        self._dim, self._bold, self._plain = ("\x1b[2m", "\x1b[1m", "\x1b[0m") if has_colour else ("", "", "")
        self._text, self._thought = Cleaner(), Cleaner()
        self._bar, self._thought_bar = Barred(), Barred()
        self._out_is_mid_line = self._err_is_mid_line = False
        self._plan: list[str] = []

    def take(self, event: ChatEvent, is_ours: bool) -> None:
        if is_ours:
            self._show(event.kind, event.body)

    def note(self, text: str) -> None:
        """Our own lines, printed between the agent's text."""
        self._begin_line()
        if self._err.isatty():
            text = "\n".join(wrapped(line) for line in drawable(text).split("\n"))
        print(text, file=self._err, flush=True)

    def ask(self, text: str) -> None:
        """A question, after a line that nothing else prints: an agent's text always comes after a bar."""
        if self._err.isatty():
            self._begin_line()
            print(f"{self._bold}{_RULE}{self._plain}", file=self._err)
        self.note(text)

    def close(self) -> None:
        self._say({"content": self._text.rest()})
        if self._out_is_mid_line and self._out.isatty():
            print(file=self._out, flush=True)
        self._out_is_mid_line = False

    def _show(self, kind: str, body: Json) -> None:
        match kind:
            case "text-delta":
                self._say(body)
            case "thought-delta" | "copilot-delta":
                self._think(body["content"])
            case "copilot-done":
                self.note(f"* {one_line(body['agent'])} [{one_line(body['session_name'])}] is done")
            case "tool-call" | "tool-update" | "tool-result":
                self._show_tool(kind, body)
            case "superseded":
                self.note("- The server was restarted; asking the model again.")
            case "plan":
                self._show_plan(body.get("entries") or [])
            case "notice":
                self.note(f"- {one_line(clean(body['text']))}")
            case "agent-status" if body["status"] == "starting" and body.get("message"):
                self.note(one_line(f"- {clean(body['message'])} {clean(body.get('hint') or '')}".rstrip()))

    def _show_tool(self, kind: str, body: Json) -> None:
        match kind:
            case "tool-call" if body.get("name") == "copilot_agent":
                wanted = body["input"] if isinstance(body.get("input"), dict) else {}
                self.note(f"* copilot_agent [{one_line(str(wanted.get('session_name')))}]")
            case "tool-call":
                title = body.get("title") or body.get("name") or body["id"]
                self.note(f"* {one_line(body.get('tool_kind') or 'other')}: {one_line(title)}")
            case "tool-update" if body.get("status") == "failed":
                self.note(f"* failed: {one_line(body.get('title') or body['id'])}")
            case "tool-result" if body["is_error"]:
                self.note(f"* failed: {one_line(body['content'])}")

    def _say(self, body: Json) -> None:
        if self._err_is_mid_line:
            self._begin_line()
        text = self._text.feed(body["content"])
        self._out.write(self._bar.feed(drawable(text)) if self._out.isatty() else text)
        self._out.flush()
        if text:
            self._out_is_mid_line = not text.endswith("\n")
        if body.get("block"):
            self.note(f"- [{one_line(str(body['block'].get('type')))}]")

    def _think(self, content: str) -> None:
        text = self._thought.feed(content)
        if not self._err.isatty() or not text:
            return
        if not self._err_is_mid_line:
            self._begin_line()
        barred = self._thought_bar.feed(drawable(text))
        print(f"{self._dim}{barred}{self._plain}", end="", file=self._err, flush=True)
        self._err_is_mid_line = not text.endswith("\n")

    def _show_plan(self, entries: list[Json]) -> None:
        plan = [f"  {_MARKS.get(entry['status'], '[ ]')} {one_line(entry['content'])}" for entry in entries]
        if plan != self._plan:
            self._plan = plan
            self.note("\n".join(["Plan:", *plan]))

    def _begin_line(self) -> None:
        """On a shared terminal, the agent's text may be on the current line; otherwise only our own output
        can be."""
        if self._err_is_mid_line or (self._shared and self._out_is_mid_line):
            print(file=self._err, flush=True)
            self._thought_bar.begin_line()
            if self._shared:
                self._bar.begin_line()
            self._err_is_mid_line = False
            self._out_is_mid_line = self._out_is_mid_line and not self._shared
