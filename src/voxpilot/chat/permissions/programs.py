"""Which commands are understood well enough to run without a person.

Lives here: finding the rule for a program, what its words mean for files, and programs with rules of their
own. A program that is not known is asked about. Lives elsewhere: reading command lines (shell.py) and options
(options.py), the tables (program_tables.py), tests, builds and linters (runners.py), which files matter
(decide.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from voxpilot.chat.permissions import program_tables as tables
from voxpilot.chat.permissions.control_files import is_harmless_glob
from voxpilot.chat.permissions.options import Parsed, Sweep, parsed
from voxpilot.chat.permissions.program_tables import Tool
from voxpilot.chat.permissions.runner_tables import INTERPRETERS, MODULES, RUNNERS
from voxpilot.chat.permissions.runners import Deed, check_script, interpret, run_known, run_own
from voxpilot.chat.permissions.shell import NotPlain, Simple
from voxpilot.chat.permissions.trees import Skipped

LONGEST_WORD = 1024
SYSTEM = frozenset({"/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"})
"""Folders whose programs are the ones known by name."""
_PROGRAM = re.compile(r"[A-Za-z0-9_./+-]+")


def judge(command: Simple) -> Deed:
    """What a command does; NotPlain if there is any doubt."""
    if not command.words[0].is_bare:
        raise NotPlain("the program's name is quoted")
    deed = deed_of([word.text for word in command.words])
    for redirection in command.redirections:
        if redirection.operator.endswith("<") or redirection.target in tables.DEVICES:
            deed.reads.append(redirection.target)
        elif not redirection.operator.endswith("&"):
            deed.writes.append(redirection.target)
            deed.is_edit = deed.is_change = True
    return deed


def deed_of(words: Sequence[str]) -> Deed:
    """The same for the words of one command as a program gets them."""
    if not words or any(len(word) > LONGEST_WORD for word in words):
        raise NotPlain("the command has very long words")
    if any(not word.isascii() or not word.isprintable() for word in words):
        raise NotPlain("the command contains unusual characters")
    program, rest = words[0], list(words[1:])
    if not _PROGRAM.fullmatch(program):
        raise NotPlain("the program's name is unusual")
    folder, slash, name = program.rpartition("/")
    name = _plain_name(name)
    if slash and folder not in SYSTEM:
        return _own_program(program, name, rest)
    if slash and name in _OF_THE_SHELL:
        raise NotPlain(f"it runs a program named {name} instead of the shell's own command")
    if (special := _SPECIAL.get(name)) is not None:
        return special(rest)
    if (tool := tables.FILE_TOOLS.get(name)) is not None:
        return _file_tool(name, tool, rest)
    if (runner := RUNNERS.get(name)) is not None:
        return run_known(name, runner, rest)
    if (language := INTERPRETERS.get(name)) is not None:
        return interpret(language, rest)
    raise NotPlain(f"{name[:60]} is not one of the programs known to be harmless")


def _own_program(program: str, name: str, words: list[str]) -> Deed:
    """A program from the folder; if it has a known name, the same rules apply to it."""
    name = name.casefold()
    if name in RUNNERS or name in INTERPRETERS:
        deed = deed_of([name, *words])
    elif name in _SPECIAL or name in tables.FILE_TOOLS:
        raise NotPlain(f"it runs a different program named {name}")
    else:
        check_script(program)
        deed = run_own(words)
    deed.is_change = True
    deed.reads.append(program)  # it must be inside the folder, with links resolved
    return deed


def _plain_name(name: str) -> str:
    return "python3" if name.startswith("python3.") and name[8:].isdigit() else name


# Programs that read or change files


def _file_tool(name: str, tool: Tool, words: list[str]) -> Deed:
    given = parsed(name, tool.options, words)
    operands = given.operands
    if name == "jq" and operands:
        _check_jq(operands[0])
    operands = [] if tool.text_only else operands[1:] if tool.text_first else operands
    if name == "tee":
        devices = [word for word in operands if word in tables.DEVICES]
        deed = _changing(tool, [word for word in operands if word not in devices], is_copy=False)
        return replace(deed, reads=devices)
    if tool.changes:
        return _changing(tool, operands, is_copy=name == "cp")
    return Deed(reads=_parts_of(operands), sweeps=_sweeps(name, given, operands))


def _changing(tool: Tool, operands: list[str], is_copy: bool) -> Deed:
    if any(word.rstrip("/").rpartition("/")[2] in (".", "..") for word in operands[:-1]):
        raise NotPlain("it includes everything in a folder, even hidden files")
    paths = _parts_of(operands)
    if tool.removes == "sources" or is_copy:  # into a folder, under the same name
        paths += [f"{operands[-1]}/{word.rstrip('/').rpartition('/')[2]}" for word in operands[:-1]]
    gone = {"all": operands, "sources": operands[:-1]}.get(tool.removes, [])
    return Deed(writes=paths, removes=gone, is_change=True, is_edit=True)


def _parts_of(operands: list[str]) -> list[str]:
    """Each operand, and what follows a revision of git: `HEAD:a.py`."""
    return [part for word in operands for part in (word, word.partition(":")[2]) if part and part != "-"]


def _sweeps(name: str, given: Parsed, operands: list[str]) -> list[Sweep]:
    """Folders that a search goes through; one that is limited to harmless names needs no look at them."""
    if name == "rg":
        globs = given.values("-g", "--glob", "--iglob")
    elif name.endswith("grep") and given.has("-r", "--recursive"):
        globs = given.values("--include")
    else:
        return []
    wanted = [glob for glob in globs if not glob.startswith("!")]
    if not all(map(is_harmless_glob, wanted)):
        raise NotPlain("it may search files that contain secrets")
    skipped: Skipped = "hidden" if name == "rg" else "nothing"
    # If grep is told first what to leave out, it searches everything else, whatever it is told to include.
    is_limited = wanted and not given.has("--exclude", "--exclude-dir")
    return [] if is_limited else [Sweep(word, skipped) for word in operands or ["."] if word != "-"]


def _check_jq(script: str) -> None:
    """The language can also read the environment and other files; only plain words of it are understood."""
    named = re.findall(r"(?<![.A-Za-z0-9_])[A-Za-z_][A-Za-z0-9_]*", script)
    if not re.fullmatch(r"[A-Za-z0-9_.|, ()<>=!?\[\]:+*-]*", script) or not tables.JQ_NAMES.issuperset(named):
        raise NotPlain("this use of jq is not known to be harmless")


# Programs with rules of their own


def _git(words: list[str]) -> Deed:
    while words and words[0] == "--no-pager":
        words = words[1:]
    if words in (["--version"], ["stash", "list"], ["branch", "--show-current"]):
        return Deed(sweeps=[Sweep(".", use="git")])
    if not words or (tool := tables.GIT.get(words[0])) is None:
        raise NotPlain("this use of git is not known to be harmless")
    needed = tables.NEW_BRANCH.get(words[0])
    if needed and not parsed(f"git {words[0]}", tool.options, words[1:]).has(*needed):
        raise NotPlain("it may replace files with those from another branch")
    deed = _file_tool(f"git {words[0]}", tool, words[1:])
    deed.sweeps += [Sweep(".", use="git"), *_shown_by_git(words[0], parsed("git", tool.options, words[1:]))]
    return deed


def _shown_by_git(name: str, given: Parsed) -> list[Sweep]:
    """Files that git does not know yet, but shows from now on: those it adds, and two folders it compares."""
    if name == "add":
        is_known = given.has("-u", "--update") and not given.has("-A", "--all", "-N", "--intent-to-add")
        whole = [] if given.operands else [Sweep(".", "ignored", use="stage")]
        return [] if is_known else [*whole, *(Sweep(word, "ignored") for word in given.operands)]
    return [Sweep(word, "git") for word in given.operands] if name == "diff" and given.operands[1:] else []


def _cd(words: list[str]) -> Deed:
    if len(words) != 1 or words[0].startswith(("-", "+")) or not words[0]:
        raise NotPlain("it does not name the folder it changes to")
    return Deed(reads=[words[0]], enters=words[0])


def _find(words: list[str]) -> Deed:
    places, tests = [], list(words)
    while tests and not tests[0].startswith("-"):
        places.append(tests.pop(0))
    place = 0
    others = [value for test, value in pairwise(tests) if test == "-newer"]
    while place < len(tests):
        if tests[place] in tables.FIND_WITH_VALUE and place + 1 < len(tests):
            place += 2
        elif tests[place] in tables.FIND_ALONE:
            place += 1
        else:
            raise NotPlain("this use of find is not known to be harmless")
    return Deed(reads=[*(places or ["."]), *others])


def _sed(words: list[str]) -> Deed:
    """`sed -n '1,20p' file` and `sed 's/a/b/g' file`; the language can also write files and run programs."""
    flags = [word for word in words if word.startswith("-")]
    script, *files = [word for word in words if not word.startswith("-")] or [""]
    if not set(flags) <= {"-n", "-E", "-r"} or not (_prints_lines(script) or _substitutes(script)):
        raise NotPlain("this use of sed is not known to be harmless")
    return Deed(reads=[file for file in files if file != "-"])


def _prints_lines(script: str) -> bool:
    return script[-1:] == "p" and set(script[:-1]) <= set("0123456789,$") and bool(script[:-1])


def _substitutes(script: str) -> bool:
    if script[:1] != "s" or script[1:2] not in ("/", "|", "#", ","):
        return False
    parts = script[2:].split(script[1])
    return len(parts) == 3 and set(parts[2]) <= set("gI123456789")


def _chmod(words: list[str]) -> Deed:
    if len(words) < 2 or words[0] not in tables.MODES:
        raise NotPlain("this use of chmod is not known to be harmless")
    return _file_tool("chmod", tables.CHMOD, words[1:])


def _date(words: list[str]) -> Deed:
    if any(word != "-u" and not word.startswith("+") for word in words):
        raise NotPlain("this use of date is not recognised")
    return Deed()


def _sleep(words: list[str]) -> Deed:
    if not words or any(not word.rstrip("smh").replace(".", "", 1).isdigit() for word in words):
        raise NotPlain("this use of sleep is not recognised")
    return Deed()


def _exit(words: list[str]) -> Deed:
    if len(words) > 1 or any(not word.isdigit() for word in words):
        raise NotPlain("this use of exit is not recognised")
    return Deed()


def _command(words: list[str]) -> Deed:
    if len(words) != 2 or words[0] != "-v":
        raise NotPlain("it runs another command")
    return Deed()


def _timeout(words: list[str]) -> Deed:
    if len(words) < 2 or not words[0].rstrip("smh").replace(".", "", 1).isdigit():
        raise NotPlain("this use of timeout is not recognised")
    return _inner(words[1:])


def _after(*first: str) -> Callable[[list[str]], Deed]:
    """A program that runs the command after these words; other uses are those of a runner."""

    def rule(words: list[str]) -> Deed:
        if words[: len(first)] != list(first):
            raise NotPlain("it may run another program")
        return _installed(words[len(first) :])

    return rule


def _python(words: list[str]) -> Deed:
    language = INTERPRETERS["python3"]
    rest = words
    while rest and rest[0] in language.flags:
        rest = rest[1:]
    if rest[:1] != ["-m"]:
        return interpret(language, words)
    if len(rest) < 2 or rest[1] not in language.modules:
        raise NotPlain("it runs a module that is not known to be harmless")
    module = rest[1]
    return run_known(module, MODULES[module], rest[2:]) if module in MODULES else deed_of(rest[1:])


def _coverage(words: list[str]) -> Deed:
    """`coverage run` is Python."""
    if words[:1] != ["run"]:
        return run_known("coverage", RUNNERS["coverage"], words)
    words = words[1:]
    while words and words[0] in ("--branch", "-a", "--append", "-p", "--parallel-mode"):
        words = words[1:]
    if words[:1] and words[0].startswith("-") and words[0] != "-m":
        raise NotPlain("this use of coverage is not recognised")
    return _python(words)


def _covered(words: list[str]) -> Deed:
    """`nyc` and `c8` run the command that follows."""
    while words and words[0] in ("--reporter=text", "--reporter=lcov", "--all", "--check-coverage"):
        words = words[1:]
    return Deed(is_change=True) if words == ["report"] else _installed(words)


def _echo(words: list[str]) -> Deed:
    return Deed()


def _printf(words: list[str]) -> Deed:
    """Options and formats other than `%s` can set variables, or run code that an argument contains."""
    if not words or words[0].startswith("-") or not re.fullmatch(r"([^%]|%%|%s)*", words[0]):
        raise NotPlain("this use of printf is not recognised")
    return Deed()


def _test(words: list[str]) -> Deed:
    """`test -f a.py`, `test a = b`, `test 1 -lt 2`; some shells run code that a number or a name contains."""
    match words[1:] if words[:1] == ["!"] else words:
        case ["-n" | "-z", _] | [_, "=" | "!=", _]:
            return Deed()
        case [str(option), str(file)] if option in tables.TESTS:
            return Deed(reads=[file])
        case [str(one), "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge", str(other)]:
            if one.isdigit() and other.isdigit():
                return Deed()
    raise NotPlain("this use of test is not recognised")


def _inner(words: list[str]) -> Deed:
    if not words or words[0].startswith("-") or words[0] in ("cd", "exit", "command"):
        raise NotPlain("it runs another command that is not recognised")
    return deed_of(words)


def _installed(words: list[str]) -> Deed:
    """A command that is first looked for among the programs that the folder's packages install."""
    name = words[0] if words else ""
    if "/" not in name and name not in RUNNERS and name not in INTERPRETERS and name not in ("nyc", "c8"):
        raise NotPlain(f"it may run a different program named {name[:60]}")
    if name.rpartition("/")[0] in SYSTEM:
        raise NotPlain("it runs another command that is not recognised")
    deed = _inner(words)
    deed.is_change = True
    return deed


def _or_runner(name: str, *first: str) -> Callable[[list[str]], Deed]:
    wrap = _after(*first)

    def rule(words: list[str]) -> Deed:
        is_wrapped = words[: len(first)] == list(first)
        return wrap(words) if is_wrapped else run_known(name, RUNNERS[name], words)

    return rule


_SPECIAL: dict[str, Callable[[list[str]], Deed]] = {
    "git": _git,
    "cd": _cd,
    "find": _find,
    "sed": _sed,
    "chmod": _chmod,
    "date": _date,
    "sleep": _sleep,
    "exit": _exit,
    "command": _command,
    "timeout": _timeout,
    "time": _inner,
    "coverage": _coverage,
    "nyc": _covered,
    "c8": _covered,
    "echo": _echo,
    "printf": _printf,
    "test": _test,
    "python": _python,
    "python3": _python,
    "npx": _after("--no-install"),
    "uv": _or_runner("uv", "run"),
    "poetry": _or_runner("poetry", "run"),
    "pipenv": _after("run"),
    "bundle": _or_runner("bundle", "exec"),
    "pnpm": _or_runner("pnpm", "exec"),
}
_OF_THE_SHELL = frozenset({"cd", "exit", "command", "time"})
KNOWN = frozenset({*_SPECIAL, *tables.FILE_TOOLS, *RUNNERS, *INTERPRETERS}) - _OF_THE_SHELL
"""Programs with a rule, without those that are part of the shell."""
