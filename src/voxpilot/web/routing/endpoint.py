"""A function behind HTTP: its parameters from the request, its result as the response.

Lives here: where each parameter comes from, and validating the request. A parameter
called `body` is the body, one that is named in the path comes from there, one
marked with `From` or `Header` says where it comes from; all others come from the
query. Lives elsewhere: errors as responses (door/errors.py).
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from typing import Any, Literal, get_args, get_type_hints

from pydantic import TypeAdapter, ValidationError
from starlette.background import BackgroundTasks
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from voxpilot.errors import Invalid
from voxpilot.values import dataclass

REQUIRED = inspect.Parameter.empty
_NOT_SENT = object()
_PATH_NAME = re.compile(r"{(\w+)")


@dataclass(frozen=True, slots=True)
class From:
    """Marks a parameter whose value this function provides."""

    find: Callable[[Request], Any]


@dataclass(frozen=True, slots=True)
class Header:
    """Marks a parameter that is a header of the same name."""


class Sent:
    """A parameter sent by the client."""

    def __init__(
        self, name: str, hint: Any, default: Any, place: Literal["path", "query", "header", "body"]
    ) -> None:
        self.name = name
        self.default = default
        self.place = place
        self.sent_as = name.replace("_", "-") if place == "header" else name
        self.adapter: TypeAdapter[Any] = TypeAdapter(hint)

    def read(self, sent: Any) -> Any:
        """Validate the sent value; without one, the default is used."""
        where = () if self.place == "body" else (self.sent_as,)
        if sent is _NOT_SENT:
            if self.default is REQUIRED:
                raise _invalid(where, "Field required")
            return self.default
        try:
            return self.adapter.validate_python(sent, from_attributes=True)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            raise _invalid((*where, *first["loc"]), first["msg"]) from None


class Signature:
    """Where the parameters of a function come from."""

    def __init__(self, function: Callable[..., Any], path_names: frozenset[str]) -> None:
        self.found: dict[str, Callable[[Request], Any]] = {}
        self.fields: list[Sent] = []
        self.body: Sent | None = None
        self.background: str | None = None
        self.response: str | None = None
        hints = get_type_hints(function, include_extras=True)
        for name, parameter in inspect.signature(function).parameters.items():
            self._add(name, hints[name], parameter.default, name in path_names)
        order = ("path", "query", "header")
        self.fields.sort(key=lambda field: order.index(field.place))

    def _add(self, name: str, hint: Any, default: Any, is_in_path: bool) -> None:
        marks = get_args(hint)[1:]
        source = next((mark for mark in marks if isinstance(mark, From)), None)
        if source is not None:
            self.found[name] = source.find
        elif hint is Request:
            self.found[name] = lambda request: request
        elif hint is Response:
            self.response = name
        elif hint is BackgroundTasks:
            self.background = name
        elif name == "body":
            self.body = Sent(name, hint, default, "body")
        elif is_in_path:
            self.fields.append(Sent(name, hint, default, "path"))
        else:
            is_header = any(isinstance(mark, Header) for mark in marks)
            self.fields.append(Sent(name, hint, default, "header" if is_header else "query"))


class Endpoint:
    """The application of one route; its signature is read at the first request, to save start-up time."""

    def __init__(
        self,
        function: Callable[..., Awaitable[Any]],
        status: int,
        model: Any,
        described: Mapping[str, Any] | None,
        path: str,
        tag: str,
    ) -> None:
        self.function = function
        self.status = status
        self.model = model
        self.described = described
        self.path = path
        self.tag = tag

    @cached_property
    def signature(self) -> Signature:
        return Signature(self.function, frozenset(_PATH_NAME.findall(self.path)))

    @cached_property
    def answer(self) -> TypeAdapter[Any]:
        return TypeAdapter(self.model)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive, send)
        response = await self._respond(request, self.signature)
        await response(scope, receive, send)

    async def _respond(self, request: Request, signature: Signature) -> Response:
        sent = await _body(request) if signature.body is not None else _NOT_SENT
        values = {name: find(request) for name, find in signature.found.items()}
        places = {"path": request.path_params, "query": request.query_params, "header": request.headers}
        for field in signature.fields:
            values[field.name] = field.read(places[field.place].get(field.sent_as, _NOT_SENT))
        if signature.body is not None:
            values["body"] = signature.body.read(sent)
        headers_only = Response()
        del headers_only.headers["content-length"]
        background = BackgroundTasks()
        if signature.response is not None:
            values[signature.response] = headers_only
        if signature.background is not None:
            values[signature.background] = background
        result = await self.function(**values)
        if isinstance(result, Response):
            return result
        response = self._made(result)
        response.headers.raw.extend(headers_only.headers.raw)
        response.background = background
        return response

    def _made(self, result: Any) -> Response:
        if self.model is None:
            return Response(status_code=self.status)
        checked = self.answer.validate_python(result)
        return Response(self.answer.dump_json(checked), self.status, media_type="application/json")


async def _body(request: Request) -> Any:
    """The body as JSON; `null` counts as no body."""
    try:
        sent = await request.body()
        read = json.loads(sent) if sent else None
    except json.JSONDecodeError:
        raise Invalid("The body is not JSON.") from None
    except HTTPException:
        raise
    except Exception as error:  # not UTF-8, nested too deeply, or the client left
        raise HTTPException(400) from error
    return _NOT_SENT if read is None else read


def _invalid(where: tuple[int | str, ...], message: str) -> Invalid:
    return Invalid(f"{'.'.join(map(str, where)) or 'The body'}: {message}.")
