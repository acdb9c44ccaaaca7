"""The parameters and responses of the routes, as OpenAPI operations.

Lives here: from a route to its operation. Lives elsewhere: the rest of the
document (openapi.py).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import JsonSchemaMode
from starlette.routing import Route

from voxpilot.chat.events import Json
from voxpilot.web.routing.endpoint import REQUIRED, Endpoint, Sent
from voxpilot.web.schemas.bodies import ErrorAnswer

REF = "#/components/schemas/{model}"
_Wanted = tuple[str, JsonSchemaMode, TypeAdapter[Any]]


class Operations:
    """The routes, and the shapes they refer to."""

    def __init__(self, routes: Sequence[Route]) -> None:
        made, named = TypeAdapter.json_schemas([*_wanted(routes)], ref_template=REF)
        self._schemas = {key: schema for (key, _), schema in made.items()}
        self.shapes: Json = dict(sorted(named["$defs"].items()))
        for shape in self.shapes.values():
            _drop_null_defaults(shape)
        self.paths: Json = {}
        for route in routes:
            path, method = re.sub(r":\w+}", "}", route.path), _method(route)
            self.paths.setdefault(path, {})[method] = self._operation(route, path, method)

    def _operation(self, route: Route, path: str, method: str) -> Json:
        endpoint = _endpoint(route)
        operation: Json = {"tags": [endpoint.tag], "summary": _title(route.name)}
        if doc := inspect.getdoc(endpoint.function):
            operation["description"] = doc
        operation["operationId"] = re.sub(r"\W", "_", f"{route.name}{path}_{method}")
        signature = endpoint.signature
        if signature.fields:
            operation["parameters"] = [self._parameter(route, field) for field in signature.fields]
        if signature.body is not None:
            schema = self._titled(_key(route, "body"), "Body")
            operation["requestBody"] = {"content": {"application/json": {"schema": schema}}}
            if signature.body.default is REQUIRED:
                operation["requestBody"]["required"] = True
        operation["responses"] = {
            str(endpoint.status): self._answer(route, operation["operationId"]),
            "default": {
                "description": "What happened, and what to do next",
                "content": {"application/json": {"schema": self._schemas["error"]}},
            },
        }
        return operation

    def _parameter(self, route: Route, field: Sent) -> Json:
        schema = self._titled(_key(route, field.name), _title(field.sent_as))
        if field.default is not REQUIRED and field.default is not None:
            schema["default"] = field.default
        is_required = field.default is REQUIRED
        return {"name": field.sent_as, "in": field.place, "required": is_required, "schema": schema}

    def _answer(self, route: Route, operation: str) -> Json:
        endpoint = _endpoint(route)
        if endpoint.described is not None:
            return dict(endpoint.described)
        answer: Json = {"description": "Successful Response"}
        if endpoint.model is not None:
            schema = self._titled(_key(route, "answer"), f"Response {_title(operation)}")
            answer["content"] = {"application/json": {"schema": schema}}
        return answer

    def _titled(self, key: str, title: str) -> Json:
        schema = dict(self._schemas[key])
        return schema if "$ref" in schema else {**schema, "title": title}


def _wanted(routes: Sequence[Route]) -> Iterator[_Wanted]:
    """Everything whose shape is needed: requests as they are validated, responses as they are serialised."""
    yield "error", "serialization", TypeAdapter(ErrorAnswer)
    for route in routes:
        endpoint = _endpoint(route)
        signature = endpoint.signature
        for field in [*signature.fields, *([signature.body] if signature.body else [])]:
            yield _key(route, field.name), "validation", field.adapter
        if endpoint.model is not None:
            yield _key(route, "answer"), "serialization", endpoint.answer


def _endpoint(route: Route) -> Endpoint:
    assert isinstance(route.endpoint, Endpoint)
    return route.endpoint


def _method(route: Route) -> str:
    return next(iter(route.methods or ())).lower()


def _key(route: Route, part: str) -> str:
    return f"{_method(route)} {route.path} {part}"


def _drop_null_defaults(shape: Json) -> None:
    """Drop null as a default: the field already allows null and is optional."""
    for field in shape.get("properties", {}).values():
        if field.get("default", ...) is None:
            del field["default"]


def _title(name: str) -> str:
    return name.replace("_", " ").title()


def reference(model: type[BaseModel]) -> Json:
    return {"$ref": REF.format(model=model.__name__)}
