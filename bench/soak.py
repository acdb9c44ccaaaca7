"""Many chats at a person's pace for a long time, to see whether anything grows.

    python -m bench.soak --minutes 30 --chats 20
    python -m bench.soak --minutes 30 --chats 200

The real server with scripted agents, some assistant chats with the scripted model, readers that come and go.
Prints a line a minute, and at the end how each figure grew after the warm-up; exit code 1 if one did.

Lives here: the work. Lives elsewhere: what is measured (soak_figures.py), the agents (tests/fakes).
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import anyio

from bench import machine
from bench.soak_figures import HEADING, Minute, processor_seconds, row, verdict
from bench.stage import PROGRAM
from tests.fakes import script
from tests.kit.clients.assistant import assistant, call
from tests.kit.clients.client import Api
from tests.kit.clients.sse import Event, Refused, StreamEnded, connect
from tests.kit.machine.processes import marked
from tests.kit.peers.llm import ScriptedLlm, scripted_llm
from tests.kit.servers.config import MARK, scripted, write_config
from tests.kit.servers.server import ServerProcess

CHATS_A_STREAM = 200
SAMPLE_SECONDS = 5.0
TURN_SECONDS = 120.0
PER_SECOND = 30
"""Updates per second that an agent sends while it speaks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    minutes: float
    chats: int
    assistants: int
    readers: int
    turns_a_minute: float
    warm_up: int
    seed: int = 1


@dataclass
class Soak:
    plan: Plan
    server: ServerProcess
    workspace: Path
    minutes: list[Minute] = field(default_factory=lambda: [Minute(1)])
    wrong: list[str] = field(default_factory=list)
    chats: list[str] = field(default_factory=list)
    _asked: dict[str, float] = field(default_factory=dict)
    """When the message of a turn was sent; removed when its first text arrives."""
    _ends: dict[str, anyio.Event] = field(default_factory=dict)
    _dice: random.Random = field(default_factory=random.Random)

    @property
    def now(self) -> Minute:
        return self.minutes[-1]

    async def run(self) -> None:
        self._dice.seed(self.plan.seed)
        async with Api(self.server.url, self.server.token, timeout=60) as api:
            for number in range(self.plan.chats):
                mode = "llm" if number < self.plan.assistants else "agent"
                chat = await api.create_chat(self.workspace, "scripted", mode)
                self.chats.append(str(chat["id"]))
            async with anyio.create_task_group() as tasks:
                for start in range(0, len(self.chats), CHATS_A_STREAM):
                    tasks.start_soon(self._watch, api, self.chats[start : start + CHATS_A_STREAM])
                for number, chat in enumerate(self.chats):
                    tasks.start_soon(self._person, api, chat, number < self.plan.assistants)
                for _ in range(self.plan.readers):
                    tasks.start_soon(self._reader)
                await self._measure()
                tasks.cancel_scope.cancel()

    async def _person(self, api: Api, chat: str, is_assistant: bool) -> None:
        """Sends a message, waits for its end, thinks, sends the next."""
        dice = random.Random(f"{self.plan.seed}-{chat}")
        mean = 60 * len(self.chats) / self.plan.turns_a_minute
        await anyio.sleep(dice.uniform(0, mean))
        number = 0
        while True:
            number += 1
            text = _for_assistant(dice) if is_assistant else _for_agent(dice, number)
            await self._turn(api, chat, text)
            await anyio.sleep(min(dice.expovariate(1 / mean), 3 * mean))

    async def _turn(self, api: Api, chat: str, text: str) -> None:
        sent = time.monotonic()
        turn = str((await api.prompt(chat, text))["turn"])
        self._asked.setdefault(turn, sent)
        ended = self._ends.setdefault(turn, anyio.Event())
        with anyio.move_on_after(TURN_SECONDS) as limit:
            await ended.wait()
        if limit.cancelled_caught:
            self.wrong.append(f"a turn of chat {chat} did not end within {TURN_SECONDS:.0f} s")
        self._ends.pop(turn, None)
        self._asked.pop(turn, None)
        self.now.turns += 1

    async def _watch(self, api: Api, chats: Sequence[str]) -> None:
        """One page with all chats: it measures, and answers agents' questions."""
        path = f"/api/stream?tail=0&chats={','.join(chats)}"
        async with anyio.create_task_group() as tasks:
            async with connect(self.server.url, path, self.server.token) as stream:
                async for event in stream:
                    stream.received.clear()
                    self._take(event, time.time(), time.monotonic())
                    if event.kind == "question":
                        chat = (event.id or "").partition(":")[0]
                        tasks.start_soon(self._answer, api, chats, event, chat)
            self.wrong.append("a stream ended")

    async def _answer(self, api: Api, chats: Sequence[str], event: Event, chat: str) -> None:
        await anyio.sleep(self._dice.uniform(0.5, 3))
        option = next((o["id"] for o in event.data["options"] if o["kind"] == "allow_once"), None)
        owner = str(event.data.get("chat") or chat)
        if option is None or owner not in chats:
            self.wrong.append(f"a question nobody can answer: {event.data.get('title')}")
            return
        await api.answer(owner, event.data["id"], option)

    def _take(self, event: Event, wall: float, now: float) -> None:
        if not event.is_stored:
            return
        minute = self.now
        minute.events += 1
        minute.delivery_ms.append(1000 * (wall - float(event.data.get("last_at", event.data["at"]))))
        turn = event.data.get("turn")
        if event.kind in ("text-delta", "copilot-delta") and (sent := self._asked.pop(turn, None)):
            minute.first_delta_ms.append(1000 * (now - sent))
        if event.kind == "turn-ended":
            self._ends.setdefault(turn, anyio.Event()).set()
            if event.data.get("stop_reason") == "error":
                self.wrong.append(f"a turn failed: {event.data.get('error')}")

    async def _reader(self) -> None:
        """A page that opens some chat, watches it for some time and leaves."""
        while True:
            path = f"/api/chats/{self._dice.choice(self.chats)}/stream"
            with suppress(StreamEnded, OSError, Refused), anyio.move_on_after(self._dice.uniform(5, 40)):
                async with connect(self.server.url, path, self.server.token, tail=50) as stream:
                    async for _ in stream:
                        stream.received.clear()
            await anyio.sleep(self._dice.uniform(0.2, 3))

    async def _measure(self) -> None:
        began = time.monotonic()
        used, since = processor_seconds(self.server.pid), began
        print(HEADING, flush=True)
        while (passed := time.monotonic() - began) < 60 * self.plan.minutes:
            await anyio.sleep(min(SAMPLE_SECONDS, 60 * self.plan.minutes - passed))
            self.now.look(self.server.pid, self._keepers())
            if time.monotonic() - began >= 60 * self.now.number:
                used, since = self._close_minute(used, since)
        if self.now.server_mb:
            self._close_minute(used, since)

    def _close_minute(self, used: float, since: float) -> tuple[float, float]:
        now, seconds = time.monotonic(), processor_seconds(self.server.pid)
        self.now.processor = (seconds - used) / (now - since)
        print(row(self.now), flush=True)
        self.minutes.append(Minute(self.now.number + 1))
        return seconds, now

    def _keepers(self) -> list[int]:
        kept_in = f"{self.server.data_dir}/keepers/"
        return [found.pid for found in marked(kept_in) if kept_in in found.command]


def _for_agent(dice: random.Random, number: int) -> str:
    """What an agent does in one turn: it speaks, plans, uses tools, changes files and sometimes asks."""
    tool = f"call-{number}"
    parts = [
        script.think("Let me look at this first."),
        script.chunks(dice.randint(10, 90), 1000 / PER_SECOND),
    ]
    if dice.random() < 0.5:
        parts += [
            script.plan("Look", "Change", "Test"),
            script.tool(tool, "read", "Read a file"),
            script.tool_update(tool, "completed", "some output " * dice.randint(1, 200)),
        ]
    if dice.random() < 0.3:
        parts += [script.tool(f"{tool}-edit"), script.diff(f"{tool}-edit", "notes.md")]
    if dice.random() < 0.1:
        parts.append(script.ask(f"{tool}-ask", "May I continue?"))
    if dice.random() < 0.05:
        parts.append(script.text(20, 4000))
    return script.script(*parts, script.chunks(dice.randint(5, 40), 1000 / PER_SECOND))


def _for_assistant(dice: random.Random) -> str:
    lines = [f"slow {dice.randint(10, 60)} 0.04"]
    if dice.random() < 0.5:
        lines.append(call("list_directory", path="."))
    return "\n".join([*lines, "say That is all."])


async def soak(plan: Plan, folder: Path, llm: ScriptedLlm) -> Soak:
    """Run it in a folder; prints how the figures grew before it ends the server, which may take long."""
    workspace = folder / "workspace"
    workspace.mkdir(parents=True)
    (workspace / "notes.md").write_text("some notes\n", encoding="utf-8")
    agents = {"scripted": scripted(pass_env=(MARK,))}
    config = write_config(folder / "config.toml", agents, {"log_level": "warning", **assistant(llm)})
    env = {"PYTHONDONTWRITEBYTECODE": ""}
    async with ServerProcess(folder / "data", config, env=env, command=PROGRAM) as server:
        done = Soak(plan, server, workspace)
        await done.run()
        print(
            "\n".join(
                ["", f"After {plan.warm_up} minutes of warm-up:", *verdict(done.minutes, plan.warm_up)[0]]
            )
        )
    return done


def main() -> int:
    options = _parser().parse_args()
    plan = Plan(
        minutes=options.minutes,
        chats=options.chats,
        assistants=options.assistants if options.assistants is not None else max(1, options.chats // 20),
        readers=options.readers,
        turns_a_minute=options.turns,
        warm_up=options.warm_up if options.warm_up is not None else max(1, round(options.minutes / 4)),
    )
    print(f"{machine.described()}; {plan.chats} chats, {plan.turns_a_minute:.0f} turns a minute", flush=True)
    with tempfile.TemporaryDirectory(prefix="voxpilot-soak-") as folder:
        with scripted_llm(Path(folder, "llm.log")) as llm:
            done = anyio.run(soak, plan, Path(folder, "soak"), llm)
    _, is_flat = verdict(done.minutes, plan.warm_up)
    for what in sorted(set(done.wrong)):
        print(f"WRONG ({done.wrong.count(what)}): {what}")
    return 0 if is_flat and not done.wrong else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench.soak", description="Work for a long time; see what grows.")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--chats", type=int, default=20)
    parser.add_argument(
        "--assistants", type=int, help="how many of them ask the scripted model (default: 5 %%)"
    )
    parser.add_argument("--readers", type=int, default=3, help="pages that come and go")
    parser.add_argument("--turns", type=float, default=30, help="messages a minute, over all chats")
    parser.add_argument("--warm-up", type=int, help="minutes that do not count (default: a quarter)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
