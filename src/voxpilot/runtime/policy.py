"""What is approved without a person, and what is turned down for want of one.

Lives here: looking at open questions under the policy that counts, now and
whenever it changes, and questions that waited too long. It works from the rows
alone, so a new policy acts at once on agents that run, whoever changed it and
how. Lives elsewhere: the rules (chat/permissions.py), asking (questions.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from voxpilot.chat.events import ChatInfoChanged
from voxpilot.chat.permissions import Lane, Policy, Switches, decide, lane_of, policy_for
from voxpilot.runtime import assisting, decisions
from voxpilot.runtime.ground import ground_of
from voxpilot.settings import Settings
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Question, Session

TIMED = ("permission", "form", "url")
"""Types of questions that may be turned down for want of an answer."""


def review(ledger: Ledger, settings: Settings, now: float) -> None:
    """Approve what the policy covers; a question is looked at once for each policy that comes to count."""
    _tell_what_counts(ledger, settings, now)
    for question in ledger.all(Question):
        if question.type != "permission":
            continue
        counts = policy_of(ledger, settings, question)
        if question.policy == counts:
            continue
        question = ledger.change(question, policy=counts)
        verdict = decide(counts, question.detail, question.options, ground_of(ledger, settings))
        if verdict.option is not None:
            decisions.decide_for_person(ledger, question, verdict.option, "auto", now)


def policy_of(ledger: Ledger, settings: Settings, question: Question) -> Policy:
    """The policy that counts for a question."""
    session = ledger.get(Session, question.session_id)
    lane: Lane = "delegated" if session is not None and session.tool_call_id is not None else "agent"
    return policy_for(lane, ledger.chat.mode, ledger.chat.policy, _switches(settings))


def change(ledger: Ledger, policy: Policy, now: float) -> None:
    """A person chose another policy for the chat; what is open is looked at before the step ends."""
    if policy != ledger.chat.policy:
        ledger.change(ledger.chat, policy=policy)
        ledger.emit(ChatInfoChanged(policy=policy), now)


def turn_down_late(ledger: Ledger, settings: Settings, now: float) -> None:
    for question, deadline in _late_by(ledger, settings):
        if now >= deadline:
            decisions.turn_down(ledger, question, "Nobody answered in time.", now)


def deadlines(ledger: Ledger, settings: Settings) -> Iterator[float]:
    for _, deadline in _late_by(ledger, settings):
        yield deadline


def _tell_what_counts(ledger: Ledger, settings: Settings, now: float) -> None:
    """A setting may be stronger than the chat's own policy: whoever looks at the chat is to know."""
    chat, head = ledger.chat, ledger.transcript.head
    counts = policy_for(lane_of(chat.mode), chat.mode, chat.policy, _switches(settings))
    if counts != head.get("counts", head.get("policy", counts)):
        ledger.emit(ChatInfoChanged(counts=counts), now)


def _switches(settings: Settings) -> Switches:
    return Switches(strict=settings.strict, auto_allow=settings.acp_auto_allow_permissions)


def _late_by(ledger: Ledger, settings: Settings) -> list[tuple[Question, float]]:
    limits = [(question, _seconds_for(question, settings)) for question in ledger.all(Question)]
    return [(question, question.asked_at + seconds) for question, seconds in limits if seconds]


def _seconds_for(question: Question, settings: Settings) -> float:
    """How long it may wait; 0 is for ever."""
    if question.purpose == assisting.OUTSIDE:
        return settings.confirm_timeout
    return settings.question_timeout if question.type in TIMED else 0
