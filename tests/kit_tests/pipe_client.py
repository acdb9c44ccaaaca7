"""A plain ACP client on pipes, to test the scripted agent without the product.

Lives here: sending, reading with a time limit, and validating every frame against the official schema.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from acp import schema
from pydantic import BaseModel

from tests.fakes.script import agent_command

RESULTS: dict[str, type[BaseModel]] = {
    "initialize": schema.InitializeResponse,
    "authenticate": schema.AuthenticateResponse,
    "logout": schema.LogoutResponse,
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
    "fs/read_text_file": schema.ReadTextFileRequest,
    "terminal/create": schema.CreateTerminalRequest,
    "terminal/output": schema.TerminalOutputRequest,
}
CAPABILITIES = {"auth": {"terminal": True}, "session": {"configOptions": {"boolean": {}}}}


class PipeClient:
    """One agent process and its output."""

    def __init__(
        self, *faults: str, log: Path | None = None, options: tuple[str, ...] = (), checked: bool = True
    ) -> None:
        self.process = subprocess.Popen(
            agent_command(*faults, log=log, options=options),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.frames: list[Any] = []
        """Every frame read so far; a line that is not JSON is kept as bytes."""
        self.stderr = b""
        self._checked = checked
        self._methods: dict[int, str] = {}
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._threads = [threading.Thread(target=self._listen), threading.Thread(target=self._drain)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.close_input()
        self.process.wait()
        for thread in self._threads:
            thread.join()

    def close_input(self) -> None:
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()

    def send(self, *frames: Any) -> None:
        """All of these in one write."""
        self.send_bytes(b"".join(json.dumps(frame).encode() + b"\n" for frame in frames))

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def ask(self, method: str, **params: Any) -> int:
        """Send a request; returns its id."""
        frame = self.request(method, **params)
        self.send(frame)
        return int(frame["id"])

    def request(self, method: str, **params: Any) -> dict[str, Any]:
        """A request not sent yet."""
        request_id = len(self._methods)
        self._methods[request_id] = method
        return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}

    def call(self, method: str, **params: Any) -> Any:
        """Send a request and wait for its result."""
        return self.answer_to(self.ask(method, **params))["result"]

    def start(self, cwd: str = "/tmp") -> str:
        """Initialize and open a session; returns its id."""
        self.call("initialize", protocolVersion=1, clientCapabilities=CAPABILITIES)
        return str(self.call("session/new", cwd=cwd, mcpServers=[])["sessionId"])

    def prompt(self, session: str, text: str) -> int:
        return self.ask("session/prompt", sessionId=session, prompt=[{"type": "text", "text": text}])

    def run(self, session: str, text: str) -> str:
        """Prompt and wait; returns the stop reason."""
        return str(self.answer_to(self.prompt(session, text))["result"]["stopReason"])

    def cancel(self, session: str) -> None:
        self.send({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})

    def decide(self, request: Any, option: str | None) -> None:
        """Answer a permission request; None is `cancelled`."""
        outcome = {"outcome": "selected", "optionId": option} if option else {"outcome": "cancelled"}
        self.send({"jsonrpc": "2.0", "id": request["id"], "result": {"outcome": outcome}})

    def read(self, within: float = 30.0) -> Any:
        """The next frame; raises `EOFError` when the agent has closed its output."""
        line = self._lines.get(timeout=within)
        if not line:
            raise EOFError
        try:
            frame = json.loads(line)
        except ValueError:
            frame = line
        self.frames.append(frame)
        if self._checked:
            self._check(frame)
        return frame

    def answer_to(self, request_id: int) -> Any:
        """Read until the response to this request."""
        while True:
            frame = self.read()
            if isinstance(frame, dict) and "method" not in frame and frame.get("id") == request_id:
                return frame

    def request_from_agent(self) -> Any:
        """Read until the agent asks something."""
        while True:
            frame = self.read()
            if "method" in frame and "id" in frame:
                return frame

    def updates(self, kind: str | None = None, session: str | None = None) -> list[Any]:
        """The updates read so far."""
        return [
            frame["params"]["update"]
            for frame in self.frames
            if isinstance(frame, dict)
            and frame.get("method") == "session/update"
            and isinstance(frame["params"], dict)
            and session in (None, frame["params"]["sessionId"])
            and kind in (None, frame["params"]["update"]["sessionUpdate"])
        ]

    def said(self, session: str | None = None) -> str:
        return "".join(
            update["content"].get("text", "") for update in self.updates("agent_message_chunk", session)
        )

    def finish(self) -> int:
        """Close the agent's input and wait; returns its exit code."""
        self.close_input()
        return self.process.wait(10)

    def _check(self, frame: Any) -> None:
        assert isinstance(frame, dict), f"not a frame: {frame!r}"
        assert frame["jsonrpc"] == "2.0"
        if "method" in frame:
            if model := PARAMS.get(frame["method"]):
                model.model_validate(frame["params"])
        elif "result" in frame:
            RESULTS[self._methods[frame["id"]]].model_validate(frame["result"])
        else:
            schema.Error.model_validate(frame["error"])

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as output:
            for line in output:
                self._lines.put(line)
        self._lines.put(b"")

    def _drain(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as output:
            while data := os.read(output.fileno(), 65536):
                self.stderr = (self.stderr + data)[-100_000:]
