"""Why a model returned no answer, explained for a person.

Lives here: the errors and their texts. Lives elsewhere: noticing them (llm.py).
"""

from __future__ import annotations

from collections.abc import Mapping
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
    """The model returned no answer, or only part of one."""

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
    """The settings name no usable model."""

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


_TEXTS: Mapping[Reason, tuple[str, str]] = {
    "key": ("{who} does not accept the API key.", "Check the key in the assistant's settings."),
    "model": ("{who} has no model {model!r}.", "Choose another model in the settings."),
    "rate": ("{who} is limiting requests.", "Try again {wait}."),
    "quota": ("The account at {who} is out of credit.", "Add credit, or choose another model."),
    "context": (
        "The conversation is too long for {model}.",
        "Set assistant.context_tokens to the model's limit, or start a new chat.",
    ),
    "rejected": ("{who} rejected the request.", "Try another model in the settings."),
    "server": ("{who} had an internal error.", "Try again {wait}."),
    "connection": (
        "Cannot reach {who} at {where}.",
        "Check that it is running, and check the address in the settings.",
    ),
    "timeout": ("{who} did not respond in time.", "Try again, or choose a faster model."),
    "cut": ("The response from {who} was cut off.", "Try again."),
    "unreadable": ("{who} returned a response we could not read.", "Check the address in the settings."),
}
"""What happened, and what to do next."""


def _texts(choice: ModelChoice, reason: Reason, retry_after: float | None) -> tuple[str, str]:
    message, hint = _TEXTS[reason]
    wait = f"in {retry_after:.0f} seconds" if retry_after else "in a minute"
    where = choice.base_url or "its usual address"
    return message.format(who=choice.provider, model=choice.model, where=where), hint.format(wait=wait)


def _short(said: str) -> str:
    line = " ".join(said.split())
    return line if len(line) <= 300 else f"{line[:299]}…"
