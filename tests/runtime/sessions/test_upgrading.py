"""F31: the agent is another one than before: its version, what it can do, the models it has.

What needs processes: tests/faults/sessions/test_upgrading.py.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import say, script
from tests.kit.clients.driver import Talk, talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import scripted
from tests.kit.servers.running import Server, StartServer
from tests.kit.waiting import until

pytestmark = pytest.mark.in_memory

HELLO = script(say("hello"))


class Upgradable:
    """An agent that can be replaced by another version of itself, and a chat with it."""

    def __init__(self, talk: Talk, place: Path) -> None:
        self.talk = talk
        self.place = place

    async def install(self, version: str, *faults: str, models: str = "scripted-1,scripted-2") -> None:
        kept = ["--store", str(self.place / "agent"), "--agent-version", version, "--models", models]
        agent = scripted(*faults, log=self.place / "agent.jsonl", options=kept)
        await self.talk.api.call("PUT", "/api/agents/mine", agent)

    async def upgrade(self, version: str, *faults: str, **more: Any) -> None:
        await self.install(version, *faults, **more)
        await self.talk.api.restart(self.talk.id, reload=True)

    def model(self) -> Any:
        """As the page shows it."""
        offered = self.talk.of_kind("options")[-1]["options"]
        return next(option["current"] for option in offered if option["category"] == "model")


@pytest.fixture
async def mine(server: Server, place: Path, workspace: Path) -> AsyncIterator[Upgradable]:
    async with talking(server, workspace, "scripted") as talk:
        mine = Upgradable(talk, place)
        await mine.install("1.2")
        await talk.api.change_chat(talk.id, agent="mine")
        yield mine
        await talk.judge()


async def test_an_agent_that_lost_its_memory_with_the_upgrade(mine: Upgradable, agent_log: AgentLog) -> None:
    """F31: it can no longer restore the session: a new one, with the reason, and the history is intact."""
    await mine.talk.run(HELLO)
    await mine.upgrade("1.3", "no-load", "no-resume")
    turn = await mine.talk.send(HELLO)
    question = await mine.talk.question()  # whether the new session is told about the last request
    await mine.talk.answer(question, "leave-out")
    assert (await mine.talk.ended(turn))["stop_reason"] == "end_turn"
    assert len(mine.talk.notices("agent-changed")) == len(mine.talk.notices("session-not-restored")) == 1
    old, new = [frame["params"]["sessionId"] for frame in agent_log.received("session/prompt")]
    assert old != new
    assert mine.talk.text() == "hello" * 2


@pytest.mark.parametrize("reload", [True, False])
@pytest.mark.parametrize("faults", [(), ("old-options",)])
async def test_the_chosen_model_is_chosen_again(
    mine: Upgradable, agent_log: AgentLog, faults: tuple[str, ...], reload: bool
) -> None:
    """F31: before the next prompt, in a restored session or a new one; only if it was chosen."""
    talk = mine.talk
    await mine.install("1.2", *faults)
    await talk.run(HELLO)
    await talk.api.restart(talk.id, reload=reload)
    await talk.run(HELLO)
    setting = "session/set_model" if faults else "session/set_config_option"
    assert agent_log.received(setting) == []
    await talk.api.set_option(talk.id, id="model", value="scripted-2")
    await mine.install("1.3", *faults, models="scripted-0,scripted-2")
    await talk.api.restart(talk.id, reload=reload)
    await talk.run(HELLO)
    first, again = agent_log.received(setting)
    key = "modelId" if faults else "value"
    assert first["params"][key] == again["params"][key] == "scripted-2"
    methods = [frame.get("method") for frame in agent_log.received()]
    assert methods[-2:] == [setting, "session/prompt"]
    assert again["params"]["sessionId"] == agent_log.received("session/prompt")[-1]["params"]["sessionId"]
    assert mine.model() == "scripted-2"
    assert not talk.notices("model-gone")


@pytest.mark.parametrize(
    ("reload", "faults"), [(True, ()), (True, ("no-resume",)), (False, ("old-options",))]
)
async def test_no_prompt_is_sent_before_the_chosen_model_is_set(
    mine: Upgradable, agent_log: AgentLog, workspace: Path, faults: tuple[str, ...], reload: bool
) -> None:
    """F31: however the session was opened, the first prompt does not go to the previous model."""
    talk = mine.talk
    await mine.install("1.2", *faults)
    await talk.run(HELLO)
    await talk.api.set_option(talk.id, id="model", value="scripted-2")
    await mine.install("1.2", *faults, "late-options=now")
    await talk.api.restart(talk.id, reload=reload)
    turn = await talk.send(HELLO)
    setting = "session/set_model" if "old-options" in faults else "session/set_config_option"
    await until(lambda: len(agent_log.received(setting)) == 2, 30)
    await talk.api.change_chat(talk.id, title="One more step")
    (workspace / "now").touch()
    assert (await talk.ended(turn))["stop_reason"] == "end_turn"
    frames = [line["frame"] for line in agent_log.lines() if isinstance(line.get("frame"), dict)]
    methods = [frame.get("method") for frame in frames]
    chosen = len(methods) - 1 - methods[::-1].index(setting)
    until_prompt = frames[chosen : methods.index("session/prompt", chosen)]
    assert [f["id"] for f in until_prompt if "result" in f] == [frames[chosen]["id"]], "it was not answered"
    assert not talk.notices("option-refused")


async def test_an_agent_that_never_sets_the_model_is_prompted_all_the_same(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """F31: after some time, and it is reported."""
    agent = scripted("late-options=never", log=agent_log.path)
    server = await start_server(agents={"slow": agent}, settings={"restore_timeout": "1s"})
    async with talking(server, workspace, "slow") as talk:
        await talk.run(HELLO)
        await talk.api.set_option(talk.id, id="model", value="scripted-2")
        assert (await talk.run(HELLO))["stop_reason"] == "end_turn"
        assert "within 1 s" in talk.notices("option-refused")[0]["text"]
        await talk.judge(text="hello" * 2)


async def test_a_chosen_model_that_is_gone_is_told_once(mine: Upgradable, agent_log: AgentLog) -> None:
    """F31: the agent's default replaces it; the missing model is not requested."""
    talk = mine.talk
    await talk.run(HELLO)
    await talk.api.set_option(talk.id, id="model", value="scripted-2")
    for _ in range(2):
        await mine.upgrade("1.3", models="scripted-3,scripted-4")
        await talk.run(HELLO)
    [told] = talk.notices("model-gone")
    assert "scripted-2" in told["text"]
    assert "Scripted-3" in told["text"]
    assert len(agent_log.received("session/set_config_option")) == 1
    assert mine.model() == "scripted-3"


async def test_a_model_that_the_agent_refused_is_not_chosen_again(
    mine: Upgradable, agent_log: AgentLog
) -> None:
    """R116: a reverted choice does not count as chosen."""
    talk = mine.talk
    await mine.install("1.2", "refuse-options")
    await talk.run(HELLO)
    await talk.api.set_option(talk.id, id="model", value="scripted-2")
    await talk.notice("option-refused")
    await mine.upgrade("1.3")
    await talk.run(HELLO)
    assert len(agent_log.received("session/set_config_option")) == 1
    assert mine.model() == "scripted-1"
