"""Files that make other programs do things: hooks, settings of editors and agents, shells, secrets.

Lives here: telling such a file by its path. A change to one may run code later,
in somebody else's name, so only a person may allow it. Lives elsewhere: which
paths a tool call touches (touched.py), what follows from it (permissions.py).
"""

from __future__ import annotations

import unicodedata
from itertools import pairwise
from pathlib import PurePosixPath

FOLDERS = frozenset(
    {
        ".git", ".hg", ".svn", ".husky", ".githooks",
        ".claude", ".codex", ".copilot", ".opencode", ".gemini", ".cursor", ".continue", ".windsurf", ".kiro",
        ".vscode", ".idea", ".zed", ".fleet", ".devcontainer",
        ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".direnv", ".voxpilot",
    }
)  # fmt: skip
"""Everything in them counts."""

FILES = frozenset(
    {
        ".mcp.json", "mcp.json", "opencode.json", "opencode.jsonc", ".aider.conf.yml",
        ".env", ".envrc", ".netrc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".git-credentials",
        ".gitconfig", ".gitmodules", ".gitattributes", ".pre-commit-config.yaml", ".pre-commit-config.yml",
        ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile",
        ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login",
        "config.fish", ".inputrc", ".vimrc", ".nvimrc", ".exrc", ".emacs", ".tmux.conf", ".screenrc",
        ".xinitrc", ".xprofile", ".xsessionrc", ".pam_environment",
    }
)  # fmt: skip

STEMS = (".env.",)
"""Beginnings of names: `.env.local` and its like."""

INSIDE = ((".github", "hooks"), (".github", "copilot"), (".github", "mcp.json"), (".config", "fish"))
"""Two names in a row, the second in the first."""


def is_control_file(path: str) -> bool:
    """Whether a path is one of these, or a folder of them, wherever it lies."""
    names = [_plain(name) for name in PurePosixPath(path).parts]
    if any(name in FOLDERS or name in FILES or name.startswith(STEMS) for name in names):
        return True
    return any(pair in INSIDE for pair in pairwise(names))


def _plain(name: str) -> str:
    """As file systems see it that take `.GIT` for `.git`, or do not see some characters at all."""
    shown = unicodedata.normalize("NFKC", name)
    return "".join(letter for letter in shown if unicodedata.category(letter) != "Cf").casefold().rstrip(". ")
