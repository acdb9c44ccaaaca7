"""An agent's questions, shown to the person at the terminal.

Lives here: showing who asks and exactly what, one question at a time, and reading the choice. Somebody may
answer first on another device. Lives elsewhere: where typed lines come from (command.py), deciding
(runtime/questions/open_questions.py).
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping

from voxpilot.chat.events import Json
from voxpilot.cli.client import Refused
from voxpilot.cli.run.screen import View
from voxpilot.cli.text import one_line, visible

Answer = Callable[[str, Json], Awaitable[None]]
"""Tell the server: the question's id and what was decided."""
TRUST = "trust"
"""The kind of the option that trusts a folder."""
ANSWERED = {"allow_once", "reject_once"}
"""The kinds of options that `--answer` chooses."""
_WORDS = {
    "allow_once": "Allow once",
    "allow_always": "Always allow",
    "reject_once": "Reject",
    "reject_always": "Always reject",
}
DECLINE = {
    "id": "decline",
    "label": "Decline (forms and links can only be answered in the browser)",
    "kind": "decline",
}
_OF_A_DIFF = {"type", "path", "oldText", "newText", "from_line"}
_MOST_COMPARED = 4000
"""Lines of a change that are compared; comparing many more can take very long."""


class Questions:
    """The open questions of a turn, oldest first."""

    def __init__(
        self,
        view: View,
        answer: Answer,
        can_ask: Callable[[], bool],
        kinds: tuple[str, ...],
        on_shown: Callable[[], None] = lambda: None,
    ) -> None:
        self._view = view
        self._on_shown = on_shown
        """Discard lines typed before the question was on the screen: they do not answer it."""
        self._answer = answer
        self._can_ask = can_ask
        self._kinds = kinds
        """Kinds of options to choose without asking."""
        self._open: dict[str, Json] = {}
        self._shown: Json | None = None
        """The question that a typed line answers."""

    @property
    def wants_input(self) -> bool:
        return self._can_ask() and self._shown is not None

    async def asked(self, question: Json) -> bool:
        """Show a question, and answer it if that was decided in advance; returns whether it was answered."""
        if question["type"] in ("form", "url"):
            question = {**question, "options": [DECLINE]}
        if question["type"] == "sign-in":
            # Its terminal would be on the page; the person already has one here, and the command is shown.
            options = [option for option in question["options"] if not option["id"].startswith("terminal:")]
            question = {**question, "options": options}
        self._open[question["id"]] = question
        if self._kinds:
            kinds = (*self._kinds, DECLINE["kind"])
            chosen = next((option for option in question["options"] if option["kind"] in kinds), None)
            if chosen is not None:
                self._view.note("\n".join(described(question)))
                return await self._choose(question, chosen)
            if offered := " or ".join(f"“{_WORDS[kind]}”" for kind in self._kinds if kind != TRUST):
                self._view.note(f"Not answered: the question has no {offered} option.")
        if not self._can_ask() or self._shown is None:
            self._put(question)
        return False

    def answered(self, answer: Json) -> None:
        """Somebody decided, perhaps we ourselves."""
        question = self._open.pop(answer["question_id"], None)
        if question is None:
            return
        chosen = next((o["label"] for o in question["options"] if o["id"] == answer.get("option_id")), None)
        self._view.note(f"Answered: {one_line(chosen or answer['outcome'])}.")
        if question is self._shown:
            self._shown = None
            if self._can_ask() and self._open:
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

    async def _choose(self, question: Json, option: Json) -> bool:
        """False if it still waits for an answer."""
        try:
            is_action = option is DECLINE
            await self._answer(question["id"], {"action" if is_action else "option_id": option["id"]})
        except Refused as refused:
            waits = refused.code == "needs-browser"  # otherwise somebody else decided first
            self._view.note(one_line(refused.message) + (" Answer it in the browser." if waits else ""))
            return not waits
        return True

    def _put(self, question: Json) -> None:
        self._shown = question
        self._view.ask("\n".join(described(question)))
        if self._can_ask() and question["options"]:
            self._on_shown()
            self._view.note(_wanted(question["options"]))
        else:
            self._view.note("Waiting for an answer in the browser.")
            kinds = {option["kind"] for option in question["options"]}
            for option, decides in (("--trust", {TRUST}), ("--answer allow (or reject)", ANSWERED)):
                if kinds & decides - {*self._kinds}:
                    self._view.note(f"Or run the command again with {option}.")


def described(question: Json) -> Iterator[str]:
    """Who asks and exactly what, with nothing hidden and nothing that could look like our own text."""
    detail = question["detail"]
    who = "VoxPilot" if question["type"] == "confirm" else one_line(question.get("agent") or "The agent")
    yield f"{who} asks: {one_line(question['title'])}"
    if detail.get("tool_kind"):
        yield f"  kind: {one_line(detail['tool_kind'])}"
    if detail.get("why"):
        yield f"  {one_line(detail['why'])}"
    for name, label in (("text", ""), ("before", "previously: ")):
        if question["type"] == "confirm" and isinstance(detail.get(name), str):
            yield from _indented(label, detail[name])
    yield from _warnings(detail)
    yield from _ways_to_sign_in(detail)
    yield from _subject(detail)
    for number, option in enumerate(question["options"], 1):
        yield f"  {number}  {_option(question, option)}"


def _warnings(detail: Json) -> Iterator[str]:
    for warning in detail.get("warnings") or ():
        yield f"  warning: {one_line(str(warning))}"
    if detail.get("caution"):
        yield f"  warning: {one_line(detail['caution'])}"
    elif detail.get("unclear"):
        yield f"  cannot be auto-approved: {one_line(detail['unclear'])}"


def _subject(detail: Json) -> Iterator[str]:
    """Exactly what is asked about."""
    for name, label in (
        ("input", "input: "),
        ("more", "other fields: "),
        ("url", "link: "),
        ("schema", "form: "),
    ):
        if detail.get(name):
            yield from _indented(label, detail[name] if name == "url" else _whole(detail[name]))
    for place in detail.get("locations") or ():
        yield f"  path: {one_line(str(place.get('path')))}"
        if place.keys() - {"path", "line"}:
            yield from _indented("  also: ", _whole(place))
    for item in detail.get("content") or ():
        yield from _indented("", _content(item, detail.get("from_disk") is True))


def _option(question: Json, option: Json) -> str:
    """What an option does, in our words; the agent's label could say anything."""
    label = one_line(option["label"] or option["id"])
    if question["type"] != "permission":
        return label
    words = _WORDS.get(option["kind"], f"Other answer ({one_line(option['kind'])})")
    return words if label.lower() == words.lower() else f'{words}: "{label}"'


def cut_places(detail: Json) -> set[int]:
    """The numbers of the events that contain the complete values of truncated fields."""
    kept = {item["whole_at"]["seq"] for item in detail.get("content", ()) if "whole_at" in item}
    return kept | set(detail.get("cut_at", {}).values())


def uncut(detail: Json, events: Mapping[int, Json]) -> Json:
    """The detail of a question, completed from those events."""
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
        yield f"  the last attempt failed: {one_line(detail['reason'])}"
    for method in detail.get("methods") or ():
        words = [method["name"], method.get("description") or ""]
        yield f"  method: {one_line('. '.join(filter(None, words)))}"
        if method.get("command"):
            yield from _indented("  in another terminal, run: ", method["command"])
        for name, value in (method.get("env") or {}).items():
            yield f"    with the variable {one_line(name)}={one_line(str(value))}"
    if detail.get("hint"):
        yield f"  {one_line(detail['hint'])}"


def _whole(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 100 else json.dumps(value, ensure_ascii=False, indent=2)


def _content(item: Json, is_from_disk: bool) -> str:
    inner = item.get("content")
    if item.get("type") == "diff" and not item.keys() - _OF_A_DIFF:
        return "\n".join(_diff(item["path"], item.get("oldText") or "", item["newText"], is_from_disk))
    if item.keys() == {"type", "content"} and isinstance(inner, dict) and inner.keys() == {"type", "text"}:
        return str(inner["text"])
    return _whole(item)


def _diff(path: str, old: str, new: str, is_from_disk: bool) -> Iterator[str]:
    """Leaves out unchanged lines only if we have read the file: an agent could call any line unchanged."""
    before, after = _lines(old), _lines(new)
    if is_from_disk:
        yield from difflib.unified_diff(before, after, path, path, lineterm="")
        return
    yield f"{path} (according to the agent, lines without + or - are already in the file)"
    if len(before) + len(after) > _MOST_COMPARED:
        yield from (f"-{line}" for line in before)
        yield from (f"+{line}" for line in after)
        return
    changes = difflib.SequenceMatcher(None, before, after).get_opcodes()
    for change, old_from, old_to, new_from, new_to in changes:
        if change == "equal":
            yield from (f" {line}" for line in after[new_from:new_to])
        else:
            yield from (f"-{line}" for line in before[old_from:old_to])
            yield from (f"+{line}" for line in after[new_from:new_to])


def _lines(text: str) -> list[str]:
    """Divided only where a terminal will divide it; other characters are written out."""
    return text.removesuffix("\n").split("\n") if text else []


def _indented(name: str, text: str) -> Iterator[str]:
    first, *rest = visible(text).split("\n")
    yield f"  {name}{first}"
    yield from (f"  | {line}" for line in rest)


def _wanted(options: list[Json]) -> str:
    return f"Choose 1-{len(options)} and press Enter:"
