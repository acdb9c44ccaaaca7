"""Choosing a mode, a model or another option that an agent offers.

Lives here: telling the agent, and showing its answer. Lives elsewhere: the
shape of what is offered (updates/options.py), whether one may choose now
(runtime/commands/choose_option.py).
"""

from __future__ import annotations

from dataclasses import replace

from voxpilot.agents.installed.failures import NOT_OFFERED
from voxpilot.agents.requests.dialogue import ask
from voxpilot.agents.requests.purposes import SET_MODEL
from voxpilot.agents.updates.options import accepts, options_of, with_current
from voxpilot.agents.updates.translate import change_options
from voxpilot.chat.events import Json, NoticeGiven
from voxpilot.errors import Invalid
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.request_rows import Request
from voxpilot.storage.database.rows import Session
from voxpilot.storage.database.states import SessionPhase
from voxpilot.storage.database.subjects import Choice, OptionValue

_CONFIG, _MODE, _MODEL = "session/set_config_option", "session/set_mode", SET_MODEL
_OLDER = {_MODE: "modes", _MODEL: "models"}
"""The older kinds of options; some agents offer them but do not support the request that sets them."""


def set_option(ledger: Ledger, session: Session, option_id: str, value: OptionValue, at: float) -> None:
    """Choose a mode, model or other option; shown immediately, and reverted if the agent refuses it."""
    offered = session.options or {}
    option = next((option for option in options_of(offered) if option["id"] == option_id), None)
    if option is None or not accepts(option, value):
        raise Invalid("The agent does not offer this value.", "Choose one of the listed values.")
    params: Json = {"sessionId": session.acp_session_id}
    match option["via"]:
        case "config":
            kind = {"type": "boolean"} if option["type"] == "boolean" else {}
            method, params = (
                _CONFIG,
                {**params, "configId": option_id, **kind, "value": value},
            )
        case "mode":
            method, params = _MODE, {**params, "modeId": value}
        case _:
            method, params = _MODEL, {**params, "modelId": value}
    is_model = option["category"] == "model"
    choice = Choice(
        session=session.id,
        option=option_id,
        before=option["current"],
        value=value,
        is_model=is_model,
        chosen=session.model if is_model and session.model != value else None,
    )
    ask(ledger, session.process_id, method, params, at, choice)
    change_options(ledger, session, with_current(offered, option, value), at)
    if is_model:
        ledger.change(session, model=value)


def choose_again(ledger: Ledger, session: Session, at: float) -> None:
    """A session was reopened: select the chosen model again, if the agent still offers it."""
    option = next((o for o in options_of(session.options or {}) if o["category"] == "model"), None)
    if session.model is None or option is None or option["current"] == session.model:
        return
    if accepts(option, session.model):
        set_option(ledger, session, option["id"], session.model, at)
        return
    names = {choice["value"]: choice.get("name") or choice["value"] for choice in option["choices"]}
    now = names.get(option["current"], option["current"])
    text = f"The model you chose, {session.model}, is no longer available. The agent uses {now}."
    ledger.emit(NoticeGiven(level="warning", code="model-gone", text=text), at)
    ledger.change(session, model=None)


def under_way(ledger: Ledger) -> list[tuple[Request, Session]]:
    """Choices that an idle agent has not answered yet; a busy agent may answer when it is done."""
    found = [
        (request, ledger.get(Session, request.subject.session))
        for request in ledger.all(Request)
        if isinstance(request.subject, Choice)
    ]
    return [
        (request, session)
        for request, session in found
        if session is not None and session.phase is not SessionPhase.PROMPTING
    ]


def option_set(ledger: Ledger, request: Request, result: object, at: float) -> None:
    """The agent accepted a choice; some agents answer with all their current options."""
    session = ledger.get(Session, request.about(Choice).session)
    if session is not None and isinstance(result, dict) and isinstance(result.get("configOptions"), list):
        change_options(
            ledger, session, {**(session.options or {}), "configOptions": result["configOptions"]}, at
        )


def option_refused(ledger: Ledger, request: Request, error: Json, at: float) -> None:
    """The agent refused a choice: show the previous value, unless another choice was made in the meantime."""
    choice = request.about(Choice)
    session = ledger.get(Session, choice.session)
    if session is None:
        return
    if (later := _next_choice(ledger, request)) is not None:
        next_choice = replace(later.about(Choice), before=choice.before)
        if choice.is_model:
            next_choice = replace(next_choice, is_model=True, chosen=choice.chosen)
        ledger.change(later, subject=next_choice)
        return
    offered = session.options or {}
    for option in options_of(offered):
        if option["id"] != choice.option:
            continue
        if error.get("code") == NOT_OFFERED and request.method in _OLDER:
            change_options(ledger, session, {**offered, _OLDER[request.method]: None}, at)
        elif choice.value in (None, option["current"]):
            change_options(ledger, session, with_current(offered, option, choice.before), at)
        if choice.is_model:
            ledger.change(session, model=choice.chosen)


def _next_choice(ledger: Ledger, request: Request) -> Request | None:
    """The next unanswered choice for the same option."""
    choice = request.about(Choice)
    later = [
        other
        for other in ledger.all(Request)
        if other.process_id == request.process_id
        and isinstance(other.subject, Choice)
        and int(other.rpc_id) > int(request.rpc_id)
        and (other.subject.session, other.subject.option) == (choice.session, choice.option)
    ]
    return min(later, key=lambda other: int(other.rpc_id), default=None)
