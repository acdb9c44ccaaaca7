"""What a sandbox allows, tested with real programs, and that its processes end like others."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import NoteFigure
from tests.keeper.commands import WAITING, end_of, output
from tests.keeper.conftest import Keep
from tests.keeper.families import STAYS, all_born
from tests.kit.machine.processes import is_alive
from tests.kit.machine.sandboxes import in_every_sandbox, sandbox_fields, sandbox_for
from tests.kit.waiting import until
from voxpilot.errors import Conflict
from voxpilot.keeper.sandbox import secrets
from voxpilot.keeper.sandbox.available import Available, available, how_to_get_it
from voxpilot.keeper.sandbox.prepare import Sandbox, prepare
from voxpilot.keeper.sandbox.view import Wanted

KINDS = pytest.mark.parametrize("kind", ["bwrap", "landlock"])


def run(sandbox: Sandbox, place: Path, line: str) -> subprocess.CompletedProcess[str]:
    temporary = place / "private"
    temporary.mkdir(exist_ok=True)
    cwd = str(place / "project")
    env = {**sandbox.environment(os.environ, str(temporary)), "HOME": str(place / "home")}
    return subprocess.run(
        sandbox.command(["/bin/sh", "-c", line], cwd, str(temporary)),
        capture_output=True, text=True, check=False, cwd=cwd, env=env,
    )  # fmt: skip


def git(folder: Path, *args: str) -> None:
    who = ["-c", "user.name=A", "-c", "user.email=a@b.c"]
    subprocess.run(["git", *who, "-C", str(folder), *args], check=True, capture_output=True)


@pytest.fixture
def project(place: Path) -> Path:
    """A repository with one commit, in a home folder with a folder for worktrees next to it."""
    (place / "home").mkdir()
    folder = place / "project"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "file").write_text("one")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    return folder


async def test_nothing_of_a_sandboxed_agent_outlives_a_keeper_that_was_killed(
    keep: Keep, place: Path
) -> None:
    """Without anybody cleaning up after it."""
    kept = await keep(STAYS, sandbox=sandbox_fields(sandbox_for(place, "bwrap")))
    family = await all_born(kept)
    os.kill(kept.keeper, signal.SIGKILL)
    await until(lambda: not any(is_alive(pid) for pid in family), 5, "a process is left")


@in_every_sandbox
async def test_exit_codes_and_signals_of_agents_come_through(keep: Keep) -> None:
    exits = await keep("import sys; sys.stdin.readline(); sys.exit(5)")
    exits.send("go")
    assert (await exits.end())["exit"] == 5
    crashes = await keep("import os, sys; sys.stdin.readline(); os.kill(os.getpid(), 6)")
    crashes.send("go")
    end = await crashes.end()
    # The first process of a pid namespace would not get it, but the agent is not the first.
    if end["exit"] is None:
        assert end["signal"] == signal.SIGABRT
    else:  # all that bubblewrap reports; it may have been an exit code
        assert (end["exit"], end["signal"], end["maybe_signal"]) == (128 + 6, None, signal.SIGABRT)


@in_every_sandbox
@pytest.mark.parametrize("code", [143, 193])
async def test_an_exit_code_above_128_is_not_taken_for_a_signal(keep: Keep, code: int) -> None:
    """Bubblewrap reports both in the same way."""
    kept = await keep("import sys; sys.exit(int(sys.stdin.readline()))")
    kept.attachment.run("a-1", ["/bin/sh", "-c", f"exit {code}"], "/", {})
    ended = await end_of(kept, "a-1")
    assert (ended["exit_code"], ended["signal"]) == (code, None)
    kept.attachment.run("a-2", ["/bin/sh", "-c", "echo; sleep 60"], "/", {})
    await until(lambda: output(kept, "a-2") != b"", 10, "it does not begin")
    kept.attachment.kill_command("a-2")
    ended = await end_of(kept, "a-2")
    assert (ended["exit_code"], ended["signal"]) == (None, "SIGKILL"), "we sent it, so it is known"
    kept.send(str(code))
    end = await kept.end()
    assert (end["exit"], end["signal"]) == (code, None)


async def test_bubblewrap_costs_little_time(keep: Keep, place: Path, note_figure: NoteFigure) -> None:
    sandbox = sandbox_fields(sandbox_for(place, "bwrap"))
    took = {}
    for name, fields in (("without", {}), ("with", {"sandbox": sandbox})):
        started = time.monotonic()
        kept = await keep(["/bin/sh", "-c", "echo ready; cat"], **fields)
        await kept.line("ready")
        took[name] = time.monotonic() - started
    note_figure(f"start of a program: {took['without']:.3f} s, in bubblewrap {took['with']:.3f} s")
    assert took["with"] < took["without"] + 2


@KINDS
def test_a_secret_that_is_created_or_replaced_later_is_not_seen(
    project: Path, place: Path, kind: str
) -> None:
    home = place / "home"
    (home / ".netrc").write_text("old secret")
    sandbox = sandbox_for(place, kind, roots=(str(project),))
    (home / ".ssh").mkdir()
    (home / ".ssh" / "key").write_text("new secret")
    (home / "new").write_text("new secret")
    (home / "new").rename(home / ".netrc")
    done = run(sandbox, place, f"cat {home}/.netrc {home}/.ssh/key; ls {home}/.ssh")
    assert done.returncode
    assert "secret" not in done.stdout


def test_what_holds_a_secret_or_a_folder_of_the_agent_cannot_be_moved_away(place: Path) -> None:
    """The next sandbox would hide, or open, the old path."""
    home = place / "home"
    for name in (".config/gh/hosts.yml", ".local/share/data/token", ".own/deep/state"):
        (home / name).parent.mkdir(parents=True)
        (home / name).write_text("secret")
    (place / "project").mkdir()
    sandbox = sandbox_for(
        place,
        "bwrap",
        roots=(str(home), str(place / "project")),
        ours=(str(home / ".local/share/data"),),
        writable=(f"{home}/.own/deep/",),
    )
    for name in (".config", ".config/gh", ".local", ".local/share", ".own", ".own/deep"):
        assert run(sandbox, place, f"mv {home}/{name} {home}/moved").returncode, name
    assert (
        run(sandbox, place, f"echo mine > {home}/.config/new && mv {home}/.config/new {home}").returncode == 0
    )


@KINDS
def test_a_link_to_the_home_folder_does_not_open_it(project: Path, place: Path, kind: str) -> None:
    (project / "own").symlink_to("/")
    with pytest.raises(Conflict, match="contains the whole home folder"):
        sandbox_for(place, kind, roots=(str(project),), writable=(f"{project}/own/",))


@KINDS
def test_a_folder_that_was_replaced_with_a_link_is_not_opened(project: Path, place: Path, kind: str) -> None:
    (place / "home" / "autostart").mkdir()
    (project / "second").symlink_to(place / "home" / "autostart")
    with pytest.raises(Conflict, match="leads elsewhere"):
        sandbox_for(place, kind, roots=(str(project), f"{project}/second"))


def test_secrets_are_found_where_a_person_keeps_them(place: Path) -> None:
    """Also if the agent has its own home folder, and if variables name other places."""
    own = str(place / "agents" / "home")
    assert f"{os.path.realpath(Path.home())}/.ssh" in secrets.of_a_person(own)
    assert f"{own}/.ssh" in secrets.of_a_person(own)
    environ = {
        "XDG_CONFIG_HOME": "/else/config",
        "KUBECONFIG": "/else/a:/else/b",
        "SSH_AUTH_SOCK": "/else/agent.sock",
        "GNUPGHOME": "relative",
        "HISTFILE": "/dev/null",
        "DOCKER_CONFIG": "/home",
        "GOOGLE_APPLICATION_CREDENTIALS": "/else/given.json",
    }
    given = {"GOOGLE_APPLICATION_CREDENTIALS": "/else/given.json"}
    found = set(secrets.kept_elsewhere(environ, given, "/home/me"))
    assert {"/else/config/gh", "/else/a", "/else/b", "/else/agent.sock"} <= found
    assert all(path.startswith("/else/") for path in found)
    assert "/else/given.json" not in found


def test_git_works_and_cannot_be_given_hooks_or_settings(project: Path, place: Path) -> None:
    """What git would run later, when a person uses it outside the sandbox."""
    sandbox = sandbox_for(place, "bwrap", roots=(str(project),))
    commit = "echo two > file; git -c user.name=A -c user.email=a@b.c commit -qam two && git log --oneline"
    assert len(run(sandbox, place, commit).stdout.splitlines()) == 2
    for attack in (
        "echo evil > .git/hooks/post-commit",
        "git config core.fsmonitor evil",
        "echo evil >> .git/config",
        "mv .git other && cp -r other .git",
        "rm -rf .git/hooks && ln -s /tmp .git/hooks",
        "rm -f .git/config && echo evil > .git/config",
    ):
        assert run(sandbox, place, attack).returncode, attack
    assert "evil" not in (project / ".git" / "config").read_text()
    assert not (project / ".git" / "hooks" / "post-commit").exists()


@pytest.mark.parametrize("is_there", [True, False])
def test_git_cannot_be_given_settings_of_one_worktree(project: Path, place: Path, is_there: bool) -> None:
    """Git reads a second file of settings in a sparse checkout."""
    git(project, "sparse-checkout", "set", "--no-cone", "/*")
    settings = project / ".git" / "config.worktree"
    if not is_there:
        settings.unlink()
    sandbox = sandbox_for(place, "bwrap", roots=(str(project),))
    for attack in (
        "printf '[core]\\n fsmonitor = evil\\n' >> .git/config.worktree",
        "git config --worktree core.fsmonitor evil",
        "rm -f .git/config.worktree && echo evil > .git/config.worktree",
    ):
        assert run(sandbox, place, attack).returncode, attack
    assert "evil" not in settings.read_text()
    commit = "echo two > file; git -c user.name=A -c user.email=a@b.c commit -qam two && git log --oneline"
    assert len(run(sandbox, place, commit).stdout.splitlines()) == 2


def test_a_linked_worktree_cannot_be_given_settings_of_its_own(project: Path, place: Path) -> None:
    main = place / "main"
    project.rename(main)
    git(main, "config", "extensions.worktreeConfig", "true")
    git(main, "worktree", "add", "-q", str(project))
    sandbox = sandbox_for(place, "bwrap", roots=(str(project),))
    own = main / ".git" / "worktrees" / project.name / "config.worktree"
    assert run(sandbox, place, f"echo evil > {own}").returncode
    assert run(sandbox, place, "git config --worktree core.fsmonitor evil").returncode
    assert run(sandbox, place, f"echo evil > {main}/.git/config.worktree").returncode
    assert "evil" not in own.read_text()


@pytest.mark.parametrize("level", ["standard", "strict"])
def test_a_linked_worktree_can_be_committed_to(project: Path, place: Path, level: str) -> None:
    """The main repository is writable for it, except its hooks and settings."""
    main = place / "main"
    project.rename(main)
    git(main, "worktree", "add", "-q", str(project))
    sandbox = sandbox_for(place, "bwrap", level=level, roots=(str(project),))  # type: ignore[arg-type]
    commit = "echo two > file; git -c user.name=A -c user.email=a@b.c commit -qam two && git log --oneline"
    done = run(sandbox, place, commit)
    assert len(done.stdout.splitlines()) == 2, done.stderr
    assert run(sandbox, place, f"echo evil > {main}/.git/hooks/post-commit").returncode
    run(sandbox, place, f"echo evil > {main}/file")  # which is hidden, so this is a separate file
    assert (main / "file").read_text() == "one"


def test_a_file_that_only_claims_to_be_a_worktree_opens_nothing(project: Path, place: Path) -> None:
    other = place / "other"
    project.rename(other)
    project.mkdir()
    (project / ".git").write_text(f"gitdir: {other}/.git\n")
    sandbox = sandbox_for(place, "bwrap", roots=(str(project),))
    assert run(sandbox, place, f"echo evil > {other}/.git/description").returncode


@KINDS
def test_a_folder_that_is_hidden_cannot_be_worked_in(place: Path, kind: str) -> None:
    """And no setting can expose our own data."""
    for name in (".ssh", ".ssh/deeper", "data", "data/keepers"):
        (place / "home" / name).mkdir(parents=True)
    ours = (str(place / "home" / "data"),)
    for name in (".ssh", ".ssh/deeper", "data", "data/keepers"):
        with pytest.raises(Conflict, match="hidden"):
            sandbox_for(place, kind, roots=(str(place / "home" / name),), ours=ours)
    token = (f"{ours[0]}/token",)
    with pytest.raises(Conflict, match="belongs to VoxPilot"):
        sandbox_for(place, kind, ours=ours, writable=token)
    with pytest.raises(Conflict, match="belongs to VoxPilot"):
        sandbox_for(place, kind, ours=ours, readable=token)


def test_a_network_that_is_switched_off_is_gone(project: Path, place: Path) -> None:
    sandbox = sandbox_for(place, "bwrap", network=False, roots=(str(project),))
    assert run(sandbox, place, "cat /proc/net/dev").stdout.count(":") == 1, "only its own loopback"
    with pytest.raises(Conflict, match="network"):
        sandbox_for(place, "landlock", network=False)


@pytest.mark.parametrize("problem", ["it is not installed", "No permissions to create new namespace"])
def test_without_any_sandbox_nothing_is_started_and_the_way_out_is_named(place: Path, problem: str) -> None:
    wanted = Wanted(level="standard", home=str(place), roots=())
    none = Available(None, "", problem, 0)
    with pytest.raises(Conflict, match="does not support a sandbox") as refused:
        prepare(wanted, none)
    assert refused.value.hint == how_to_get_it(none)
    assert "bubblewrap" in refused.value.hint.lower()
    assert "settings" in refused.value.hint
    old = replace(available(), bwrap=None, abi=2)
    assert old.kind is None, "it lets files be cut short that may not be written to"


@pytest.mark.skipif(
    os.geteuid() == 0, reason="root is kept from parts of /proc, which a sandbox within needs"
)
def test_an_agent_can_have_a_sandbox_of_its_own_within(project: Path, place: Path) -> None:
    """Codex runs commands like this."""
    sandbox = sandbox_for(place, "bwrap", roots=(str(project),))
    done = run(sandbox, place, "bwrap --ro-bind / / --proc /proc --unshare-all -- echo within")
    assert done.stdout == "within\n", done.stderr


@KINDS
async def test_variables_of_a_command_do_not_reach_what_makes_its_sandbox(
    keep: Keep, place: Path, kind: str
) -> None:
    """An agent could otherwise set LD_PRELOAD for a program that runs outside."""
    kept = await keep(WAITING, sandbox=sandbox_fields(sandbox_for(place, kind)))
    env = {"LD_PRELOAD": f"{place}/evil.so", "GREETING": "two\nlines"}
    kept.attachment.run("a-1", ["/usr/bin/printenv", "GREETING"], str(place), env)
    assert (await end_of(kept, "a-1"))["exit_code"] == 0
    printed = output(kept, "a-1").decode()
    assert printed.count("evil.so") == 1, printed  # only the program's own loader reports an error
    assert printed.endswith("two\nlines\n")


@KINDS
async def test_a_variable_cannot_carry_options_for_what_makes_the_sandbox(
    keep: Keep, place: Path, kind: str
) -> None:
    """A NUL ends a word when variables are passed."""
    home = place / "home"
    kept = await keep(
        WAITING, sandbox=sandbox_fields(sandbox_for(place, kind, "strict", roots=(str(place),)))
    )
    (home / ".netrc").write_text("secret")
    for n, env in enumerate(({"A": "b\0--bind\0/\0/all"}, {"A\0b\0--bind\0/\0/all\0--setenv\0C": "d"})):
        kept.attachment.run(f"a-{n}", ["/bin/cat", f"/all{home}/.netrc"], str(place), env)
        assert (await end_of(kept, f"a-{n}"))["exit_code"] == 127
        assert b"secret" not in output(kept, f"a-{n}")
