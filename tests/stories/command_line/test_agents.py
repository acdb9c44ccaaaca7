"""Agents as data: a person's changes take effect immediately, and secrets stay hidden."""

from __future__ import annotations

import json
import os
import stat
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartServer
from tests.fakes.script import env, say, script
from tests.kit.clients.client import Api, ApiError
from tests.kit.clients.driver import talking
from tests.kit.servers.config import MARK, scripted
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until

MASK = "••••••••"
HELLO = script(say("hello"))


async def agent(api: Api, id: str) -> dict[str, Any]:
    listed = await api.call("GET", "/api/agents")
    return next(found for found in listed["agents"] if found["id"] == id)


async def put(api: Api, id: str, **fields: Any) -> Any:
    return await api.call("PUT", f"/api/agents/{id}", fields)


@pytest.fixture
def config(server: ServerProcess) -> Path:
    return server.config


async def test_the_known_agents_are_listed_with_how_to_start_them(api: Api) -> None:
    """R3, R122, R124, C19: each with its own kind of arguments."""
    listed = (await api.call("GET", "/api/agents"))["agents"]
    started = {found["id"]: [found["command"], *found["args"]] for found in listed if found["known"]}
    assert started["copilot"] == ["copilot", "--acp", "--stdio"]
    assert started["opencode"] == ["opencode", "acp"]
    assert started["claude"] == ["claude-agent-acp"]
    assert started["codex"] == ["codex-acp"]
    assert all(found["install_hint"] for found in listed if found["known"] and found["id"] != "demo")


async def test_a_changed_command_counts_without_a_restart(
    server: ServerProcess, api: Api, workspace: Path, place: Path
) -> None:
    """R123, R132, V24: a wrong path, an error that names it, the right path, and the same chat works."""
    await put(api, "mine", command=str(place / "nowhere"), display_name="Mine")
    async with talking(server, workspace, "mine") as talk:
        error = (await talk.run(HELLO))["error"]
        assert "nowhere" in error["message"]
        right = scripted(log=place / "agent.jsonl")
        changed = await put(api, "mine", command=right["command"], args=right["args"], pass_env=[MARK])
        assert (changed["display_name"], changed["found"]) == ("Mine", sys.executable)
        assert (await talk.run(HELLO))["stop_reason"] == "end_turn"
        assert talk.text() == "hello"
    await server.restart()
    assert (await agent(api, "mine"))["args"] == right["args"]


async def test_a_known_agent_can_be_changed_and_put_back(api: Api, config: Path) -> None:
    """R15, R123, R184: only differences are written; without the change it has its defaults again."""
    before = await agent(api, "codex")
    changed = await put(api, "codex", args=["--config-dir", "/somewhere"], env={"X": "1"})
    assert (changed["args"], changed["env"]) == (["--config-dir", "/somewhere"], {"X": "1"})
    assert (changed["changed"], changed["pass_env"]) == (True, before["pass_env"])
    assert '[agents.codex]\nargs = ["--config-dir", "/somewhere"]' in config.read_text()
    assert "pass_env" not in config.read_text().partition("[agents.codex]")[2]
    await put(api, "codex", env=before["env"])
    assert (await agent(api, "codex"))["env"] == before["env"]
    await api.call("DELETE", "/api/agents/codex")
    assert await agent(api, "codex") == before
    assert "codex" not in config.read_text()
    with pytest.raises(ApiError) as refused:
        await api.call("DELETE", "/api/agents/codex")
    assert refused.value.status == 404


async def test_what_the_settings_file_adds_to_a_known_agents_environment_keeps_it_asking(
    start_server: StartServer,
) -> None:
    """A key in the file does not silently remove the variables that make the agent ask."""
    server = await start_server(agents={"codex": {"env": {"OPENAI_API_KEY": "k-1"}}})
    async with Api(server.url, server.token) as api:
        assert (await agent(api, "codex"))["env"] == {
            "INITIAL_AGENT_MODE": "read-only",
            "NO_BROWSER": "1",
            "OPENAI_API_KEY": MASK,
        }


async def test_an_own_agent_comes_and_goes(api: Api, config: Path) -> None:
    """R125: with its own key."""
    await put(api, "mine", command="my-agent", env={"MY_API_KEY": "s3cret"})
    found = await agent(api, "mine")
    assert (found["known"], found["found"], found["env"]) == (False, None, {"MY_API_KEY": MASK})
    await api.call("DELETE", "/api/agents/mine")
    assert "mine" not in [entry["id"] for entry in (await api.call("GET", "/api/agents"))["agents"]]
    assert "my-agent" not in config.read_text()


async def test_secrets_are_hidden_in_every_answer_and_kept_when_sent_back(
    server: ServerProcess, api: Api, workspace: Path
) -> None:
    """R125: sending the mask back keeps the value; the agent gets the real one."""
    secrets = {name: f"canary-{name}" for name in ("MY_API_KEY", "A_TOKEN", "DB_PASSWORD", "CLIENT_SECRET")}
    told = await put(api, "scripted", env={**secrets, "COLOUR": "blue"})
    assert told["env"] == dict.fromkeys(secrets, MASK) | {"COLOUR": "blue"}
    for path in ("/api/agents", "/api/settings"):
        assert "canary" not in (await api.request("GET", path)).text
    await put(api, "scripted", env={**told["env"], "COLOUR": "red"})
    async with talking(server, workspace) as talk:
        await talk.run(script(env()))
        assert "canary-MY_API_KEY" in talk.text()
        assert "COLOUR" in talk.text()
    with pytest.raises(ApiError, match="NEW_KEY has no value yet"):
        await put(api, "scripted", env={"NEW_KEY": MASK})


async def test_secrets_among_the_arguments_are_hidden_and_kept_too(
    server: ServerProcess, api: Api, place: Path, workspace: Path, config: Path
) -> None:
    """R125: the agent is started with the real values, even after others around them were changed."""
    told = place / "told.json"
    keep = f"import json, sys; open({str(told)!r}, 'w').write(json.dumps(sys.argv[1:])); sys.exit(3)"
    real = [
        "-c",
        keep,
        "--api-key=canary-1",
        "--token",
        "canary-2",
        "--model",
        "m",
        "--header",
        "Cookie: canary-3",
    ]
    shown = (await put(api, "mine", command=sys.executable, args=real))["args"]
    assert shown[2:] == [f"--api-key={MASK}", "--token", MASK, "--model", "m", "--header", f"Cookie: {MASK}"]
    for path in ("/api/agents", "/api/settings"):
        assert "canary" not in (await api.request("GET", path)).text
    changed = [*shown[:5], "--new", "--model", "other", *shown[7:]]
    assert (await put(api, "mine", args=changed))["args"] == changed
    await put(api, "mine", display_name="Mine")
    async with talking(server, workspace, "mine") as talk:
        await talk.run("hi")
    started_with = [*real[2:5], "--new", "--model", "other", "--header", "Cookie: canary-3"]
    assert json.loads(told.read_text()) == started_with
    listed = (await api.call("GET", "/api/settings"))["values"]["acpAgents"]
    await api.call("PUT", "/api/settings", {"acpAgents": listed})
    assert all(f"canary-{number}" in config.read_text() for number in (1, 2, 3))
    with pytest.raises(ApiError, match="has no value yet"):
        await put(api, "mine", args=[*shown, f"--secret={MASK}"])


async def test_the_file_keeps_its_comments_and_its_links_and_is_private(
    server: ServerProcess, api: Api, config: Path, place: Path
) -> None:
    text = "# My settings\nquiet_time = 0.1 # short\n" + config.read_text() + "\n# the end\n"
    real = place / "elsewhere.toml"
    real.write_text(text)
    config.unlink()
    config.symlink_to(real)
    await put(api, "mine", command="my-agent", args=["a b", 'c"d'])
    await api.call("PUT", "/api/settings", {"crash_limit": 7, "acpDefaultAgentId": "mine"})
    written = real.read_text()
    assert config.is_symlink()
    for part in ("# My settings\n", "quiet_time = 0.1 # short\n", "# the end\n", "crash_limit = 7"):
        assert part in written
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    assert [entry.name for entry in place.iterdir() if entry.name.startswith(".config")] == []
    assert (await agent(api, "mine"))["args"] == ["a b", 'c"d']


async def test_a_change_of_the_file_by_hand_is_noticed(api: Api, config: Path) -> None:
    """Without anybody asking, and without a restart."""
    good = config.read_text()
    config.write_text(good + '\n[agents.by-hand]\ncommand = "first"\n')
    assert (await agent(api, "by-hand"))["command"] == "first"
    config.write_text(good + "\n[agents.by-hand\n")
    listed = await api.call("GET", "/api/agents")
    assert str(config) in listed["settings_problem"]
    assert (await agent(api, "by-hand"))["command"] == "first", "the last good settings count"
    with pytest.raises(ApiError) as refused:
        await put(api, "by-hand", command="second")
    assert (refused.value.status, refused.value.code) == (409, "conflict")
    config.write_text(good)
    listed = await api.call("GET", "/api/agents")
    assert listed["settings_problem"] is None
    assert "by-hand" not in [found["id"] for found in listed["agents"]]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({}, "needs a command"),
        ({"command": "x", "tcp": "10.0.0.1:3000"}, "allow_remote"),
        ({"command": "x", "tcp": "somewhere"}, "127.0.0.1:3000"),
        ({"command": "x", "env": {"A=B": "c"}}, "env"),
        ({"command": "a\0b"}, "command"),
    ],
)
async def test_an_agent_that_cannot_be_is_refused_and_nothing_is_written(
    api: Api, config: Path, fields: dict[str, Any], why: str
) -> None:
    before = config.read_text()
    with pytest.raises(ApiError) as refused:
        await put(api, "mine", **fields)
    assert refused.value.status == 422
    assert why in refused.value.message
    assert config.read_text() == before


async def test_nobody_without_credentials_changes_an_agent(server: ServerProcess, config: Path) -> None:
    """A46: an agent that finds our port has no credentials for it."""
    before = config.read_text()
    async with Api(server.url, None) as stranger:
        for method, path in (
            ("PUT", "/api/agents/copilot"),
            ("DELETE", "/api/agents/copilot"),
            ("PUT", "/api/settings"),
            ("GET", "/api/settings"),
        ):
            body = {"command": "/tmp/evil"} if method == "PUT" else None
            response = await stranger.request(method, path, json=body)
            assert response.status_code == 401, (method, path)
    async with Api(server.url, server.token) as owner:
        headers = {"Origin": "http://evil.example"}
        response = await owner.request("PUT", "/api/agents/copilot", json={"command": "x"}, headers=headers)
        assert response.status_code == 403, "another site's page cannot use a browser that is signed in"
    assert config.read_text() == before


async def test_the_copilot_program_can_be_named_by_the_environment(start_server: StartServer) -> None:
    """R4, R182: the environment overrides the file, and this is reported."""
    server = await start_server(
        agents={"copilot": {"command": "/from/the/file", "args": ["--acp"]}},
        env={"VOXPILOT_COPILOT_CLI_PATH": "/from/the/environment"},
    )
    async with Api(server.url, server.token) as api:
        found = await agent(api, "copilot")
        assert (found["command"], found["args"], found["fixed"]) == (
            "/from/the/environment", ["--acp"], ["command"],
        )  # fmt: skip
        with pytest.raises(ApiError) as refused:
            await put(api, "copilot", command="/from/the/page")
        assert (refused.value.status, refused.value.hint) == (409, "Unset VOXPILOT_COPILOT_CLI_PATH.")
        assert (await put(api, "copilot", args=["--acp", "--stdio"]))["args"] == ["--acp", "--stdio"]


async def test_a_child_sees_the_short_list_and_what_its_agent_names(
    start_server: StartServer, workspace: Path, place: Path
) -> None:
    """A49, R15: `COPILOT_HOME` is passed to copilot; none of our own variables are."""
    program = scripted(log=place / "agent.jsonl")
    server = await start_server(
        agents={
            "copilot": {
                "command": program["command"],
                "args": program["args"],
                "pass_env": ["COPILOT_HOME", MARK],
            }
        },
        env={
            "COPILOT_HOME": "/sessions", "GH_TOKEN": "canary", "AWS_SECRET_ACCESS_KEY": "canary",
            "LC_ALL": "C.UTF-8", "VOXPILOT_DATABASE_URL": "canary", "SHELL": "/bin/sh", "TERM": "xterm",
        },
    )  # fmt: skip
    async with talking(server, workspace, "copilot") as talk:
        await talk.run(script(env()))
        seen = json.loads(talk.text())
    short_list = {"HOME", "PATH", "LANG", "TERM", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ"}
    ours = {name for name in short_list if name in os.environ} | {"SHELL", "TERM", "LC_ALL"}
    ours |= {name for name in os.environ if name.startswith("LC_")}
    # The last two are the keeper's mark, and a variable that the interpreter sets by itself.
    assert set(seen) - {"LC_CTYPE"} == ours | {"COPILOT_HOME", MARK, "VOXPILOT_KEEPER"}
    assert (seen["COPILOT_HOME"], seen["TERM"]) == ("/sessions", "xterm")
    assert "canary" not in str(seen)


async def test_settings_go_by_the_names_of_the_page_and_by_ours(
    start_server: StartServer, place: Path
) -> None:
    """R126, R127, R128, R129, R185: in the file and over HTTP, in both spellings."""
    server = await start_server(
        settings={
            "acpDefaultAgentId": "listed",
            "acpAutoAllowPermissions": True,
            "interaction_mode_default": "llm",
            "acpSkillsFolderPath": "my-skills",
            "acpAgents": [{"id": "listed", "displayName": "Listed", "command": "from-the-list"}],
        },
        env={"VOXPILOT_CRASH_LIMIT": "9"},
    )
    async with Api(server.url, server.token) as api:
        told = await api.call("GET", "/api/settings")
        values = told["values"]
        assert values["acpDefaultAgentId"] == "listed"
        assert values["acpAutoAllowPermissions"] is True
        assert values["interactionModeDefault"] == "llm"
        assert values["acpSkillsFolderPath"] == "my-skills"
        assert {
            "id": "listed",
            "displayName": "Listed",
            "command": "from-the-list",
            "args": [],
            "env": {},
        } in (values["acpAgents"])
        assert (values["crash_limit"], "crash_limit" in told["decided_elsewhere"]) == (9, True)
        assert (await api.call("GET", "/api/agents"))["default"] == "listed"

        changes = {"interactionModeDefault": "agent", "acp_auto_allow_permissions": False, "quiet_time": "1m"}
        values = (await api.call("PUT", "/api/settings", changes))["values"]
        assert values["interactionModeDefault"] == "agent"
        assert values["acpAutoAllowPermissions"] is False
        assert values["quiet_time"] == 60
        text = server.config.read_text()
        assert "acpAutoAllowPermissions = false" in text, "under the name the person wrote"
        assert "acp_auto_allow" not in text
        assert (await api.call("PUT", "/api/settings", {"acpSkillsFolderPath": None}))["values"][
            "acpSkillsFolderPath"
        ] == "copilot-skills"

        await put(api, "listed", args=["--more"])
        assert '"--more"' in server.config.read_text().partition("[agents")[0], "it stays in the list"
        assert (await agent(api, "listed"))["args"] == ["--more"]
        kept = [entry for entry in values["acpAgents"] if entry["id"] != "listed"]
        values = (await api.call("PUT", "/api/settings", {"acpAgents": kept}))["values"]
        assert values["acpAgents"] == kept

        for change, status in (
            ({"crash_limit": 3}, 409), ({"log_level": "x"}, 422), ({"colour": 1}, 422),
            ({"quiet_time": "soon"}, 422), ({"acpAgents": 1}, 422),
        ):  # fmt: skip
            with pytest.raises(ApiError) as refused:
                await api.call("PUT", "/api/settings", change)
            assert refused.value.status == status, change


async def test_a_chat_that_names_no_agent_gets_the_default_one(api: Api, workspace: Path) -> None:
    """R126: the person's choice as soon as it is made; before that, an installed one."""
    first = await api.create_chat(workspace, agent=None)
    assert first["agent"] == (await api.call("GET", "/api/agents"))["default"]
    await api.call("PUT", "/api/settings", {"acpDefaultAgentId": "scripted-silent"})
    assert (await api.create_chat(workspace, agent=None))["agent"] == "scripted-silent"


async def test_what_cannot_change_while_the_server_runs_waits_for_a_restart(api: Api, config: Path) -> None:
    before = (await api.call("GET", "/api/settings"))["values"]["log_level"]
    config.write_text("log_level = 'error'\n" + config.read_text())
    told = await api.call("GET", "/api/settings")
    assert (told["values"]["log_level"], told["waiting"]) == (before, ["log_level"])


async def test_an_agent_is_listed_with_what_it_said_of_itself(
    server: ServerProcess, api: Api, workspace: Path
) -> None:
    """R119, R131: its name, its version and what it can do, after it was started once."""
    assert (await agent(api, "scripted"))["seen"] is None
    async with talking(server, workspace) as talk:
        await talk.run(HELLO)
    seen = (await agent(api, "scripted"))["seen"]
    assert seen["name"]
    assert "loads past sessions" in seen["can"]
    assert seen["capabilities"]["loadSession"] is True


def program(place: Path, text: str) -> Path:
    path = place / "a-program"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


async def test_an_agents_version_is_found_and_held_against_the_least_that_will_do(
    api: Api, place: Path
) -> None:
    """Looked up once for each state of the program's file."""
    path = program(place, f'echo x >> {place}/asked; echo "A program 1.9.2 (build 7)"')
    await put(api, "mine", command=str(path), version_args=["--version"], minimum_version="1.10")

    async def is_found(version: str) -> bool:
        return (await agent(api, "mine"))["version"] == version

    await until(lambda: is_found("1.9.2"), 30)
    assert (await agent(api, "mine"))["version_ok"] is False
    assert (place / "asked").read_text() == "x\n"
    program(place, "echo 1.10.0-beta.1")
    await until(lambda: is_found("1.10.0-beta.1"), 30)
    assert (await agent(api, "mine"))["version_ok"] is True


def login_shell(place: Path, text: str) -> Path:
    """A shell whose start-up files contain this, run before the `-c` command."""
    shell = place / "my-shell"
    shell.write_text(f'#!/bin/sh\n{text}\nwhile [ "$1" != -c ]; do shift; done\nexec /bin/sh -c "$2"\n')
    shell.chmod(0o755)
    return shell


async def test_programs_are_found_where_the_login_shell_finds_them(
    start_server: StartServer, workspace: Path, place: Path
) -> None:
    """R18, C22: only its PATH is taken, whatever else its start-up files print or set."""
    folder = place / "managed"
    folder.mkdir()
    words = " ".join(f"'{word}'" for word in (lambda it: [it["command"], *it["args"]])(scripted()))
    (folder / "managed-agent").write_text(f"#!/bin/sh\nexec {words}\n")
    (folder / "managed-agent").chmod(0o755)
    shell = login_shell(place, f"echo welcome; export PATH={folder}:$PATH SECRET=canary")
    agents = {"managed": {"command": "managed-agent", "pass_env": [MARK]}}
    server = await start_server(agents=agents, env={"SHELL": str(shell)})
    async with Api(server.url, server.token) as api:
        assert (await agent(api, "managed"))["found"] == str(folder / "managed-agent")
    async with talking(server, workspace, "managed") as talk:
        await talk.run(script(env()))
        seen = json.loads(talk.text())
    assert seen["PATH"].split(":")[0] == str(folder)
    assert set(os.environ["PATH"].split(":")) <= set(seen["PATH"].split(":"))
    assert "canary" not in str(seen)


@pytest.mark.parametrize("startup", ["sleep 60", "exit 1", "echo =voxpilot-path="])
async def test_a_login_shell_that_does_not_answer_leaves_our_own_path(
    start_server: StartServer, workspace: Path, place: Path, startup: str
) -> None:
    """C22: it has five seconds; the server is up immediately, and nothing of the shell is left."""
    shell = login_shell(place, startup)
    begun = time.monotonic()
    server = await start_server(env={"SHELL": str(shell)})
    if startup == "sleep 60":
        assert time.monotonic() - begun < 5, "the server does not wait for it"
    async with talking(server, workspace) as talk:
        assert (await talk.run(HELLO))["stop_reason"] == "end_turn"
        assert time.monotonic() - begun < 5 * 5
