"""What of a conversation is sent to the model: always valid, never too long.

Lives here: giving every call exactly one result, and making room when the whole
would not fit: old tool outputs are shortened first, then the oldest turns left
out whole; the newest message of the person is always sent. Lives elsewhere: the
rows it is read from (storage), the wire (llm.py).

What is cut depends on the conversation alone. It is cut in large pieces, so that most
requests begin as the one before did and the provider need not read it all again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from voxpilot.assistant.shapes import Message, ModelSaid, PersonSaid, Tool, ToolReturned

INTERRUPTED = "Interrupted: this call was cut short and has no result. What it did before that is not known."
LEFT_OUT = "[The beginning of this conversation is left out here, for lack of room.]"
SHORT_OUTPUT = 600
"""Characters that are left of an old tool output."""
_LETTERS_A_TOKEN = 3.5
"""A cautious figure: code and languages other than English take more tokens than prose."""
_MESSAGE_TOKENS = 12
"""What a message costs besides its text."""
_IMAGE_TOKENS = 1600
"""What a large picture costs at most at the usual providers."""
_PIECES = 4
"""Into so many pieces the budget is divided for cutting."""


@dataclass(frozen=True, slots=True)
class _Exchange:
    """A step of the model with the results of all its calls."""

    step: ModelSaid
    results: tuple[ToolReturned, ...]


@dataclass(frozen=True, slots=True)
class _Turn:
    """What the person said, and the steps that followed."""

    said: PersonSaid
    exchanges: tuple[_Exchange, ...] = ()


def prepared(rows: Sequence[Message], budget_tokens: int) -> list[Message]:
    """The messages to send, within the budget unless the newest message alone is larger."""
    return _messages(_fitted(_turns(rows), budget_tokens))


def valid(rows: Sequence[Message]) -> list[Message]:
    """The whole conversation in order, each call with one result."""
    return _messages(_turns(rows))


def room_for(context_tokens: int, max_output_tokens: int, instructions: str, tools: Iterable[Tool]) -> int:
    """What is left for the conversation when all else that a request holds is counted."""
    answer = max_output_tokens or min(8_000, context_tokens // 4)
    fixed = tokens(instructions) + sum(
        tokens(f"{tool.name}{tool.description}{json.dumps(tool.parameters)}") for tool in tools
    )
    return max(500, context_tokens - min(answer, context_tokens // 2) - fixed)


def tokens(text: str) -> int:
    """About how many; rather too many than too few."""
    wide = len(text.encode(errors="replace")) - len(text)
    return math.ceil((len(text) + wide) / _LETTERS_A_TOKEN)


def size(messages: Iterable[Message]) -> int:
    return sum(_size(message) for message in messages)


def _size(message: Message) -> int:
    match message:
        case PersonSaid(text, images):
            return _MESSAGE_TOKENS + tokens(text) + _IMAGE_TOKENS * len(images)
        case ToolReturned(_, _, content):
            return _MESSAGE_TOKENS + tokens(content)
        case ModelSaid(text, calls, stored):
            if stored is not None:
                written = json.dumps(stored.get("parts", ()), default=str, ensure_ascii=False)
            else:
                written = text + "".join(f"{call.name}{call.raw}" for call in calls)
            return _MESSAGE_TOKENS * (1 + len(calls)) + tokens(written)


def _turns(rows: Sequence[Message]) -> list[_Turn]:
    """A result belongs to the last step before it; ids may come again later."""
    turns: list[_Turn] = []
    step: ModelSaid | None = None
    results: dict[str, ToolReturned] = {}

    def finish() -> None:
        nonlocal step
        if step is not None and turns and (step.text or step.calls):
            whole = tuple(
                replace(results[call.id], name=call.name)
                if call.id in results
                else ToolReturned(call.id, call.name, INTERRUPTED, is_error=True)
                for call in step.calls
            )
            turns[-1] = replace(turns[-1], exchanges=(*turns[-1].exchanges, _Exchange(step, whole)))
        step = None
        results.clear()

    for row in rows:
        match row:
            case PersonSaid():
                finish()
                turns.append(_Turn(row))
            case ModelSaid():
                finish()
                step = row
            case ToolReturned():
                results.setdefault(row.call_id, row)
    finish()
    return turns


def _messages(turns: Iterable[_Turn]) -> list[Message]:
    found: list[Message] = []
    for turn in turns:
        found.append(turn.said)
        for exchange in turn.exchanges:
            found.append(exchange.step)
            found.extend(exchange.results)
    return found


def _fitted(turns: list[_Turn], budget: int) -> list[_Turn]:
    if size(_messages(turns)) <= budget:
        return turns
    turns = _shortened(turns, budget)
    turns = _without_oldest(turns, budget)
    return [*turns[:-1], _last_fitted(turns[-1], budget - size(_messages(turns[:-1])))]


def _shortened(turns: list[_Turn], budget: int) -> list[_Turn]:
    """Shorten outputs, the oldest first, but none of the newest exchange."""
    to_save = _in_pieces(size(_messages(turns)) - budget, budget)
    shorter = []
    for number, turn in enumerate(turns):
        exchanges = list(turn.exchanges)
        newest = len(exchanges) - 1 if number == len(turns) - 1 else len(exchanges)
        for place in range(newest):
            if to_save <= 0:
                break
            old = exchanges[place]
            exchanges[place] = replace(old, results=tuple(_short(result) for result in old.results))
            to_save -= size(old.results) - size(exchanges[place].results)
        shorter.append(replace(turn, exchanges=tuple(exchanges)))
    return shorter


def _without_oldest(turns: list[_Turn], budget: int) -> list[_Turn]:
    """Leave out the oldest turns, but not the newest."""
    sizes = [size(_messages([turn])) for turn in turns]
    note = tokens(LEFT_OUT)
    if sum(sizes) <= budget:
        return turns
    to_save = _in_pieces(sum(sizes) + note - budget, budget)
    first = 0
    while first < len(turns) - 1 and to_save > 0:
        to_save -= sizes[first]
        first += 1
    return [_noted(turns[first]), *turns[first + 1 :]] if first else turns


def _last_fitted(turn: _Turn, budget: int) -> _Turn:
    """The newest turn: its oldest steps go, then what the newest results are too long by."""
    whole = size(_messages([turn]))
    if whole <= budget:
        return turn
    exchanges = list(turn.exchanges)
    to_save = _in_pieces(whole - budget, budget)
    while len(exchanges) > 1 and to_save > 0:
        gone = exchanges.pop(0)
        to_save -= size([gone.step, *gone.results])
    left = budget - size(_messages([replace(turn, exchanges=tuple(exchanges))]))
    if exchanges and left < 0:
        exchanges[-1] = _squeezed(exchanges[-1], left)
    return replace(turn, exchanges=tuple(exchanges))


def _squeezed(exchange: _Exchange, left: int) -> _Exchange:
    """Shorten the results of one step evenly, until they no longer exceed what was left."""
    goal = max(0, size(exchange.results) + left - _MESSAGE_TOKENS * len(exchange.results))
    letters = int(goal / max(1, len(exchange.results)) * _LETTERS_A_TOKEN)
    return replace(exchange, results=tuple(_short(result, letters) for result in exchange.results))


def _noted(turn: _Turn) -> _Turn:
    return replace(turn, said=replace(turn.said, text=f"{LEFT_OUT}\n\n{turn.said.text}"))


def _in_pieces(tokens_over: int, budget: int) -> int:
    piece = max(1, budget // _PIECES)
    return math.ceil(tokens_over / piece) * piece


def _short(result: ToolReturned, letters: int = SHORT_OUTPUT) -> ToolReturned:
    """Its beginning and its end."""
    text = result.content
    if tokens(text) <= letters / _LETTERS_A_TOKEN:
        return result
    note = f"\n[… {len(text):,} characters, shortened …]\n"
    room = letters - len(note)
    if room <= 0:
        return replace(result, content=note.strip()[: max(0, letters)])
    while (
        tokens(kept := f"{text[: room * 2 // 3]}{note}{text[len(text) - room // 3 :]}")
        > letters / _LETTERS_A_TOKEN
    ):
        room = room * 4 // 5  # characters that take several bytes count more
        if room < 8:
            return replace(result, content=note.strip()[: max(0, letters)])
    return replace(result, content=kept)
