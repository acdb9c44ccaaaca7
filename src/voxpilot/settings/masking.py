"""Secrets among an agent's variables and arguments, hidden in what is shown.

Lives here: recognising what may be a secret, masking it, and restoring the value when a mask is sent back.
Lives elsewhere: changing agents (agent_editing.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from voxpilot.errors import Invalid

MASK = "••••••••"
"""Stands for a secret's value. Sending it back keeps the value."""
_SECRET = re.compile(r"key|token|secret|passw|credential|auth(?!or(?!i))|cookie|bearer", re.IGNORECASE)
_COUNT = re.compile(r"max.?tokens|tokens?.?(?:limit|count|budget)", re.IGNORECASE)
"""Tokens of another kind."""
_NAME = re.compile(r"[\w.-]+")
_SIGN = re.compile(r"(?P<sign>=|:\s*)(?P<value>.)", re.DOTALL)
"""`--api-key=VALUE`, `API_KEY=VALUE`, `Authorization: VALUE`: the whole argument."""
_SIGN_WITHIN = re.compile(r"[\"']?\s*[=:]\s*[\"']?(?P<value>[^\s\"'&,;}\]]+)")
"""The same in the middle of an argument: a query, a table, a command."""
_IN_ADDRESS = re.compile(r"(?<=://)[^\s/@:]*:[^\s/@]+(?=@)")
_KNOWN = re.compile(
    r"(?<![\w-])(?:(?:sk|pk|rk)-[\w-]{16,}|gh[opsu]_\w{20,}|github_pat_\w{20,}|xox[abp]-[\w-]{10,}|AIza[\w-]{30,})"
)
"""Keys that can be recognised by their prefix."""
_OPAQUE = re.compile(r"(?:-{0,2}[\w-]+=)?[A-Za-z0-9_-]+")
"""Text that is almost certainly a key: not a path, an address or a command."""
_CHOOSES = re.compile(
    r"-{0,2}[\w-]*(?:command|cmd|helper|program|backend|plugin|module|provider|sock|file|path|host)",
    re.IGNORECASE,
)
"""Names of values that decide what runs or whom it talks to, whatever else the name says."""
_OPTION = re.compile(r"--?[A-Za-z][\w.-]*")
_NO_VALUE = re.compile(r"--[A-Za-z]|-[A-Za-z]$")
"""A word after an option that is another option, not its value."""


def is_secret(name: str) -> bool:
    """Whether a value with this name may be a secret."""
    return _SECRET.search(name) is not None and _COUNT.search(name) is None


def hide_env(env: Mapping[str, str]) -> dict[str, str]:
    return {name: MASK if is_secret(name) and value else value for name, value in env.items()}


_DECIDES = re.compile(
    r"(?:LD|DYLD|GIT|BASH|PYTHON|PERL|RUBY|NODE|NPM|JAVA|SSH)_?\w*|\w*PATH|ENV|SHELL|IFS|PS4|HOME|EDITOR|VISUAL"
    r"|PAGER|BROWSER|PROMPT_COMMAND|\w*ASKPASS|\w*_(?:PROXY|URL|URI|HOST|ENDPOINT|BASE|SOCK|COMMAND|OPTIONS|OPTS)",
    re.IGNORECASE,
)
"""Variables that decide what runs or whom it talks to: a person must see their values."""


def shown_env(env: Mapping[str, str]) -> dict[str, str]:
    """Variables as shown for approval: secrets are hidden, but never a variable that decides what runs."""
    hidden = hide_env(env)
    return {name: value if _DECIDES.fullmatch(name) else hidden[name] for name, value in env.items()}


def hide_args(args: Sequence[str]) -> list[str]:
    """The arguments with every secret masked; the text around it stays."""
    hidden: list[str] = []
    for place, argument in enumerate(args):
        before = args[place - 1] if place else ""
        follows = _OPTION.fullmatch(before) is not None and is_secret(before)
        is_value = follows and argument and not _NO_VALUE.match(argument)
        hidden.append(MASK if is_value else _hide_in(argument))
    return hidden


def hide_opaque(args: Sequence[str]) -> list[str]:
    """The same for approval: anything that might have an effect is shown.

    A secret that could also be a path, an address or a command is shown rather than hidden.
    """
    names = [
        argument.partition("=")[0] if "=" in argument else before
        for before, argument in zip(["", *args], args, strict=False)
    ]
    return [
        hidden
        if hidden != argument and _OPAQUE.fullmatch(argument) and not _CHOOSES.fullmatch(name)
        else argument
        for hidden, argument, name in zip(hide_args(args), args, names, strict=True)
    ]


def hide_opaque_values(env: Mapping[str, str]) -> dict[str, str]:
    """The same for variables."""
    return {
        name: MASK if is_secret(name) and _OPAQUE.fullmatch(value) and not _CHOOSES.fullmatch(name) else value
        for name, value in env.items()
    }


def reveal_env(given: Mapping[str, str], before: Mapping[str, str]) -> dict[str, str]:
    """The submitted values, with masks replaced by the secrets they stand for."""
    for name, value in given.items():
        if value == MASK and name not in before:
            raise Invalid(f"{name} has no value yet.", "Enter its real value.")
    return {name: before[name] if value == MASK else value for name, value in given.items()}


def reveal_args(given: Sequence[str], before: Sequence[str]) -> tuple[str, ...]:
    """A masked argument stands for the old argument that looks the same, preferably after the same word."""
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
        raise Invalid(f"{where} has no value yet.", "Enter its real value.")
    return tuple(revealed.get(place, argument) for place, argument in enumerate(given))


def _word_before(args: Sequence[str], place: int) -> str:
    return args[place - 1] if place else ""


def _hide_in(argument: str) -> str:
    name = _NAME.match(argument)
    if name is not None and is_secret(name[0]) and (sign := _SIGN.match(argument, name.end())):
        return f"{name[0]}{sign['sign']}{MASK}"
    hidden = _IN_ADDRESS.sub(lambda match: f"{match[0].partition(':')[0]}:{MASK}", argument)
    return _hide_within(_KNOWN.sub(MASK, hidden))


def _hide_within(text: str) -> str:
    """Each name and its value are visited once, so the time is linear in the length of the text."""
    parts, at = [], 0
    for name in _NAME.finditer(text):
        if name.start() < at or not is_secret(name[0]):
            continue
        if (sign := _SIGN_WITHIN.match(text, name.end())) is not None:
            parts += [text[at : sign.start("value")], MASK]
            at = sign.end()
    return "".join([*parts, text[at:]])
