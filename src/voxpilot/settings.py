"""All settings, in one frozen value.

Lives here: names, defaults, the TOML file and the environment, which wins.
Lives elsewhere: what agents there are (agents/catalog.py).
"""

from __future__ import annotations

import ipaddress
import os
import re
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from voxpilot.errors import VoxPilotError

DURATION = re.compile(r"(\d+(?:\.\d+)?)(s|m|h)?")
_NOT_VARIABLES = frozenset({"agents", "allowed_hosts", "mcp_servers"})
_UNITS = {None: 1, "s": 1, "m": 60, "h": 3600}


class BadSettings(VoxPilotError):
    """The settings file or a variable cannot be used as it is."""

    code = "bad-settings"


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


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AgentSettings(Frozen):
    """One agent as the settings file gives it."""

    display_name: str = ""
    command: str
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    pass_env: tuple[str, ...] = ()
    """Names of variables of the server's own environment that the agent may see."""
    install_hint: str = ""
    login_hint: str = ""
    """How to sign in with it where it wants that."""
    minimum_version: str = ""
    """The oldest release that does what we ask of it."""
    scratch: bool = False
    """Works in a folder of its own in the data directory when none is named."""
    fs: bool = True
    """Whether we read and write files for the agent when it asks."""
    terminal: bool = True
    """Whether we run commands for the agent when it asks."""


class McpServer(Frozen):
    """A tool server that every agent's session is told of."""

    type: Literal["stdio", "http", "sse"] = "stdio"
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    url: str = ""
    headers: dict[str, str] = {}


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
    agents: dict[str, AgentSettings] = {}
    mcp_servers: dict[str, McpServer] = {}
    copilot_cli_path: str = ""
    copilot_connection_ttl: Seconds = 1800.0
    """How long an idle agent is kept with nobody looking; 0 keeps it."""
    busy_limit: Seconds = 86_400.0
    """How long an agent may work with no server there; 0 is for ever."""
    start_notice: Seconds = 5.0
    start_timeout: Seconds = 60.0
    restore_timeout: Seconds = 60.0
    """How long an agent may take to open a session or bring one back."""
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
    trusted_folders: Folders = ()
    """Folders in which agents may be started without asking, with all in them."""

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost" or self.host.endswith(".localhost")

    @property
    def database(self) -> Path:
        return self.data_dir / "voxpilot.db"

    @property
    def keepers(self) -> Path:
        return self.data_dir / "keepers"


def load_settings(environ: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
    """File, then environment, then overrides; the later wins."""
    env = os.environ if environ is None else environ
    values: dict[str, Any] = {"data_dir": _platform_dir(env, "data"), "work_dir": Path.cwd()}
    path = config_path(env)
    values |= _from_file(path)
    values |= _from_environment(env)
    values |= {name: value for name, value in overrides.items() if value is not None}
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        raise BadSettings(_explain(error), f"Settings come from {path} and VOXPILOT_… variables.") from error


def config_path(env: Mapping[str, str]) -> Path:
    if given := env.get("VOXPILOT_CONFIG"):
        return Path(given)
    return _platform_dir(env, "config") / "config.toml"


def _from_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadSettings(f"Cannot read {path}: {error}.", "Mend the file or move it away.") from error


def _from_environment(env: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if ttl := env.get("COPILOT_CONNECTION_TTL"):
        found["copilot_connection_ttl"] = ttl
    for name in Settings.model_fields:
        if name not in ("agents", "allowed_hosts", "mcp_servers") and (
            value := env.get(f"VOXPILOT_{name.upper()}")
        ):
            found[name] = value
    if hosts := env.get("VOXPILOT_ALLOWED_HOSTS"):
        found["allowed_hosts"] = tuple(host.strip() for host in hosts.split(","))
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
    return f"The setting {where} is wrong: {first['msg']}."
