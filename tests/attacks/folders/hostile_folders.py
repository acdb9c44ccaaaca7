"""Hostile folders: each tries to run a program, or to expose a secret next to it, when it is opened.

Lives here: creating them, by name. Lives elsewhere: opening them through a real server
(test_opened_folders.py).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import stat
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SECRET = "SECRET-OUTSIDE"
"""The secret that no tool may show; it is in files and in a repository next to each folder."""
HOOKS = (
    "applypatch-msg", "post-checkout", "post-commit", "post-index-change", "post-rewrite", "pre-auto-gc",
    "pre-commit", "reference-transaction", "fsmonitor-watchman", "query-watchman", "proc-receive", "update",
)  # fmt: skip
Calls = list[tuple[str, dict[str, Any]]]


@dataclass
class Case:
    """One folder with everything around it."""

    name: str
    place: Path
    template: Path
    calls: Calls = field(default_factory=list)
    """Calls that are tried in addition to the usual ones."""

    @property
    def root(self) -> Path:
        return self.place / "root"

    @property
    def git(self) -> Path:
        return self.root / ".git"

    @property
    def outside(self) -> Path:
        """A repository that is not the chat's, with a secret in its only commit."""
        return self.place / "outside"

    @property
    def canary(self) -> Path:
        """Exists once a planted program has run."""
        return self.place / "ran"

    @property
    def command(self) -> str:
        return f"sh -c 'touch {self.canary}; cat'"

    def make(self, build: Callable[[Case], None]) -> Case:
        self.place.mkdir(parents=True)
        shutil.copytree(self.template / "inside", self.root, symlinks=True)
        shutil.copytree(self.template / "outside", self.outside, symlinks=True)
        build(self)
        return self

    def settings(self, text: str) -> None:
        with (self.git / "config").open("a") as file:
            file.write(f"{text}\n")

    def set(self, section: str, name: str, value: str | None = None) -> None:
        quoted = (self.command if value is None else value).replace("\\", "\\\\").replace('"', '\\"')
        self.settings(f'[{section}]\n\t{name} = "{quoted}"')

    def attributes(self, text: str) -> None:
        (self.root / ".gitattributes").write_text(f"{text}\n")

    def program(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\ntouch {self.canary}\nexec cat\n")
        path.chmod(0o755)

    def try_also(self, tool: str, **arguments: Any) -> None:
        self.calls.append((tool, arguments))


def make_template(folder: Path) -> Path:
    """Two small repositories to copy: one with a change on disk, and one with a secret."""
    inside, outside = folder / "inside", folder / "outside"
    for root, text in ((inside, "plain\n"), (outside, f"{SECRET}\n")):
        (root / "dir").mkdir(parents=True)
        for name in ("a.txt", "b.bin", "dir/secret.txt", "secret.txt"):
            (root / name).write_text(text)
        run(root, "git init -q -b main --template= . && git add -A")
        run(root, f"git commit -qm 'A commit of {text.strip()}'")
    (inside / "a.txt").write_text("changed\n")
    (inside / "new.txt").write_text("new\n")
    return folder


def run(folder: Path, command: str) -> str:
    env = {
        **os.environ,
        **{
            f"GIT_{who}_{what}": "a@example.org"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        },
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
    }
    done = subprocess.run(
        ["sh", "-ec", command], cwd=folder, env=env, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def cases() -> dict[str, Callable[[Case], None]]:
    """All of them, by name."""
    found: dict[str, Callable[[Case], None]] = {}
    for number, name in enumerate(_FILTERS):
        for kind in ("clean", "process"):
            found[f"filter-{number}-{kind}"] = lambda case, name=name, kind=kind: _filter(case, name, kind)  # type: ignore[misc]
    for section, key in _PROGRAMS:
        label = "".join(letter if letter.isalnum() else "-" for letter in f"{section}-{key}")
        found[f"setting-{label}"] = lambda case, section=section, key=key: _setting(case, section, key)  # type: ignore[misc]
    for name, build in globals().items():
        if name.startswith("case_"):
            found[name.removeprefix("case_").replace("_", "-")] = build
    return found


_FILTERS = (
    "evil", "a=b", "=", "a=b=c", "a.b", ".", "UPPER", "ünï", "a'b", "$(x)", "a;b", "a#b", "core", "a/b", "-c",
)  # fmt: skip
_PROGRAMS = (
    ("core", "fsmonitor"), ("core", "pager"), ("core", "editor"), ("core", "sshCommand"),
    ("core", "gitProxy"), ("core", "askPass"), ("core", "alternateRefsCommand"), ("diff", "external"),
    ('diff "evil"', "command"),
    ('diff "evil"', "textconv"), ('diff "a=b"', "textconv"), ('diff "a=b"', "command"), ("pager", "diff"),
    ("pager", "show"), ("pager", "ls-files"), ("alias", "diff"), ("alias", "show"), ("alias", "ls-files"),
    ("interactive", "diffFilter"), ("credential", "helper"), ("uploadpack", "packObjectsHook"),
    ('trailer "evil"', "command"), ('trailer "evil"', "cmd"), ("sequence", "editor"),
    ('merge "evil"', "driver"),
    ("gpg", "program"), ('gpg "ssh"', "program"), ('gpg "x509"', "program"), ('difftool "evil"', "cmd"),
    ('mergetool "evil"', "cmd"), ('man "evil"', "cmd"), ("imap", "tunnel"), ("sendemail", "sendmailCmd"),
    ('remote "origin"', "vcs"), ('remote "origin"', "uploadpack"), ('submodule "dir"', "update"),
    ("core", "hooksPath"), ("instaweb", "httpd"), ("web", "browser"), ("init", "templateDir"),
)  # fmt: skip


def _filter(case: Case, name: str, kind: str) -> None:
    case.attributes(f"*.txt filter={name}\n* filter={name}")
    case.set(f'filter "{name}"', kind)
    case.set(f'filter "{name}"', "required", "true")


def _setting(case: Case, section: str, key: str) -> None:
    value = f"!{case.command}" if section in ("alias",) or key == "update" else None
    case.attributes("* diff=evil merge=evil\n*.txt diff=evil\n*.bin diff=a=b")
    case.set(section, key, value)
    case.set("log", "showSignature", "true")
    case.set("gpg", "format", "openpgp")


# Settings from other places


def _filters_in(case: Case, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'[filter "evil"]\n\tclean = "{case.command}"\n[core]\n\tfsmonitor = "{case.command}"\n')
    case.attributes("* filter=evil")


def case_include_path(case: Case) -> None:
    _filters_in(case, case.root / "more")
    case.set("include", "path", "../more")


def case_include_absolute(case: Case) -> None:
    _filters_in(case, case.root / "more")
    case.set("include", "path", str(case.root / "more"))


def case_include_if_gitdir(case: Case) -> None:
    _filters_in(case, case.root / "more")
    case.set('includeIf "gitdir:**"', "path", "../more")


def case_include_if_branch(case: Case) -> None:
    _filters_in(case, case.root / "more")
    case.set('includeIf "onbranch:**"', "path", "../more")


def case_include_of_include(case: Case) -> None:
    _filters_in(case, case.root / "last")
    (case.root / "more").write_text('[include]\n\tpath = "last"\n')
    case.set("include", "path", "../more")


def case_settings_of_a_work_tree(case: Case) -> None:
    _filters_in(case, case.git / "config.worktree")
    case.settings("[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true")


def case_settings_behind_a_link(case: Case) -> None:
    _filters_in(case, case.root / "more")
    (case.root / "more").write_text((case.git / "config").read_text() + (case.root / "more").read_text())
    (case.git / "config").unlink()
    (case.git / "config").symlink_to("../more")


def case_settings_with_odd_spelling(case: Case) -> None:
    case.attributes("* filter=evil")
    case.settings(f'[FiLtEr "evil"] CLEAN = {case.command} ; x\n[filter.evil]\n\tclean={case.command}')


def case_settings_that_go_on_in_the_next_line(case: Case) -> None:
    case.attributes("* filter=evil")
    case.settings(
        f'[filter "evil"]\n\tcl\\\n\n\tclean = \\\n"{case.command}"\n[core]\n\tfsmonitor = \\\n{case.command}'
    )


def case_settings_with_a_byte_order_mark(case: Case) -> None:
    case.set('filter "evil"', "clean")
    case.attributes("* filter=evil")
    path = case.git / "config"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())


def case_filter_name_with_quotes(case: Case) -> None:
    case.attributes('* "filter=a\\"b"\n* filter=a"b')
    case.set('filter "a\\"b"', "clean")


def case_filter_name_with_a_line_break(case: Case) -> None:
    case.attributes("* filter=a")
    case.settings(f'[filter "a\\\nb"]\n\tclean = "{case.command}"\n[filter "a"]\n\tclean = "{case.command}"')


def case_attributes_of_the_repository(case: Case) -> None:
    (case.git / "info").mkdir(exist_ok=True)
    (case.git / "info" / "attributes").write_text("* filter=a=b diff=a=b\n")
    case.set('filter "a=b"', "clean")
    case.set('diff "a=b"', "textconv")


def case_attributes_below(case: Case) -> None:
    (case.root / "dir" / ".gitattributes").write_text("* filter=a=b ident working-tree-encoding=UTF-16\n")
    (case.root / "dir" / "secret.txt").write_text("changed\n")
    case.set('filter "a=b"', "process")


def case_attributes_in_the_commit(case: Case) -> None:
    case.attributes("* filter=a=b diff=a=b")
    run(case.root, "git add .gitattributes && git commit -qm attributes")
    case.set('filter "a=b"', "smudge")
    case.set('diff "a=b"', "textconv")


def case_attributes_elsewhere(case: Case) -> None:
    (case.root / "attributes").write_text("* filter=a=b\n")
    case.set("core", "attributesFile", str(case.root / "attributes"))
    case.set('filter "a=b"', "clean")


def case_hooks(case: Case) -> None:
    case.try_also("glob_search", pattern="**")
    for name in HOOKS:
        case.program(case.git / "hooks" / name)


def case_hooks_elsewhere(case: Case) -> None:
    for name in HOOKS:
        case.program(case.root / "hooks" / name)
    case.set("core", "hooksPath", str(case.root / "hooks"))


def case_monitor_by_hook(case: Case) -> None:
    case.program(case.git / "hooks" / "fsmonitor-watchman")
    case.set("core", "fsmonitor", ".git/hooks/fsmonitor-watchman")
    case.set("core", "untrackedCache", "true")


def case_signed_commit(case: Case) -> None:
    text = run(case.root, "git cat-file commit HEAD")
    head, _, message = text.partition("\n\n")
    (case.root / "signed").write_text(
        f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n{message}\n"
    )
    commit = run(case.root, "git hash-object -t commit -w signed")
    run(case.root, f"git update-ref refs/heads/main {commit}")
    case.program(case.root / "gpg")
    case.set("gpg", "program", str(case.root / "gpg"))
    case.set("log", "showSignature", "true")


# Missing objects that git would fetch


def _promise(case: Case, url: str) -> None:
    for path in (case.git / "objects").glob("??/*"):
        path.chmod(0o644)
        if run(case.root, f"git cat-file -t {path.parent.name}{path.name}") == "blob":
            path.unlink()
    case.settings("[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin")
    case.settings('[protocol]\n\tallow = always\n[protocol "ext"]\n\tallow = always')
    case.settings(f'[remote "origin"]\n\turl = "{url}"\n\tpromisor = true\n\tpartialclonefilter = blob:none')
    case.try_also("git_show", path="secret.txt")


def case_promised_by_a_program(case: Case) -> None:
    _promise(case, f"ext::sh -c touch% {case.canary}")


def case_promised_by_ssh(case: Case) -> None:
    _promise(case, "ssh://nowhere.invalid/x")
    case.set("core", "sshCommand")


def case_promised_by_another_repository(case: Case) -> None:
    _promise(case, f"file://{case.outside}")
    case.set('remote "origin"', "uploadpack")


# Repositories without a work tree


def _bare(case: Case, path: Path) -> None:
    shutil.move(str(case.git), case.place / "moved")
    shutil.copytree(case.place / "moved", path, dirs_exist_ok=True)
    for name, value in (("fsmonitor", case.command), ("bare", "false"), ("worktree", str(case.root))):
        with (path / "config").open("a") as file:
            file.write(f'[core]\n\t{name} = "{value}"\n[filter "evil"]\n\tclean = "{case.command}"\n')


def case_bare_itself(case: Case) -> None:
    _bare(case, case.root)
    case.attributes("* filter=evil")


def case_bare_below(case: Case) -> None:
    case.try_also("glob_search", pattern="**")
    _bare(case, case.root / "dir" / "bare.git")
    case.try_also("grep_search", pattern="plain", path="dir/bare.git")


def case_bare_above(case: Case) -> None:
    shutil.move(str(case.root), case.place / "kept")
    shutil.copytree(case.outside / ".git", case.root, ignore=shutil.ignore_patterns("logs", "COMMIT_EDITMSG"))
    with (case.root / "config").open("a") as file:
        file.write(f'[core]\n\tbare = false\n\tworktree = /\n\tfsmonitor = "{case.command}"\n')
    shutil.copytree(case.place / "kept", case.root / "inner")
    shutil.rmtree(case.root / "inner" / ".git")
    case.try_also("git_diff", path="inner")
    case.try_also("git_show", revision="HEAD", path="secret.txt")


def case_bare_with_hooks(case: Case) -> None:
    _bare(case, case.root)
    for name in HOOKS:
        case.program(case.root / "hooks" / name)


# Programs in the folder, for a PATH that leads there


def case_programs_in_the_folder(case: Case) -> None:
    case.try_also("glob_search", pattern="**")
    for name in ("git", "rg", "sh", "python", "python3", "cat", "env"):
        case.program(case.root / name)


def case_programs_in_a_folder_below(case: Case) -> None:
    for name in ("git", "rg", "sh", "python", "python3", "cat", "env"):
        case.program(case.root / "bin" / name)


def case_programs_without_a_repository(case: Case) -> None:
    shutil.rmtree(case.git)
    for name in ("git", "rg", "git-diff", "git-show"):
        case.program(case.root / name)


def case_modules_in_the_folder(case: Case) -> None:
    for name in ("re", "json", "os", "voxpilot", "sitecustomize", "usercustomize", "zlib", "stat"):
        (case.root / f"{name}.py").write_text(f"open({str(case.canary)!r}, 'w')\n")


def case_git_commands_in_the_folder(case: Case) -> None:
    for name in ("git-diff", "git-show", "git-ls-files", "git-remote-ext", "git-remote-https", "git-evil"):
        case.program(case.root / name)
        case.program(case.root / "bin" / name)
    case.set("alias", "diff", "evil")


# Another repository's objects


def _commit(case: Case) -> None:
    """Ask for the other repository's commit in every way."""
    commit = run(case.outside, "git rev-parse HEAD")
    blob = run(case.outside, "git rev-parse HEAD:secret.txt")
    for revision in (commit, blob, "stolen"):
        case.try_also("git_show", revision=revision)
    case.try_also("git_show", revision=commit, path="secret.txt")
    case.try_also("git_diff", revision=commit)


def _steal_reference(case: Case) -> None:
    (case.git / "refs" / "heads" / "stolen").write_text(run(case.outside, "git rev-parse HEAD") + "\n")


def case_git_file(case: Case) -> None:
    shutil.rmtree(case.git)
    case.git.write_text(f"gitdir: {case.outside}/.git\n")
    _commit(case)


def case_git_file_relative(case: Case) -> None:
    shutil.rmtree(case.git)
    case.git.write_text("gitdir: ../outside/.git\n")
    _commit(case)


def case_git_file_by_way_of_a_link(case: Case) -> None:
    shutil.rmtree(case.git)
    (case.root / "way").symlink_to(case.outside)
    case.git.write_text("gitdir: way/.git\n")
    _commit(case)


def case_git_link(case: Case) -> None:
    shutil.rmtree(case.git)
    case.git.symlink_to(case.outside / ".git")
    _commit(case)


def case_git_link_below(case: Case) -> None:
    (case.root / "dir" / ".git").symlink_to(case.outside / ".git")
    case.try_also("git_diff", path="dir")
    case.try_also("list_directory", path="dir/.git")
    case.try_also("read_file", path="dir/.git/HEAD")


def case_common_directory(case: Case) -> None:
    (case.git / "commondir").write_text(f"{case.outside}/.git\n")
    _commit(case)


def case_common_directory_relative(case: Case) -> None:
    (case.git / "commondir").write_text("../../outside/.git\n")
    _commit(case)


def case_work_tree_that_nobody_made(case: Case) -> None:
    shutil.rmtree(case.git)
    (case.root / "fake").mkdir()
    (case.root / "fake" / "HEAD").write_text("ref: refs/heads/main\n")
    (case.root / "fake" / "commondir").write_text(f"{case.outside}/.git\n")
    (case.root / "fake" / "gitdir").write_text(f"{case.root}/.git\n")
    case.git.write_text("gitdir: fake\n")
    _commit(case)


def case_work_tree_of_another_repository(case: Case) -> None:
    """Its main repository knows it, but at another path."""
    run(case.outside, "git worktree add -q ../real")
    shutil.rmtree(case.git)
    shutil.copy(case.place / "real" / ".git", case.git)
    _commit(case)


def case_work_tree_elsewhere(case: Case) -> None:
    case.set("core", "worktree", str(case.outside))


def case_work_tree_above(case: Case) -> None:
    case.set("core", "worktree", "../../outside")


def case_work_tree_is_everything(case: Case) -> None:
    case.set("core", "worktree", "/")
    case.try_also("git_diff")


def case_alternates(case: Case) -> None:
    (case.git / "objects" / "info" / "alternates").write_text(f"{case.outside}/.git/objects\n")
    _steal_reference(case)
    _commit(case)


def case_alternates_relative(case: Case) -> None:
    (case.git / "objects" / "info" / "alternates").write_text("../../../outside/.git/objects\n")
    _steal_reference(case)
    _commit(case)


def case_alternates_by_way_of_a_link(case: Case) -> None:
    (case.root / "way").symlink_to(case.outside)
    (case.git / "objects" / "info" / "alternates").write_text(
        f"{case.root}/way/.git/objects\n../../way/.git/objects\n"
    )
    _steal_reference(case)
    _commit(case)


def case_alternates_of_alternates(case: Case) -> None:
    other = case.root / "other" / "objects"
    (other / "info").mkdir(parents=True)
    (other / "info" / "alternates").write_text(f"{case.outside}/.git/objects\n")
    (case.git / "objects" / "info" / "alternates").write_text("../../other/objects\n")
    _steal_reference(case)
    _commit(case)


def case_alternates_behind_a_link(case: Case) -> None:
    (case.root / "list").write_text(f"{case.outside}/.git/objects\n")
    (case.git / "objects" / "info" / "alternates").symlink_to("../../../list")
    _steal_reference(case)
    _commit(case)


def case_alternates_quoted(case: Case) -> None:
    quoted = "".join(f"\\{ord(letter):03o}" for letter in f"{case.outside}/.git/objects")
    (case.git / "objects" / "info" / "alternates").write_text(f'"{quoted}"\n"{case.outside}/.git/objects"\n')
    _steal_reference(case)
    _commit(case)


def case_objects_behind_a_link(case: Case) -> None:
    shutil.rmtree(case.git / "objects")
    (case.git / "objects").symlink_to(case.outside / ".git" / "objects")
    _steal_reference(case)
    _commit(case)


def case_loose_objects_behind_links(case: Case) -> None:
    for path in (case.outside / ".git" / "objects").glob("??/*"):
        target = case.git / "objects" / path.parent.name / path.name
        target.parent.mkdir(exist_ok=True)
        if not target.exists():
            target.symlink_to(path)
    _steal_reference(case)
    _commit(case)


def case_folders_of_objects_behind_links(case: Case) -> None:
    for path in (case.outside / ".git" / "objects").glob("??"):
        target = case.git / "objects" / path.name
        if not target.exists():
            target.symlink_to(path)
    _steal_reference(case)
    _commit(case)


def case_packs_behind_a_link(case: Case) -> None:
    run(case.outside, "git gc -q")
    shutil.rmtree(case.git / "objects" / "pack", ignore_errors=True)
    (case.git / "objects" / "pack").symlink_to(case.outside / ".git" / "objects" / "pack")
    _steal_reference(case)
    _commit(case)


def case_pack_files_behind_links(case: Case) -> None:
    run(case.outside, "git gc -q")
    for path in (case.outside / ".git" / "objects" / "pack").iterdir():
        (case.git / "objects" / "pack" / path.name).symlink_to(path)
    _steal_reference(case)
    _commit(case)


def case_packs_by_an_index_of_many(case: Case) -> None:
    run(case.outside, "git gc -q && git multi-pack-index write")
    pack = case.git / "objects" / "pack"
    for path in (case.outside / ".git" / "objects" / "pack").iterdir():
        (pack / path.name).symlink_to(path)
    _steal_reference(case)
    _commit(case)


def case_references_behind_a_link(case: Case) -> None:
    shutil.rmtree(case.git / "refs")
    (case.git / "refs").symlink_to(case.outside / ".git" / "refs")
    _commit(case)


def case_head_behind_a_link(case: Case) -> None:
    (case.git / "HEAD").unlink()
    (case.git / "HEAD").symlink_to(case.outside / "secret.txt")


def case_head_that_climbs(case: Case) -> None:
    (case.git / "HEAD").write_text("ref: refs/../../../outside/secret.txt\n")


def case_reference_is_a_link_to_a_secret(case: Case) -> None:
    (case.git / "refs" / "heads" / "stolen").symlink_to(case.outside / "secret.txt")
    case.try_also("git_show", revision="stolen")


def case_packed_references_are_a_secret(case: Case) -> None:
    (case.git / "packed-refs").unlink(missing_ok=True)
    (case.git / "packed-refs").symlink_to(case.outside / "secret.txt")


def case_log_is_a_secret(case: Case) -> None:
    shutil.rmtree(case.git / "logs", ignore_errors=True)
    (case.git / "logs").mkdir()
    (case.git / "logs" / "HEAD").symlink_to(case.outside / "secret.txt")
    case.try_also("git_show", revision="HEAD@{1}")


def case_shallow_is_a_secret(case: Case) -> None:
    (case.git / "shallow").symlink_to(case.outside / "secret.txt")


def case_settings_are_a_secret(case: Case) -> None:
    (case.git / "config").unlink()
    (case.git / "config").symlink_to(case.outside / "secret.txt")


def case_grafts(case: Case) -> None:
    head, stolen = run(case.root, "git rev-parse HEAD"), run(case.outside, "git rev-parse HEAD")
    (case.git / "info").mkdir(exist_ok=True)
    (case.git / "info" / "grafts").write_text(f"{head} {stolen}\n")
    (case.git / "objects" / "info" / "alternates").write_text(f"{case.outside}/.git/objects\n")
    case.try_also("git_show", revision="HEAD~1")


def case_replaced_objects(case: Case) -> None:
    (case.git / "objects" / "info" / "alternates").write_text(f"{case.outside}/.git/objects\n")
    head, stolen = run(case.root, "git rev-parse HEAD"), run(case.outside, "git rev-parse HEAD")
    (case.git / "refs" / "replace").mkdir(parents=True)
    (case.git / "refs" / "replace" / head).write_text(f"{stolen}\n")
    _commit(case)


def case_submodule_of_another_repository(case: Case) -> None:
    stolen = run(case.outside, "git rev-parse HEAD")
    run(case.root, f"git update-index --add --cacheinfo 160000,{stolen},sub")
    (case.root / "sub").mkdir()
    (case.root / "sub" / ".git").write_text(f"gitdir: {case.outside}/.git\n")
    case.set("diff", "submodule", "diff")
    case.set('submodule "sub"', "ignore", "none")


def case_submodule_with_programs(case: Case) -> None:
    shutil.copytree(case.template / "inside", case.root / "sub")
    run(case.root, "git add sub 2>/dev/null")
    (case.root / "sub" / "a.txt").write_text("changed again\n")
    with (case.root / "sub" / ".git" / "config").open("a") as file:
        file.write(f'[core]\n\tfsmonitor = "{case.command}"\n[filter "evil"]\n\tclean = "{case.command}"\n')
    (case.root / "sub" / ".gitattributes").write_text("* filter=evil\n")
    case.set("diff", "submodule", "diff")
    case.set("submodule", "recurse", "true")
    case.set("status", "submoduleSummary", "true")


# The index, and files on disk


def _index_of(case: Case, before: bytes, after: bytes) -> None:
    """Write another path of the same length into the index."""
    path = case.git / "index"
    data = path.read_bytes()[:-20]
    assert before in data
    data = data.replace(before, after)
    path.write_bytes(data + hashlib.sha1(data).digest())


def case_folder_becomes_a_link(case: Case) -> None:
    shutil.rmtree(case.root / "dir")
    (case.root / "dir").symlink_to(case.outside / "dir")
    case.try_also("grep_search", pattern="SECRE.", path="dir")
    case.try_also("glob_search", pattern="*", path="dir")
    case.try_also("list_directory", path="dir")
    case.try_also("read_file", path="dir/secret.txt")
    case.try_also("git_diff", path="dir")
    case.try_also("git_diff", path="dir/secret.txt")
    case.try_also("git_diff", revision="HEAD")


def case_folder_becomes_a_relative_link(case: Case) -> None:
    shutil.rmtree(case.root / "dir")
    (case.root / "dir").symlink_to("../outside/dir")
    case.try_also("grep_search", pattern="SECRE.", path="dir/secret.txt")


def case_folder_becomes_a_chain_of_links(case: Case) -> None:
    shutil.rmtree(case.root / "dir")
    (case.root / "one").symlink_to("two")
    (case.root / "two").symlink_to("../outside/dir")
    (case.root / "dir").symlink_to("one")
    case.try_also("grep_search", pattern="SECRE.", path="one")


def case_file_becomes_a_link(case: Case) -> None:
    (case.root / "secret.txt").unlink()
    (case.root / "secret.txt").symlink_to(case.outside / "secret.txt")
    case.try_also("read_file", path="secret.txt")
    case.try_also("grep_search", pattern="SECRE.", path="secret.txt")


def case_links_taken_for_files(case: Case) -> None:
    case_file_becomes_a_link(case)
    case.set("core", "symlinks", "false")


def case_folder_link_taken_for_a_folder(case: Case) -> None:
    case_folder_becomes_a_link(case)
    case.set("core", "symlinks", "false")
    case.set("core", "ignoreStat", "true")
    case.set("core", "checkStat", "minimal")


def case_second_name(case: Case) -> None:
    (case.root / "secret.txt").unlink()
    os.link(case.outside / "secret.txt", case.root / "secret.txt")
    case.try_also("read_file", path="secret.txt")
    case.try_also("git_diff", revision="HEAD")


def case_new_second_name(case: Case) -> None:
    os.link(case.outside / "secret.txt", case.root / "another.txt")
    run(case.root, "git add -N another.txt")
    case.try_also("read_file", path="another.txt")


def case_file_becomes_a_pipe(case: Case) -> None:
    for name in ("a.txt", "secret.txt", "dir/secret.txt"):
        (case.root / name).unlink()
        os.mkfifo(case.root / name)
    case.try_also("read_file", path="a.txt")


def case_special_files_of_the_repository(case: Case) -> None:
    for name in ("config", "packed-refs", "shallow", "ORIG_HEAD", "index", "commondir"):
        (case.git / name).unlink(missing_ok=True)
        os.mkfifo(case.git / name)
    os.mkfifo(case.root / ".gitignore")
    os.mkfifo(case.root / ".gitattributes")


def case_objects_are_pipes(case: Case) -> None:
    for path in list((case.git / "objects").glob("??/*")):
        path.unlink()
        os.mkfifo(path)


def case_head_is_a_pipe(case: Case) -> None:
    (case.git / "HEAD").unlink()
    os.mkfifo(case.git / "HEAD")


def case_git_is_a_pipe(case: Case) -> None:
    shutil.rmtree(case.git)
    os.mkfifo(case.git)


def case_file_becomes_a_socket(case: Case) -> None:
    (case.root / "a.txt").unlink()
    with socket.socket(socket.AF_UNIX) as listener:
        here = os.open(case.root, os.O_RDONLY)
        listener.bind(f"/proc/self/fd/{here}/a.txt")
        os.close(here)


def case_file_becomes_a_device(case: Case) -> None:
    (case.root / "a.txt").unlink()
    try:
        os.mknod(case.root / "a.txt", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except PermissionError:
        (case.root / "a.txt").symlink_to("/dev/zero")
    case.try_also("read_file", path="a.txt")


def case_endless_link(case: Case) -> None:
    shutil.rmtree(case.root / "dir")
    (case.root / "dir").symlink_to("dir")
    (case.root / "zero").symlink_to("/dev/zero")
    run(case.root, "git add -N zero")


def case_links_into_proc(case: Case) -> None:
    (case.root / "environ").symlink_to("/proc/self/environ")
    (case.root / "cwd").symlink_to("/proc/self/cwd")
    shutil.rmtree(case.root / "dir")
    (case.root / "dir").symlink_to(f"/proc/self/root{case.outside}/dir")
    case.try_also("read_file", path="dir/secret.txt")
    case.try_also("grep_search", pattern="SECRE.", path="dir")


def case_index_that_climbs(case: Case) -> None:
    case.try_also("glob_search", pattern="**")
    case.try_also("git_diff", staged=True)
    run(case.root, "mkdir -p xx/outside && cp a.txt xx/outside/secret.txt && git add xx && rm -r xx")
    _index_of(case, b"xx/outside/secret.txt", b"../outside/secret.txt")
    case.try_also("git_diff", revision="HEAD")


def case_index_with_a_climb_within(case: Case) -> None:
    run(case.root, "mkdir -p dir/xx/yy/outside && cp a.txt dir/xx/yy/outside/secret.txt && git add dir")
    shutil.rmtree(case.root / "dir" / "xx")
    _index_of(case, b"dir/xx/yy/outside/secret.txt", b"dir/../../outside/secret.txt")


def case_index_with_an_absolute_path(case: Case) -> None:
    wanted = f"{case.outside}/secret.txt"
    inner = f"x{wanted[1:]}"
    run(case.root, f"mkdir -p {Path(inner).parent} && cp a.txt {inner} && git add x*")
    _index_of(case, inner.encode(), wanted.encode())


def case_index_with_the_repository_itself(case: Case) -> None:
    run(case.root, "mkdir xgit && cp a.txt xgit/config && git add xgit && rm -r xgit")
    _index_of(case, b"xgit/config", b".git/config")


def case_index_behind_a_link(case: Case) -> None:
    (case.git / "index").unlink()
    (case.git / "index").symlink_to(case.outside / ".git" / "index")
    case.try_also("git_diff", staged=True)


def case_index_in_two_parts(case: Case) -> None:
    run(case.root, "git update-index --split-index")
    for path in case.git.glob("sharedindex.*"):
        path.unlink()
        path.symlink_to(case.outside / ".git" / "index")


def case_index_with_everything_on(case: Case) -> None:
    run(
        case.root,
        "git update-index --untracked-cache --index-version 4 --force-untracked-cache 2>/dev/null || true",
    )
    case.set("core", "fsmonitor", str(case.root / "monitor"))
    case.program(case.root / "monitor")
    run(case.root, "git -c core.fsmonitor=true update-index --fsmonitor-valid a.txt 2>/dev/null || true")


def case_index_that_lies(case: Case) -> None:
    (case.git / "index").write_bytes(b"DIRC" + b"\xff" * 4000)


def case_files_not_wanted_on_disk(case: Case) -> None:
    run(case.root, "git update-index --skip-worktree dir/secret.txt secret.txt")
    case_folder_becomes_a_link(case)


def case_files_assumed_unchanged(case: Case) -> None:
    run(case.root, "git update-index --assume-unchanged dir/secret.txt")
    case_folder_becomes_a_link(case)


def case_ignore_file_is_a_secret(case: Case) -> None:
    (case.root / ".gitignore").symlink_to(case.outside / "secret.txt")
    case.try_also("read_file", path=".gitignore")


def case_ignore_file_of_the_repository_is_a_secret(case: Case) -> None:
    (case.git / "info").mkdir(exist_ok=True)
    (case.git / "info" / "exclude").unlink(missing_ok=True)
    (case.git / "info" / "exclude").symlink_to(case.outside / "secret.txt")
    case.set("core", "excludesFile", str(case.outside / "secret.txt"))


def case_attributes_are_a_secret(case: Case) -> None:
    (case.root / ".gitattributes").symlink_to(case.outside / "secret.txt")


def case_names_of_options(case: Case) -> None:
    for name in (
        "--ext-diff",
        "--output=stolen",
        "-c",
        "--upload-pack=x",
        "a\nb",
        "'; touch x",
        '"quoted"',
        "é",
    ):
        (case.root / name).write_text("x\n")
    run(case.root, "git add -A . && git commit -qm names")
    for name in ("--ext-diff", "--output=stolen"):
        (case.root / name).write_text("y\n")
        case.try_also("git_diff", path=name)
        case.try_also("git_show", path=name)


def case_message_of_a_commit(case: Case) -> None:
    run(case.root, "git commit -q --allow-empty -m '$(touch x)\n\nSigned-off-by: `x`' --trailer evil:x")
    case.set('trailer "evil"', "command")


def case_wide_work_tree_with_filter(case: Case) -> None:
    case.set("core", "worktree", "..")
    case.set('filter "a=b"', "clean")
    (case.place / ".gitattributes").write_text("* filter=a=b\n")


def case_repository_above(case: Case) -> None:
    """The folder is inside a repository, of which only the folder's own part is shown."""
    shutil.rmtree(case.root)
    run(
        case.place,
        f"mkdir root && echo '{SECRET}' > top.txt && echo inner > root/a.txt && git init -q -b main .",
    )
    run(case.place, "git add top.txt root && git commit -qm first")
    (case.place / "top.txt").write_text(f"{SECRET} changed\n")
    (case.root / "a.txt").write_text("changed\n")
    blob, tree = run(case.place, "git rev-parse HEAD:top.txt"), run(case.place, "git rev-parse HEAD^{tree}")
    for revision in (blob, tree, "HEAD"):
        case.try_also("git_show", revision=revision)
    case.try_also("git_diff", revision="HEAD")
    case.try_also("git_show", revision="HEAD", path="top.txt")
    with (case.place / ".git" / "config").open("a") as file:
        file.write(f'[core]\n\tfsmonitor = "{case.command}"\n[filter "a=b"]\n\tclean = "{case.command}"\n')
    (case.root / ".gitattributes").write_text("* filter=a=b\n")
