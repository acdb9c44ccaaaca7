"""JSON-RPC as agents really write it: lines to frames and back.

Lives here: reading any line without ever failing, and writing ours. Lives
elsewhere: what methods mean (requests/dialogue.py, updates/translate.py), moving bytes (keeper/).
"""

from __future__ import annotations

import json
import math
import re
from itertools import islice
from typing import Any

import orjson

from voxpilot.chat.events import Json
from voxpilot.values import dataclass


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
    """Why its params could not be read, if so."""


@dataclass(frozen=True, slots=True)
class Answer:
    rpc_id: str
    result: Any
    error: Json | None


@dataclass(frozen=True, slots=True)
class Unreadable:
    why: str


_TEXT = re.compile(rb'"text"\s*:\s*"((?:[^"\\]|\\.)*)"')
_LONGEST_ALIKE = 64_000
_NESTED = 200
"""With fewer brackets than this, a line cannot be nested too deeply to be stored."""
_FLAT = rb'"\w+"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[-+.\w]+)\s*'
_FIRST = re.compile(rb'\s*\{\s*((?:%b,\s*)*)"(\w+)"' % _FLAT)
_LAST = re.compile(rb"[]}]\s*((?:,\s*%b)*)\}\s*\Z" % _FLAT)
_LOOKED_AT = 2000
"""How many bytes at both ends of an unreadable line are searched for its id."""
Frame = Notification | Call | Answer | Unreadable


class _TooDeep(ValueError):
    """Possibly JSON, but nested too deeply to be read or stored."""


def may_be_one(line: bytes) -> bool:
    """Whether a line can be a frame at all; most other lines are recognised without parsing them."""
    return line.lstrip()[:1] == b"{"


def frame_in(line: bytes) -> Frame:
    """The frame in a line; for one nested too deeply, as much as is needed to answer it or to end what waits
    for it."""
    try:
        return frame_of(_decoded(line))
    except _TooDeep:
        return frame_between(line, line, "nested too deeply")
    except ValueError:
        return Unreadable("not JSON")


def decode(line: bytes) -> Any:
    """The JSON of a line, repaired where a strict parser would refuse it; None if it is not JSON."""
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
    """The members found at the two ends of a line: the simple ones before the first and after the last
    complex one."""
    first, last = _FIRST.match(begins[:_LOOKED_AT]), _LAST.search(ends[-_LOOKED_AT:])
    members = (first[1] if first else b"") + (last[1][1:] if last else b"")
    try:
        message = orjson.loads(b"{%b}" % members.strip().strip(b","))
    except orjson.JSONDecodeError:
        message = {}
    if first and first[2] in (b"result", b"error"):
        message["error"] = _invalid(why)
    match frame_of(message):
        case Call(rpc_id, method):
            return Call(rpc_id, method, {}, why)
        case Answer() as answer:
            return answer
    return Unreadable(why)


def outline(line: bytes, why: str) -> Frame:
    """As much of a line as is needed to answer it or to end what waits for it, without its contents."""
    match frame_between(line, line, why):
        case Unreadable():
            pass
        case frame:
            return frame
    match frame_in(line):
        case Call(rpc_id, method):
            return Call(rpc_id, method, {}, why)
        case Answer(rpc_id):
            return Answer(rpc_id, None, _invalid(why))
    return Unreadable(why)


def _invalid(why: str) -> Json:
    return {"code": -32603, "message": f"The agent's response is invalid: {why}."}


@dataclass(frozen=True, slots=True)
class Alike:
    """Lines that differ from a given one only in their text.

    Nearly all output of agents consists of such runs. Parsing only the text of a line, and only where that is
    as safe as parsing all of it, takes a third of the time.
    """

    before: bytes
    after: bytes

    def texts_in(self, lines: list[bytes], start: int) -> list[str]:
        """The texts of the lines from `start` on, up to the first that differs or might differ."""
        before, after = self.before, self.after
        first, rest, around = len(before), len(after), len(before) + len(after)
        texts: list[bytes] = []
        for line in islice(lines, start, None):
            if not line.startswith(before) or not line.endswith(after) or len(line) < around:
                break
            texts.append(line[first:-rest])
        return _strings(texts)


def _strings(texts: list[bytes]) -> list[str]:
    """The decoded contents of JSON strings, up to the first that is not valid."""
    joined = b'","'.join(texts)
    if b'\\","' not in joined:  # otherwise one string might run into the next
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
    except orjson.JSONDecodeError:  # not a plain string: the whole line is parsed instead
        pass
    return read


def alike(line: bytes) -> Alike | None:
    """The pattern of lines like this one, if it is clear where its text is."""
    if len(line) > _LONGEST_ALIKE:  # the search remembers every character
        return None
    places = list(_TEXT.finditer(line))
    if len(places) != 1:
        return None
    start, end = places[0].span(1)
    return Alike(line[:start], line[end:])


def frame_of(message: object) -> Frame:
    """The kind of a message. Messages without `jsonrpc` are accepted too."""
    if not isinstance(message, dict):
        return Unreadable("not a JSON-RPC message")
    method = message.get("method")
    if method is not None:
        return _asking(message, method)
    if "id" not in message or not ("result" in message or "error" in message):
        return Unreadable("neither a request nor a response")
    if isinstance(message["id"], bool) or not isinstance(message["id"], str | int | None):
        return Unreadable("invalid id")
    error = message.get("error")
    if error is not None and not isinstance(error, dict):
        error = {"code": -32603, "message": str(error)}
    return Answer(id_text(message["id"]), message.get("result"), error)


def _asking(message: Json, method: object) -> Frame:
    given = message.get("params")
    params = given if isinstance(given, dict) else {}
    if not isinstance(method, str):
        return Unreadable("invalid method name")
    if "id" not in message:
        if given is not None and given is not params:
            return Unreadable("params is not an object")
        return Notification(method, params)
    if isinstance(message["id"], bool) or not isinstance(message["id"], str | int | None):
        return Unreadable("invalid id")
    return Call(id_text(message["id"]), method, params)


def id_text(rpc_id: object) -> str:
    """An id as JSON text, so that 0 and "0" differ."""
    return orjson.dumps(rpc_id).decode()


def request(rpc_id: str, method: str, params: Json) -> str:
    return _line({"jsonrpc": "2.0", "id": orjson.loads(rpc_id), "method": method, "params": params})


def notification(method: str, params: Json) -> str:
    return _line({"jsonrpc": "2.0", "method": method, "params": params})


def result(rpc_id: str, value: object) -> str:
    return _line({"jsonrpc": "2.0", "id": orjson.loads(rpc_id), "result": value})


def failure(rpc_id: str, code: int, message: str, data: Json | None = None) -> str:
    error = {"code": code, "message": message, **({"data": data} if data is not None else {})}
    return _line({"jsonrpc": "2.0", "id": orjson.loads(rpc_id), "error": error})


def _line(message: Json) -> str:
    return orjson.dumps(message).decode()


def _can_be_kept(message: object) -> bool:
    """JSON that is nested too deeply can be read but not written again."""
    try:
        orjson.dumps(message)
    except orjson.JSONEncodeError:
        return False
    return True


def _repaired(value: object) -> Any:
    """Only values that can be stored and sent again: whole characters, finite and 64-bit numbers."""
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
