"""From a request to a function and back, without a server."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field
from starlette.applications import Starlette
from starlette.background import BackgroundTasks
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message

from voxpilot.web.door import errors
from voxpilot.web.routing.endpoint import From, Header
from voxpilot.web.routing.router import Router

router = Router("/api", "tests")
done: list[str] = []


class Order(BaseModel):
    dish: str
    count: int = Field(1, ge=1)


class Shown(BaseModel):
    dish: str
    count: int = 1


@router.get("/echo/{name}", model=dict[str, Any])
async def echo(
    name: str,
    path: Annotated[str, From(lambda request: request.url.path)],
    limit: Annotated[int, Field(ge=1, le=10)] = 5,
    word: str | None = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> dict[str, Any]:
    return {"name": name, "path": path, "limit": limit, "word": word, "last": last_event_id}


@router.post("/orders", status=201, model=Shown)
async def order(
    body: Order, request: Request, response: Response, background: BackgroundTasks
) -> dict[str, Any]:
    response.headers["x-method"] = request.method
    background.add_task(done.append, body.dish)
    return {"dish": body.dish, "count": body.count, "secret": "not part of the answer"}


@router.post("/maybe", status=204)
async def maybe(body: Order | None = None) -> None:
    done.append(str(body))


@router.get("/wrong", model=Shown)
async def wrong() -> dict[str, Any]:
    return {"count": "many"}


class Answered:
    def __init__(self, messages: list[Message]) -> None:
        self.status = messages[0]["status"]
        self.headers = {name.decode(): value.decode() for name, value in messages[0]["headers"]}
        self.body = b"".join(message.get("body", b"") for message in messages[1:])

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def message(self) -> Any:
        return self.json["error"]["message"]


def ask(method: str, target: str, body: bytes = b"", headers: dict[str, str] | None = None) -> Answered:
    path, _, query = target.partition("?")
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in (headers or {}).items()],
    }
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": body}

    async def send(message: Message) -> None:
        sent.append(message)

    app = Starlette(routes=router.routes)
    errors.install(app)
    asyncio.run(app(scope, receive, send))
    return Answered(sent)


def test_parameters_come_from_path_query_header_and_a_function() -> None:
    answer = ask("GET", "/api/echo/fish?limit=7&word=a%20b", headers={"last-event-id": "12"})
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    expected = {"name": "fish", "path": "/api/echo/fish", "limit": 7, "word": "a b", "last": "12"}
    assert answer.json == expected


def test_what_is_not_sent_is_the_default() -> None:
    assert ask("GET", "/api/echo/fish").json["limit"] == 5


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("limit=11", "limit: Input should be less than or equal to 10."),
        ("limit=", "limit: Input should be a valid integer, unable to parse string as an integer."),
    ],
)
def test_a_wrong_parameter_is_named(target: str, message: str) -> None:
    answer = ask("GET", f"/api/echo/fish?{target}")
    assert (answer.status, answer.message) == (422, message)


def test_the_answer_is_what_its_model_says_and_headers_and_tasks_follow() -> None:
    answer = ask("POST", "/api/orders", b'{"dish": "soup", "count": 2}')
    assert (answer.status, answer.json) == (201, {"dish": "soup", "count": 2})
    assert answer.headers["x-method"] == "POST"
    assert done.pop() == "soup"


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"", 422, "The body: Field required."),
        (b"null", 422, "The body: Field required."),
        (b"{", 422, "The body is not JSON."),
        (b"[]", 422, "The body: Input should be a valid dictionary or object to extract fields from."),
        (b'{"dish": "soup", "count": 0}', 422, "count: Input should be greater than or equal to 1."),
        (b"{}", 422, "dish: Field required."),
        (b'"\xff"', 400, "The request cannot be read."),
        (b"[" * 100_000, 400, "The request cannot be read."),
    ],
)
def test_a_wrong_body_is_refused_and_says_why(body: bytes, status: int, message: str) -> None:
    answer = ask("POST", "/api/orders", body)
    assert (answer.status, answer.message) == (status, message)
    assert done == []


@pytest.mark.parametrize("body", [b"", b"null"])
def test_an_optional_body_may_be_left_out(body: bytes) -> None:
    answer = ask("POST", "/api/maybe", body)
    assert (answer.status, answer.body, done.pop()) == (204, b"", "None")


def test_another_method_is_refused() -> None:
    assert ask("HEAD", "/api/echo/fish").status == 405


def test_an_answer_that_does_not_fit_its_model_is_an_error() -> None:
    with pytest.raises(ValueError, match="validation error"):
        ask("GET", "/api/wrong")
