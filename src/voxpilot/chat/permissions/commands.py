"""The commands in the input of a tool call, and what they do.

Lives here: finding the one command among the fields agents use, the folder it runs in, and
following it through `cd`. Lives elsewhere: reading command lines (shell.py), known programs
(programs.py), variables (environment.py).
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from voxpilot.chat.events import Json
from voxpilot.chat.permissions import environment, shell
from voxpilot.chat.permissions.options import Sweep
from voxpilot.chat.permissions.program_tables import FILE_TOOLS, GIT
from voxpilot.chat.permissions.programs import KNOWN, deed_of, judge
from voxpilot.chat.permissions.runner_tables import RUNNERS
from voxpilot.chat.permissions.runners import Deed
from voxpilot.chat.permissions.shell import LONGEST, NotPlain, Simple

_COMMAND = ("command", "cmd")
_FOLDER = ("cwd", "workdir", "directory", "working_directory", "workingDirectory", "dir_path")
_SHELLS = frozenset(
    f"{folder}{name}"
    for folder in ("", "/bin/", "/usr/bin/", "/usr/local/bin/")
    for name in ("sh", "bash", "zsh", "dash")
)
_SHELL_FLAGS = frozenset({"-c", "-lc", "-ec", "-euc"})
_ECHOES = frozenset({"proposed_execpolicy_amendment", "available_decisions"})
"""Fields that Codex adds to a command: other answers a person may give."""
_PARSED = frozenset({"type", "cmd", "name", "path", "query"})
"""Fields of Codex's own parsed form of a command."""
_IN_FOLDERS = frozenset(" _-./+@,()")
"""Signs that have no special meaning in the name of a folder for any program."""


def is_text(value: object) -> bool:
    return bool(value) and isinstance(value, str | list | tuple)


def without_shell(command: object) -> object:
    """The command line that a list of words passes to a known shell; anything else as it is."""
    match command:
        case [str(program), str(flag), str(text)] if program in _SHELLS and flag in _SHELL_FLAGS:
            return text
    return command


def deeds_of(fields: Json, folders: Sequence[str], idle: frozenset[str]) -> list[Deed]:
    """What the command in the input of a call does; NotPlain if any of its fields is not understood."""
    commands = [fields[name] for name in _COMMAND if is_text(fields.get(name))]
    if not commands:
        raise NotPlain("the command is missing")
    if any(other != commands[0] for other in commands[1:]):
        raise NotPlain("it contains more than one command")
    if any(fields.get(name) and not is_text(fields[name]) for name in _COMMAND):
        raise NotPlain("the command has an unknown format")
    for name, value in fields.items():
        _check_field(name, value, commands[0], idle)
    return _deeds(_with_args(commands[0], fields.get("args")), _start(fields, folders))[0]


def folders_after(fields: Json, folders: Sequence[str]) -> tuple[str, ...]:
    """The current folder that a persistent shell may have after the command; `/` if unknown."""
    given = next((fields[name] for name in _COMMAND if is_text(fields.get(name))), "")
    if any(fields.get(name) for name in _FOLDER) or not given:
        return tuple(folders)
    try:
        return tuple(dict.fromkeys(map(posixpath.normpath, _deeds(given, list(folders))[1])))
    except Exception:  # a person may have allowed anything
        return tuple(folders) if _stays(given) else ("/",)


def _stays(given: str | Sequence[str]) -> bool:
    """Whether a command that is not understood only runs programs; they cannot change the shell's folder."""
    try:
        text = given if isinstance(given, str) else " ".join(given)
        return all(command.words[0].text in _SEPARATE for command in shell.read(text.strip(" ")))
    except Exception:
        return False


def leaves_folders(fields: Json) -> bool:
    """Whether a command that is not understood only runs programs that do not move folders."""
    given = next((fields[name] for name in _COMMAND if is_text(fields.get(name))), "")
    try:
        text = given if isinstance(given, str) else " ".join(given)
        lines = [[word.text for word in command.words] for command in shell.read(text.strip(" "))]
        return all(line[0] in _STILL or (line[0] == "git" and line[1] in _STILL_GIT) for line in lines)
    except Exception:
        return False


_SEPARATE = KNOWN | frozenset(
    {
        "curl", "wget", "ssh", "scp", "rsync", "docker", "podman", "kubectl", "helm", "gh", "glab", "pip",
        "pip3", "pipx", "uvx", "gem", "brew", "apt", "apt-get", "sudo", "env", "xargs", "awk", "perl", "tar",
        "unzip", "zip", "gzip", "kill", "ln", "diff", "patch", "aws", "psql", "sqlite3", "redis-cli",
        "openssl", "gpg",
    }
)  # fmt: skip
"""Programs, as opposed to functions and commands of the shell itself."""
_STILL = frozenset(
    {
        "curl", "wget", "ssh", "scp", "docker", "podman", "kubectl", "helm", "gh", "glab", "pip", "pip3",
        "pipx", "uvx", "gem", "brew", "apt", "apt-get", "kill", "diff", "aws", "psql", "redis-cli", "echo",
        "printf", "sed", "date", "sleep", *RUNNERS,
        *(name for name, tool in FILE_TOOLS.items() if not tool.removes),
    }
)  # fmt: skip
_STILL_GIT = frozenset({*GIT, "push", "fetch", "remote", "config"}) - {"mv", "rm", "switch", "checkout"}
"""Programs, and uses of git, that move or remove no folders."""


def _start(fields: Json, folders: Sequence[str]) -> list[str]:
    places = [value for name in _FOLDER if isinstance(value := fields.get(name), str) and value]
    if any(not (letter.isalnum() or letter in _IN_FOLDERS) for place in places for letter in place):
        raise NotPlain("the name of its folder is unusual")
    return [posixpath.join(folder, place) for folder in folders for place in places] or list(folders)


def _with_args(command: str | Sequence[str], args: Any) -> str | Sequence[str]:
    if not args:
        return command
    if not isinstance(command, str):
        raise NotPlain("its input has an unknown format")
    return [command, *args]


def _check_field(name: str, value: Any, command: Any, idle: frozenset[str]) -> None:
    plain = name.lower().replace("_", "") if len(name) < 40 else name
    if name in _COMMAND or value in (None, "", [], {}):
        return
    if name in _FOLDER:
        is_known = isinstance(value, str)
    elif name == "args":
        is_known = _are_words(value)
    elif name == "env":
        environment.check(value)
        is_known = True
    elif name == "commands":  # Copilot repeats the command in parts
        is_short = (
            isinstance(command, str) and len(command) <= LONGEST and _are_words(value) and len(value) <= 50
        )
        is_known = is_short and all(part in command for part in value)
    elif name == "parsed_cmd":
        is_known = isinstance(value, list | tuple) and all(map(_is_parsed_form, value))
    elif name in _ECHOES:
        is_known = isinstance(value, list | tuple)
    else:
        is_known = plain in idle and isinstance(value, str | int | float)
    if not is_known:
        raise NotPlain(f"its input has an unknown field: {name[:60]}")


def _is_parsed_form(value: object) -> bool:
    return isinstance(value, dict) and all(
        name in _PARSED and (part is None or isinstance(part, str)) for name, part in value.items()
    )


def _are_words(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(word, str) for word in value)


def _deeds(command: str | Sequence[str], start: list[str]) -> tuple[list[Deed], list[str]]:
    """What the command does, and the folders in which the shell may be afterwards."""
    if isinstance(command, str):
        return _followed(shell.read(command.strip(" ")), start)
    if not _are_words(command) or not all(command) or sum(map(len, command)) > LONGEST:
        raise NotPlain("the command has an unknown format")
    if isinstance(text := without_shell(command), str):
        return _followed(shell.read(text.strip(" ")), start)
    if any(not _INERT.issuperset(word) for word in command):
        raise NotPlain("the command uses special shell characters")
    # Some programs join the words with spaces and pass them to a shell, which must give the same result.
    joined = shell.read(" ".join(command))
    if len(joined) != 1:
        raise NotPlain("the command could be read in more than one way")
    deeds = [deed_of(command), judge(joined[0])]
    if any(deed.enters is not None for deed in deeds):
        raise NotPlain("it changes the current folder in an unusual way")
    return [_running_in(start), *(_placed(deed, start) for deed in deeds)], start


_INERT = frozenset(shell.UNQUOTED | {" "})


def _followed(commands: list[Simple], start: list[str]) -> tuple[list[Deed], list[str]]:
    """Each deed with its files relative to the folders it may run in."""
    folders, found = start, []
    for place, command in enumerate(commands):
        deed = judge(command)
        found.append(_placed(deed, folders))
        if deed.enters is None:
            found.append(_running_in(folders))
            continue
        joints = [later.joint for later in commands[place + 1 :]]
        if command.joint == "|" or joints[:1] == ["|"]:
            raise NotPlain("it changes the current folder in an unusual way")
        entered = [posixpath.join(folder, deed.enters) for folder in folders]
        # After `cd x && …` the rest runs there or not at all; after anything else, there or here.
        before = {earlier.joint for earlier in commands[: place + 1]}
        is_certain = before <= {"", "&&"} and set(joints) <= {"&&", "|"}
        folders = entered if is_certain else [*folders, *entered]
        if len(folders) > 8:
            raise NotPlain("it changes the current folder too often")
    return found, folders


def _running_in(folders: list[str]) -> Deed:
    return Deed(reads=folders, sweeps=[Sweep(folder, use="work") for folder in folders])


def _placed(deed: Deed, folders: list[str]) -> Deed:
    def from_each(paths: list[str]) -> list[str]:
        if any(path.startswith("~") for path in paths):
            raise NotPlain("it names a file relative to a home folder")
        return [posixpath.join(folder, path) for path in paths for folder in folders]

    return Deed(
        reads=from_each(deed.reads),
        writes=from_each(deed.writes),
        removes=from_each(deed.removes),
        sweeps=[replace(each, path=place) for each in deed.sweeps for place in from_each([each.path])],
        is_change=deed.is_change,
        is_edit=deed.is_edit,
        enters=deed.enters,
    )
