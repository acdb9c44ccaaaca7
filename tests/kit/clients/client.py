"""The HTTP API as a script would use it.

Lives here: one method per route, errors as exceptions. Lives elsewhere: the streams (sse.py).
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx2

from tests.kit.memory import addresses


class ApiError(Exception):
    """The server refused."""

    def __init__(self, status: int, body: Any) -> None:
        error = body.get("error", {}) if isinstance(body, dict) else {}
        self.status = status
        self.body = body
        self.code = str(error.get("code", ""))
        self.message = str(error.get("message", ""))
        self.hint = str(error.get("hint", ""))
        super().__init__(f"{status} {self.code}: {self.message or body}")


def new_key() -> str:
    """A unique key for a request."""
    return uuid.uuid4().hex


class Api:
    """A signed-in client. Methods return the JSON body and raise `ApiError` from status 400 up."""

    def __init__(self, url: str, token: str | None, timeout: float = 30.0) -> None:
        self.url = url
        self.token = token
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        transport: httpx2.AsyncBaseTransport = addresses.Transport(url)
        if not addresses.is_in_memory(url):
            # Without TLS: reading the certificates takes longer than most tests (60 ms each time).
            transport = httpx2.AsyncHTTPTransport(verify=False, trust_env=False)
        self.http = httpx2.AsyncClient(
            base_url=url, headers=headers, timeout=timeout, transport=transport, trust_env=False
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.http.aclose()

    async def sign_in(self, code: str, name: str = "The test's own") -> None:
        """Act as a device from now on, with a browser's secrets and without the token."""
        self.http.headers.pop("Authorization", None)
        self.http.headers["Origin"] = self.url
        signed_in = await self.call("POST", "/api/login", {"code": code, "device": name})
        self.http.headers["X-VoxPilot-Key"] = signed_in["key"]

    async def request(self, method: str, path: str, **more: Any) -> httpx2.Response:
        """The raw response, whatever its status."""
        return await self.http.request(method, path, **more)

    async def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
    ) -> Any:
        response = await self.request(method, path, json=body, params=query)
        parsed = response.json() if response.content else None
        if response.status_code >= 400:
            raise ApiError(response.status_code, parsed)
        return parsed

    # Chats

    async def health(self) -> Any:
        return await self.call("GET", "/api/health")

    async def create_chat(
        self,
        workspace: Path | str,
        agent: str | None = "scripted",
        mode: str = "agent",
        key: str | None = None,
        **more: Any,
    ) -> Any:
        """The new chat; its id is under `id`."""
        body = {"workspace": str(workspace), "mode": mode, "key": key or new_key(), **more}
        return await self.call("POST", "/api/chats", body | ({"agent": agent} if agent else {}))

    async def chats(self) -> Any:
        return await self.call("GET", "/api/chats")

    async def chat(self, chat: str) -> Any:
        return await self.call("GET", f"/api/chats/{chat}")

    async def change_chat(self, chat: str, **changes: Any) -> Any:
        return await self.call("PATCH", f"/api/chats/{chat}", changes)

    async def delete_chat(self, chat: str) -> Any:
        return await self.call("DELETE", f"/api/chats/{chat}")

    async def blocks(self, chat: str, before: int | None = None) -> Any:
        query = {} if before is None else {"before": before}
        return await self.call("GET", f"/api/chats/{chat}/blocks", query=query)

    async def event(self, chat: str, seq: int) -> Any:
        """One complete event, even if the stream contained only a preview."""
        return await self.call("GET", f"/api/chats/{chat}/events/{seq}")

    # Turns

    async def prompt(self, chat: str, text: str, key: str | None = None, **more: Any) -> Any:
        """Send a message; for a scripted agent its text is the script."""
        return await self._post(chat, "messages", key, text=text, **more)

    async def edit_queued(self, chat: str, message: str, text: str) -> Any:
        return await self.call("PATCH", f"/api/chats/{chat}/queue/{message}", {"text": text})

    async def remove_queued(self, chat: str, message: str) -> Any:
        return await self.call("DELETE", f"/api/chats/{chat}/queue/{message}")

    async def cancel(self, chat: str, key: str | None = None, turn: str | None = None) -> Any:
        return await self._post(chat, "cancel", key, **({"turn": turn} if turn else {}))

    async def answer(self, chat: str, question: str, option: str, key: str | None = None, **more: Any) -> Any:
        """Answer a question with one of its options."""
        return await self._post(chat, f"questions/{question}", key, option_id=option, **more)

    async def answer_form(
        self, chat: str, question: str, action: str, key: str | None = None, **more: Any
    ) -> Any:
        """Accept, decline or cancel a form or a link; `content` holds the form's values."""
        return await self._post(chat, f"questions/{question}", key, action=action, **more)

    async def set_option(self, chat: str, key: str | None = None, **body: Any) -> Any:
        return await self._post(chat, "options", key, **body)

    async def restart(self, chat: str, reload: bool = True, key: str | None = None) -> Any:
        return await self._post(chat, "restart", key, reload=reload)

    async def type_into(self, chat: str, terminal: str, key: str | None = None, **body: Any) -> Any:
        """Type into a sign-in terminal."""
        return await self._post(chat, f"terminals/{terminal}", key, **body)

    # Everything else

    async def agents(self) -> Any:
        return await self.call("GET", "/api/agents")

    async def check_agent(self, agent: str) -> Any:
        return await self.call("POST", f"/api/agents/{agent}/check", {"key": new_key()})

    async def agent_sessions(self, agent: str, workspace: Path | str) -> Any:
        return await self.call("GET", f"/api/agents/{agent}/sessions", query={"workspace": str(workspace)})

    async def decisions(self, **query: Any) -> Any:
        """The answers log, newest first."""
        given = {name: value for name, value in query.items() if value is not None}
        return (await self.call("GET", "/api/decisions", query=given))["decisions"]

    async def rules(self) -> Any:
        return await self.call("GET", "/api/rules")

    async def delete_rule(self, rule: str) -> Any:
        return await self.call("DELETE", f"/api/rules/{rule}")

    async def settings(self) -> Any:
        return await self.call("GET", "/api/settings")

    async def me(self) -> Any:
        return await self.call("GET", "/api/me")

    async def _post(self, chat: str, what: str, key: str | None, **body: Any) -> Any:
        return await self.call("POST", f"/api/chats/{chat}/{what}", body | {"key": key or new_key()})
