"""Questions of an agent, put to the person at the terminal.

Lives here: showing who asks and exactly what, one question at a time, and
taking the choice. Others may answer first, on another device. Lives elsewhere:
where typed lines come from (run.py), deciding (runtime/questions.py).
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any

from voxpilot.chat.events import Json
from voxpilot.cli.client import Refused
from voxpilot.cli.screen import View
from voxpilot.cli.text import one_line, visible

Answer = Callable[[str, Json], Awaitable[None]]
"""Tell the server: the question's id and what was decided."""
TRUST = "trust"
"""The kind of the option that trusts a folder."""
DECLINE = {"id": "decline", "label": "Decline (forms and links are answered on the page)", "kind": "decline"}


class Questions:
    """The open questions of a turn, oldest first."""

    def __init__(self, view: View, answer: Answer, can_ask: bool, kinds: tuple[str, ...]) -> None:
        self._view = view
        self._answer = answer
        self._can_ask = can_ask
        self._kinds = kinds
        """Of options to choose without asking."""
        self._open: dict[str, Json] = {}
        self._shown: Json | None = None
        """The one a typed line answers."""

    @property
    def wants_input(self) -> bool:
        return self._can_ask and self._shown is not None

    async def asked(self, question: Json) -> None:
        if question["type"] in ("form", "url"):
            question = {**question, "options": [DECLINE]}
        if question["type"] == "sign-in":
            # Its terminal would be on the page; here is one already, and the command is shown.
            options = [option for option in question["options"] if not option["id"].startswith("terminal:")]
            question = {**question, "options": options}
        self._open[question["id"]] = question
        if self._kinds:
            kinds = (*self._kinds, DECLINE["kind"])
            chosen = next((option for option in question["options"] if option["kind"] in kinds), None)
            if chosen is not None:
                self._view.note("\n".join(described(question)))
                await self._choose(question, chosen)
                return
            offered = " or ".join(self._kinds)
            self._view.note(f"Not decided here: it offers no option of the kind {offered}.")
        if not self._can_ask or self._shown is None:
            self._put(question)

    def answered(self, answer: Json) -> None:
        """Somebody decided, perhaps we ourselves."""
        question = self._open.pop(answer["question_id"], None)
        if question is None:
            return
        chosen = next((o["label"] for o in question["options"] if o["id"] == answer.get("option_id")), None)
        self._view.note(f"Answered: {one_line(chosen or answer['outcome'])}.")
        if question is self._shown:
            self._shown = None
            if self._can_ask and self._open:
                self._put(next(iter(self._open.values())))

    async def typed(self, line: str) -> None:
        """A line from the terminal, meant for the question that was shown last."""
        if self._shown is None:
            return
        options = self._shown["options"]
        number = line.strip()
        if number.isascii() and number.isdigit() and len(number) < 4 and 1 <= int(number) <= len(options):
            await self._choose(self._shown, options[int(number) - 1])
        else:
            self._view.note(_wanted(options))

    async def _choose(self, question: Json, option: Json) -> None:
        try:
            is_action = option is DECLINE
            await self._answer(question["id"], {"action" if is_action else "option_id": option["id"]})
        except Refused as refused:  # somebody was faster; the chat says who
            self._view.note(one_line(refused.message))

    def _put(self, question: Json) -> None:
        self._shown = question
        self._view.note("\n".join(described(question)))
        if self._can_ask and question["options"]:
            self._view.note(_wanted(question["options"]))
        else:
            self._view.note("It waits for an answer on the page.")
            if any(option["kind"] == TRUST for option in question["options"]):
                self._view.note("Or run the command again with --trust.")


def described(question: Json) -> Iterator[str]:
    """Who asks and exactly what, with nothing hidden and nothing that could pass for our own words."""
    detail = question["detail"]
    who = "VoxPilot" if question["type"] == "confirm" else one_line(question.get("agent") or "The agent")
    yield f"{who} asks: {one_line(question['title'])}"
    if detail.get("tool_kind"):
        yield f"  kind: {one_line(detail['tool_kind'])}"
    if detail.get("why"):
        yield f"  {one_line(detail['why'])}"
    for name, label in (("text", ""), ("before", "before: ")):
        if question["type"] == "confirm" and isinstance(detail.get(name), str):
            yield from _indented(label, detail[name])
    if detail.get("caution"):
        yield f"  take care: {one_line(detail['caution'])}"
    yield from _ways_to_sign_in(detail)
    if detail.get("input"):
        yield from _indented("input: ", _whole(detail["input"]))
    if detail.get("url"):
        yield from _indented("link: ", detail["url"])
    if detail.get("schema"):
        yield from _indented("form: ", _whole(detail["schema"]))
    for place in detail.get("locations") or ():
        yield f"  path: {one_line(str(place.get('path')))}"
    for item in detail.get("content") or ():
        yield from _indented("", _content(item))
    for number, option in enumerate(question["options"], 1):
        yield f"  {number}  {one_line(option['label'] or option['id'])}  ({one_line(option['kind'])})"


def cut_places(detail: Json) -> set[int]:
    """The numbers of the events that hold what is here only in part."""
    kept = {item["whole_at"]["seq"] for item in detail.get("content", ()) if "whole_at" in item}
    return kept | set(detail.get("cut_at", {}).values())


def uncut(detail: Json, events: Mapping[int, Json]) -> Json:
    """What a question is about, with all that those events hold."""
    whole = {name: events[seq][name] for name, seq in detail.get("cut_at", {}).items()}
    if "content" not in detail:
        return {**detail, **whole}
    shown = [_whole_diff(item, events) for item in detail["content"]]
    if "content" in whole:
        told = {item.get("path") for item in whole["content"]}
        kept = [item for item in shown if item.get("type") == "diff" and item.get("path") not in told]
        shown = [*whole["content"], *kept]
    return {**detail, **whole, "content": shown}


def _whole_diff(item: Json, events: Mapping[int, Json]) -> Json:
    if (place := item.get("whole_at")) is None:
        return item
    return dict(events[place["seq"]]["content"][place["item"]])


def _ways_to_sign_in(detail: Json) -> Iterator[str]:
    if detail.get("reason"):
        yield f"  that did not work: {one_line(detail['reason'])}"
    for method in detail.get("methods") or ():
        words = [method["name"], method.get("description") or ""]
        yield f"  way: {one_line('. '.join(filter(None, words)))}"
        if method.get("command"):
            yield from _indented("  in another terminal, run: ", method["command"])
    if detail.get("hint"):
        yield f"  {one_line(detail['hint'])}"


def _whole(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 100 else json.dumps(value, ensure_ascii=False, indent=2)


def _content(item: Json) -> str:
    match item:
        case {"type": "content", "content": {"type": "text", "text": str(text)}}:
            return text
        case {"type": "diff", "path": str(path), "newText": str(new)}:
            old = str(item.get("oldText") or "")
            lines = difflib.unified_diff(old.splitlines(), new.splitlines(), path, path, lineterm="")
            return "\n".join(lines)
        case _:
            return _whole(item)


def _indented(name: str, text: str) -> Iterator[str]:
    first, *rest = visible(text).split("\n")
    yield f"  {name}{first}"
    yield from (f"  | {line}" for line in rest)


def _wanted(options: list[Json]) -> str:
    return f"Choose 1-{len(options)} and press Enter:"
