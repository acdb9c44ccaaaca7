"""Followers of a chat get every event once, whatever the numbers are."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.kit.memory.server import MemoryServer
from voxpilot.agents.installed.consents import Consents
from voxpilot.chat.events import Json, NoticeGiven, ToolCallChanged, ToolCallStarted
from voxpilot.chat.transcript import Transcript
from voxpilot.runtime.commands.create_chat import ChatSpec
from voxpilot.runtime.readers.shown import Shown
from voxpilot.runtime.readers.wakeup import RECENT_BYTES, Wakeup
from voxpilot.storage.chats.event_log import Recorded
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Chat


@dataclass(eq=False)
class Reading:
    after: int = 0
    bell: asyncio.Event = field(default_factory=asyncio.Event)


def test_events_are_found_by_their_numbers_though_one_is_missing() -> None:
    wakeup = Wakeup(0)
    wakeup.readers.add(Reading())
    wakeup.announce([Recorded(seq, "notice", b"{}") for seq in (1, 2, 4, 5, 6)])
    for after, left in ((0, [1, 2, 4, 5, 6]), (2, [4, 5, 6]), (3, [4, 5, 6]), (4, [5, 6]), (6, [])):
        assert [event.seq for event in wakeup.recent_after(after) or []] == left


def test_what_was_never_announced_is_read_from_the_log() -> None:
    wakeup = Wakeup(0)
    wakeup.readers.add(Reading())
    wakeup.announce([Recorded(seq, "notice", b"{}") for seq in (1, 2)])
    wakeup.announce([Recorded(seq, "notice", b"{}") for seq in (5, 6)])
    assert wakeup.recent_after(0) is None
    assert wakeup.recent_after(2) is None
    assert [event.seq for event in wakeup.recent_after(4) or []] == [5, 6]


@pytest.mark.in_memory
@pytest.mark.parametrize("broken", [(Consents, "take_from"), (Shown, "publish"), (Ledger, "committed")])
async def test_whatever_fails_after_a_commit_followers_see_the_step(
    server: MemoryServer, workspace: Path, monkeypatch: pytest.MonkeyPatch, broken: tuple[type, str]
) -> None:
    def say(ledger: Ledger, now: float) -> Json:
        ledger.emit(NoticeGiven(level="info", code="x", text="stored"), now)
        return {}

    def fail(*_: object) -> None:
        monkeypatch.undo()
        raise RuntimeError("after the commit")

    assert server.supervisor is not None
    spec = ChatSpec(workspace=str(workspace), mode="llm", agent=None)
    chat = await server.supervisor.chat(await server.supervisor.create(spec, None))
    follower = chat.follow(chat.wakeup.last, asyncio.Event())
    monkeypatch.setattr(*broken, fail)
    await chat.do(say)
    assert [event.kind for event in await follower.take()] == ["notice"]
    follower.close()
    await chat.do(say)


def test_without_anybody_looking_on_nothing_is_held() -> None:
    wakeup = Wakeup(0)
    wakeup.announce([Recorded(1, "notice", b"{}")])
    assert (wakeup.size, wakeup.last, wakeup.recent_after(0)) == (0, 1, None)


def test_what_is_held_has_a_bound() -> None:
    wakeup = Wakeup(0)
    wakeup.readers.add(Reading())
    for seq in range(1, 2000):
        wakeup.announce([Recorded(seq, "text-delta", b"x" * 1000)])
        assert wakeup.size <= 2 * RECENT_BYTES
    assert [event.seq for event in wakeup.recent_after(1998) or []] == [1999]
    wakeup.hold(0)
    assert (wakeup.size, wakeup.recent_after(1998), wakeup.recent_after(1999)) == (0, None, [])


def test_what_everybody_took_is_not_held() -> None:
    wakeup = Wakeup(0)
    first, second = Reading(), Reading()
    wakeup.readers |= {first, second}
    wakeup.announce([Recorded(seq, "text-delta", b"x" * 1000) for seq in (1, 2, 3)])
    first.after, second.after = 3, 2
    wakeup.announce([Recorded(4, "text-delta", b"x" * 1000)])
    assert [event.seq for event in wakeup.recent_after(2) or []] == [3, 4]
    assert wakeup.recent_after(1) is None
    first.after = second.after = 4
    wakeup.announce([Recorded(5, "text-delta", b"x")])
    assert wakeup.size < 1000


def test_an_event_that_cannot_be_folded_takes_no_number() -> None:
    chat = Chat(
        id="c", title="t", workspace="/w", mode="agent", agent="a", policy="ask", created_at=0.0,
        updated_at=0.0,
    )  # fmt: skip
    ledger = Ledger(chat, Transcript())
    ledger.emit(ToolCallStarted(id="t", title="", tool_kind="edit", status="pending"), 1.0)
    with pytest.raises(AttributeError):
        ledger.emit(ToolCallChanged(id="t", content=(5,)), 1.0)  # type: ignore[arg-type]
    ledger.emit(NoticeGiven(level="info", code="x", text="after"), 1.0)
    seqs = [event.seq for event in ledger.take(2.0).events]
    assert seqs == list(range(1, len(seqs) + 1))
    assert [block["text"] for block in ledger.transcript.blocks if block["kind"] == "notice"] == ["after"]


def test_an_odd_diff_that_is_stored_already_can_be_folded() -> None:
    chat = Transcript()
    odd = [{"type": "diff", "path": []}]
    chat.apply("tool-call", {"seq": 1, "at": 1.0, "id": "t", "content": odd})
    chat.apply("tool-update", {"seq": 2, "at": 1.0, "id": "t", "content": odd})
    assert chat.blocks[0]["content"] == odd
