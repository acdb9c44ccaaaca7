"""What is approved without asking, and what is rejected because nobody answered.

Lives here: checking open questions against the policy in force, now and whenever it changes, and questions
that waited too long. It works from the rows alone, so a new policy takes effect immediately for running
agents, however it was changed. Lives elsewhere: the rules (chat/permissions/decide.py), asking
(questions/open_questions.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from voxpilot.chat.events import ChatInfoChanged
from voxpilot.chat.permissions.decide import Lane, Policy, Switches, decide, lane_of, policy_for
from voxpilot.runtime.assistant import assistant_turn
from voxpilot.runtime.questions import open_questions
from voxpilot.runtime.shared.boundaries import boundaries_of
from voxpilot.runtime.step import decisions
from voxpilot.settings import Settings
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Question, Session, Turn

TIMED = ("permission", "form", "url")
"""Types of questions that may be rejected because nobody answered."""


def review(ledger: Ledger, settings: Settings, now: float) -> None:
    """Approve what the policy covers; a question is checked once for each policy that comes into force."""
    _tell_what_counts(ledger, settings, now)
    for question, counts in _unchecked(ledger, settings):
        question = ledger.change(question, policy=counts)
        session = ledger.get(Session, question.session_id)
        bounds = boundaries_of(ledger, settings, session)
        verdict = decide(counts, open_questions.call_in(question), question.options, bounds)
        if verdict.option is not None and _may_spend(ledger, question, verdict.changes, settings):
            decisions.decide_for_person(ledger, question, verdict.option, "auto", now)


def _unchecked(ledger: Ledger, settings: Settings) -> list[tuple[Question, Policy]]:
    """Permission questions that were not checked under the policy in force, and that policy.

    This runs after every line of an agent, and there may be many questions.
    """
    usual, for_delegated = _policy_in("agent", ledger, settings), _policy_in("delegated", ledger, settings)
    delegated = {session.id for session in ledger.all(Session) if session.tool_call_id is not None}
    found = [
        (question, for_delegated if question.session_id in delegated else usual)
        for question in ledger.all(Question)
        if question.type == "permission"
    ]
    return [(question, counts) for question, counts in found if question.policy != counts]


def _may_spend(ledger: Ledger, question: Question, changes: int, settings: Settings) -> bool:
    """Whether the turn may make this many more changes without asking; they are deducted."""
    turn = ledger.get(Turn, question.turn or "")
    if turn is None or not changes:
        return not changes
    left = settings.auto_writes_per_turn if turn.unasked_left is None else turn.unasked_left
    ledger.change(turn, unasked_left=max(0, left - changes))
    return left >= changes


def _policy_in(lane: Lane, ledger: Ledger, settings: Settings) -> Policy:
    return policy_for(lane, ledger.chat.mode, ledger.chat.policy, _switches(settings))


def change(ledger: Ledger, policy: Policy, now: float) -> None:
    """A person chose another policy for the chat; open questions are checked before the step ends."""
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
    """A setting may override the chat's own policy: readers of the chat should know."""
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
    """How long it may wait; 0 means forever."""
    if question.purpose == assistant_turn.OUTSIDE:
        return settings.confirm_timeout
    return settings.question_timeout if question.type in TIMED else 0
