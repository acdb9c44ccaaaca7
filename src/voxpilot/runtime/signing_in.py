"""An agent that wants the person to sign in before it goes on.

Lives here: the question, made from what the agent advertises, and what each
answer starts. The turn waits; what failed is tried again once the person has
acted. Lives elsewhere: asking and deciding (questions.py, decisions.py), the
terminal of a sign-in by command (sign_in_terminals.py).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from voxpilot.agents import opening, sessions
from voxpilot.agents.abilities import sign_in_methods
from voxpilot.agents.catalog import Agent, Catalog
from voxpilot.agents.dialogue import Answered
from voxpilot.agents.failures import describe_error
from voxpilot.agents.hidden import hide_args
from voxpilot.chat.events import AgentStatusChanged, Json
from voxpilot.runtime import questions, sign_in_terminals, tasks, turn
from voxpilot.settings import Settings
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Process, Question, Request, Terminal

PURPOSE = "sign-in"
_METHOD = "method:"
_TERMINAL = "terminal:"
_DONE: Json = {"id": "done", "label": "I have signed in: try again", "kind": "retry"}
_NOT_NOW: Json = {"id": "dismiss", "label": "Not now", "kind": "reject_once"}
_NOT_SIGNED_IN: Json = {
    "message": "The agent wants you to sign in first.",
    "hint": "Sign in, then send the message again.",
}


def ask(ledger: Ledger, process: Process, agent: Agent, at: float, reason: str | None = None) -> None:
    """Show what the agent offers for signing in, and why it did not work if it was tried."""
    task = tasks.behind(ledger, process.agent)
    methods = [_method(method, agent) for method in sign_in_methods(process.initialized)]
    detail: Json = {"methods": methods, "hint": agent.login_hint, "reason": reason}
    offered = [
        {"id": prefix + method["id"], "label": method["name"], "kind": "sign_in"}
        for method in methods
        if (prefix := _prefix(method, agent)) is not None
    ]
    questions.ask_ourselves(
        ledger,
        PURPOSE,
        "sign-in",
        f"{agent.display_name} wants you to sign in",
        {name: value for name, value in detail.items() if value},
        (*offered, _DONE, _NOT_NOW),
        at,
        turn=task.turn if task else None,
        agent=agent.id,
        process_id=process.id,
        tool_call_id=task.tool_call_id if task else None,
    )
    event = AgentStatusChanged(agent=agent.id, status="error", message="Sign-in is needed.")
    ledger.emit(event, at)


def is_under_way(ledger: Ledger, process: Process) -> bool:
    """The person or the agent is at it; nothing else is asked of the agent meanwhile."""
    trying: list[Request | Terminal] = [*_trying(ledger), *sign_in_terminals.running(ledger)]
    return bool(_questions(ledger, process)) or any(row.process_id == process.id for row in trying)


def decided(ledger: Ledger, catalog: Catalog, question: Question, at: float) -> None:
    process = ledger.get(Process, question.process_id)
    if process is None:
        return
    match question.option_id:
        case "done":
            # It may read its credentials only when it starts.
            ledger.change(process, state="stopping", force=True)
        case "dismiss":
            sign_in_terminals.end(ledger, process)
            opening.no_longer_wanted(ledger, process.agent)
            for task in tasks.waiting_for(ledger, process.agent):
                turn.finish(ledger, task, "failed", "error", at, _NOT_SIGNED_IN)
        case str(chosen) if chosen.startswith(_METHOD):
            method = chosen.removeprefix(_METHOD)
            sessions.authenticate(ledger, process, method, at, turn=question.turn)
            status = AgentStatusChanged(agent=process.agent, status="starting", message="Signing in.")
            ledger.emit(status, at)
        case str(chosen) if chosen.startswith(_TERMINAL):
            agent = catalog.describe(process.agent)
            _sign_in_here(ledger, process, agent, question, chosen.removeprefix(_TERMINAL), at)


def answered(ledger: Ledger, process: Process, agent: Agent, answered: Answered, at: float) -> None:
    """Signed in: what waits goes on by itself. Else the question is put again, with the reason."""
    if answered.error is None:
        ledger.emit(AgentStatusChanged(agent=process.agent, status="connected"), at)
    elif tasks.waiting_for(ledger, process.agent):
        ask(ledger, process, agent, at, describe_error(answered.error)["message"])


def deadlines(ledger: Ledger, settings: Settings) -> Iterator[float]:
    for _, request in _waited_for(ledger):
        yield request.created_at + settings.sign_in_timeout


def on_time(ledger: Ledger, settings: Settings, catalog: Catalog, now: float) -> None:
    """A command has ended; or the agent takes too long, and the person may choose again."""
    for terminal in sign_in_terminals.ended(ledger):
        _terminal_ended(ledger, catalog, terminal, now)
    for process, request in _waited_for(ledger):
        if now < request.created_at + settings.sign_in_timeout:
            continue
        sessions.drop(ledger, request)
        ledger.change(request, response={"error": {"message": "it took too long"}})
        reason = f"The agent did not finish signing in within {settings.sign_in_timeout:.0f} s."
        if tasks.waiting_for(ledger, process.agent):
            ask(ledger, process, catalog.describe(process.agent), now, reason)


def _sign_in_here(
    ledger: Ledger, process: Process, agent: Agent, question: Question, method_id: str, at: float
) -> None:
    """Run the command that was shown, and stay at it until it ends or the person has enough of it."""
    shown = next(method for method in question.detail["methods"] if method["id"] == method_id)
    method = next(m for m in sign_in_methods(process.initialized) if m["id"] == method_id)
    if _method(method, agent)["command"] != shown["command"]:
        ask(ledger, process, agent, at, "The agent's command has changed meanwhile.")
        return
    argv = _argv(method, agent)
    task = tasks.behind(ledger, process.agent)
    call = task.tool_call_id if task else None
    terminal = sign_in_terminals.start(ledger, process, argv, method.get("env"), question.turn, call, at)
    questions.ask_ourselves(
        ledger,
        PURPOSE,
        "sign-in",
        "Sign in in the terminal of this chat",
        {
            "terminal_id": terminal.id,
            "hint": "Sign in in the terminal above. When its command is done, the turn goes on by itself.",
        },
        (_DONE, _NOT_NOW),
        at,
        turn=question.turn,
        agent=process.agent,
        process_id=process.id,
        tool_call_id=call,
    )


def _terminal_ended(ledger: Ledger, catalog: Catalog, terminal: Terminal, now: float) -> None:
    """Signed in: the agent is started anew and what waits goes on. Else the question is put again."""
    reason = sign_in_terminals.close(ledger, terminal)
    process = ledger.get(Process, terminal.process_id)
    if process is None or process.state != "ready" or terminal.killed:
        return
    for question in _questions(ledger, process):
        questions.settle(ledger, question, "sign-in-failed" if reason else "signed-in", now, reason)
    if reason is None:
        ledger.change(process, state="stopping", force=True)
    elif tasks.waiting_for(ledger, process.agent):
        ask(ledger, process, catalog.describe(process.agent), now, reason)


def _questions(ledger: Ledger, process: Process) -> list[Question]:
    return [q for q in ledger.all(Question) if q.purpose == PURPOSE and q.process_id == process.id]


def _prefix(method: Json, agent: Agent) -> str | None:
    """Which option a method becomes; none if it is a command, and there is no program to run."""
    if method["type"] == "agent":
        return _METHOD
    return _TERMINAL if agent.command else None


def _trying(ledger: Ledger) -> list[Request]:
    return [request for request in ledger.all(Request) if request.method == "authenticate"]


def _waited_for(ledger: Ledger) -> list[tuple[Process, Request]]:
    """Those that take their time; not one that itself waits for a person."""
    found = [(ledger.get(Process, request.process_id), request) for request in _trying(ledger)]
    return [(p, r) for p, r in found if p is not None and not questions.holds_up(ledger, p)]


def _method(method: Json, agent: Agent) -> Json:
    """One way to sign in: the agent does it, or a command in a terminal does."""
    shown: Json = {
        "id": method["id"],
        "name": str(method.get("name") or method["id"] or "Sign in"),
        "description": method.get("description"),
        "type": "agent",
    }
    meta = method.get("_meta")
    in_meta = meta.get("terminal-auth") if isinstance(meta, dict) else None
    if method.get("type") == "terminal":
        shown |= {"type": "terminal", "command": shlex.join(hide_args(_argv(method, agent)))}
    elif isinstance(in_meta, dict) and isinstance(in_meta.get("command"), str):
        # To be typed elsewhere, so all is shown but our own secrets, which the agent may repeat.
        ours = dict(zip(agent.args, hide_args(agent.args), strict=True))
        words = [in_meta["command"], *_arguments(in_meta)]
        shown["command"] = shlex.join(ours.get(word, word) for word in words)
    return {name: value for name, value in shown.items() if value or name == "id"}


def _argv(method: Json, agent: Agent) -> tuple[str, ...]:
    return agent.command, *agent.args, *_arguments(method)


def _arguments(given: Json) -> list[str]:
    arguments = given.get("args")
    return [str(argument) for argument in arguments] if isinstance(arguments, list) else []
