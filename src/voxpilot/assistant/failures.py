"""Why a model gave no answer, in words for a person.

Lives here: the errors and their texts. Lives elsewhere: noticing them (llm.py).
"""

from __future__ import annotations

from typing import Literal

from voxpilot.assistant.shapes import ModelChoice
from voxpilot.errors import VoxPilotError

Reason = Literal[
    "key",
    "model",
    "rate",
    "quota",
    "context",
    "rejected",
    "server",
    "connection",
    "timeout",
    "cut",
    "unreadable",
]


class ModelFailed(VoxPilotError):
    """The model gave no answer, or only a part of one."""

    code = "model-failed"
    reason: Reason
    may_be_retried = False
    """Whether the same request might succeed a little later."""
    retry_after: float | None = None
    """Seconds that the provider asks us to wait."""


class ContextTooLong(ModelFailed):
    """The conversation is longer than the model can read."""

    code = "context-too-long"


class NoModel(ModelFailed):
    """The settings name no model that could be asked."""

    code = "no-model"


_PASSING: frozenset[Reason] = frozenset({"rate", "server", "connection"})


def failure(
    choice: ModelChoice, reason: Reason, said: str = "", retry_after: float | None = None
) -> ModelFailed:
    """The error for a reason; `said` is what the provider says, which may be nothing."""
    kind = ContextTooLong if reason == "context" else ModelFailed
    message, hint = _texts(choice, reason, retry_after)
    error = kind(f"{message} It says: {_short(said)}" if said else message, hint)
    error.reason = reason
    error.may_be_retried = reason in _PASSING
    error.retry_after = retry_after
    return error


def _texts(choice: ModelChoice, reason: Reason, retry_after: float | None) -> tuple[str, str]:
    who, where = choice.provider, choice.base_url or "its usual address"
    wait = f"in {retry_after:.0f} seconds" if retry_after else "in a minute"
    match reason:
        case "key":
            return f"{who} does not accept the API key.", "Check the key in the assistant's settings."
        case "model":
            return f"{who} knows no model {choice.model!r}.", "Choose another model in the settings."
        case "rate":
            return f"{who} wants fewer requests.", f"Try again {wait}."
        case "quota":
            return f"The account at {who} has nothing left to spend.", "Top it up, or choose another model."
        case "context":
            return (
                f"The conversation is longer than {choice.model} can read.",
                "Set assistant.context_tokens to what the model can read, or begin a new chat.",
            )
        case "rejected":
            return f"{who} did not take the request.", "Another model may; choose one in the settings."
        case "server":
            return f"{who} has trouble of its own.", f"Try again {wait}."
        case "connection":
            return (
                f"Cannot reach {who} at {where}.",
                "See whether it runs, and check the address in the settings.",
            )
        case "timeout":
            return f"{who} did not answer in time.", "Try again, or choose a quicker model."
        case "cut":
            return f"The answer of {who} broke off.", "Try again."
        case "unreadable":
            return f"{who} answered something that is no answer.", "Check the address in the settings."


def _short(said: str) -> str:
    line = " ".join(said.split())
    return line if len(line) <= 300 else f"{line[:299]}…"
