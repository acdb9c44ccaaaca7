"""Which paths fit a few letters best.

Lives here: the names of an index, and finding those that contain the letters in order: in the name before the
path, at the start of words, next to each other, recent and changed files first. Each further letter looks
only at what the letters before it left. Lives elsewhere: reading the names (finding.py).
"""

from __future__ import annotations

import heapq
import re
import time
from bisect import bisect_left, bisect_right
from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterable, Sequence
    from typing import Any

ENOUGH = 300
"""Once so many fit well, those that fit less well are not looked for."""
MOST_SCORED = 500
RECENT = 50
_RECENT_SECONDS = 3 * 86_400.0
_LONGEST_QUERY = 200
_WORD_ENDS = "/_-. "
_WORDS = re.compile(r"[/_\-. ]+")
_LAST = chr(0x10FFFF)


class Names:
    """The paths of a folder, the most likely ones first."""

    def __init__(self, paths: Sequence[str], times: array[float], committed_at: float) -> None:
        order = sorted(range(len(paths)), key=lambda n: -times[n])
        self._is_changed = {
            paths[n] for n in order[: RECENT * 20] if committed_at and times[n] > committed_at + 1
        }
        fresh = time.time() - _RECENT_SECONDS
        self._is_recent = {paths[n] for n in order[:RECENT] if times[n] > fresh}
        first = [paths[n] for n in order[: RECENT * 20] if paths[n] in self._is_changed | self._is_recent]
        known = set(first)
        rest = sorted((p for p in paths if p not in known), key=lambda p: (p.count("/"), p))
        self.paths = [*first, *rest]
        self._lower = [path.lower() for path in self.paths]
        self._bases = [path.rstrip("/").rpartition("/")[2] for path in self._lower]
        self._letters = [_letters(path) for path in self._lower]
        self._by_base = sorted(range(len(self.paths)), key=self._bases.__getitem__)
        self._sorted_bases = [self._bases[n] for n in self._by_base]
        self._before: tuple[str, list[int]] = ("", [])

    def search(self, query: str, limit: int, recent: frozenset[str] = frozenset()) -> list[dict[str, Any]]:
        wanted = "".join(query.lower().split())[:_LONGEST_QUERY]
        places = self._best(wanted, recent) if wanted else self._first(recent, limit)
        scored = heapq.nlargest(limit, ((self._score(n, wanted, recent), -n) for n in places))
        return [self._told(-n, recent) for _, n in scored]

    def _told(self, place: int, recent: frozenset[str]) -> dict[str, Any]:
        path = self.paths[place]
        return {
            "path": path.rstrip("/"),
            "folder": path.endswith("/"),
            "changed": path in self._is_changed,
            "recent": path in self._is_recent or path.rstrip("/") in recent,
        }

    def _first(self, recent: frozenset[str], limit: int) -> Iterable[int]:
        """Without letters: what was mentioned, then what was changed, then the top of the folder."""
        named = [n for n, path in enumerate(self.paths) if path.rstrip("/") in recent] if recent else []
        return dict.fromkeys([*named, *range(min(len(self.paths), limit + len(named)))])

    def _best(self, wanted: str, recent: frozenset[str]) -> list[int]:
        """The places worth scoring, the better tiers first."""
        begun = self._begun(wanted)
        if len(begun) >= ENOUGH:
            mentioned = [n for n in range(len(self.paths)) if self.paths[n] in recent] if recent else []
            return [*begun, *(n for n in mentioned if wanted in self._bases[n] and n not in begun)]
        fits = self._candidates(wanted)
        within = [n for n in fits if wanted in self._lower[n]]
        named = islice((n for n in within if wanted in self._bases[n]), ENOUGH)
        found = dict.fromkeys([*begun, *named, *within[:ENOUGH]])
        if len(within) < ENOUGH:
            in_order = re.compile("".join(map(_up_to, wanted))).match
            fitting = list(islice((n for n in fits if in_order(self._lower[n])), MOST_SCORED))
            if len(fitting) < MOST_SCORED:  # all of them: the next letter looks at these only
                self._before = (wanted, fitting)
            found.update(dict.fromkeys(fitting))
        return list(found)

    def _begun(self, wanted: str) -> list[int]:
        """The first ones whose name begins with these letters."""
        start = bisect_left(self._sorted_bases, wanted)
        end = bisect_right(self._sorted_bases, wanted + _LAST)
        return heapq.nsmallest(ENOUGH, self._by_base[start:end])

    def _candidates(self, wanted: str) -> list[int]:
        """Those that have all the letters, in whatever order."""
        before, fits = self._before
        need = _letters(wanted)
        if before and wanted.startswith(before):
            fits = [n for n in fits if self._letters[n] & need == need]
        else:
            fits = [n for n, has in enumerate(self._letters) if has & need == need]
        self._before = (wanted, fits)
        return fits

    def _score(self, place: int, wanted: str, recent: frozenset[str]) -> float:
        path, lower, base = self.paths[place], self._lower[place], self._bases[place]
        score = 20.0 * (path in self._is_changed) + 15.0 * (path in self._is_recent)
        score += 40.0 * (path.rstrip("/") in recent)
        score -= len(path) / 20 + path.count("/")
        if not wanted:
            return score
        if len(wanted) > 1 and _are_initials(base, wanted):
            return score + 135
        if wanted in base:
            start = base.index(wanted)
            at_start = start == 0 or base[start - 1] in _WORD_ENDS
            return score + 100 + 60 * (start == 0) + 30 * at_start + 60 * (base == wanted)
        if wanted in lower:
            start = lower.index(wanted)
            return score + 70 + 20 * (start == 0 or lower[start - 1] in _WORD_ENDS)
        return score + max(_in_order(base, wanted), _in_order(lower, wanted) - 15)


def _up_to(letter: str) -> str:
    """A pattern that fits in one way only, so that a path of one repeated letter takes no longer."""
    escaped = re.escape(letter)
    return f"[^{escaped}]*{escaped}"


def _are_initials(name: str, wanted: str) -> bool:
    """Whether the letters are those that words of the name begin with."""
    initials = "".join(word[:1] for word in _WORDS.split(name))
    return wanted in initials


def _in_order(text: str, wanted: str) -> float:
    """How well the letters fit one after the other: at the starts of words, and next to each other."""
    score, place = 0.0, -1
    for letter in wanted:
        found = text.find(letter, place + 1)
        if found < 0:
            return -100.0
        score += 8 * (found == place + 1) + 6 * (found == 0 or text[found - 1] in _WORD_ENDS)
        place = found
    return score / len(wanted) * 4


def _letters(text: str) -> int:
    """A bit for each letter and digit, and one for everything else."""
    bits = 0
    for letter in set(text):
        bits |= 1 << (ord(letter) % 61)
    return bits
