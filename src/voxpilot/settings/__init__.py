"""All settings, in one frozen value.

Lives here: names, defaults, and the order in which the file, the environment
and the command line count. Lives elsewhere: the file itself (file.py), other
ways to write a name (names.py), settings that change while we run (live.py),
what agents there are (agents/catalog.py).
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


def seconds(value: Any) -> Any:
    """`90`, `"90s"`, `"30m"` or `"2h"` as seconds."""
    if isinstance(value, str):
        match = DURATION.fullmatch(value.strip())
        if match is None:
            raise ValueError("give seconds, or a number with s, m or h")
        return float(match[1]) * _UNITS[match[2]]
    return value


Seconds = Annotated[float, BeforeValidator(seconds), Field(ge=0)]


def folders(value: Any) -> Any:
    """A list, or one text parted as in PATH."""
    listed = value.split(os.pathsep) if isinstance(value, str) else value
    return [os.path.expanduser(folder) for folder in listed if folder] if isinstance(listed, list) else listed


Folders = Annotated[tuple[Path, ...], BeforeValidator(folders)]


def address(value: Any) -> Any:
    """`3000` is a port of this machine."""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"127.0.0.1:{value}"
    return value


Address = Annotated[str, BeforeValidator(address)]
Word = Annotated[str, Field(max_length=10_000, pattern=r"^[^\x00]*$")]
"""What can be given to a program."""
AgentId = Annotated[str, Field(max_length=100, pattern=r"^[^/\x00-\x1f]+$")]
VariableName = Annotated[str, Field(max_length=200, pattern=r"^[^=\x00]+$")]


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def is_this_machine(host: str) -> bool:
    """Whether the name or address leads to this machine and no other."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


class AgentSettings(Frozen):
    """One agent as the settings file gives it. Of a known agent only what differs need be given."""

    display_name: Annotated[str, Field(max_length=200)] = ""
    command: Word = ""
    args: tuple[Word, ...] = ()
    env: dict[VariableName, Word] = {}
    pass_env: tuple[VariableName, ...] = ()
    """Names of variables of the server's own environment that the agent may see."""
    tcp: Address = ""
    """Where it listens, `host:port`, if it is not spoken to by its standard input and output."""
    allow_remote: bool = False
    """It may be on another machine: what passes is neither encrypted nor does anybody sign in."""
    fs: bool = True
    """Offer it to read and write files through us."""
    terminal: bool = True
    """Offer it to run commands through us."""
    install_hint: str = ""
    login_hint: str = ""
    """How to sign in with it where it wants that and does not say how."""
    minimum_version: str = ""
    """The oldest release that does what we ask of it."""
    version_args: tuple[Word, ...] = ()
    """What makes the command print its version; nothing is asked without."""
    scratch: bool = False
    """Works in a folder of its own in the data directory when none is named."""

    @property
    def endpoint(self) -> tuple[str, int] | None:
        host, _, port = self.tcp.rpartition(":")
        return (host.strip("[]"), int(port)) if self.tcp else None

    @model_validator(mode="after")
    def _check_address(self) -> Self:
        if not self.tcp:
            return self
        try:
            host, port = self.endpoint or ("", 0)
            is_here = host == "localhost" or ip_address(host).is_loopback
        except ValueError:
            raise ValueError("tcp must look like 127.0.0.1:3000") from None
        if not 0 < port < 65536:
            raise ValueError("there is no such port")
        if not is_here and not self.allow_remote:
            raise ValueError("another machine needs allow_remote = true: nothing that passes is protected")
        return self


class McpServer(Frozen):
    """A tool server that every agent's session is told of."""

    type: Literal["stdio", "http", "sse"] = "stdio"
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    url: str = ""
    headers: dict[str, str] = {}


class AssistantSettings(Frozen):
    """The language model that we call ourselves. Nothing given: the one whose key is in the environment."""

    provider: Literal[
        "", "demo", "openai", "anthropic", "github", "openrouter", "ollama", "lmstudio", "compatible"
    ] = ""
    model: Annotated[str, Field(max_length=200)] = ""
    base_url: Annotated[str, Field(max_length=2000, pattern=r"^(https?://\S+)?$")] = ""
    """Where the provider is reached, if not where it usually is."""
    api_key: SecretStr | None = None
    """Without it, the variable that the provider's own tools use."""
    context_tokens: Annotated[int, Field(ge=0)] = 0
    """How much the model can read at once; 0 is what its provider's models usually can."""
    max_output_tokens: Annotated[int, Field(ge=0)] = 0
    """The longest answer; 0 leaves it to the provider."""

    @field_validator("api_key")
    @classmethod
    def _check_key(cls, key: SecretStr | None) -> SecretStr | None:
        if key is not None and key.get_secret_value() and not key.get_secret_value().strip("*"):
            raise ValueError("this is a key as it is shown, not the key itself")
        return key


class Settings(Frozen):
    host: str = "127.0.0.1"
    port: int = Field(8460, ge=0, le=65535)
    expose: bool = False
    """Listen where other machines can reach it: their owner said so."""
    data_dir: Path
    work_dir: Path
    """The workspace of a chat that names none."""
    allowed_hosts: tuple[str, ...] = ()
    """Host names besides this machine's own under which the server may be reached."""
    log_level: str = "info"
    agents: dict[AgentId, AgentSettings] = {}
    mcp_servers: dict[str, McpServer] = {}
    assistant: AssistantSettings = AssistantSettings()
    max_agent_iterations: int = Field(25, ge=1)
    """How often in one turn the assistant may be asked what comes next."""
    acp_default_agent_id: str = ""
    """The agent of a chat that names none."""
    interaction_mode_default: Literal["llm", "agent"] = "agent"
    acp_skills_folder_path: str = "copilot-skills"
    """Relative to the workspace."""
    copilot_cli_path: str = ""
    copilot_connection_ttl: Seconds = 1800.0
    """How long an idle agent is kept with nobody looking; 0 keeps it."""
    busy_limit: Seconds = 86_400.0
    """How long an agent may work with no server there; 0 is for ever."""
    concurrent_starts: int = Field(max(2, os.cpu_count() or 1), ge=1)
    """How many agents may be starting at once; the others wait in line."""
    start_notice: Seconds = 5.0
    start_timeout: Seconds = 60.0
    restore_timeout: Seconds = 60.0
    """How long an agent may take to open a session or bring one back, or to answer a choice."""
    sign_in_timeout: Seconds = 300.0
    """How long an agent may take to sign a person in."""
    cancel_timeout: Seconds = 10.0
    """How long an agent may take to stop before it is ended."""
    quiet_time: Seconds = 0.2
    """The pause after a turn before a queued message goes out, for an agent's late words."""
    crash_limit: int = 5
    """Failed runs of one agent in a chat within a minute before it is left alone."""
    acp_auto_allow_permissions: bool = False
    """Every chat approves what may be approved, whatever its own policy; `strict` is stronger."""
    strict: bool = False
    """Every chat asks, whatever its own policy."""
    question_timeout: Seconds = 0.0
    """How long an agent's question waits before it is turned down; 0 is for ever."""
    confirm_timeout: Seconds = 300.0
    """How long the assistant waits to be allowed a file outside before it is refused; 0 is for ever."""
    trusted_folders: Folders = ()
    """Folders in which agents may be started without asking, with all in them."""

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
    """File, then environment, then overrides; the later wins."""
    env = os.environ if environ is None else environ
    path = config_path(env)
    return combine(read(path), path, env, overrides)


def combine(
    written: Mapping[str, Any], path: Path, env: Mapping[str, str], overrides: Mapping[str, Any]
) -> Settings:
    """Settings from what the file says and from what counts more."""
    values: dict[str, Any] = {"data_dir": _platform_dir(env, "data"), "work_dir": Path.cwd()}
    values |= plain(written)
    values |= _merged(values, from_environment(env))
    values |= {name: value for name, value in overrides.items() if value is not None}
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        raise BadSettings(_explain(error), f"Settings come from {path} and VOXPILOT_… variables.") from error


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
    """A variable counts more than its own line in a table of the file; the other lines stay."""
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


def _explain(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"The setting {where} is wrong: {first['msg'].removeprefix('Value error, ')}."
