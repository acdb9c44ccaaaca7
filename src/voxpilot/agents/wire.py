"""JSON-RPC as agents really write it: lines to frames and back.

Lives here: reading any line without ever failing, and writing ours. Lives
elsewhere: what methods mean (dialogue.py, translate.py), moving bytes (keeper/).
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from itertools import islice
from typing import Any

import orjson

from voxpilot.chat.events import Json


@dataclass(frozen=True, slots=True)
class Notification:
    method: str
    params: Json


@dataclass(frozen=True, slots=True)
class Call:
    rpc_id: str
    method: str
    params: Json
    unread: str = ""
    """Why its params could not be read, if they could not."""


@dataclass(frozen=True, slots=True)
class Answer:
    rpc_id: str
    result: Any
    error: Json | None


@dataclass(frozen=True, slots=True)
class Unreadable:
    why: str


_TEXT = re.compile(rb'"text"\s*:\s*"((?:[^"\\]|\\.)*)"')
_NESTED = 200
"""Fewer brackets than this cannot be nested too deep to be stored."""
_FLAT = rb'"\w+"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[-+.\w]+)\s*'
_FIRST = re.compile(rb'\s*\{\s*((?:%b,\s*)*)"(\w+)"' % _FLAT)
_LAST = re.compile(rb"[]}]\s*((?:,\s*%b)*)\}\s*\Z" % _FLAT)
_LOOKED_AT = 2000
"""Bytes at both ends of a line in which its id is looked for where the rest cannot be read."""
Frame = Notification | Call | Answer | Unreadable


class _TooDeep(ValueError):
    """Perhaps JSON, but nested deeper than can be read or kept."""


def frame_in(line: bytes) -> Frame:
    """What a line says; of one nested too deep as much as it takes to answer it, or to end what waits."""
    try:
        return frame_of(_decoded(line))
    except _TooDeep:
        return frame_between(line, line, "nested too deep to be read")
    except ValueError:
        return Unreadable("no JSON")


def decode(line: bytes) -> Any:
    """The JSON of a line, repaired where a strict reader would refuse it; None when it is none."""
    try:
        return _decoded(line)
    except ValueError:
        return None


def _decoded(line: bytes) -> Any:
    try:
        message = orjson.loads(line)
    except orjson.JSONDecodeError:
        # Some agents cut an emoji in two and send a lone surrogate; some do not escape a tab.
        try:
            message = _repaired(json.loads(line.decode("utf-8", "replace"), strict=False))
        except RecursionError:
            raise _TooDeep from None
    if line.count(b"[") + line.count(b"{") >= _NESTED and not _can_be_kept(message):
        raise _TooDeep
    return message


def frame_between(begins: bytes, ends: bytes, why: str) -> Frame:
    """What can be told of a line by its ends: the plain members before the first and after the last other."""
    first, last = _FIRST.match(begins[:_LOOKED_AT]), _LAST.search(ends[-_LOOKED_AT:])
    members = (first[1] if first else b"") + (last[1][1:] if last else b"")
    try:
        message = orjson.loads(b"{%b}" % members.strip().strip(b","))
    except orjson.JSONDecodeError:
        message = {}
    if first and first[2] in (b"result", b"error"):
        message["error"] = {"code": -32603, "message": f"The agent's answer is {why}."}
    match frame_of(message):
        case Call(rpc_id, method):
            return Call(rpc_id, method, {}, why)
        case Answer() as answer:
            return answer
    return Unreadable(why)


@dataclass(frozen=True, slots=True)
class Alike:
    """Lines that differ from a given one in nothing but the text they carry.

    Nearly all that agents print is such a run. Reading only the text of a line, and only where that is as
    sure as reading the whole, takes a third of the time.
    """

    before: bytes
    after: bytes

    def texts_in(self, lines: list[bytes], start: int) -> list[str]:
        """The texts of the lines from `start` on, up to the first that is not alike, or may not be."""
        before, after = self.before, self.after
        first, rest, around = len(before), len(after), len(before) + len(after)
        texts: list[bytes] = []
        for line in islice(lines, start, None):
            if not line.startswith(before) or not line.endswith(after) or len(line) < around:
                break
            texts.append(line[first:-rest])
        return _strings(texts)


def _strings(texts: list[bytes]) -> list[str]:
    """What stood between quotes in JSON, read; up to the first that is no such thing."""
    joined = b'","'.join(texts)
    if b'\\","' not in joined:  # else one might swallow the next
        try:
            read: list[str] = orjson.loads(b'["%b"]' % joined)
        except orjson.JSONDecodeError:
            read = []
        if len(read) == len(texts):
            return read
    read = []
    try:
        for text in texts:
            read.append(orjson.loads(b'"%b"' % text))
    except orjson.JSONDecodeError:  # it ends elsewhere, or is not clean: such a line is read whole
        pass
    return read


def alike(line: bytes) -> Alike | None:
    """What lines like this one look like, if it is clear where its text stands."""
    places = list(_TEXT.finditer(line))
    if len(places) != 1:
        return None
    start, end = places[0].span(1)
    return Alike(line[:start], line[end:])


def frame_of(message: Any) -> Frame:
    """What kind of message this is. Messages without `jsonrpc` are taken too."""
    if not isinstance(message, dict):
        return Unreadable("not a message")
    method = message.get("method")
    if method is not None:
        return _asking(message, method)
    if "id" not in message or not ("result" in message or "error" in message):
        return Unreadable("neither a request nor an answer")
    if isinstance(message["id"], bool) or not isinstance(message["id"], str | int | None):
        return Unreadable("an id that is no id")
    error = message.get("error")
    if error is not None and not isinstance(error, dict):
        error = {"code": -32603, "message": str(error)}
    return Answer(id_text(message["id"]), message.get("result"), error)


def _asking(message: Json, method: Any) -> Frame:
    given = message.get("params")
    params = given if isinstance(given, dict) else {}
    if not isinstance(method, str):
        return Unreadable("a method that is no name")
    if "id" not in message:
        if given is not None and given is not params:
            return Unreadable("params that are no object")
        return Notification(method, params)
    if isinstance(message["id"], bool) or not isinstance(message["id"], str | int | None):
        return Unreadable("an id that is no id")
    return Call(id_text(message["id"]), method, params)


def id_text(rpc_id: Any) -> str:
    """An id as JSON text, so that 0 and "0" differ."""
    return orjson.dumps(rpc_id).decode()


def request(rpc_id: str, method: str, params: Json) -> str:
    return _line({"jsonrpc": "2.0", "id": orjson.loads(rpc_id), "method": method, "params": params})


def notification(method: str, params: Json) -> str:
    return _line({"jsonrpc": "2.0", "method": method, "params": params})


def result(rpc_id: str, value: Any) -> str:
    return _line({"jsonrpc": "2.0", "id": orjson.loads(rpc_id), "result": value})


def failure(rpc_id: str, code: int, message: str, data: Json | None = None) -> str:
    error = {"code": code, "message": message, **({"data": data} if data is not None else {})}
    return _line({"jsonrpc": "2.0", "id": orjson.loads(rpc_id), "error": error})


def _line(message: Json) -> str:
    return orjson.dumps(message).decode()


def _can_be_kept(message: Any) -> bool:
    """What is nested too deep can be read but not written again."""
    try:
        orjson.dumps(message)
    except orjson.JSONEncodeError:
        return False
    return True


def _repaired(value: Any) -> Any:
    """Only what can be stored and sent again: whole characters, finite and 64-bit numbers."""
    match value:
        case str():
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        case dict():
            return {_repaired(name): _repaired(inner) for name, inner in value.items()}
        case list():
            return [_repaired(inner) for inner in value]
        case float() if not math.isfinite(value):
            return None
        case int() if not -(2**63) <= value < 2**64:
            return float(value) if abs(value) < 10**300 else None
    return value
