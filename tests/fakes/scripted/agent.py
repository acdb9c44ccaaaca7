"""The scripted agent's side of ACP: requests in, tasks for each, answers out.

Lives here: the loop, the methods, cancelling, faults of starting, signing in and loading.
Lives elsewhere: what happens inside a turn (directives.py, faults.py), sessions on disk (store.py).
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time

from .abilities import capabilities, config_options, models, modes, sign_in_methods
from .directives import available_commands, lines_of, run
from .faults import add_faults
from .options import Options, size_in_bytes
from .store import Store
from .tasks import Wait, condition, for_ever, seconds
from .turn import Reply, RpcError, Session, Turn
from .wire import Wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .tasks import Steps

REPLAY_CHUNK = 64 * 1024


class Task:
    """A request being answered; its generator returns the result."""

    def __init__(self, request_id: Any, steps: Steps, turn: Turn | None) -> None:
        self.id = request_id
        self.steps = steps
        self.turn = turn
        self.wait = Wait()


class Agent:
    """One agent process."""

    def __init__(self, options: Options, wire: Wire) -> None:
        self.options = options
        self.wire = wire
        self._store = Store(options.store)
        self._sessions: dict[str, Session] = {}
        self._tasks: list[Task] = []
        self._replies: dict[str, Reply] = {}
        self._requests = 0
        self._turns = 0
        self._authenticated = False
        self._client: dict[str, Any] = {}
        self._methods: dict[str, Callable[[dict[str, Any]], Any]] = {
            "initialize": self._initialize,
            "authenticate": self._authenticate,
            "logout": self._logout,
            "session/new": self._new,
            "session/load": self._load,
            "session/resume": self._resume,
            "session/list": self._list,
            "session/fork": self._fork,
            "session/close": self._close,
            "session/delete": self._delete,
            "session/set_mode": self._set_mode,
            "session/set_model": self._set_model,
            "session/set_config_option": self._set_config_option,
        }

    def serve(self) -> None:
        """Answer until the client closes our standard input."""
        while True:
            for frame in self.wire.read(self.timeout()):
                self.take(frame)
            if self.wire.at_end and "ignore-eof" not in self.options.faults:
                return
            self.work()

    def work(self) -> None:
        """Carry on with every task that waits for nothing."""
        for task in list(self._tasks):
            if task in self._tasks and task.wait.is_over():
                self._step(task)

    def request(self, method: str, params: dict[str, Any]) -> Reply:
        """Send a request to the client; ids start at 0, as those of real agents do."""
        reply = Reply()
        if self.options.uuid_ids:
            request_id: Any = _uuid()
            self.wire.send({"jsonrpc": "2.0", "method": method, "params": params, "id": request_id})
        else:
            request_id = self._requests
            self.wire.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        self._requests += 1
        self._replies[json.dumps(request_id)] = reply
        return reply

    def timeout(self) -> float | None:
        """How long there is nothing to do unless a frame arrives; None: forever."""
        timeouts = [task.wait.timeout() for task in self._tasks if not task.wait.is_over()]
        if len(timeouts) < len(self._tasks):
            return 0.0
        return min((timeout for timeout in timeouts if timeout is not None), default=None)

    def take(self, frame: Any) -> None:
        match frame:
            case {"method": str(method), "id": request_id}:
                self._start(request_id, method, frame.get("params") or {})
            case {"method": "session/cancel", "params": {"sessionId": session_id}}:
                self._cancel(lambda task: task.turn is not None and task.turn.session.id == session_id)
            case {"method": "$/cancel_request", "params": {"requestId": request_id}}:
                self._cancel(lambda task: json.dumps(task.id) == json.dumps(request_id))
            case {"id": request_id} if json.dumps(request_id) in self._replies:
                self._replies.pop(json.dumps(request_id)).frame = frame

    def _start(self, request_id: Any, method: str, params: dict[str, Any]) -> None:
        turn: Turn | None = None
        try:
            if method == "session/prompt":
                turn = self._turn(params)
                steps: Any = self._prompt(turn)
            elif method in self._methods:
                steps = self._methods[method](params)
            else:
                raise RpcError(-32601, f"Method not found: {method}")
        except RpcError as error:
            self._refuse(request_id, error)
            return
        if isinstance(steps, dict):
            self._answer(request_id, steps)
        else:
            self._tasks.append(Task(request_id, steps, turn))

    def _step(self, task: Task) -> None:
        try:
            task.wait = next(task.steps)
        except StopIteration as end:
            self._end(task, end.value)
        except RpcError as error:
            self._drop(task)
            self._refuse(task.id, error)
        except Exception as error:  # An invalid script fails its own turn, with an error, and no other.
            self._drop(task)
            self._refuse(task.id, RpcError(-32603, f"Script failed: {error!r}"))

    def _drop(self, task: Task) -> None:
        # Not in a `finally` of the generator: one that never started would not run it.
        task.steps.close()
        self._tasks.remove(task)
        if task.turn:
            session = task.turn.session
            session.turns.remove(task.turn)
            session.history.append(("agent", "".join(task.turn.said)))
            self._store.save(session.id, session.cwd, session.history)

    def _end(self, task: Task, result: Any) -> None:
        self._drop(task)
        self._answer(task.id, result)
        if task.turn:
            for text in task.turn.late:
                task.turn.say(text)
            for update in task.turn.late_updates:
                task.turn.update(update)
            if "late-chunks" in self.options.faults:
                self._tasks.append(Task(None, _say_late(task.turn), None))

    def _cancel(self, chosen: Callable[[Task], bool]) -> None:
        if "ignore-cancel" in self.options.faults:
            return
        for task in [task for task in self._tasks if chosen(task)]:
            if task.turn:
                self._end(task, {"stopReason": "cancelled"})
            else:
                self._drop(task)
                self._refuse(task.id, RpcError(-32800, "Request cancelled"))

    def _answer(self, request_id: Any, result: Any) -> None:
        if request_id is not None:
            self.wire.send({"jsonrpc": "2.0", "id": request_id, "result": result})

    def _refuse(self, request_id: Any, error: RpcError) -> None:
        body: dict[str, Any] = {"code": error.code, "message": str(error)}
        if error.data is not None:
            body["data"] = error.data
        self.wire.send({"jsonrpc": "2.0", "id": request_id, "error": body})

    # Connection

    def _initialize(self, params: dict[str, Any]) -> Steps:
        self._client = params.get("clientCapabilities") or {}
        if "hang-init" in self.options.faults:
            yield for_ever()
        yield seconds(float(self.options.faults.get("slow-init", 0)))
        return {
            "protocolVersion": self.options.faults.get("version", 1),
            "agentCapabilities": capabilities(self.options),
            "agentInfo": {"name": "scripted", "title": "Scripted agent", "version": self.options.version},
            "authMethods": sign_in_methods(self._client),
        }

    def _authenticate(self, params: dict[str, Any]) -> Steps:
        if "auth-hang" in self.options.faults:
            yield for_ever()
        if "auth-fail" in self.options.faults:
            raise RpcError(-32603, "Sign-in failed: the code has expired.")
        yield Wait()
        self._authenticated = True
        return {}

    def _logout(self, params: dict[str, Any]) -> dict[str, Any]:
        self._authenticated = False
        return {}

    def _require_sign_in(self, fault: str) -> None:
        file = self.options.signed_in_file
        signed_in = self._authenticated or (file is not None and os.path.exists(file))
        if fault in self.options.faults and not signed_in:
            raise RpcError(-32000, "Authentication required")

    # Sessions

    def _new(self, params: dict[str, Any]) -> Steps:
        self._require_sign_in("auth-on-new")
        session = Session(f"scripted-{_uuid()[:13]}", str(params.get("cwd", "/")), [], self.options.models)
        if "early-updates" in self.options.faults:
            self._announce_commands(session)
        yield seconds(float(self.options.faults.get("slow-new", 0)))
        self._sessions[session.id] = session
        return {"sessionId": session.id, **self._choices(session)}

    def _load(self, params: dict[str, Any]) -> Steps:
        self._require_sign_in("auth-on-new")
        session = self._reopen(params)
        if "replay-hang" in self.options.faults:
            yield for_ever()
        for role, text in session.history:
            kind = "user_message_chunk" if role == "user" else "agent_message_chunk"
            self._replay(session, kind, text)
            yield Wait()
        for _ in range(size_in_bytes(self.options.faults.get("replay", 0)) // REPLAY_CHUNK):
            self._replay(session, "agent_message_chunk", "r" * REPLAY_CHUNK)
            yield Wait()
        if "load-other-id" in self.options.faults:
            del self._sessions[session.id]
            session.id = f"scripted-{_uuid()[:13]}"
            self._sessions[session.id] = session
            self._replay(session, "agent_message_chunk", "repeated")
            return {"sessionId": session.id, **self._choices(session)}
        return self._choices(session)

    def _replay(self, session: Session, kind: str, text: str) -> None:
        turn = Turn(self, session, "")
        turn.update(turn.chunk(kind, text))

    def _resume(self, params: dict[str, Any]) -> dict[str, Any]:
        self._require_sign_in("auth-on-new")
        return self._choices(self._reopen(params))

    def _list(self, params: dict[str, Any]) -> dict[str, Any]:
        if "endless-list" in self.options.faults:
            return {"sessions": [], "nextCursor": "the same again"}
        self._require_sign_in("auth-on-list")
        if "empty-page" in self.options.faults and "cursor" not in params:
            return {"sessions": [], "nextCursor": "0"}
        listed = self._store.listed()
        start, size = (
            int(params.get("cursor", 0)),
            int(self.options.faults.get("page-size", len(listed) or 1)),
        )
        more = {"nextCursor": str(start + size)} if start + size < len(listed) else {}
        if "bare-list" in self.options.faults:
            listed = [{name: entry[name] for name in ("sessionId", "cwd")} for entry in listed]
        return {"sessions": listed[start : start + size], **more}

    def _fork(self, params: dict[str, Any]) -> dict[str, Any]:
        if not self.options.forks:
            raise RpcError(-32601, "Method not found: session/fork")
        session = self._reopen(params)
        del self._sessions[session.id]
        session.id = f"scripted-{_uuid()[:13]}"
        self._sessions[session.id] = session
        self._store.save(session.id, session.cwd, session.history)
        return {"sessionId": session.id, **self._choices(session)}

    def _reopen(self, params: dict[str, Any]) -> Session:
        session_id = str(params.get("sessionId"))
        kept = None if "load-notfound" in self.options.faults else self._store.load(session_id)
        if kept is None:
            raise RpcError(-32002, f"Session not found: {session_id}", {"uri": session_id})
        if "load-error" in self.options.faults:
            raise RpcError(-32603, "The session file is damaged.")
        history = [] if "load-empty" in self.options.faults else [tuple(entry) for entry in kept["history"]]
        session = Session(session_id, str(params.get("cwd", kept["cwd"])), history, self.options.models)
        self._sessions[session_id] = session
        return session

    def _close(self, params: dict[str, Any]) -> Steps:
        session = self._session(params)
        if "close-hang" in self.options.faults:
            yield for_ever()
        yield Wait()
        self._cancel(lambda task: task.turn is not None and task.turn.session is session)
        del self._sessions[session.id]
        return {}

    def _delete(self, params: dict[str, Any]) -> dict[str, Any]:
        self._sessions.pop(str(params.get("sessionId")), None)
        self._store.delete(str(params.get("sessionId")))
        return {}

    def _session(self, params: dict[str, Any]) -> Session:
        session = self._sessions.get(str(params.get("sessionId")))
        if session is None:
            raise RpcError(-32602, f"Unknown session: {params.get('sessionId')}")
        return session

    def _choices(self, session: Session) -> dict[str, Any]:
        if "caps-off" in self.options.faults:
            return {}
        if "old-options" in self.options.faults:
            return {"modes": modes(session), "models": models(session)}
        return {"modes": modes(session), "configOptions": config_options(session, self._client)}

    def _announce_commands(self, session: Session) -> None:
        Turn(self, session, "").update(available_commands(["early"]))

    def _set_mode(self, params: dict[str, Any]) -> dict[str, Any]:
        session = self._session(params)
        self._may_choose()
        session.mode = str(params.get("modeId"))
        update = {"sessionUpdate": "current_mode_update", "currentModeId": session.mode}
        Turn(self, session, "").update(update)
        return {}

    def _set_model(self, params: dict[str, Any]) -> Steps:
        session = self._session(params)
        self._may_choose()
        yield self._hesitation(session)
        session.model = str(params.get("modelId"))
        return {}

    def _may_choose(self) -> None:
        if "refuse-options" in self.options.faults:
            raise RpcError(-32603, "Not while the moon is full.")

    def _hesitation(self, session: Session) -> Wait:
        file = self.options.faults.get("late-options")
        if file is None:
            return Wait()
        return condition(lambda: os.path.exists(os.path.join(session.cwd, file)), poll=True)

    def _set_config_option(self, params: dict[str, Any]) -> Steps:
        session = self._session(params)
        self._may_choose()
        yield self._hesitation(session)
        if params.get("configId") not in ("mode", "model", "verbose"):
            raise RpcError(-32602, f"Unknown option: {params.get('configId')}")
        setattr(session, params["configId"], params.get("value"))
        return {"configOptions": config_options(session, self._client)}

    # Turns

    def _turn(self, params: dict[str, Any]) -> Turn:
        self._require_sign_in("auth-on-prompt")
        session = self._session(params)
        blocks = params.get("prompt") or []
        script = "\n".join(block.get("text", "") for block in blocks if block.get("type") == "text")
        turn = Turn(self, session, script)
        session.turns.append(turn)
        return turn

    def _prompt(self, turn: Turn) -> Steps:
        session = turn.session
        yield condition(lambda: session.turns[0] is turn)
        self._turns += 1
        session.history.append(("user", turn.script))
        self._store.save(session.id, session.cwd, session.history)
        yield from run(turn, add_faults(self.options.faults, lines_of(turn.script), self._turns == 1))
        return {"stopReason": turn.stop_reason or "end_turn"}


def _say_late(turn: Turn) -> Steps:
    yield seconds(0.05)
    turn.say("<late>")


def _uuid() -> str:
    digits = os.urandom(16).hex()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def main(arguments: list[str]) -> None:
    """Run one agent on standard input and output."""
    options = Options(arguments)
    if options.login:
        _log_in(options)
        return
    if "exit-at-spawn" in options.faults:
        sys.stderr.write("scripted agent: cannot start: licence file missing\n")
        sys.exit(3)
    if "ignore-term" in options.faults:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
    else:
        # Without this, Ctrl-C would print a traceback; real agents just end.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    end_burning = time.monotonic() + float(options.faults.get("burn", 0))
    while time.monotonic() < end_burning:
        pass
    wire = Wire(options.log, options.log_out)
    wire.keep_going_unread = "ignore-eof" in options.faults
    wire.note(dir="note", started=os.getppid())
    Agent(options, wire).serve()


def _log_in(options: Options) -> None:
    """What the terminal sign-in method runs: asks for a code on the terminal and accepts any.

    Like a password, it is read from /dev/tty without echo if there is a terminal.
    """
    if sys.stdin.isatty():
        import getpass  # imported only here, because it takes longer than an agent should take to start

        code = getpass.getpass("Enter the code: ")
    else:
        sys.stdout.write("Enter the code: ")
        sys.stdout.flush()
        code = sys.stdin.readline()
    if not code.strip():
        sys.stdout.write("That code is not valid.\n")
        sys.exit(1)
    if options.signed_in_file:
        with open(options.signed_in_file, "w", encoding="utf-8") as file:
            file.write("yes")
    sys.stdout.write("Signed in.\n")
