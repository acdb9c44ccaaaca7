"""Choosing a mode, a model or another option that an agent offers.

Lives here: telling the agent, and showing its answer. Lives elsewhere: the
shape of what is offered (options.py), whether one may choose now
(runtime/options.py).
"""

from __future__ import annotations

from typing import Any

from voxpilot.agents.dialogue import ask
from voxpilot.agents.failures import NOT_OFFERED
from voxpilot.agents.options import accepts, options_of, with_current
from voxpilot.agents.translate import change_options
from voxpilot.chat.events import Json, NoticeGiven
from voxpilot.errors import Invalid
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Request, Session

_CONFIG, _MODE, _MODEL = "session/set_config_option", "session/set_mode", "session/set_model"
METHODS = frozenset({_CONFIG, _MODE, _MODEL})
"""By which an agent is told of a choice."""
_OLDER = {_MODE: "modes", _MODEL: "models"}
"""What agents offer the older ways; some offer it and do not know the request for it."""


def set_option(ledger: Ledger, session: Session, option_id: str, value: Any, at: float) -> None:
    """Choose a mode, model or other option; shown at once, and taken back if the agent will not have it."""
    offered = session.options or {}
    option = next((option for option in options_of(offered) if option["id"] == option_id), None)
    if option is None or not accepts(option, value):
        raise Invalid("The agent does not offer that.", "Choose one of the values it lists.")
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
    subject = {"session": session.id, "option": option_id, "before": option["current"], "value": value}
    if option["category"] == "model":
        subject["chosen"] = session.model if session.model != value else None
    ask(ledger, session.process_id, method, params, at, **subject)
    change_options(ledger, session, with_current(offered, option, value), at)
    if option["category"] == "model":
        ledger.change(session, model=value)


def choose_again(ledger: Ledger, session: Session, at: float) -> None:
    """A session was opened anew: have it use the model that was chosen, if the agent still offers that."""
    option = next((o for o in options_of(session.options or {}) if o["category"] == "model"), None)
    if session.model is None or option is None or option["current"] == session.model:
        return
    if accepts(option, session.model):
        set_option(ledger, session, option["id"], session.model, at)
        return
    names = {choice["value"]: choice.get("name") or choice["value"] for choice in option["choices"]}
    now = names.get(option["current"], option["current"])
    text = f"The model you chose, {session.model}, is not offered any more. The agent uses {now}."
    ledger.emit(NoticeGiven(level="warning", code="model-gone", text=text), at)
    ledger.change(session, model=None)


def under_way(ledger: Ledger) -> list[tuple[Request, Session]]:
    """Choices that an agent at rest has not answered yet; one at work may do so when it is done."""
    found = [
        (request, ledger.get(Session, request.subject["session"]))
        for request in ledger.all(Request)
        if request.method in METHODS and "option" in request.subject
    ]
    return [(request, session) for request, session in found if session is not None and not session.prompting]


def option_set(ledger: Ledger, request: Request, result: Any, at: float) -> None:
    """The agent took a choice; some answer with everything they offer now."""
    session = ledger.get(Session, request.subject["session"])
    if session is not None and isinstance(result, dict) and isinstance(result.get("configOptions"), list):
        change_options(
            ledger, session, {**(session.options or {}), "configOptions": result["configOptions"]}, at
        )


def option_refused(ledger: Ledger, request: Request, error: Json, at: float) -> None:
    """The agent did not take a choice: show what was chosen before, unless another was made meanwhile."""
    session = ledger.get(Session, request.subject["session"])
    if session is None:
        return
    chosen = {"chosen": request.subject["chosen"]} if "chosen" in request.subject else {}
    if (later := _next_choice(ledger, request)) is not None:
        before = {"before": request.subject["before"], **chosen}
        ledger.change(later, subject={**later.subject, **before})
        return
    offered = session.options or {}
    for option in options_of(offered):
        if option["id"] != request.subject["option"]:
            continue
        if error.get("code") == NOT_OFFERED and request.method in _OLDER:
            change_options(ledger, session, {**offered, _OLDER[request.method]: None}, at)
        elif option["current"] == request.subject.get("value", option["current"]):
            change_options(ledger, session, with_current(offered, option, request.subject["before"]), at)
        if chosen:
            ledger.change(session, model=chosen["chosen"])


def _next_choice(ledger: Ledger, request: Request) -> Request | None:
    """The next choice for the same option that the agent has still to answer."""
    same = [request.subject[name] for name in ("session", "option")]
    later = [
        other
        for other in ledger.all(Request)
        if other.process_id == request.process_id
        and other.method in METHODS
        and int(other.rpc_id) > int(request.rpc_id)
        and [other.subject.get(name) for name in ("session", "option")] == same
    ]
    return min(later, key=lambda other: int(other.rpc_id), default=None)
