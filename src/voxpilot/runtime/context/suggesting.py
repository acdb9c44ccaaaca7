"""Skills that fit a message.

Lives here: comparing the words of a message with the name, tags and description of each skill, so that every
suggestion can be explained. Nothing leaves this machine. Lives elsewhere: the skills (skills_in_use.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from voxpilot.values import dataclass
from voxpilot.workspace.skills import Skill

MOST = 3
LEAST_SCORE = 4
_NAME, _TAG, _DESCRIPTION = 4, 4, 2
_MOST_CHARACTERS = 20_000
_WORD = re.compile(r"[^\W_]{3,}", re.UNICODE)
_ENDINGS = ("ments", "ment", "ations", "ation", "ings", "ing", "ers", "ed", "er", "es", "s", "e")
_COMMON = frozenset({
    "the", "and", "for", "with", "this", "that", "from", "into", "how", "what", "when", "where", "why", "are",
    "was", "were", "has", "have", "had", "not", "you", "your", "our", "its", "can", "will", "use", "used",
    "using", "make", "file", "files", "code", "please", "should", "would", "could", "all", "any", "new",
    "add", "get", "set", "run", "then", "than", "them", "they", "their", "there", "here", "just", "also",
    "some", "more", "most", "like", "want", "need", "about", "which", "who", "does",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Suggestion:
    skill: Skill
    why: tuple[str, ...]


def suggest(text: str, skills: Iterable[Skill]) -> list[Suggestion]:
    """At most three skills, the best first; those that go along anyway are not among them.

    With many skills it takes long, so it runs off the event loop.
    """
    said = dict(_stems(text[:_MOST_CHARACTERS]))
    order = {stem: number for number, stem in enumerate(said)}
    found = []
    for skill in skills:
        if skill.problem is None and not skill.always_active:
            score, why = _match(said, order, skill)
            if score >= LEAST_SCORE:
                found.append((-score, skill.name.lower(), Suggestion(skill, why)))
    return [suggestion for *_, suggestion in sorted(found, key=lambda one: one[:2])[:MOST]]


def _match(said: dict[str, str], order: dict[str, int], skill: Skill) -> tuple[int, tuple[str, ...]]:
    score = 0
    why = []
    matched: set[str] = set()
    places = (
        ("its name", _NAME, skill.name),
        ("its tags", _TAG, " ".join(skill.tags)),
        ("its description", _DESCRIPTION, skill.description),
    )
    for place, weight, text in places:
        stems = {stem for stem, _ in _stems(text)}
        for stem in sorted((stems & said.keys()) - matched, key=order.__getitem__):
            matched.add(stem)
            score += weight
            why.append(f"matches “{said[stem]}” in {place}")
    return score, tuple(why[:MOST])


def _stems(text: str) -> Iterator[tuple[str, str]]:
    """Each word without its ending, and the word itself."""
    for word in _WORD.findall(text.lower()):
        if word not in _COMMON:
            yield _stem(word), word


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word
