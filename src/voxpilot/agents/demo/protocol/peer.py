"""JSON-RPC 2.0, one message per line: the base of every ACP agent.

Lives here: answering requests concurrently, sending our own requests, errors.
Lives elsewhere: what the methods do (../agent.py), where lines come from (stdio.py).
"""

from __future__ import annotations

import asyncio
import itertools
import json
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

Json = dict[str, Any]
Method = Callable[[Json], Awaitable[Any]]
"""Takes the params of a request and returns its result."""
Notification = Callable[[Json], None]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
REQUEST_CANCELLED = -32800
NOT_FOUND = -32002


class RpcError(Exception):
    """An error to report to the other side."""

    def __init__(self, code: int, message: str, data: Json | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data

    def body(self) -> Json:
        body: Json = {"code": self.code, "message": str(self)}
        return body if self.data is None else {**body, "data": self.data}


class Peer:
    """One end of a connection. Every request runs as a task, so none of them blocks another."""

    def __init__(
        self,
        methods: Mapping[str, Method],
        notifications: Mapping[str, Notification],
        write: Callable[[bytes], None],
    ) -> None:
        self._methods = methods
        self._notifications = {"$/cancel_request": self._cancel, **notifications}
        self._write = write
        self._running: dict[asyncio.Task[None], Any] = {}
        """The requests being answered, with their ids."""
        self._ids = itertools.count()
        self._asked: dict[Any, asyncio.Future[Any]] = {}

    async def serve(self, lines: AsyncIterator[bytes]) -> None:
        """Answer until there are no more lines; then cancel the requests that are still running."""
        async with asyncio.TaskGroup() as tasks:
            async for line in lines:
                self._take(line, tasks)
                # Let the request start before the next line is read. A cancel that follows immediately then
                # finds it running, and the request can still report how it ended.
                await asyncio.sleep(0)
            for task in self._running:
                task.cancel()

    def notify(self, method: str, params: Json) -> None:
        self._send({"method": method, "params": params})

    async def request(self, method: str, params: Json) -> Any:
        """Send a request to the other side; raises RpcError if it responds with an error."""
        request_id = next(self._ids)
        answer = self._asked[request_id] = asyncio.get_running_loop().create_future()
        try:
            self._send({"id": request_id, "method": method, "params": params})
            return await answer
        finally:
            del self._asked[request_id]

    def _take(self, line: bytes, tasks: asyncio.TaskGroup) -> None:
        match _parsed(line):
            case RpcError() as error:
                self._send({"id": None, "error": error.body()})
            case {"method": str(method), "id": request_id} as message:
                task = tasks.create_task(self._answer(request_id, method, _params(message)))
                task.add_done_callback(self._running.pop)
                self._running[task] = request_id
            case {"method": str(method)} as message:
                if method in self._notifications:
                    self._notifications[method](_params(message))
            case {"id": request_id, "result": result}:
                self._settle(request_id, result)
            case {"id": request_id, "error": error}:
                self._settle(request_id, _read_error(error))
            case message:
                request_id = message.get("id") if isinstance(message, dict) else None
                error = RpcError(INVALID_REQUEST, "This is not a JSON-RPC message.")
                self._send({"id": request_id, "error": error.body()})

    async def _answer(self, request_id: object, method: str, params: Json) -> None:
        try:
            if method not in self._methods:
                raise RpcError(METHOD_NOT_FOUND, f"Unknown method {method!r}.")
            answer = {"result": await self._methods[method](params)}
        except RpcError as error:
            answer = {"error": error.body()}
        except asyncio.CancelledError:
            answer = {"error": RpcError(REQUEST_CANCELLED, "The request was cancelled.").body()}
        except Exception as error:
            traceback.print_exc()
            answer = {"error": RpcError(INTERNAL_ERROR, f"The demo agent failed: {error}").body()}
        self._send({"id": request_id, **answer})

    def _settle(self, request_id: object, answer: object) -> None:
        asked = self._asked.get(request_id) if isinstance(request_id, int) else None
        if asked is None or asked.done():
            return  # nobody is waiting for this any more
        if isinstance(answer, RpcError):
            asked.set_exception(answer)
        else:
            asked.set_result(answer)

    def _cancel(self, params: Json) -> None:
        for task, request_id in self._running.items():
            if request_id == params.get("requestId"):
                task.cancel()

    def _send(self, message: Json) -> None:
        self._write(json.dumps({"jsonrpc": "2.0", **message}).encode())


def _parsed(line: bytes) -> Any:
    """The message in the line, or the error to respond with."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return RpcError(PARSE_ERROR, "This line is not JSON.")


def _read_error(error: object) -> RpcError:
    match error:
        case {"code": int(code), "message": str(message)}:
            return RpcError(code, message)
    return RpcError(INTERNAL_ERROR, "The client returned an error.")


def _params(message: Json) -> Json:
    params = message.get("params")
    return params if isinstance(params, dict) else {}
