"""Recorded agents: one that speaks as a real agent did, and a person on HTTP.

Lives here: turning what the recording client did into what a person does. Lives elsewhere: what must be
seen (tests/kit/oracles/trace_oracle.py), the agent (tests/fakes/replaying_agent.py).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.fakes import replaying_agent
from tests.kit.clients.driver import Talk, talking
from tests.kit.oracles import trace_oracle
from tests.kit.oracles.trace_seen import Json
from tests.kit.oracles.trace_shown import shown
from tests.kit.oracles.traces import RecordedFrame, recordings
from tests.kit.servers.running import StartServer
from tests.kit.waiting import until
from voxpilot.chat.transcript import fold

_LEFT_OUT = ("session/list", "session/close", "session/delete")
"""What the recording client requested and our server would not."""


async def show_recording(start_server: StartServer, workspace: Path, folder: Path, name: str) -> None:
    """Have a recorded agent speak, do what its client did, and compare what is shown with what it said."""
    frames = drivable(recordings()[name])
    (folder / "frames.json").write_text(json.dumps([asdict(frame) for frame in frames]), encoding="utf-8")
    command = ["-I", "-S", replaying_agent.AGENT, str(folder)]
    agent = {"command": sys.executable, "args": command, "fs": False, "terminal": False}
    server = await start_server(agents={"replaying": agent})
    async with talking(server, workspace, "replaying") as talk:
        await play(talk, frames, folder)
        await until((folder / f"end-{frames[-1].run}").exists, 30)
        await until(lambda: not {"queued", "running"} & set(talk.states()), 30)
        expected = trace_oracle.read(frames, repeated="skipped").plain()
        with suppress(AssertionError):  # output after the last answer may still be on its way
            await until(lambda: seen_by(talk, expected) == expected, 10)
        assert seen_by(talk, expected) == expected
        await talk.judge()


def seen_by(talk: Talk, expected: Json) -> Json:
    """What the chat shows, with the names and the title that the recording cannot know taken from it."""
    folded = fold((row.kind, row.data) for row in talk.rows())
    seen = shown(folded.head, folded.blocks).plain()
    if expected["title"] is None:
        seen["title"] = None  # it is ours, from the first message
    for fact in ("options", "commands", "usage"):
        seen[fact] = dict(zip(["s1"], seen[fact].values(), strict=False))
    return seen


async def play(talk: Talk, frames: list[RecordedFrame], folder: Path) -> None:
    """Do what the recording client did, each time the agent waits for it."""
    asked = 0
    for number, frame in enumerate(frames):
        message, run = frame.message, frame.run
        if frame.from_agent:
            asked += message.get("method") in ("session/request_permission", "elicitation/create")
            continue
        if message.get("method") in ("initialize", "session/new", "session/load"):
            if run > frames[max(number - 1, 0)].run:
                await until((folder / f"end-{run - 1}").exists, 30)
                await until(lambda: set(talk.states()) <= {"done"}, 30)
                talk.server.signal_agent(int((folder / "pid").read_text()))
                await talk.sees(lambda e: e.kind == "agent-status" and e.data["status"] == "error")
            continue
        if message.get("method") == "session/prompt":
            await talk.send("".join(block.get("text", "") for block in message["params"]["prompt"]))
            await until((folder / f"at-{number}").exists, 30)
            continue
        await until((folder / f"at-{number}").exists, 30)
        await act(talk, message, asked)


async def act(talk: Talk, message: Json, asked: int) -> None:
    params, result = message.get("params") or {}, message.get("result") or {}
    if message.get("method") == "session/cancel":
        await talk.question(asked) if asked else None
        await talk.cancel()
    elif message.get("method") == "session/set_config_option":
        await talk.api.set_option(talk.id, id=params["configId"], value=params["value"])
    elif "action" in result:
        question = await talk.question(asked)
        await talk.api.answer_form(talk.id, question["id"], result["action"], content=result["content"])
    elif (chosen := (result.get("outcome") or {}).get("optionId")) is not None:
        await talk.answer(await talk.question(asked), chosen)


def drivable(frames: tuple[RecordedFrame, ...]) -> list[RecordedFrame]:
    """The recording without what our server would not do, in the order it does the rest."""
    kept = list(_without_refused(_until_a_second_load(frames)))
    first_choice = next((n for n, f in enumerate(kept) if "session/set" in f.message.get("method", "")), None)
    if first_choice is not None:  # ours are sent in a session that a prompt has opened
        prompt = next(n for n, f in enumerate(kept) if f.message.get("method") == "session/prompt")
        kept = [*kept[:first_choice], *kept[prompt:], *kept[first_choice:prompt]]
    for frame in kept:
        able = (frame.message.get("result") or {}).get("agentCapabilities", {}) if frame.from_agent else {}
        able.get("sessionCapabilities", {}).pop("list", None)
        able.get("sessionCapabilities", {}).pop("resume", None)
    return kept


def _until_a_second_load(frames: tuple[RecordedFrame, ...]) -> Iterator[RecordedFrame]:
    loads = 0
    for frame in frames:
        loads += frame.message.get("method") in ("session/load", "session/resume")
        if loads == 2:
            return
        yield RecordedFrame(**json.loads(json.dumps(asdict(frame))))


def _without_refused(frames: Iterator[RecordedFrame]) -> Iterator[RecordedFrame]:
    all_frames = list(frames)
    answers = {_key(f): f.message for f in all_frames if f.from_agent and "method" not in f.message}
    gone: set[Any] = set()
    for frame in all_frames:
        method = frame.message.get("method", "")
        if not frame.from_agent and "id" in frame.message and method:
            refused = "session/set" in method and "error" in answers.get(_key(frame), {})
            if method in _LEFT_OUT or refused:
                gone.add(_key(frame))
                continue
        if frame.from_agent and not method and _key(frame) in gone:
            continue
        yield frame


def _key(frame: RecordedFrame) -> tuple[int, str]:
    return frame.run, json.dumps(frame.message.get("id"))
