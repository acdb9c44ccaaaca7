"""The tools that a model is offered.

Lives here: their names and descriptions, checking a model's arguments, and running the read-only ones. Lives
elsewhere: what each does (tools/), delegating work to an agent and asking a person (runtime/).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Annotated

from pydantic import Field, ValidationError

from voxpilot.assistant.shapes import Json, Tool, ToolCall
from voxpilot.assistant.tools.outcome import Arguments, ToolFailed, ToolResult, failed
from voxpilot.errors import VoxPilotError
from voxpilot.values import dataclass

log = logging.getLogger(__name__)
DELEGATE = "copilot_agent"
READ_EXTERNAL = "read_file_external"
READ_SKILL = "read_skill"
LIMIT_SECONDS = 60.0
"""Programs have their own limits; this one is for a disk that does not respond."""
Run = Callable[..., Awaitable[ToolResult]]


class Delegation(Arguments):
    """Work for an agent."""

    prompt: Annotated[
        str,
        Field(
            min_length=1,
            max_length=100_000,
            description=(
                "The instruction, in your own words. The agent sees nothing else of this conversation."
            ),
        ),
    ]
    session_name: Annotated[
        str,
        Field(
            min_length=1,
            max_length=80,
            pattern=r"^[^\x00-\x1f]+$",
            description="A short name for the task, such as `auth-bug-fix`. The first use starts a session; "
            "the same name continues it.",
        ),
    ]
    agent: Annotated[
        str, Field(max_length=100, description="Which agent to use; omit it to use the default.")
    ] = ""


class ReadSkill(Arguments):
    name: Annotated[
        str,
        Field(min_length=1, max_length=500, description="Its name or file, as the list of skills has it."),
    ]


@dataclass(frozen=True, slots=True)
class _Offer:
    description: str
    arguments: type[Arguments]
    run: Run | None = None
    """None: the runtime does it."""
    needs_trust: bool = False
    """Whether it runs a program that looks into the chat's folders, so that a person must trust them."""


@cache
def _offers() -> Mapping[str, _Offer]:
    # Heavy: the arguments of each tool are a model, and a start needs none of them.
    from voxpilot.assistant.tools.git_tools import GitDiff, GitShow, git_diff, git_show
    from voxpilot.assistant.tools.list_directory import ListDirectory, list_directory
    from voxpilot.assistant.tools.read_file import ReadExternal, ReadFile, read_file
    from voxpilot.assistant.tools.searching import GlobSearch, GrepSearch, glob_search, grep_search

    return {
        DELEGATE: _Offer(
            "Hand a coding task to an agent. It works by itself: it reads and changes files in the workspace "
            "and runs commands. The same session_name is a follow-up to the same task, and the agent "
            "remembers it; another session_name is an independent task. You get a summary when it is done.",
            Delegation,
        ),
        "read_file": _Offer("Read a text file in the workspace, or some of its lines.", ReadFile, read_file),
        "list_directory": _Offer(
            "List the contents of a folder in the workspace.", ListDirectory, list_directory
        ),
        "grep_search": _Offer(
            "Search the workspace's files for lines that match a pattern.", GrepSearch, grep_search, True
        ),
        "glob_search": _Offer("Find files in the workspace by name.", GlobSearch, glob_search, True),
        READ_EXTERNAL: _Offer(
            "Read a text file outside the workspace. The user is asked first and may refuse.", ReadExternal
        ),
        READ_SKILL: _Offer("Read a skill: instructions for one kind of work.", ReadSkill),
        "git_diff": _Offer(
            "Show what has changed in the workspace since the last commit.", GitDiff, git_diff, True
        ),
        "git_show": _Offer("Show a commit, or a file as of a commit.", GitShow, git_show, True),
    }


def names() -> tuple[str, ...]:
    """The names of all tools."""
    return tuple(_offers())


def offered(
    agents: Sequence[str] = (), off: Collection[str] = (), has_skills: bool = False
) -> tuple[Tool, ...]:
    """The descriptions for a model, with the agents it may choose from and without tools that are off."""
    tools = []
    for name, offer in _offers().items():
        if name in off or (name == READ_SKILL and not has_skills):
            continue
        schema = _schema(offer.arguments)
        if name == DELEGATE and agents:
            schema["properties"]["agent"]["enum"] = list(agents)
        tools.append(Tool(name, offer.description, schema))
    return tuple(tools)


def checked(call: ToolCall, agents: Sequence[str] = (), off: Collection[str] = ()) -> Arguments:
    """The arguments of a call; raises ToolFailed, with a message for the model, if it cannot be run."""
    offer = _offers().get(call.name)
    if call.name in off:
        raise ToolFailed(f"The user switched {call.name} off in this chat.", "Continue without it.")
    if offer is None:
        raise ToolFailed(f"Unknown tool {call.name!r}.", f"Available tools: {', '.join(_offers())}.")
    if call.arguments is None:
        raise ToolFailed(call.error or "The arguments cannot be read.")
    given = {name: value for name, value in call.arguments.items() if value is not None}
    try:
        found = offer.arguments.model_validate(given)
    except ValidationError as error:
        raise ToolFailed(_explain(call.name, offer.arguments, error)) from error
    if isinstance(found, Delegation) and found.agent and agents and found.agent not in agents:
        raise ToolFailed(f"Unknown agent {found.agent!r}.", f"Available agents: {', '.join(agents)}.")
    return found


def needs_trust(name: str) -> bool:
    """Whether it may run only in folders that a person trusts."""
    offer = _offers().get(name)
    return offer is not None and offer.needs_trust


async def run(
    roots: Sequence[str], call: ToolCall, agreed_path: str = "", trusted: Sequence[str] = ()
) -> ToolResult:
    """Run a read-only tool in a chat's folders, the workspace first. Failures are returned as results.

    A file outside is read only at the real path that a person approved. `trusted` names folders that a person
    trusts, which may contain the repository of the workspace.
    """
    try:
        async with asyncio.timeout(LIMIT_SECONDS):
            found = await _run(roots, call, agreed_path, trusted)
        return replace(found, content=_writable(found.content), display=_writable(found.display))
    except VoxPilotError as error:
        return failed(error)
    except TimeoutError:
        return failed(ToolFailed("The disk is not responding.", "Try something else."))
    except Exception:
        log.exception("the tool %s failed", call.name)
        return failed(ToolFailed("The tool failed because of an internal error.", "Try something else."))


async def _run(roots: Sequence[str], call: ToolCall, agreed_path: str, trusted: Sequence[str]) -> ToolResult:
    arguments = checked(call)
    if call.name == READ_EXTERNAL and agreed_path:
        return await _read_agreed(arguments, agreed_path)
    perform = _offers()[call.name].run
    if perform is None:
        raise ToolFailed(f"{call.name} cannot be run here.")
    if needs_trust(call.name):
        return await perform(roots, arguments, trusted)
    return await perform(roots, arguments)


async def _read_agreed(arguments: Arguments, path: str) -> ToolResult:
    from voxpilot.assistant.tools.read_file import ReadExternal, look_at_external, read_external  # heavy

    assert isinstance(arguments, ReadExternal)
    agreed = arguments.model_copy(update={"path": path})
    return await read_external(await look_at_external(agreed), agreed)


def _writable(text: str) -> str:
    """File names may contain bytes that are not text; those become question marks."""
    return text.encode(errors="replace").decode()


def _schema(arguments: type[Arguments]) -> Json:
    """The JSON schema without parts that no model needs."""
    schema = arguments.model_json_schema()
    properties: Json = {name: _plain(field) for name, field in schema.get("properties", {}).items()}
    required = schema.get("required", [])
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _plain(field: Json) -> Json:
    options = [option for option in field.pop("anyOf", []) if option.get("type") != "null"]
    merged = {**(options[0] if options else {}), **field}
    return {name: value for name, value in merged.items() if name not in ("title", "default")}


def _explain(name: str, arguments: type[Arguments], error: ValidationError) -> str:
    said = []
    for one in error.errors(include_url=False, include_context=False, include_input=False):
        where = ".".join(str(part) for part in one["loc"])
        match one["type"]:
            case "missing":
                said.append(f"`{where}` is missing")
            case "extra_forbidden":
                said.append(f"unknown argument `{where}`")
            case _:
                said.append(f"`{where}`: {one['msg']}")
    known = ", ".join(arguments.model_fields)
    return f"Invalid arguments for {name}: {'; '.join(said)}. It accepts {known}."
