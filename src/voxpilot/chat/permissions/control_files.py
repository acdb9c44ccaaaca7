"""Files that make other programs do things: hooks, settings of editors and agents, shells, secrets.

Lives here: recognising such a file by its path, and the words in a name. A change to one may run code
later, in somebody else's name, so only a person may allow it; those that may hold secrets are not read
without a person either. Lives elsewhere: which paths a tool call touches (calls.py), what follows from it
(decide.py).
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

SECRET_FILES = frozenset(
    {
        "mcp.json", "opencode.json", "opencode.jsonc", "_netrc", "config.fish", "kubeconfig", "keyrings",
        "credentials", "credentials.json", "credentials.toml", "secrets", "auth.json", "wp-config.php",
        "local.settings.json", "wallet.dat", "rclone.conf", "wg0.conf",
    }
)  # fmt: skip
"""Files and folders, also as a copy (`auth.json.bak`). Hidden ones are secret unless they are listed below."""

SECRET_KEYS = ("id_rsa", "id_ed25519", "id_ecdsa", "id_dsa")
"""Parts of names."""
SECRET_ENDINGS = frozenset(
    {
        "pem", "p12", "pfx", "jks", "keystore", "kdbx", "ppk", "key", "env", "tfvars", "tfstate", "asc", "gpg",
        "age", "p8", "jwk", "ovpn", "kubeconfig", "keytab", "pkcs12", "jceks", "bks", "kdb", "pvk", "psafe3",
        "agekey",
    }
)  # fmt: skip
"""Anything after a dot: `server.key`, `server.key.old`, `terraform.tfstate.backup`."""
SECRET_WORDS = frozenset(
    {
        "secret", "secrets", "credential", "credentials", "creds", "password", "passwords", "passwd",
        "passphrase", "htpasswd", "keystore", "keyring", "netrc", "npmrc", "pypirc", "pgpass", "kubeconfig",
        "privkey", "adminsdk", "authinfo", "keytab",
    }
)  # fmt: skip
"""Words in the name of a file that is not source code, or of its folders."""
PRIVATE_WORDS = frozenset(
    {
        "auth", "oauth", "token", "tokens", "key", "keys", "apikey", "apikeys", "account", "vault", "cookie",
        "cookies", "jwt", "login", "wallet",
    }
)  # fmt: skip
"""Words in the name of a file with data."""
DATA_ENDINGS = frozenset(
    {
        "json", "jsonc", "json5", "yaml", "yml", "toml", "ini", "cfg", "cnf", "conf", "config", "properties",
        "props", "xml", "plist", "txt", "csv", "tsv", "db", "sqlite", "dat", "data", "bin", "der",
    }
)  # fmt: skip

CONTROL_FOLDERS = frozenset(
    {
        "launchagents", "launchdaemons", "autostart", "cron.d", "cron.daily", "cron.hourly", "cron.weekly",
        "cron.monthly", "ci_scripts",
    }
)  # fmt: skip
"""Files in them may be read, but only a person allows a change."""

PLAIN_HIDDEN = frozenset(
    {
        ".gitignore", ".gitkeep", ".keep", ".dockerignore", ".npmignore", ".prettierignore", ".eslintignore",
        ".stylelintignore", ".ignore", ".rgignore", ".editorconfig", ".coveragerc", ".coverage", ".flake8",
        ".pylintrc", ".isort.cfg", ".ruff.toml", ".prettierrc", ".prettierrc.json", ".prettierrc.yml",
        ".prettierrc.yaml", ".prettierrc.toml", ".eslintrc.json", ".eslintrc.yml", ".stylelintrc.json",
        ".browserslistrc", ".markdownlint.json", ".markdownlint.yaml", ".yamllint", ".yamllint.yml",
        ".clang-format", ".clang-tidy", ".rubocop.yml", ".golangci.yml", ".nvmrc", ".node-version",
        ".python-version", ".ruby-version", ".java-version", ".mailmap", ".ds_store", ".nojekyll",
        ".pytest_cache", ".mypy_cache", ".ruff_cache", ".cache", ".next", ".nuxt", ".svelte-kit", ".turbo",
        ".parcel-cache", ".nyc_output", ".hypothesis", ".ipynb_checkpoints", ".well-known",
    }
)  # fmt: skip
"""Hidden files and folders that may be changed. Every other name that begins with a dot may control a program."""
READABLE_HIDDEN = PLAIN_HIDDEN | {
    ".github", ".gitlab", ".gitlab-ci", ".circleci", ".travis", ".drone", ".woodpecker", ".appveyor", ".cirrus",
    ".gitpod", ".build", ".readthedocs", ".codecov", ".mergify", ".storybook", ".changeset", ".renovaterc",
    ".ci", ".oxlintrc", ".venv", ".tox", ".nox", ".bin", ".yarn", ".pnpm", ".eggs", ".vite", ".angular", ".dart_tool",
    ".cursorrules", ".cursorignore", ".windsurfrules", ".clinerules", ".roorules", ".rules", ".goosehints",
    ".aiderignore", ".tool-versions", ".bazelrc", ".bazelversion", ".bazelignore", ".babelrc", ".swcrc",
    ".mocharc", ".nycrc", ".eslintrc", ".stylelintrc", ".markdownlint", ".jshintrc", ".lintstagedrc",
    ".commitlintrc", ".releaserc", ".watchmanconfig", ".rspec", ".rubocop_todo", ".golangci", ".rustfmt",
    ".swiftlint", ".swiftformat", ".scalafmt", ".ocamlformat", ".formatter", ".credo", ".luacheckrc",
    ".stylua", ".perltidyrc", ".php-cs-fixer", ".tflint", ".hadolint", ".helmignore", ".gcloudignore",
    ".vercelignore", ".ctags", ".gdbinit", ".dir-locals",
}  # fmt: skip
"""Hidden files and folders that may be read; with any ending (`.eslintrc.cjs`)."""

CONTROL_FILES = frozenset(
    {
        "pip.conf", "pip.ini", "sitecustomize.py", "usercustomize.py", "rust-toolchain", "bazel", "terraform.rc",
        "ansible.cfg", "nuget.config", "init.gradle", "gradle.properties", "gradle-wrapper.properties",
        "msbuild.rsp", "crontab", "procfile", "devenv.nix",
    }
)  # fmt: skip

SETTINGS = frozenset(
    {
        "azure-pipelines", "bitbucket-pipelines", "appveyor", "cloudbuild", "buildspec", "circle", "codemagic",
        "bitrise", "wercker", "screwdriver", "zuul", "buildkite", "semaphore", "netlify", "vercel", "amplify",
        "fly", "render", "railway", "wrangler", "firebase", "serverless", "skaffold", "action", "dependabot",
        "renovate", "lefthook", "lefthook-local", "mise", "bunfig", "uv", "poetry", "rust-toolchain", "devbox",
        "gemini-extension", "hooks", "mcp", "crush", "goose", "kilo", "kilocode", "fastagent", "cagent",
    }
)  # fmt: skip
"""Pipelines, hooks and tools, whose settings may be in any of these formats: `mise.production.toml`."""
SETTINGS_ENDINGS = frozenset({"yml", "yaml", "json", "jsonc", "json5", "toml"})

INSTRUCTED = frozenset(
    {
        "agents", "agent", "claude", "gemini", "copilot", "copilot-instructions", "codex", "qwen", "warp",
        "crush", "conventions", "skill", "skills", "iflow", "codebuddy", "replit", "cursor", "windsurf", "cline",
        "clinerules", "roo", "kilo", "kilocode", "aider", "goose", "junie", "jules", "devin", "droid", "factory",
        "trae", "augment", "continue", "zed", "opencode", "kimi", "grok", "deepseek", "mistral", "vibe", "amp",
        "openhands", "forge", "tabnine", "cody", "kiro", "antigravity", "llm", "llms", "ai", "memory", "rules",
        "instructions", "prompt", "system", "soul",
    }
)  # fmt: skip
"""Agents read `AGENTS.md` and files like it as instructions."""

CONTROL_STEMS = (
    "lefthook.", "lefthook-local.", "renovate.", "jenkinsfile", "pnpmfile.", "lint-staged.", "husky.",
    "directory.build.", "directory.packages.", "dir-locals", "gradlew", "mvnw",
    "pre-commit", "pre-push", "pre-rebase", "pre-receive", "prepare-commit-msg", "commit-msg", "post-commit",
    "post-checkout", "post-merge", "post-rewrite", "post-receive", "applypatch-msg", "pre-applypatch",
    "pre-merge-commit", "fsmonitor-watchman", "post-applypatch", "post-update", "post-index-change",
    "pre-auto-gc", "proc-receive", "push-to-checkout", "reference-transaction", "sendemail-validate",
    "p4-changelist", "p4-prepare-changelist", "p4-post-changelist", "p4-pre-submit",
)  # fmt: skip
"""Beginnings of names: settings in any format, and hooks of git, which may be kept in any folder."""

CONTROL_ENDINGS = (
    ".pth", ".service", ".timer", ".socket", ".path", ".desktop", ".code-workspace", ".sublime-project",
    ".mdc", ".instructions.md", ".prompt.md", ".chatmode.md", ".agent.md", ".init.gradle", ".scpt", ".workflow",
)  # fmt: skip

INSIDE = frozenset(
    {
        ("systemd", "user"), ("systemd", "system"), ("cron", "crontabs"), ("gradle", "wrapper"),
        ("mise", "config.toml"),
    }
)  # fmt: skip
"""Two names in a row, the second in the first."""


def is_secret_file(path: str) -> bool:
    """Whether a path is, or is inside, something that is not even read without asking."""
    return any(any(map(_is_secret_name, _names(each))) or _has_secret_words(each) for each in _readings(path))


def _is_secret_name(name: str) -> bool:
    if name.startswith("."):
        return f".{name[1:].partition('.')[0]}" not in READABLE_HIDDEN and name not in READABLE_HIDDEN
    original = _original(name)
    return (
        not SECRET_FILES.isdisjoint((name, original))
        or any(key in name for key in SECRET_KEYS)
        or original.endswith(("_key", "-key", "_keys"))
        or (not _is_source(name) and not SECRET_ENDINGS.isdisjoint(_endings(name)))
    )


def _has_secret_words(path: str) -> bool:
    last = path.rstrip("/").rpartition("/")[2]
    name = _plain(last)
    if _is_source(name):
        return False
    if not SECRET_WORDS.isdisjoint(words_in(path)):
        return True
    return not (PRIVATE_WORDS.isdisjoint(words_in(last)) or DATA_ENDINGS.isdisjoint(_endings(name)))


def _endings(name: str) -> set[str]:
    """All parts after a dot, with and without what marks a copy."""
    found = name.split(".")[1:]
    return {*found, *map(_original, found)}


def _is_source(name: str) -> bool:
    return name.rpartition(".")[2] in SOURCES


_GLOB = re.compile(
    r"(?P<folders>(?:(?:\*\*|[A-Za-z0-9_-][A-Za-z0-9_.-]*)/)*)"
    r"[A-Za-z0-9_-]*\*?[A-Za-z0-9_.-]*\.(?P<endings>[a-z0-9]+|\{[a-z0-9,]+\})"
)
LONGEST_GLOB = 200
SOURCES = frozenset(
    {
        "py", "pyi", "pyc", "ts", "tsx", "js", "jsx", "mjs", "cjs", "vue", "svelte", "rs", "go", "java", "kt", "c", "h",
        "cc", "cpp", "hpp", "cs", "rb", "php", "swift", "scala", "html", "css", "scss", "less", "md", "mdx",
        "rst", "sql", "proto", "graphql", "ex", "exs", "erl", "hs", "ml", "lua", "jl", "dart", "zig",
    }
)  # fmt: skip
"""Endings of files that are not expected to contain secrets."""


def is_harmless_glob(pattern: str) -> bool:
    """Whether a pattern for file names is plain, such as `src/**/*.py`, and matches only source files."""
    match = _GLOB.fullmatch(pattern) if len(pattern) <= LONGEST_GLOB else None
    if match is None or ".." in pattern or is_secret_file(match["folders"]):
        return False
    return SOURCES.issuperset(match["endings"].strip("{}").split(","))


def is_control_file(path: str) -> bool:
    """Whether a path is, or is inside, something that may be changed only after asking."""
    return any(map(_is_control, _readings(path)))


def _is_control(path: str) -> bool:
    names = _names(path)
    if any(map(_is_control_name, names)) or _is_hook(names):
        return True
    if names and any(names[-1] == outer for outer, _ in INSIDE):
        return True  # the whole folder may be replaced
    return is_secret_file(path) or any(pair in INSIDE for pair in pairwise(names))


def _is_control_name(name: str) -> bool:
    return (
        (name.startswith(".") and name not in PLAIN_HIDDEN)
        or name in CONTROL_FOLDERS
        or name in CONTROL_FILES
        or name.startswith(CONTROL_STEMS)
        or name.endswith(CONTROL_ENDINGS)
        or _is_setting(name)
    )


def _is_setting(name: str) -> bool:
    stem, _, rest = name.partition(".")
    ending = rest.rpartition(".")[2]
    return (stem in SETTINGS and ending in SETTINGS_ENDINGS) or (
        stem in INSTRUCTED and ending in ("md", "mdx")
    )


def _is_hook(names: list[str]) -> bool:
    """Hooks of git have no ending, unlike those of React."""
    return len(names) > 1 and names[-2].endswith("hooks") and "." not in names[-1]


def _readings(path: str) -> set[str]:
    """The path, and without what some programs take for a place in the file: `server.pem#L1`."""
    return {path, "/".join(name.partition("#")[0] or name for name in path.split("/"))}


def _names(path: str) -> list[str]:
    return [_plain(name) for name in path.split("/") if name not in ("", ".", "..")]


def _plain(name: str) -> str:
    """A name as seen by file systems that ignore case, some characters, endings or streams, or shorten
    names."""
    if not name.isascii():
        shown = unicodedata.normalize("NFKC", name)
        name = "".join(letter for letter in shown if unicodedata.category(letter) != "Cf")
    folded = name.casefold().partition(":")[0].rstrip(". ")
    return _SHORT_NAMES.get(folded, folded)


_SHORT_NAMES = {
    "git~1": ".git",
    "github~1": ".github",
    "vscode~1": ".vscode",
    "claude~1": ".claude",
    "env~1": ".env",
}
"""Short names that some Windows file systems give to the files on the right."""


def words_in(name: str) -> frozenset[str]:
    """`deployProd`, `prod-deploy` and `DEPLOY_prod.2` have the same words."""
    spaced = _HUMP.sub(" ", name)
    return frozenset(re.split("[^a-z]+", spaced.casefold())) - {""}


_HUMP = re.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def _original(name: str) -> str:
    """The name of the file of which this may be a copy: `x.pem` for `x.pem.bak`, `x.pem~` and `x.pem.2`."""
    for _ in range(4):
        name = name.rstrip("~#0123456789 ._-")
        if not name.endswith(_COPIES):
            break
        name = name[: max(name.rfind(sign) for sign in " ._-")]
    return name


_COPIES = tuple(
    f"{sign}{mark}"
    for sign in " ._-"
    for mark in ("bak", "backup", "old", "orig", "save", "copy", "tmp", "swp", "prev")
)
