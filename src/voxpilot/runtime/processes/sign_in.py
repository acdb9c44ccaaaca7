"""Agents that require the person to sign in before they continue.

Lives here: the question, made from the methods that the agent advertises, and what each answer starts. The
turn waits; the failed request is retried once the person has acted. Lives elsewhere: asking and deciding
(questions/open_questions.py, step/decisions.py), the terminal of a sign-in by command (sign_in_terminals.py).
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Iterator

from voxpilot.agents.installed.capabilities import sign_in_methods
from voxpilot.agents.installed.catalog import Agent, Catalog
from voxpilot.agents.installed.failures import describe_error
from voxpilot.agents.requests import opening, sessions
from voxpilot.agents.requests.dialogue import Answered
from voxpilot.chat.events import AgentStatusChanged, Json
from voxpilot.errors import Problem
from voxpilot.runtime.processes import sign_in_terminals
from voxpilot.runtime.questions import open_questions
from voxpilot.runtime.questions.open_questions import NewQuestion
from voxpilot.runtime.shared.stop import stop_process
from voxpilot.runtime.turns import tasks, turn
from voxpilot.settings import Settings
from voxpilot.settings.masking import hide_args, shown_env
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.request_rows import Purpose, Request
from voxpilot.storage.database.rows import Process, Question, Terminal
from voxpilot.storage.database.states import ProcessState, TurnState

PURPOSE = "sign-in"
_METHOD = "method:"
_TERMINAL = "terminal:"
_DONE: Json = {"id": "done", "label": "I have signed in", "kind": "retry"}
_NOT_NOW: Json = {"id": "dismiss", "label": "Not now", "kind": "reject_once"}
_NOT_SIGNED_IN = Problem("The agent requires you to sign in first.", "Sign in, then send the message again.")


def ask(ledger: Ledger, process: Process, agent: Agent, at: float, reason: str | None = None) -> None:
    """Show the sign-in methods that the agent offers, and why the last attempt failed, if there was one."""
    task = tasks.behind(ledger, process.agent)
    methods = [_method(method, agent) for method in sign_in_methods(process.initialized)]
    detail: Json = {"methods": methods, "hint": agent.login_hint, "reason": reason}
    offered = [
        {"id": prefix + method["id"], "label": method["name"], "kind": "sign_in"}
        for method in methods
        if (prefix := _prefix(method, agent)) is not None
    ]
    open_questions.ask_ourselves(
        ledger,
        NewQuestion(
            purpose=PURPOSE,
            type="sign-in",
            title=f"Sign in to {agent.display_name}",
            detail={name: value for name, value in detail.items() if value},
            options=(*offered, _DONE, _NOT_NOW),
            turn=task.turn if task else None,
            agent=agent.id,
            process_id=process.id,
            tool_call_id=task.tool_call_id if task else None,
        ),
        at,
    )
    event = AgentStatusChanged(agent=agent.id, status="error", message="Sign-in required.")
    ledger.emit(event, at)


def is_under_way(ledger: Ledger, process: Process) -> bool:
    """A sign-in is in progress; nothing else is sent to the agent meanwhile."""
    trying: list[Request | Terminal] = [*_trying(ledger), *sign_in_terminals.running(ledger)]
    return bool(_questions(ledger, process)) or any(row.process_id == process.id for row in trying)


def decided(ledger: Ledger, catalog: Catalog, question: Question, at: float) -> None:
    process = ledger.get(Process, question.process_id)
    if process is None:
        return
    match question.option_id:
        case "done":
            # It may read its credentials only when it starts.
            stop_process(ledger, process, at_once=True)
        case "dismiss":
            sign_in_terminals.end(ledger, process)
            opening.no_longer_wanted(ledger, process.agent)
            for task in tasks.waiting_for(ledger, process.agent):
                turn.finish(ledger, task, TurnState.FAILED, "error", at, _NOT_SIGNED_IN)
        case str(chosen) if chosen.startswith(_METHOD):
            method = chosen.removeprefix(_METHOD)
            sessions.authenticate(ledger, process, method, at, question.turn)
            status = AgentStatusChanged(agent=process.agent, status="starting", message="Signing in.")
            ledger.emit(status, at)
        case str(chosen) if chosen.startswith(_TERMINAL):
            agent = catalog.describe(process.agent)
            _sign_in_here(ledger, process, agent, question, chosen.removeprefix(_TERMINAL), at)


def answered(ledger: Ledger, process: Process, agent: Agent, answered: Answered, at: float) -> None:
    """If signed in, waiting turns continue. Otherwise the question is asked again, with the reason."""
    if answered.error is None:
        ledger.emit(AgentStatusChanged(agent=process.agent, status="connected"), at)
    elif tasks.waiting_for(ledger, process.agent):
        ask(ledger, process, agent, at, describe_error(answered.error).message)


def deadlines(ledger: Ledger, settings: Settings) -> Iterator[float]:
    for _, request in _waited_for(ledger):
        yield request.created_at + settings.sign_in_timeout


def on_time(ledger: Ledger, settings: Settings, catalog: Catalog, now: float) -> None:
    """A command has ended, or the agent took too long and the person may choose again."""
    for terminal in sign_in_terminals.ended(ledger):
        _terminal_ended(ledger, catalog, terminal, now)
    for process, request in _waited_for(ledger):
        if now < request.created_at + settings.sign_in_timeout:
            continue
        sessions.abandon(ledger, request, "it took too long")
        reason = f"Sign-in did not finish within {settings.sign_in_timeout:.0f} s."
        if tasks.waiting_for(ledger, process.agent):
            ask(ledger, process, catalog.describe(process.agent), now, reason)


def _sign_in_here(
    ledger: Ledger, process: Process, agent: Agent, question: Question, method_id: str, at: float
) -> None:
    """Run the command that was shown, until it ends or the person cancels it."""
    shown = next(method for method in question.detail["methods"] if method["id"] == method_id)
    method = next(m for m in sign_in_methods(process.initialized) if m["id"] == method_id)
    if _method(method, agent)["digest"] != shown.get("digest"):
        ask(ledger, process, agent, at, "The agent's command has changed.")
        return
    argv = _argv(method, agent)
    task = tasks.behind(ledger, process.agent)
    call = task.tool_call_id if task else None
    words = shown_argv(method, agent)
    terminal = sign_in_terminals.start(ledger, process, argv, words, _env(method), question.turn, call, at)
    open_questions.ask_ourselves(
        ledger,
        NewQuestion(
            purpose=PURPOSE,
            type="sign-in",
            title="Sign in using this chat’s terminal",
            detail={
                "terminal_id": terminal.id,
                "hint": "Sign in using the terminal above. The turn continues when the command finishes.",
            },
            options=(_DONE, _NOT_NOW),
            turn=question.turn,
            agent=process.agent,
            process_id=process.id,
            tool_call_id=call,
        ),
        at,
    )


def _terminal_ended(ledger: Ledger, catalog: Catalog, terminal: Terminal, now: float) -> None:
    """If signed in, the agent is restarted and waiting turns continue. Otherwise the question is asked
    again."""
    reason = sign_in_terminals.close(ledger, terminal)
    process = ledger.get(Process, terminal.process_id)
    if process is None or process.state is not ProcessState.READY or terminal.killed:
        return
    for question in _questions(ledger, process):
        open_questions.settle(ledger, question, "sign-in-failed" if reason else "signed-in", now, reason)
    if reason is None:
        stop_process(ledger, process, at_once=True)
    elif tasks.waiting_for(ledger, process.agent):
        ask(ledger, process, catalog.describe(process.agent), now, reason)


def _questions(ledger: Ledger, process: Process) -> list[Question]:
    return [q for q in ledger.all(Question) if q.purpose == PURPOSE and q.process_id == process.id]


def _prefix(method: Json, agent: Agent) -> str | None:
    """The option for a method; None if it is a command without a program to run."""
    if method["type"] == "agent":
        return _METHOD
    return _TERMINAL if agent.command else None


def _trying(ledger: Ledger) -> list[Request]:
    return [request for request in ledger.all(Request) if request.purpose is Purpose.SIGN_IN]


def _waited_for(ledger: Ledger) -> list[tuple[Process, Request]]:
    """Requests that take too long, except one that itself waits for a person."""
    found = [(ledger.get(Process, request.process_id), request) for request in _trying(ledger)]
    return [(p, r) for p, r in found if p is not None and not open_questions.holds_up(ledger, p)]


def _method(method: Json, agent: Agent) -> Json:
    """One sign-in method: the agent does it, or a command in a terminal."""
    shown: Json = {
        "id": method["id"],
        "name": str(method.get("name") or method["id"] or "Sign in"),
        "description": method.get("description"),
        "type": "agent",
    }
    meta = method.get("_meta")
    in_meta = meta.get("terminal-auth") if isinstance(meta, dict) else None
    if method.get("type") == "terminal":
        shown |= {"type": "terminal", "command": shlex.join(shown_argv(method, agent))}
        shown |= {"env": shown_env(_env(method)), "digest": _digest(method, agent)}
    elif isinstance(in_meta, dict) and isinstance(in_meta.get("command"), str):
        # Meant to be typed elsewhere, so everything is shown except our own secrets, which the agent may
        # repeat.
        words = [in_meta["command"], *_arguments(in_meta)]
        shown["command"] = shlex.join(_without_ours(words, agent))
        shown["env"] = shown_env(_env(in_meta))
    return {name: value for name, value in shown.items() if value or name == "id"}


def shown_argv(method: Json, agent: Agent) -> list[str]:
    """The command without our own secrets; what the agent adds is shown unchanged."""
    return [agent.command, *hide_args(agent.args), *_without_ours(_arguments(method), agent)]


def _without_ours(words: list[str], agent: Agent) -> list[str]:
    """An agent may repeat the secrets that it was given."""
    ours = dict(zip(agent.args, hide_args(agent.args), strict=True))
    return [ours.get(word, word) for word in words]


def _argv(method: Json, agent: Agent) -> tuple[str, ...]:
    return agent.command, *agent.args, *_arguments(method)


def _env(given: Json) -> dict[str, str]:
    """The variables that an agent asks for, in any of the forms agents use."""
    match given.get("env"):
        case dict(env):
            return {str(name): str(value) for name, value in env.items()}
        case list(items):
            named = [item for item in items if isinstance(item, dict) and isinstance(item.get("name"), str)]
            return {item["name"]: str(item.get("value", "")) for item in named}
    return {}


def _digest(method: Json, agent: Agent) -> str:
    """A digest that identifies exactly this command."""
    parts = [_argv(method, agent), _env(method)]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _arguments(given: Json) -> list[str]:
    arguments = given.get("args")
    return [str(argument) for argument in arguments] if isinstance(arguments, list) else []
