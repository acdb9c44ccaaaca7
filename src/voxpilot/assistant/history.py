"""The part of a conversation that is sent to the model: always valid, never too long.

Lives here: giving every call exactly one result, and making room if the conversation does not fit: old tool
outputs are shortened first, then whole turns are left out, oldest first; the person's newest message is
always sent. Lives elsewhere: the rows it is read from (storage), the wire (llm.py).

What is cut depends only on the conversation. It is cut in large pieces, so that most requests begin like the
previous one and providers can use their caches.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from voxpilot.assistant.shapes import Message, ModelSaid, PersonSaid, Tool, ToolReturned
from voxpilot.values import dataclass

INTERRUPTED = "Interrupted: this call has no result. It may have done part of its work."
LEFT_OUT = "[The beginning of this conversation is omitted because it is too long.]"
SHORT_OUTPUT = 600
"""How many characters of an old tool output are kept."""
_LETTERS_A_TOKEN = 3.5
"""A cautious figure: code and languages other than English take more tokens than prose."""
_MESSAGE_TOKENS = 12
"""The tokens of a message in addition to its text."""
_IMAGE_TOKENS = 1600
"""What a large picture costs at most at the usual providers."""
_PIECES = 4
"""The number of pieces into which the budget is divided for cutting."""
_Results = dict[str, ToolReturned]


@dataclass(frozen=True, slots=True)
class _Exchange:
    """A step of the model with the results of all its calls."""

    step: ModelSaid
    results: tuple[ToolReturned, ...]
    step_tokens: int
    result_tokens: int

    @property
    def tokens(self) -> int:
        return self.step_tokens + self.result_tokens

    def with_results(self, results: tuple[ToolReturned, ...]) -> _Exchange:
        return replace(self, results=results, result_tokens=size(results))


@dataclass(frozen=True, slots=True)
class _Turn:
    """What the person said, and the steps that followed."""

    said: PersonSaid
    exchanges: tuple[_Exchange, ...]
    tokens: int
    """Counted once, because a conversation may be long."""


def prepared(rows: Sequence[Message], budget_tokens: int) -> list[Message]:
    """The messages to send, within the budget unless the newest message alone is larger."""
    return _messages(_fitted(_turns(rows), budget_tokens))


def room_for(context_tokens: int, max_output_tokens: int, instructions: str, tools: Iterable[Tool]) -> int:
    """The tokens left for the conversation after everything else in a request."""
    answer = max_output_tokens or min(8_000, context_tokens // 4)
    fixed = tokens(instructions) + sum(
        tokens(f"{tool.name}{tool.description}{json.dumps(tool.parameters)}") for tool in tools
    )
    return max(500, context_tokens - min(answer, context_tokens // 2) - fixed)


def tokens(text: str) -> int:
    """An estimate of the tokens, too high rather than too low."""
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
    return [
        _turn(said, [_exchange(step, results) for step, results in steps if step.text or step.calls])
        for said, steps in _by_turn(rows)
    ]


def _by_turn(rows: Iterable[Message]) -> list[tuple[PersonSaid, list[tuple[ModelSaid, _Results]]]]:
    """A result belongs to the last step before it; ids may come again later."""
    turns: list[tuple[PersonSaid, list[tuple[ModelSaid, _Results]]]] = []
    results: _Results = {}
    for row in rows:
        match row:
            case PersonSaid():
                turns.append((row, []))
                results = {}
            case ModelSaid():
                results = {}
                if turns:
                    turns[-1][1].append((row, results))
            case ToolReturned():
                results.setdefault(row.call_id, row)
    return turns


def _exchange(step: ModelSaid, results: _Results) -> _Exchange:
    whole = tuple(
        replace(results[call.id], name=call.name)
        if call.id in results
        else ToolReturned(call.id, call.name, INTERRUPTED, is_error=True)
        for call in step.calls
    )
    return _Exchange(step, whole, _size(step), size(whole))


def _turn(said: PersonSaid, exchanges: Sequence[_Exchange]) -> _Turn:
    return _Turn(said, tuple(exchanges), _size(said) + sum(exchange.tokens for exchange in exchanges))


def _messages(turns: Iterable[_Turn]) -> list[Message]:
    found: list[Message] = []
    for turn in turns:
        found.append(turn.said)
        for exchange in turn.exchanges:
            found.append(exchange.step)
            found.extend(exchange.results)
    return found


def _fitted(turns: list[_Turn], budget: int) -> list[_Turn]:
    if _total(turns) <= budget:
        return turns
    turns = _shortened(turns, budget)
    turns = _without_oldest(turns, budget)
    return [*turns[:-1], _last_fitted(turns[-1], budget - _total(turns[:-1]))]


def _total(turns: Iterable[_Turn]) -> int:
    return sum(turn.tokens for turn in turns)


def _shortened(turns: list[_Turn], budget: int) -> list[_Turn]:
    """Shorten outputs, the oldest first, but none of the newest exchange."""
    to_save = _in_pieces(_total(turns) - budget, budget)
    shorter = []
    for number, turn in enumerate(turns):
        exchanges = list(turn.exchanges)
        newest = len(exchanges) - 1 if number == len(turns) - 1 else len(exchanges)
        for place in range(newest):
            if to_save <= 0:
                break
            old = exchanges[place]
            exchanges[place] = old.with_results(tuple(_short(result) for result in old.results))
            to_save -= old.tokens - exchanges[place].tokens
        shorter.append(_turn(turn.said, exchanges))
    return shorter


def _without_oldest(turns: list[_Turn], budget: int) -> list[_Turn]:
    """Leave out the oldest turns, but not the newest."""
    total = _total(turns)
    if total <= budget:
        return turns
    to_save = _in_pieces(total + tokens(LEFT_OUT) - budget, budget)
    first = 0
    while first < len(turns) - 1 and to_save > 0:
        to_save -= turns[first].tokens
        first += 1
    return [_noted(turns[first]), *turns[first + 1 :]] if first else turns


def _last_fitted(turn: _Turn, budget: int) -> _Turn:
    """The newest turn: drop its oldest steps, then shorten the newest results as needed."""
    if turn.tokens <= budget:
        return turn
    first, to_save = 0, _in_pieces(turn.tokens - budget, budget)
    while first < len(turn.exchanges) - 1 and to_save > 0:
        to_save -= turn.exchanges[first].tokens
        first += 1
    turn = _turn(turn.said, turn.exchanges[first:])
    left = budget - turn.tokens
    if not turn.exchanges or left >= 0:
        return turn
    return _turn(turn.said, [*turn.exchanges[:-1], _squeezed(turn.exchanges[-1], left)])


def _squeezed(exchange: _Exchange, left: int) -> _Exchange:
    """Shorten the results of one step evenly until they fit."""
    goal = max(0, exchange.result_tokens + left - _MESSAGE_TOKENS * len(exchange.results))
    letters = int(goal / max(1, len(exchange.results)) * _LETTERS_A_TOKEN)
    return exchange.with_results(tuple(_short(result, letters) for result in exchange.results))


def _noted(turn: _Turn) -> _Turn:
    return _turn(replace(turn.said, text=f"{LEFT_OUT}\n\n{turn.said.text}"), turn.exchanges)


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
