"""The tools that a model is offered.

Lives here: their names and descriptions, checking what a model gives them, and
running those that only look. Lives elsewhere: what each does (tools/), handing
work to an agent and asking a person (the runtime).
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import Field, ValidationError

from voxpilot.assistant.shapes import Json, Tool, ToolCall
from voxpilot.assistant.tools.git_tools import GitDiff, GitShow, git_diff, git_show
from voxpilot.assistant.tools.list_directory import ListDirectory, list_directory
from voxpilot.assistant.tools.outcome import Arguments, ToolFailed, ToolResult, failed
from voxpilot.assistant.tools.read_file import (
    ReadExternal,
    ReadFile,
    look_at_external,
    read_external,
    read_file,
)
from voxpilot.assistant.tools.searching import GlobSearch, GrepSearch, glob_search, grep_search
from voxpilot.errors import VoxPilotError

log = logging.getLogger(__name__)
DELEGATE = "copilot_agent"
READ_EXTERNAL = "read_file_external"
Run = Callable[[Sequence[str], Any], Awaitable[ToolResult]]


class Delegation(Arguments):
    """Work for an agent."""

    prompt: Annotated[
        str,
        Field(
            min_length=1,
            max_length=100_000,
            description="The instruction, in your own words. It is all the agent sees of this conversation.",
        ),
    ]
    session_name: Annotated[
        str,
        Field(
            min_length=1,
            max_length=80,
            pattern=r"^[^\x00-\x1f]+$",
            description="A short name for the task, as `auth-bug-fix`. The first use begins a session; "
            "the same name again goes on in it.",
        ),
    ]
    agent: Annotated[
        str, Field(max_length=100, description="Which agent; leave it out to use the usual one.")
    ] = ""


@dataclass(frozen=True, slots=True)
class _Offer:
    description: str
    arguments: type[Arguments]
    run: Run | None = None
    """None: the runtime does it."""


_OFFERS: Mapping[str, _Offer] = {
    DELEGATE: _Offer(
        "Hand a coding task to an agent. It works by itself: it reads and changes files in the workspace and "
        "runs commands. The same session_name is a follow-up to the same task, and the agent remembers it; "
        "another session_name is an independent task. You get a summary when it is done.",
        Delegation,
    ),
    "read_file": _Offer("Read a text file of the workspace, or some lines of it.", ReadFile, read_file),
    "list_directory": _Offer("List what lies in a folder of the workspace.", ListDirectory, list_directory),
    "grep_search": _Offer("Find lines in the workspace's files by a pattern.", GrepSearch, grep_search),
    "glob_search": _Offer("Find files of the workspace by their names.", GlobSearch, glob_search),
    READ_EXTERNAL: _Offer(
        "Read a text file outside the workspace. The person is asked first and may say no.", ReadExternal
    ),
    "git_diff": _Offer("Show what has changed in the workspace since the last commit.", GitDiff, git_diff),
    "git_show": _Offer("Show a commit, or a file as it was in one.", GitShow, git_show),
}
NAMES = tuple(_OFFERS)


def offered(agents: Sequence[str] = ()) -> tuple[Tool, ...]:
    """What a model is told, with the agents it may choose from."""
    tools = []
    for name, offer in _OFFERS.items():
        schema = _schema(offer.arguments)
        if name == DELEGATE and agents:
            schema["properties"]["agent"]["enum"] = list(agents)
        tools.append(Tool(name, offer.description, schema))
    return tuple(tools)


def checked(call: ToolCall, agents: Sequence[str] = ()) -> Arguments:
    """The arguments of a call; ToolFailed, in words for the model, if they cannot be used."""
    offer = _OFFERS.get(call.name)
    if offer is None:
        raise ToolFailed(f"There is no tool {call.name!r}.", f"There are {', '.join(NAMES)}.")
    if call.arguments is None:
        raise ToolFailed(call.error or "The arguments cannot be read.")
    given = {name: value for name, value in call.arguments.items() if value is not None}
    try:
        found = offer.arguments.model_validate(given)
    except ValidationError as error:
        raise ToolFailed(_explain(call.name, offer.arguments, error)) from error
    if isinstance(found, Delegation) and found.agent and agents and found.agent not in agents:
        raise ToolFailed(f"There is no agent {found.agent!r}.", f"There are {', '.join(agents)}.")
    return found


def only_looks(name: str) -> bool:
    """Whether `run` does it: it changes nothing, so it may be done again after a restart."""
    return name in _OFFERS and _OFFERS[name].run is not None


async def run(roots: Sequence[str], call: ToolCall, agreed_path: str = "") -> ToolResult:
    """Run a tool that only looks, in a chat's folders, the workspace first. Failures are results.

    A file outside is read only where a person agreed to: at that path, which is the real one.
    """
    try:
        found = await _run(roots, call, agreed_path)
        return replace(found, content=_writable(found.content), display=_writable(found.display))
    except VoxPilotError as error:
        return failed(error)
    except Exception:
        log.exception("the tool %s failed", call.name)
        return failed(ToolFailed("The tool failed for a reason of its own.", "Try something else."))


async def _run(roots: Sequence[str], call: ToolCall, agreed_path: str) -> ToolResult:
    arguments = checked(call)
    if isinstance(arguments, ReadExternal) and agreed_path:
        agreed = arguments.model_copy(update={"path": agreed_path})
        return await read_external(await look_at_external(agreed), agreed)
    perform = _OFFERS[call.name].run
    if perform is None:
        raise ToolFailed(f"{call.name} cannot be run here.")
    return await perform(roots, arguments)


def _writable(text: str) -> str:
    """Names of files may hold bytes that are no text; those become question marks."""
    return text.encode(errors="replace").decode()


def _schema(arguments: type[Arguments]) -> Json:
    """JSON schema without what no model needs."""
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
                said.append(f"there is no `{where}`")
            case _:
                said.append(f"`{where}`: {one['msg']}")
    known = ", ".join(arguments.model_fields)
    return f"{name} cannot be called like that: {'; '.join(said)}. It takes {known}."
