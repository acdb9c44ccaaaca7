"""What the official schema says about each kind of frame.

Lives here: the model of each request and notification we send, and of each answer. Apart from frames.py
because the schema takes a second to import, and most runs of single tests need none of it.
"""

from __future__ import annotations

from typing import Any

from acp import schema
from pydantic import BaseModel


class SetModelRequest(BaseModel):
    """The method that config options replaced; agents that offer `models` still support it."""

    sessionId: str
    modelId: str


REQUESTS: dict[str, type[BaseModel]] = {
    "initialize": schema.InitializeRequest,
    "session/new": schema.NewSessionRequest,
    "session/load": schema.LoadSessionRequest,
    "session/resume": schema.ResumeSessionRequest,
    "session/list": schema.ListSessionsRequest,
    "session/fork": schema.ForkSessionRequest,
    "session/close": schema.CloseSessionRequest,
    "session/delete": schema.DeleteSessionRequest,
    "authenticate": schema.AuthenticateRequest,
    "session/prompt": schema.PromptRequest,
    "session/set_mode": schema.SetSessionModeRequest,
    "session/set_config_option": schema.SetSessionConfigOptionSelectRequest,
    "session/set_model": SetModelRequest,
}
NOTIFICATIONS: dict[str, type[BaseModel]] = {
    "session/cancel": schema.CancelNotification,
    "$/cancel_request": schema.CancelRequestNotification,
}
ANSWERS: dict[str, Any] = {
    "session/request_permission": schema.RequestPermissionResponse,
    "elicitation/create": schema.CreateElicitationResponse,
    "fs/read_text_file": schema.ReadTextFileResponse,
    "fs/write_text_file": schema.WriteTextFileResponse,
    "terminal/create": schema.CreateTerminalResponse,
    "terminal/output": schema.TerminalOutputResponse,
    "terminal/wait_for_exit": schema.WaitForTerminalExitResponse,
    "terminal/kill": schema.KillTerminalResponse,
    "terminal/release": schema.ReleaseTerminalResponse,
}
ERROR = schema.Error
