"""The demo agent in a real process, used over its pipes.

Lives here: sending, reading with a time limit, answering its requests, and validating every frame against the
official schema: it must be valid and contain no unknown fields.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from acp import schema
from pydantic import BaseModel

Frame = dict[str, Any]

RESULTS: dict[str, type[BaseModel]] = {
    "initialize": schema.InitializeResponse,
    "session/new": schema.NewSessionResponse,
    "session/load": schema.LoadSessionResponse,
    "session/resume": schema.ResumeSessionResponse,
    "session/list": schema.ListSessionsResponse,
    "session/close": schema.CloseSessionResponse,
    "session/delete": schema.DeleteSessionResponse,
    "session/prompt": schema.PromptResponse,
    "session/set_mode": schema.SetSessionModeResponse,
    "session/set_config_option": schema.SetSessionConfigOptionResponse,
}
PARAMS: dict[str, type[BaseModel]] = {
    "session/update": schema.SessionNotification,
    "session/request_permission": schema.RequestPermissionRequest,
    "elicitation/create": schema.CreateFormSessionElicitationRequest,
}
FORMS: Frame = {"elicitation": {"form": {}}}
COMMAND = (sys.executable, "-P", "-m", "voxpilot.agents.demo")
Answers = Callable[[Frame], Any]
"""The client's response to a request of the agent."""


def choosing(option: str) -> Answers:
    """Answers every permission request with this option, and a form with no content."""

    def answer(request: Frame) -> Any:
        if request["method"] == "elicitation/create":
            return {"action": "decline"}
        return {"outcome": {"outcome": "selected", "optionId": option}}

    return answer


class DemoClient:
    """One agent process and its output."""

    def __init__(self, home: Path, speed: str = "0", capabilities: Frame = FORMS) -> None:
        self.process = subprocess.Popen(
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "VOXPILOT_DEMO_HOME": str(home), "VOXPILOT_DEMO_SPEED": speed},
        )
        self.frames: list[Frame] = []
        self._methods: dict[int, str] = {}
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()
        self.call("initialize", protocolVersion=1, clientCapabilities=capabilities)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        self._listener.join()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def leave(self) -> int:
        """Close its input; returns its exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(5)

    # Sending

    def send(self, *frames: Any) -> None:
        """All of these in one write; bytes are sent unchanged."""
        assert self.process.stdin is not None
        lines = [
            frame if isinstance(frame, bytes) else json.dumps(frame).encode() + b"\n" for frame in frames
        ]
        self.process.stdin.write(b"".join(lines))
        self.process.stdin.flush()

    def request(self, method: str, **params: Any) -> Frame:
        """A request that is not sent yet."""
        request_id = len(self._methods)
        self._methods[request_id] = method
        return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}

    def ask(self, method: str, **params: Any) -> int:
        """Send a request; returns its id."""
        request = self.request(method, **params)
        self.send(request)
        return int(request["id"])

    def call(self, method: str, **params: Any) -> Any:
        return self.answer_to(self.ask(method, **params))["result"]

    def refusal(self, method: str, **params: Any) -> int:
        """The code of the error that a request gets."""
        return int(self.answer_to(self.ask(method, **params))["error"]["code"])

    def open(self, folder: Path) -> str:
        return str(self.call("session/new", cwd=str(folder), mcpServers=[])["sessionId"])

    def prompt(self, session: str, text: str) -> int:
        return self.ask("session/prompt", sessionId=session, prompt=[{"type": "text", "text": text}])

    def run(self, session: str, text: str, answers: Answers | None = None) -> str:
        """Prompt, answer its questions, and wait; returns the stop reason."""
        prompted = self.prompt(session, text)
        return str(self.answer_to(prompted, answers)["result"]["stopReason"])

    def answer(self, request: Frame, result: Any) -> None:
        self.send({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def cancel(self, session: str) -> None:
        self.send(cancellation(session))

    # Reading

    def read(self) -> Frame:
        """The next frame; raises `EOFError` when the agent has closed its output."""
        line = self._lines.get(timeout=10)
        if not line:
            raise EOFError
        frame = json.loads(line)
        self.frames.append(frame)
        self._check(frame)
        return dict(frame)

    def read_until(self, is_it: Callable[[Frame], bool]) -> Frame:
        while not is_it(frame := self.read()):
            pass
        return frame

    def answer_to(self, request_id: int, answers: Answers | None = None) -> Frame:
        """Read until the response to this request, answering the agent's requests in between."""
        while True:
            frame = self.read()
            if "method" in frame and "id" in frame:
                assert answers is not None, f"nobody expected to be asked: {frame}"
                self.answer(frame, answers(frame))
            elif "method" not in frame and frame["id"] == request_id:
                return frame

    def question(self, method: str = "session/request_permission") -> Frame:
        """Read until the agent sends this request."""
        return self.read_until(lambda frame: frame.get("method") == method)

    def updates(self, kind: str, session: str | None = None) -> list[Frame]:
        """The updates of this kind read so far."""
        told = [frame["params"] for frame in self.frames if frame.get("method") == "session/update"]
        return [
            params["update"]
            for params in told
            if params["update"]["sessionUpdate"] == kind and session in (None, params["sessionId"])
        ]

    def said(self, session: str | None = None, speech: str = "agent_message_chunk") -> str:
        return "".join(update["content"]["text"] for update in self.updates(speech, session))

    def tool_calls(self, session: str | None = None) -> dict[str, Frame]:
        """The current state of every tool call, by its title."""
        calls = {call["toolCallId"]: dict(call) for call in self.updates("tool_call", session)}
        for update in self.updates("tool_call_update", session):
            calls[update["toolCallId"]] |= update
        return {call["title"]: call for call in calls.values()}

    def _check(self, frame: Frame) -> None:
        assert frame["jsonrpc"] == "2.0"
        if "method" in frame:
            same_after_reading(PARAMS[frame["method"]], frame["params"])
        elif "result" in frame:
            same_after_reading(RESULTS[self._methods[frame["id"]]], frame["result"])
        else:
            same_after_reading(schema.Error, frame["error"])

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as output:
            for line in output:
                self._lines.put(line)
        self._lines.put(b"")


def same_after_reading(model: type[BaseModel], data: Any) -> None:
    """The models are lenient; anything they drop when parsing was invalid or unknown."""
    read = model.model_validate(data)
    assert read.model_dump(mode="json", by_alias=True, exclude_unset=True) == data


def cancellation(session: str) -> Frame:
    return {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}}
