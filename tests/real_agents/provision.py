"""The real agents, each with its own home folder and the scripted model as its provider.

Lives here: what a person would set up for each agent to use a provider of their own.
How it is started is not defined here, but by the preset (known_agents.toml), as shipped, or for an agent
without one, by the table in the manual. Lives elsewhere: installing them (scripts/real_agents.py).
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scripts.real_agents import CACHE, MODULES, OLDER_CODEX, PROGRAMS
from tests.fakes.llm.shapes import MODELS
from tests.kit.peers.llm import ScriptedLlm

MANUAL = Path(__file__).resolve().parent.parent.parent / "docs" / "agents.md"
Provide = Callable[[Path, ScriptedLlm], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class RealAgent:
    id: str
    """Its name in the presets or the manual."""
    name: str
    package: str
    provide: Provide
    """Write what the agent needs into its home folder; returns the variables for it."""
    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What a person writes into the settings file for an agent without a preset."""

    @property
    def version(self) -> str:
        return str(json.loads((MODULES / self.package / "package.json").read_text())["version"])

    def sandboxed(self, level: str) -> Mapping[str, Mapping[str, Any]]:
        """The same, with the settings that run it in a sandbox."""
        own = {} if self.has_preset else {"sandbox_writable": ["~/.codex/"]}
        return {**self.tables, self.id: {**self.tables.get(self.id, {}), **own, "sandbox": level}}

    @property
    def has_preset(self) -> bool:
        return not self.tables

    def environment(self, home: Path, llm: ScriptedLlm) -> dict[str, str]:
        """The environment for a server that finds this agent and makes it use our model."""
        temporary = home / "tmp"
        temporary.mkdir(parents=True)
        return {
            "HOME": str(home),
            "PATH": f"{PROGRAMS}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            # One agent refuses a home folder inside the temporary folder.
            "TMPDIR": str(temporary),
            **self.provide(home, llm),
        }


def _copilot(home: Path, llm: ScriptedLlm) -> Mapping[str, str]:
    provider = {"name": "scripted", "type": "openai", "wireApi": "completions", "baseUrl": llm.openai}
    models = [{"id": model, "provider": "scripted", "name": model} for model in MODELS]
    _write(home / ".copilot" / "providers.json", {"providers": [provider], "models": models})
    _keep_cache(home / ".cache" / "copilot")
    return {
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_MODEL": f"scripted/{MODELS[0]}",
    }


def _claude(home: Path, llm: ScriptedLlm) -> Mapping[str, str]:
    return {
        "ANTHROPIC_BASE_URL": llm.url,
        "ANTHROPIC_API_KEY": "scripted",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def _codex(home: Path, llm: ScriptedLlm) -> Mapping[str, str]:
    # An unknown model does not get its editing tool.
    text = f"""
        model = "gpt-5.5"
        model_provider = "scripted"
        check_for_update_on_startup = false
        [analytics]
        enabled = false
        [tools.update_plan]
        enabled = true
        [model_providers.scripted]
        name = "Scripted"
        base_url = "{llm.openai}"
        wire_api = "responses"
        requires_openai_auth = false
        request_max_retries = 1
        stream_max_retries = 1
    """
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text(text)
    return {}


def _opencode(home: Path, llm: ScriptedLlm) -> Mapping[str, str]:
    limit = {"context": 128_000, "output": 8000}
    eyes = {"attachment": True, "modalities": {"input": ["text", "image"], "output": ["text"]}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Scripted",
        "options": {"baseURL": llm.openai, "apiKey": "scripted"},
        "models": {model: {"name": model, "reasoning": True, "limit": limit, **eyes} for model in MODELS},
    }
    first = f"scripted/{MODELS[0]}"
    settings = {
        "model": first,
        "small_model": first,
        "enabled_providers": ["scripted"],
        "provider": {"scripted": provider},
    }
    _write(home / ".config" / "opencode" / "opencode.json", settings)
    return {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    }


def _write(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(content))


def _keep_cache(place: Path) -> None:
    """Hundreds of megabytes that it would otherwise unpack for each home."""
    (CACHE / place.name).mkdir(parents=True, exist_ok=True)
    place.parent.mkdir(parents=True)
    place.symlink_to(CACHE / place.name)


def _tables_in_the_manual(id: str) -> Mapping[str, Any]:
    """What the manual says to write into the settings file for this agent."""
    blocks = re.findall(r"```toml\n(.*?)```", MANUAL.read_text("utf-8"), re.DOTALL)
    [table] = [tomllib.loads(block)["agents"][id] for block in blocks if f"[agents.{id}]" in block]
    return {id: table | {"command": OLDER_CODEX}}  # the manual names the one for the most common machine


AGENTS = (
    RealAgent("copilot", "GitHub Copilot", "@github/copilot", _copilot),
    RealAgent("claude", "Claude Code", "@agentclientprotocol/claude-agent-acp", _claude),
    RealAgent("codex", "Codex", "@agentclientprotocol/codex-acp", _codex),
    RealAgent("opencode", "OpenCode", "opencode-ai", _opencode),
    RealAgent(
        "codex-zed",
        "Codex by Zed",
        f"@zed-industries/{OLDER_CODEX}",
        _codex,
        _tables_in_the_manual("codex-zed"),
    ),
)
