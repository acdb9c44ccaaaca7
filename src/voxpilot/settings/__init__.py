"""All settings, in one frozen value.

Lives here: names, defaults, and the precedence of the file, the environment and the command line. Lives
elsewhere: the file itself (file.py), other ways to write a name (names.py), settings that change while we run
(live.py), the list of agents (agents/installed/catalog.py).
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)

from voxpilot.settings.file import BadSettings, read
from voxpilot.settings.names import plain

__all__ = ["AgentSettings", "AssistantSettings", "BadSettings", "Settings", "config_path", "load_settings"]

DURATION = re.compile(r"(\d+(?:\.\d+)?)(s|m|h)?")
_NOT_VARIABLES = frozenset({"agents", "allowed_hosts", "assistant", "mcp_servers"})
_UNITS = {None: 1, "s": 1, "m": 60, "h": 3600}


def seconds(value: object) -> Any:
    """`90`, `"90s"`, `"30m"` or `"2h"` as seconds."""
    if isinstance(value, str):
        match = DURATION.fullmatch(value.strip())
        if match is None:
            raise ValueError("use seconds, or a number followed by s, m or h")
        return float(match[1]) * _UNITS[match[2]]
    return value


Seconds = Annotated[float, BeforeValidator(seconds), Field(ge=0)]


def folders(value: object) -> Any:
    """A list, or one string separated as in PATH."""
    listed = value.split(os.pathsep) if isinstance(value, str) else value
    return [os.path.expanduser(folder) for folder in listed if folder] if isinstance(listed, list) else listed


Folders = Annotated[tuple[Path, ...], BeforeValidator(folders)]


def address(value: object) -> Any:
    """`3000` is a port of this machine."""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"127.0.0.1:{value}"
    return value


Address = Annotated[str, BeforeValidator(address)]
Word = Annotated[str, Field(max_length=10_000, pattern=r"^[^\x00]*$")]
"""A string that can be passed to a program."""
AgentId = Annotated[str, Field(max_length=100, pattern=r"^[^/\x00-\x1f]+$")]
VariableName = Annotated[str, Field(max_length=200, pattern=r"^[^=\x00]+$")]


class Frozen(BaseModel):
    # A start validates all settings as one; the tables in it get validators of their own when they need them.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def is_this_machine(host: str) -> bool:
    """Whether the name or address leads to this machine and no other."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


class AgentSettings(Frozen):
    """One agent in the settings file. For a known agent, only the fields that differ are needed."""

    display_name: Annotated[str, Field(max_length=200)] = ""
    command: Word = ""
    args: tuple[Word, ...] = ()
    env: dict[VariableName, Word] = {}
    pass_env: tuple[VariableName, ...] = ()
    """Names of variables of the server's own environment that the agent may see."""
    tcp: Address = ""
    """The `host:port` where it listens, if it does not use standard input and output."""
    allow_remote: bool = False
    """It may be on another machine: the connection is neither encrypted nor authenticated."""
    fs: bool = True
    """Whether we offer to read and write files for it."""
    terminal: bool = True
    """Whether we offer to run commands for it."""
    install_hint: str = ""
    login_hint: str = ""
    """How to sign in, if the agent requires it and does not say how."""
    minimum_version: str = ""
    """The oldest version that works with us."""
    version_args: tuple[Word, ...] = ()
    """Arguments that make the command print its version; empty if the version is not looked up."""
    scratch: bool = False
    """Works in a folder of its own in the data directory when none is named."""
    sandbox: Literal["off", "standard", "strict"] = "off"
    """How much of this machine it sees."""
    sandbox_network: bool = True
    """In a sandbox: whether it reaches the network, which most agents need for their model."""
    sandbox_writable: tuple[Word, ...] = ()
    """In a sandbox: its own files and folders. `~` and `$NAME` are filled in; a folder ends with a slash."""
    sandbox_readable: tuple[Word, ...] = ()
    """In a sandbox: additional files and folders it may read."""

    @property
    def endpoint(self) -> tuple[str, int] | None:
        host, _, port = self.tcp.rpartition(":")
        return (host.strip("[]"), int(port)) if self.tcp else None

    @model_validator(mode="after")
    def _check_address(self) -> Self:
        if not self.tcp:
            return self
        if self.sandbox != "off":
            raise ValueError("an agent with an address cannot run in a sandbox; set its sandbox to off")
        try:
            host, port = self.endpoint or ("", 0)
            is_here = host == "localhost" or ip_address(host).is_loopback
        except ValueError:
            raise ValueError("tcp must be host:port, for example 127.0.0.1:3000") from None
        if not 0 < port < 65536:
            raise ValueError("the port must be between 1 and 65535")
        if not is_here and not self.allow_remote:
            raise ValueError(
                "connecting to another machine requires allow_remote = true, "
                "because the connection is not encrypted"
            )
        return self


class McpServer(Frozen):
    """A tool server for every agent's session."""

    type: Literal["stdio", "http", "sse"] = "stdio"
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    url: str = ""
    headers: dict[str, str] = {}


class AssistantSettings(Frozen):
    """The language model that we call ourselves. If nothing is set, the one whose key is in the
    environment."""

    provider: Literal[
        "", "demo", "openai", "anthropic", "github", "openrouter", "ollama", "lmstudio", "compatible"
    ] = ""
    model: Annotated[str, Field(max_length=200)] = ""
    base_url: Annotated[str, Field(max_length=2000, pattern=r"^(https?://\S+)?$")] = ""
    """The provider's address, if it is not the usual one."""
    api_key: SecretStr | None = None
    """If empty, the variable that the provider's own tools use."""
    context_tokens: Annotated[int, Field(ge=0)] = 0
    """The size of the model's context; 0 means the usual size for its provider."""
    max_output_tokens: Annotated[int, Field(ge=0)] = 0
    """The longest answer; 0 leaves it to the provider."""

    @field_validator("api_key")
    @classmethod
    def _check_key(cls, key: SecretStr | None) -> SecretStr | None:
        if key is not None and key.get_secret_value() and not key.get_secret_value().strip("*"):
            raise ValueError("this is the masked key, not the key itself")
        return key


class Settings(Frozen):
    host: str = "127.0.0.1"
    port: int = Field(8460, ge=0, le=65535)
    expose: bool = False
    """Confirms that the server may listen where other machines can reach it."""
    data_dir: Path
    work_dir: Path
    """The workspace of a chat that names none."""
    allowed_hosts: tuple[str, ...] = ()
    """Additional host names of the server."""
    log_level: str = "info"
    agents: dict[AgentId, AgentSettings] = {}
    mcp_servers: dict[str, McpServer] = {}
    assistant: AssistantSettings = AssistantSettings.model_construct()
    max_agent_iterations: int = Field(25, ge=1)
    """How many times the assistant may ask its model in one turn."""
    acp_default_agent_id: str = ""
    """The agent of a chat that names none."""
    interaction_mode_default: Literal["llm", "agent"] = "agent"
    acp_skills_folder_path: str = "copilot-skills"
    """Relative to the workspace."""
    instructions: str = Field("", max_length=40_000)
    """The person's own instructions for the assistant, as Markdown."""
    prepend_instructions: bool = False
    """Agents get them too, before each message."""
    project_instructions: bool = True
    """The assistant gets the instructions in the workspace: AGENTS.md and VOXPILOT.md."""
    embed_limit_bytes: int = Field(64_000, ge=0, le=1_000_000)
    """Larger files are sent to an agent as a link."""
    copilot_cli_path: str = ""
    copilot_connection_ttl: Seconds = 1800.0
    """How long an idle agent is kept while nobody is watching; 0 means forever."""
    busy_limit: Seconds = 86_400.0
    """How long an agent may work while no server is running; 0 means forever."""
    concurrent_starts: int = Field(max(2, os.cpu_count() or 1), ge=1)
    """How many agents may start at once; the others wait in a queue."""
    start_notice: Seconds = 5.0
    start_timeout: Seconds = 60.0
    restore_timeout: Seconds = 60.0
    """How long an agent may take to open or restore a session, or to apply a chosen option."""
    sign_in_timeout: Seconds = 300.0
    """How long an agent may take to sign a person in."""
    cancel_timeout: Seconds = 10.0
    """How long an agent may take to stop before it is ended."""
    quiet_time: Seconds = 0.2
    """The pause after a turn before a queued message is sent, for late output of the agent."""
    crash_limit: int = 5
    """How many failures of an agent within a minute stop it from being restarted."""
    acp_auto_allow_permissions: bool = False
    """Every chat auto-approves, regardless of its own policy; `strict` takes precedence."""
    acp_diagnostics: bool = False
    """The page may show what agents and VoxPilot send each other, without texts and secrets."""
    acp_diagnostics_texts: bool = False
    """And the texts."""
    strict: bool = False
    """Every chat asks, regardless of its own policy."""
    auto_writes_per_turn: int = Field(200, ge=1)
    """Changes that one turn may make before a person is asked; allowing one allows as many more."""
    question_timeout: Seconds = 0.0
    """How long an agent's question waits before it is rejected; 0 means forever."""
    confirm_timeout: Seconds = 300.0
    """How long the assistant's question about a file outside waits before it is rejected; 0 means forever."""
    trusted_folders: Folders = ()
    """Folders, including everything below them, in which agents may be started without asking."""

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        return is_this_machine(self.host)

    @property
    def database(self) -> Path:
        return self.data_dir / "voxpilot.db"

    @property
    def keepers(self) -> Path:
        return self.data_dir / "keepers"


def load_settings(environ: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
    """File, then environment, then overrides; later values win."""
    env = os.environ if environ is None else environ
    path = config_path(env)
    return combine(read(path), path, env, overrides)


def combine(
    written: Mapping[str, Any], path: Path, env: Mapping[str, str], overrides: Mapping[str, Any]
) -> Settings:
    """Settings from the file and from everything that overrides it."""
    values: dict[str, Any] = {"data_dir": _platform_dir(env, "data"), "work_dir": Path.cwd()}
    values |= plain(written)
    values |= _merged(values, from_environment(env))
    values |= {name: value for name, value in overrides.items() if value is not None}
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        raise BadSettings(explain(error), f"Settings come from {path} and VOXPILOT_… variables.") from error


def config_path(env: Mapping[str, str]) -> Path:
    if given := env.get("VOXPILOT_CONFIG"):
        return Path(given)
    return _platform_dir(env, "config") / "config.toml"


def from_environment(env: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if ttl := env.get("COPILOT_CONNECTION_TTL"):
        found["copilot_connection_ttl"] = ttl
    for name in Settings.model_fields:
        if name not in _NOT_VARIABLES and (value := env.get(f"VOXPILOT_{name.upper()}")):
            found[name] = value
    if hosts := env.get("VOXPILOT_ALLOWED_HOSTS"):
        found["allowed_hosts"] = tuple(host.strip() for host in hosts.split(","))
    variables = {
        name: env.get(f"VOXPILOT_ASSISTANT_{name.upper()}") for name in AssistantSettings.model_fields
    }
    if assistant := {name: value for name, value in variables.items() if value}:
        found["assistant"] = assistant
    return found


def _merged(written: Mapping[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """A variable overrides its own line in a table of the file; the other lines stay."""
    table = written.get("assistant")
    if "assistant" in found and isinstance(table, Mapping):
        return found | {"assistant": {**table, **found["assistant"]}}
    return found


def _platform_dir(env: Mapping[str, str], what: str) -> Path:
    home = Path(env.get("HOME") or Path.home())
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "VoxPilot"
    variable, default = {
        "data": ("XDG_DATA_HOME", ".local/share"),
        "config": ("XDG_CONFIG_HOME", ".config"),
    }[what]
    return Path(env.get(variable) or home / default) / "voxpilot"


def explain(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"The setting {where} is invalid: {first['msg'].removeprefix('Value error, ')}."
