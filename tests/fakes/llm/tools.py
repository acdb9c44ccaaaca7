"""The tools that agents declare to their models, and how each has to be called.

Lives here: which name stands for which action, and filling in arguments according to the declared schema.
Lives elsewhere: what to do (script.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.fakes.llm.shapes import Block, Call, Json, Say, new_id

READ = ("view", "Read", "read", "read_file")
EDIT = ("edit", "Edit", "apply_patch")
WRITE = ("create", "Write", "write", "apply_patch")
SHELL = ("bash", "Bash", "shell", "exec_command", "shell_command")
PLAN = ("TodoWrite", "todowrite", "update_plan", "sql")
ASK = ("ask_user", "AskUserQuestion", "question", "request_user_input")
_PATH = ("path", "file_path", "filePath")
_OLD = ("old_str", "old_string", "oldString")
_NEW = ("new_str", "new_string", "newString")
_CONTENT = ("content", "file_text")
_COMMAND = ("command", "cmd")
_BLANK: Json = {"integer": 1, "number": 1, "boolean": False, "array": [], "object": {}}


class Toolbox:
    """Calls of the tools that a request declares; where one is missing, the model says so."""

    def __init__(self, declared: Mapping[str, Json | None], may_want_rights: bool) -> None:
        self._declared = declared
        self._may_want_rights = may_want_rights

    def call_id(self) -> str:
        return new_id("call")

    def read(self, path: str, needed: bool = True) -> list[Block]:
        name = self._find(READ)
        if name is None and not needed:
            return []
        return [self._call(READ, dict.fromkeys(_PATH, path))]

    def write(self, path: str, text: str) -> Block:
        if self._find(WRITE) == "apply_patch":
            return self._patch(f"*** Add File: {path}\n+{text}")
        return self._call(WRITE, dict.fromkeys(_PATH, path) | dict.fromkeys(_CONTENT, text + "\n"))

    def edit(self, path: str, old: str, new: str) -> Block:
        if self._find(EDIT) == "apply_patch":
            return self._patch(f"*** Update File: {path}\n@@\n-{old}\n+{new}")
        known = dict.fromkeys(_PATH, path) | dict.fromkeys(_OLD, old) | dict.fromkeys(_NEW, new)
        return self._call(EDIT, known)

    def run(self, command: str, with_more_rights: bool) -> Block:
        known = dict.fromkeys(_COMMAND, command) | {"description": "A scripted command"}
        if with_more_rights and self._may_want_rights:  # one agent asks its user only then
            known |= {"sandbox_permissions": "require_escalated", "justification": "May I run this?"}
        return self._call(SHELL, known)

    def plan(self, things: Sequence[str]) -> list[Block]:
        """The list before the first item, after it, and so on."""
        if "ToolSearch" in self._declared:  # one agent hides its list until it is searched for
            search = Call("ToolSearch", {"query": "select:TodoWrite", "max_results": 1}, self.call_id())
            return [search, *self._plan_with("TodoWrite", things)]
        name = self._find(PLAN)
        return self._plan_with(name, things) if name else [self._no_tool(PLAN)]

    def _plan_with(self, name: str, things: Sequence[str]) -> list[Block]:
        if name == "sql":
            return [Call(name, arguments, self.call_id()) for arguments in _plan_in_sql(things)]
        states = [
            ["completed"] * done
            + ["in_progress"] * (done < len(things))
            + ["pending"] * (len(things) - done - 1)
            for done in range(len(things) + 1)
        ]
        return [Call(name, _plan_entries(name, things, state), self.call_id()) for state in states]

    def ask(self, question: str) -> Block:
        choices = [{"label": colour, "description": colour} for colour in ("red", "blue")]
        asked = {
            "id": "q",
            "question": question,
            "header": "Choice",
            "multiSelect": False,
            "options": choices,
        }
        known = {"question": question, "choices": ["red", "blue"], "questions": [asked]}
        return self._call(ASK, known)

    def _find(self, names: Sequence[str]) -> str | None:
        return next((name for name in names if name in self._declared), None)

    def _call(self, names: Sequence[str], known: Json) -> Block:
        name = self._find(names)
        if name is None:
            return self._no_tool(names)
        schema = self._declared[name]
        return Call(name, "" if schema is None else _fill(schema, known), self.call_id())

    def _patch(self, change: str) -> Block:
        text = f"*** Begin Patch\n{change}\n*** End Patch"
        schema = self._declared["apply_patch"]
        arguments = text if schema is None else dict.fromkeys(schema.get("properties") or ("input",), text)
        return Call("apply_patch", arguments, self.call_id())

    def _no_tool(self, names: Sequence[str]) -> Say:
        return Say(f"There is none of {', '.join(names)} among {', '.join(sorted(self._declared))}.")


def _fill(schema: Json, known: Json) -> Json:
    """Our values under the schema's names, and harmless values for other required fields."""
    properties: Json = schema.get("properties") or {}
    required = schema.get("required") or []
    filled = {name: _fit(spec, known[name]) for name, spec in properties.items() if name in known}
    for name in required:
        if name not in filled:
            filled[name] = _blank(properties.get(name) or {})
    return filled


def _fit(spec: Json, value: Any) -> Any:
    return ["bash", "-lc", value] if spec.get("type") == "array" and isinstance(value, str) else value


def _blank(spec: Json) -> Any:
    if spec.get("enum"):
        return spec["enum"][0]
    return _BLANK.get(str(spec.get("type")), "scripted")


def _plan_entries(name: str, things: Sequence[str], states: Sequence[str]) -> Json:
    pairs = list(zip(things, states, strict=True))
    if name == "update_plan":
        return {"explanation": "", "plan": [{"step": thing, "status": state} for thing, state in pairs]}
    return {
        "todos": [
            {"id": str(n), "content": thing, "status": state, "priority": "medium", "activeForm": thing}
            for n, (thing, state) in enumerate(pairs)
        ]
    }


def _plan_in_sql(things: Sequence[str]) -> list[Json]:
    """One agent keeps its list in a table."""
    rows = ", ".join(f"('t{n}', '{t}', '', 'pending')" for n, t in enumerate(things))
    queries = [f"INSERT INTO todos (id, title, description, status) VALUES {rows}"]
    queries += [f"UPDATE todos SET status = 'done' WHERE id = 't{n}'" for n in range(len(things))]
    return [{"description": "The plan", "query": query} for query in queries]
