"""Secrets among an agent's variables and arguments, hidden in what is shown.

Lives here: telling what may be a secret, putting a mask over it, and finding
what a mask that comes back stands for. Lives elsewhere: changing agents
(editing.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from voxpilot.errors import Invalid

MASK = "••••••••"
"""Stands for a secret's value. Sent back, it leaves the value as it is."""
_SECRET = re.compile(r"key|token|secret|passw|credential|auth(?!or(?!i))|cookie|bearer", re.IGNORECASE)
_COUNT = re.compile(r"max.?tokens|tokens?.?(?:limit|count|budget)", re.IGNORECASE)
"""Tokens of another kind."""
_NAME = r"[\w.-]*?(?:key|token|secret|passw|credential|auth(?!or(?!i))|cookie|bearer)[\w.-]*"
_GIVEN = re.compile(rf"^(?P<name>-{{0,2}}{_NAME})(?P<sign>=|:\s*)(?P<value>.+)$", re.IGNORECASE | re.DOTALL)
"""`--api-key=VALUE`, `API_KEY=VALUE`, `Authorization: VALUE`."""
_WITHIN = re.compile(
    rf"(?P<name>{_NAME})(?P<sign>[\"']?\s*[=:]\s*[\"']?)(?P<value>[^\s\"'&,;}}\]]+)", re.IGNORECASE
)
"""The same in the midst of an argument: a query, a table, a command."""
_IN_ADDRESS = re.compile(r"(?<=://)[^\s/@:]*:[^\s/@]+(?=@)")
_KNOWN = re.compile(
    r"(?<![\w-])(?:(?:sk|pk|rk)-[\w-]{16,}|gh[opsu]_\w{20,}|github_pat_\w{20,}|xox[abp]-[\w-]{10,}|AIza[\w-]{30,})"
)
"""Keys that can be told by how they begin."""
_OPTION = re.compile(r"--?[A-Za-z][\w.-]*")
_NO_VALUE = re.compile(r"--[A-Za-z]|-[A-Za-z]$")
"""What follows an option and is another one, not its value."""


def is_secret(name: str) -> bool:
    """Whether something of this name may be what nobody should read off a screen."""
    return _SECRET.search(name) is not None and _COUNT.search(name) is None


def hide_env(env: Mapping[str, str]) -> dict[str, str]:
    return {name: MASK if is_secret(name) and value else value for name, value in env.items()}


def hide_args(args: Sequence[str]) -> list[str]:
    """The arguments with every secret behind a mask; what surrounds it stays."""
    hidden: list[str] = []
    for place, argument in enumerate(args):
        before = args[place - 1] if place else ""
        follows = _OPTION.fullmatch(before) is not None and is_secret(before)
        is_value = follows and argument and not _NO_VALUE.match(argument)
        hidden.append(MASK if is_value else _hide_in(argument))
    return hidden


def reveal_env(given: Mapping[str, str], before: Mapping[str, str]) -> dict[str, str]:
    """What was sent, with masks replaced by what they stand for."""
    for name, value in given.items():
        if value == MASK and name not in before:
            raise Invalid(f"{name} has no value yet.", "Give its real value once.")
    return {name: before[name] if value == MASK else value for name, value in given.items()}


def reveal_args(given: Sequence[str], before: Sequence[str]) -> tuple[str, ...]:
    """An argument with a mask is the one that looks so, best after the same word as before."""
    hidden = hide_args(before)
    left = [place for place, shown in enumerate(hidden) if MASK in shown]
    revealed: dict[int, str] = {}
    wanted = [place for place, argument in enumerate(given) if MASK in argument]
    for is_strict in (True, False):
        for place in [place for place in wanted if place not in revealed]:
            fitting = [
                old
                for old in left
                if hidden[old] == given[place]
                and (not is_strict or _word_before(hidden, old) == _word_before(given, place))
            ]
            if fitting and (is_strict or len(fitting) == 1):
                revealed[place] = before[fitting[0]]
                left.remove(fitting[0])
    if unknown := [place for place in wanted if place not in revealed]:
        where = f"Argument {unknown[0] + 1} ({given[unknown[0]]})"
        raise Invalid(f"{where} has no value yet.", "Give its real value once.")
    return tuple(revealed.get(place, argument) for place, argument in enumerate(given))


def _word_before(args: Sequence[str], place: int) -> str:
    return args[place - 1] if place else ""


def _hide_in(argument: str) -> str:
    if (whole := _GIVEN.match(argument)) and not _COUNT.search(whole["name"]):
        return f"{whole['name']}{whole['sign']}{MASK}"
    hidden = _IN_ADDRESS.sub(lambda match: f"{match[0].partition(':')[0]}:{MASK}", argument)
    hidden = _KNOWN.sub(MASK, hidden)
    return _WITHIN.sub(_hide_value, hidden)


def _hide_value(match: re.Match[str]) -> str:
    if _COUNT.search(match["name"]):
        return match[0]
    return f"{match['name']}{match['sign']}{MASK}"
