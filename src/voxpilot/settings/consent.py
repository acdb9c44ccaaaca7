"""Which changes of the settings file take effect before a person accepts them.

Any program that runs as the person can write the file, including an agent. So a change made outside the page
may only tighten security. Everything else waits, including settings that are not classified here, and the
last accepted value stays in force. Lives here: comparing two files and computing the settings in force.
Lives elsewhere: reading the file (live.py), the commands of agents and tool servers, which are asked about
when they are to be started (agents/installed/approved_commands.py), asking (web/routes/settings.py).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from voxpilot.settings import AgentSettings, AssistantSettings, Settings, is_this_machine
from voxpilot.settings.names import plain
from voxpilot.values import dataclass

NOT_GIVEN = Path("/dev/null/not-given")
"""Stands for a folder that the file does not name; no real folder can have this name."""
HARMLESS = frozenset(
    {
        "log_level",
        "concurrent_starts",
        "start_notice",
        "start_timeout",
        "restore_timeout",
        "sign_in_timeout",
        "cancel_timeout",
        "quiet_time",
        "question_timeout",
        "confirm_timeout",
        "acp_diagnostics",
        "acp_diagnostics_texts",
        "embed_limit_bytes",
    }
)
"""Settings that never loosen security, whatever their value."""
ASKED_ELSEWHERE = frozenset({"mcp_servers"})
_AGENT_ASKED_ELSEWHERE = frozenset(
    {
        *("command", "args", "env", "pass_env", "tcp", "allow_remote", "version_args"),
        *("sandbox", "sandbox_network", "sandbox_writable", "sandbox_readable"),
    }
)
_AGENT_HARMLESS = frozenset({"display_name", "install_hint", "login_hint", "minimum_version"})
_ASSISTANT_HARMLESS = frozenset({"context_tokens", "max_output_tokens"})
_TIGHTENS: dict[str, Callable[[Any, Any], bool]] = {
    "strict": lambda old, new: new,
    "acp_auto_allow_permissions": lambda old, new: not new,
    "expose": lambda old, new: not new,
    "host": lambda old, new: is_this_machine(new),
    "allowed_hosts": lambda old, new: set(new) <= set(old),
    "trusted_folders": lambda old, new: set(new) <= set(old),
    "max_agent_iterations": lambda old, new: new <= old,
    "crash_limit": lambda old, new: new <= old,
    "busy_limit": lambda old, new: new > 0 and (new <= old or not old),
    "copilot_connection_ttl": lambda old, new: new > 0 and (new <= old or not old),
    "interaction_mode_default": lambda old, new: new == "agent",
    "acp_default_agent_id": lambda old, new: not new,
    "instructions": lambda old, new: not new,
    "prepend_instructions": lambda old, new: not new,
    "project_instructions": lambda old, new: not new,
    "fs": lambda old, new: not new,
    "terminal": lambda old, new: not new,
}
"""Whether a new value of a setting is at least as strict as the old one."""
_SECRET = "api_key"
Known = Mapping[str, AgentSettings]
"""The known agents with their defaults."""


@dataclass(frozen=True, slots=True)
class Change:
    """One setting whose value in the file differs from the value in force."""

    where: tuple[str, ...]
    """`("strict",)`, `("assistant", "base_url")` or `("agents", "claude", "fs")`."""
    before: Any
    after: Any

    @property
    def name(self) -> str:
        return ".".join(self.where)

    def in_words(self) -> tuple[str, str]:
        """Both values for a person to read; only the characters of keys are hidden."""
        if self.where[-1] != _SECRET:
            return _text(self.before), _text(self.after)
        return ("a key" if self.before else "none"), ("a new key" if self.after else "none")


def from_file(written: Mapping[str, Any]) -> Settings:
    """The settings from the file alone; raises ValidationError."""
    return Settings.model_validate({"data_dir": NOT_GIVEN, "work_dir": NOT_GIVEN, **plain(written)})


def compare(accepted: Settings, wished: Settings, known_agents: Known) -> tuple[Settings, tuple[Change, ...]]:
    """The settings in force until a person accepts the rest, and the rest.

    A removed agent is remembered: if it comes back, the accepted values still apply to it.
    """
    changes = tuple(_loosening(accepted, wished, known_agents))
    taken = with_values(wished, {change.where: change.before for change in changes})
    gone = {id: _limits(entry) for id, entry in accepted.agents.items() if id not in taken.agents}
    limited = {id: entry for id, entry in gone.items() if entry != AgentSettings()}
    return taken.model_copy(update={"agents": {**limited, **taken.agents}}), changes


def take(
    accepted: Settings,
    before: Settings,
    after: Settings,
    known_agents: Known,
    named: Collection[tuple[str, ...]] = (),
) -> Settings:
    """The accepted settings after a person changed the file from `before` to `after`: that, and no more.

    Settings they `named` are accepted even if the file already had that value.
    """
    already = {where: v for where, v in _differences(accepted, after, known_agents) if where in named}
    return with_values(accepted, already | dict(_differences(before, after, known_agents)))


def fingerprint(changes: tuple[Change, ...]) -> str:
    """Identifies exactly these changes, so that no others are accepted in their place."""
    parts = [[change.where, _json(change.before), _json(change.after)] for change in changes]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def to_json(settings: Settings) -> dict[str, Any]:
    """The content of the file to store, including the key."""
    kept = settings.model_dump(mode="json", exclude_unset=True)
    if settings.assistant.api_key is not None:
        kept["assistant"][_SECRET] = settings.assistant.api_key.get_secret_value()
    return kept


def from_json(kept: Mapping[str, Any]) -> Settings:
    """The stored content, perhaps from another version; unusable values become the default, which is
    strict."""
    given = {name: value for name, value in kept.items() if name in Settings.model_fields}
    try:
        return Settings.model_validate(given)
    except ValidationError as error:
        bad = {str(problem["loc"][0]) for problem in error.errors() if problem["loc"]}
        rest = {name: value for name, value in given.items() if name not in bad}
        return Settings.model_validate({"data_dir": NOT_GIVEN, "work_dir": NOT_GIVEN, **rest})


def _loosening(accepted: Settings, wished: Settings, known_agents: Known) -> Iterator[Change]:
    for where, after in _differences(accepted, wished, known_agents):
        before = _value(accepted, where, known_agents)
        if where[0] == "agents" and not _is_agents_own(where, accepted, wished, known_agents):
            continue
        if where[0] in ("agents", "assistant"):
            harmless = _ASSISTANT_HARMLESS if where[0] == "assistant" else _AGENT_HARMLESS
        else:
            harmless = HARMLESS | ASKED_ELSEWHERE
        tightens = _TIGHTENS.get(where[-1]) if where[0] != "assistant" else None
        if where[-1] not in harmless and not (tightens and tightens(before, after)):
            yield Change(where, before, after)


def _is_agents_own(where: tuple[str, ...], accepted: Settings, wished: Settings, known_agents: Known) -> bool:
    """Whether a field of an agent is compared here: not its command, and not if the agent was added or
    removed."""
    _, agent, field = where
    is_known = agent in known_agents
    is_there = is_known or agent in wished.agents
    was_there = is_known or agent in accepted.agents
    return is_there and was_there and field not in _AGENT_ASKED_ELSEWHERE


def _limits(entry: AgentSettings) -> AgentSettings:
    """The fields of an agent that are compared here: no command, and no secrets."""
    compared = entry.model_fields_set - _AGENT_ASKED_ELSEWHERE - _AGENT_HARMLESS
    return AgentSettings.model_validate({field: getattr(entry, field) for field in compared})


def _differences(old: Settings, new: Settings, known_agents: Known) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name in Settings.model_fields:
        before, after = getattr(old, name), getattr(new, name)
        if name == "assistant":
            fields = AssistantSettings.model_fields
            yield from (
                ((name, f), getattr(after, f)) for f in fields if getattr(before, f) != getattr(after, f)
            )
        elif name == "agents":
            for agent in sorted({*before, *after}):
                for where in [(name, agent, field) for field in AgentSettings.model_fields]:
                    value = _value(new, where, known_agents)
                    if value != _value(old, where, known_agents):
                        yield where, value
        elif before != after:
            yield (name,), after


def _value(settings: Settings, where: tuple[str, ...], known_agents: Known) -> Any:
    if where[0] == "agents":
        _, agent, field = where
        given, usual = settings.agents.get(agent), known_agents.get(agent, AgentSettings())
        return getattr(given if given is not None and field in given.model_fields_set else usual, field)
    return getattr(settings.assistant, where[1]) if where[0] == "assistant" else getattr(settings, where[0])


def with_values(settings: Settings, values: Mapping[tuple[str, ...], Any]) -> Settings:
    """The settings with other values in some places."""
    plain_ones = {where[0]: value for where, value in values.items() if len(where) == 1}
    assistant = {where[1]: value for where, value in values.items() if where[0] == "assistant"}
    if assistant:
        plain_ones["assistant"] = settings.assistant.model_copy(update=assistant)
    agents = dict(settings.agents)
    for where, value in values.items():
        if where[0] == "agents":
            entry = agents.get(where[1], AgentSettings())
            agents[where[1]] = entry.model_copy(update={where[2]: value})
    if agents != settings.agents:
        plain_ones["agents"] = agents
    return settings.model_copy(update=plain_ones)


def _text(value: object) -> str:
    if value == NOT_GIVEN:
        return "not set"
    if isinstance(value, tuple | list):
        return "\n".join(_visible(str(item)) for item in value) or "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    return _visible(str(value)) or "none"


def _visible(text: str) -> str:
    """The text with invisible characters written out."""
    return text if text.isprintable() else json.dumps(text)


def _json(value: object) -> Any:
    if hasattr(value, "get_secret_value"):
        return value.get_secret_value()
    return [str(item) for item in value] if isinstance(value, tuple | list) else str(value)
