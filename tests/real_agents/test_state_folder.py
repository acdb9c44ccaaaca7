"""Where Copilot keeps its sessions: a folder for each person, as the manual says for containers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.kit.clients.driver import talking
from tests.kit.peers.llm import ScriptedLlm
from tests.real_agents.day import PATIENCE
from tests.real_agents.provision import AGENTS, RealAgent


@pytest.mark.parametrize("agent", AGENTS[:1], ids=["copilot"], indirect=True)
@pytest.mark.parametrize("how", ["argument", "variable"])
async def test_each_person_has_a_state_folder_of_their_own(
    start_server: StartServer, agent: RealAgent, llm: ScriptedLlm, place: Path, workspace: Path, how: str
) -> None:
    """R15, R184, R196: with Copilot's own `--config-dir`, or with `COPILOT_HOME`."""
    environment = agent.environment(place / "home", llm)
    providers = str(place / "home" / ".copilot" / "providers.json")
    state = {name: place / "state" / name for name in ("ada", "bob")}
    for name, folder in state.items():
        folder.mkdir(parents=True)
        given = (
            {"args": ["--acp", "--stdio", "--config-dir", str(folder)]}
            if how == "argument"
            else {"env": {"COPILOT_HOME": str(folder)}}
        )
        env = {"COPILOT_PROVIDERS_CONFIG": providers, **given.pop("env", {})}  # type: ignore[dict-item]
        server = await start_server(
            agents={"copilot": {**given, "env": env}}, env=environment, data_dir=place / f"data-{name}"
        )
        async with talking(server, workspace, "copilot") as talk:
            ended = await talk.run("say hello", within=PATIENCE)
            assert ended["stop_reason"] == "end_turn", ended
        await server.close()
    kept = {
        name: {one.name for one in (folder / "session-state").iterdir() if one.name[0] != "."}
        for name, folder in state.items()
    }
    assert kept["ada"]
    assert kept["bob"]
    assert not kept["ada"] & kept["bob"]
    assert not (place / "home" / ".copilot" / "session-state").exists()
