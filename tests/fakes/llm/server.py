"""The scripted model over HTTP, and its log.

Lives here: routes, streaming, and one line in the log for each request and one for
its end. Lives elsewhere: what is replied (script.py), the providers' formats (the wires).
"""

from __future__ import annotations

import itertools
import json
import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

from tests.fakes.llm import anthropic, openai_chat, openai_responses
from tests.fakes.llm.script import Due, ScriptBook, reply_to
from tests.fakes.llm.shapes import GIVEN_TOKENS, MODELS, Asked, Call, Frame, Json, Reply, Wire

WIRES: Mapping[str, Wire] = {
    "/chat/completions": openai_chat,
    "/responses": openai_responses,
    "/messages": anthropic,
}
"""By the end of the path; anything before it is ignored."""
BREAKS_AFTER = 6
PICTURES = (b"iVBORw0KGgo", b"/9j/4", b"UklGR")
"""The first characters of PNG, JPEG and WebP in base64."""
HELD_AFTER = 5
HELD_SECONDS = 120.0
"""Events of a stream before it is cut."""


@dataclass(frozen=True, slots=True)
class Options:
    log: Path | None = None
    book: ScriptBook = field(default_factory=ScriptBook)
    obey_without_tools: bool = False
    whole_bodies: bool = False
    """Log the whole request, with its key."""


@dataclass(slots=True)
class Log:
    path: Path | None
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def new_number(self) -> int:
        return next(self._numbers)

    def write(self, number: int, **facts: Any) -> None:
        if self.path is None:
            return
        line = json.dumps({"n": number, "at": round(time.time(), 4), **facts}, ensure_ascii=False)
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


class LlmServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, options: Options) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.options = options
        self.log = Log(options.log)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def llm(self) -> LlmServer:
        return cast(LlmServer, self.server)

    def log_message(self, *_: Any) -> None:
        """Standard error is only for errors."""

    def do_HEAD(self) -> None:
        self._json({})

    def do_GET(self) -> None:
        self.llm.log.write(self.llm.log.new_number(), looked_at=self.path)
        if self.path.partition("?")[0].endswith("/models"):
            self._json({"object": "list", "has_more": False, "data": [_model(id) for id in MODELS]})
        else:
            self._json(openai_chat.failure(404, "There is nothing here."), 404)

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.partition("?")[0]
        wire = next((wire for end, wire in WIRES.items() if path.endswith(end)), None)
        if path.endswith("/count_tokens"):
            self._json({"input_tokens": GIVEN_TOKENS})
        elif wire is None:
            self._json(openai_chat.failure(404, "There is nothing here."), 404)
        else:
            self._answer(path, wire, raw)

    def _answer(self, path: str, wire: Wire, raw: bytes) -> None:
        body = json.loads(raw)
        asked = wire.read(body)
        options = self.llm.options
        due = reply_to(asked, options.book, options.obey_without_tools)
        number = self.llm.log.new_number()
        facts: Json = {"bytes": len(raw), "pictures": sum(raw.count(head) for head in PICTURES)}
        facts |= {"body": body, "key": self._key()} if options.whole_bodies else {}
        self.llm.log.write(number, path=path, **_about(asked, due), **facts)
        time.sleep(due.reply.wait_seconds)
        ended = "cut"
        try:
            ended = self._send(wire, asked, due.reply)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            self.llm.log.write(number, ended=ended)

    def _key(self) -> str:
        given = self.headers.get("x-api-key") or self.headers.get("authorization") or ""
        return given.removeprefix("Bearer ")

    def _send(self, wire: Wire, asked: Asked, reply: Reply) -> str:
        model = asked.model or MODELS[0]
        if reply.fails_with is not None:
            self._json(wire.failure(reply.fails_with, "The script says so."), reply.fails_with)
            return "failed"
        if not asked.stream:
            self._json(wire.whole(reply, model))
            return "whole"
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("cache-control", "no-cache")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        words = 0
        for number, frame in enumerate(wire.stream(reply, model)):
            if reply.breaks and number >= BREAKS_AFTER:
                self.close_connection = True
                return "broken"
            self._chunk(_event(frame))
            time.sleep(frame.pause)
            words += frame.pause > 0
            if reply.held_by and words == HELD_AFTER:
                _wait_for(reply.held_by)
        self._chunk(b"")
        return "whole"

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _json(self, body: Json, status: int = 200) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _wait_for(file: str) -> None:
    given_up_at = time.monotonic() + HELD_SECONDS
    while not os.path.exists(file) and time.monotonic() < given_up_at:
        time.sleep(0.02)


def _event(frame: Frame) -> bytes:
    data = frame.data if isinstance(frame.data, str) else json.dumps(frame.data)
    return (f"event: {frame.event}\n" if frame.event else "").encode() + f"data: {data}\n\n".encode()


def _about(asked: Asked, due: Due) -> Json:
    results = [said.text for said in asked.conversation if said.by == "tool"]
    return {
        "model": asked.model,
        "stream": asked.stream,
        "tools": sorted(asked.tools),
        "user": due.message[-2000:],
        "heard": [said.text[-200:] for said in asked.conversation if said.by == "user"],
        "results": len(results),
        "last_result": results[-1][-2000:] if results else "",
        "own": due.own,
        "reply": due.place,
        "calls": [block.name for block in due.reply.blocks if isinstance(block, Call)],
    }


def _model(id: str) -> Json:
    named = {"id": id, "object": "model", "type": "model", "display_name": id, "owned_by": "script"}
    return named | {"created": 0, "created_at": "2026-01-01T00:00:00Z"}
