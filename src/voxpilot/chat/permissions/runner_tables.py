"""Known programs that run code of the folder: tests, builds, linters, interpreters.

Lives here: only the tables. Each program has the options that are known not to write elsewhere, not to start
or load something that the command itself names, and not to reach the network. Lives elsewhere: how words
are read (options.py), what they mean for files (runners.py), all other programs (program_tables.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from voxpilot.chat.permissions.options import Options
from voxpilot.chat.permissions.program_tables import words
from voxpilot.values import dataclass

PATHS = r"[A-Za-z0-9_./][A-Za-z0-9_./+-]*"
FILES = r"[A-Za-z0-9_+-]*[./][A-Za-z0-9_./+-]*"
"""Paths that cannot be mistaken for a subcommand: they have a dot or a slash."""
NAMES = r"[A-Za-z0-9_][A-Za-z0-9_.:-]*"
"""Targets, scripts, tests, packages."""
TESTS = rf"{PATHS}(::[A-Za-z0-9_]+(\[[A-Za-z0-9_. -]*\])?)*"
LINES = rf"{PATHS}(:[0-9]+)*"
LOCAL = r"\.|\./[A-Za-z0-9_./-]*|[A-Za-z0-9_./-]+\.go"
"""Go packages of the folder."""

UNIT_TESTS = (
    r"(tests\.([a-z0-9_]+\.)*)?test_[A-Za-z0-9_]+(\.[A-Z][A-Za-z0-9_]*(\.test[A-Za-z0-9_]*)?)?"
    r"|([A-Za-z0-9_.-]+/)*(test_[A-Za-z0-9_]+|[A-Za-z0-9_]+_tests?)\.py|(\./)?tests(/[A-Za-z0-9_]+)*"
)
"""Python calls whatever a name leads to, in any installed module: only what is named like a test is one."""

# Names that suggest that something acts outside the folder; they cannot be complete

ACTIONS = words("deploy publish release push upload unpublish login logout install uninstall env")
"""Words that are refused as an argument of any program."""
CONSOLES = words(
    "shell shell_plus dbshell console dbconsole repl irb pry tinker psysh runner exec flush sqlflush "
    "createsuperuser changepassword register"
)
"""Words that make a script of the folder run code from its input or arguments, or act on a database or an
account: refused as a whole argument of a script, or as a target."""
ACTION_PARTS = tuple(words("deploy publish release push upload install login logout signin rollout"))
"""Parts of a name: also `predeploy` and `altinstall`."""
ACTION_WORDS = words(
    "env printenv ship promote rollback apply destroy drop wipe purge nuke reset truncate provision "
    "teardown migrate migrations tag sign notarize submit distribute upgrade announce notify send mail "
    "email slack tweet pypi testpypi rubygems crates dockerhub ghcr ecr gcr registry cdn tf infra"
)
"""Whole words of a name: `db:drop`, `tf-apply`."""
OUTSIDE_PROGRAMS = words(
    "pip pipx pipenv poetry uv uvx pdm hatch rye conda mamba micromamba twine flit npm npx pnpm pnpx yarn "
    "yarnpkg bun bunx corepack nvm fnm volta lerna composer phive pecl pear gem bundle bundler cargo "
    "rustup brew apt dpkg yum dnf apk pacman snap flatpak nix choco scoop winget vcpkg conan curl wget "
    "wcurl http https httpie xh aria ssh scp sftp rsync rclone nc ncat netcat socat telnet ftp lftp git "
    "gh glab svn hg docker podman buildah skopeo nerdctl kubectl helm minikube oc argocd flux terraform "
    "tofu terragrunt pulumi ansible vagrant packer aws az azure gcloud gsutil bq doctl flyctl fly heroku "
    "vercel netlify wrangler firebase surge supabase railway cf serverless sls cdk sam amplify eas expo "
    "fastlane goreleaser stripe twilio ngrok cloudflared tailscale psql pg mysql mariadb mongo mongosh "
    "mongodump redis sudo su doas busybox toybox xargs osascript xdg systemctl launchctl crontab sendmail "
    "mutt msmtp gpg openssl vault op kaggle huggingface hf wandb claude codex gemini copilot opencode "
    "aider"
)
"""Programs that install others, reach the network or run any command."""
FOREIGN = words("node_modules vendor site-packages dist-packages conda miniconda anaconda")
"""Folders with third-party programs: one of those must be known by its name."""
PACKED = (".phar", ".pyz", ".pex", ".whl", ".egg", ".jar", ".zip")


@dataclass(frozen=True, slots=True)
class Interpreter:
    flags: frozenset[str] = frozenset()
    """Before the name of a file."""
    modules: frozenset[str] = frozenset()
    script: str = PATHS
    """What the name of a file must look like."""


def _run(
    flags: str = "", texts: str = "", files: str = "", operands: str = "", letters: str = "", forms: str = "",
    most: int | None = None, after: Options | None = None,
) -> Options:  # fmt: skip
    return Options(
        flags=words(flags), texts=words(texts), files=words(files), operands=operands, letters=letters,
        forms=forms, most=most, after=after,
    )  # fmt: skip


def _each(names: str, options: Options) -> dict[str, Options]:
    return dict.fromkeys(names.split(), options)


SCRIPT_ARGUMENTS = _run(
    "--watch=false --watchAll=false --run --coverage --ci --verbose --silent --passWithNoTests --runInBand "
    "-i --bail --noEmit --quiet --fix --no-coverage --no-watch --check --list-different",
    "-t --testNamePattern --grep --filter",
    operands=FILES,
)
"""What is passed on to a script of package.json, which is probably a test runner or a linter."""

_RUN = _run("--silent -s --if-present", "-w --workspace", operands=NAMES, most=1, after=SCRIPT_ARGUMENTS)
_TEST = _run("--silent -s", "-w --workspace", after=SCRIPT_ARGUMENTS)
_INSTALL = _run(
    "--silent -s --ignore-scripts --no-audit --no-fund --frozen-lockfile --immutable --offline "
    "--prefer-offline --legacy-peer-deps --omit=dev --production"
)
_LIST = _run("--all --json --depth=0", operands=NAMES)
_SCRIPTS = "test t start build lint format typecheck type-check check"
_CARGO_FLAGS = (
    "--release --all --workspace --all-targets --all-features --no-default-features --lib --bins --tests "
    "--examples --benches --doc --locked --offline --frozen --quiet -q -v -vv --verbose --no-run "
    "--no-fail-fast --keep-going --no-deps"
)
_CARGO_TEXTS = (
    "-p --package --features --test --bin --example --bench -j --jobs --color --message-format --exclude"
)
_CARGO_ARGUMENTS = _run(
    "--nocapture --ignored --exact --show-output --include-ignored --list --check",
    "-D -W -A --test-threads",
    operands=NAMES,
)
_CARGO = _run(_CARGO_FLAGS, _CARGO_TEXTS, operands=NAMES, most=1, after=_CARGO_ARGUMENTS)
_GO_FLAGS = "-v -race -short -cover -failfast -json -count=1"
_GO_TEXTS = "-run -bench -count -timeout -parallel -tags -p -benchtime -cpu -skip -covermode"
_GO = _run(_GO_FLAGS, _GO_TEXTS, "-o -coverprofile", LOCAL)
_GRADLE_TASKS = "build|test|check|clean|assemble|compileJava|compileKotlin|classes|lint"
_GRADLE = Options(
    flags=words("--info --quiet -q --offline --no-daemon --stacktrace --console=plain --parallel --continue"),
    texts=words("--tests"), operands=rf"(:[A-Za-z0-9_-]+)*:?({_GRADLE_TASKS})",
)  # fmt: skip
_MAVEN = _run(
    "-q -B -o -e -ntp --no-transfer-progress -DskipTests",
    operands="clean|compile|test|package|verify|test-compile|validate", forms=r"-Dtest=[A-Za-z0-9_.#]+",
)  # fmt: skip
_MAKE = _run(
    "V=1 VERBOSE=1 CI=1 DEBUG=0 DEBUG=1 --silent --keep-going --dry-run --always-make --no-print-directory",
    "", "-f --file --makefile", NAMES, letters="ksnB", forms="-j[0-9]{0,3}",
)  # fmt: skip
_COMPILER = Options(
    flags=words("-c -S -E -P -g -v -shared -fPIC -pthread -static -pedantic -ansi -lm -lpthread"),
    files=words("-o -I"), operands=PATHS,
    forms=r"-O[0-3sg]?|-W[a-z][a-z0-9-]*|-std=[a-z0-9+]+|-D[A-Za-z_][A-Za-z0-9_]*(=[A-Za-z0-9_]*)?"
    rf"|-I(?P<file>{PATHS})|-l[a-z][a-z0-9_+]*|-g[0-3]|-m(32|64)",
)  # fmt: skip
_PYTEST = Options(
    letters="qvxsl", has_attached=True,
    flags=words("-ra -rA -rs -rf -rx -rfE -rP --lf --ff --nf --sw --last-failed --failed-first "
                "--collect-only --co --no-header --no-summary --exitfirst --verbose --quiet --stepwise "
                "--showlocals --no-cov --cov --disable-warnings --strict-markers --strict-config "
                "--cov-branch"),
    texts=words("-k -m -n --maxfail --tb --durations --timeout --color --numprocesses --cov-fail-under"),
    files=words("--cov"), operands=TESTS,
    forms=r"--cov-report=(term|term-missing|html|xml|json|lcov)",
)  # fmt: skip

Rules: TypeAlias = "Options | Mapping[str, Rules]"
"""What may follow a program's name; or its subcommands, one of which must come first."""

RUNNERS: dict[str, Rules] = {
    "pytest": _PYTEST,
    "mypy": _run("--strict --no-error-summary --pretty --show-error-codes --ignore-missing-imports -v "
                 "--verbose --no-incremental --show-column-numbers --no-color-output --check-untyped-defs "
                 "--explicit-package-bases --namespace-packages --warn-unused-ignores",
                 "--python-version -p --package -m --module", operands=PATHS),
    "ruff": {
        "check": _run("--fix --diff --statistics --quiet -q --no-cache --show-fixes --preview --no-fix "
                      "--exit-zero",
                      "--select --ignore --extend-select --line-length --target-version --output-format",
                      operands=PATHS),
        "format": _run("--check --diff --quiet -q --no-cache --preview", "--line-length --target-version",
                       operands=PATHS),
    },
    "black": _run("--check --diff -q --quiet -v --verbose", "-l --line-length -t --target-version",
                  operands=PATHS),
    "isort": _run("--check --check-only --diff -c -q --quiet", "--profile", operands=PATHS),
    "flake8": _run("--count --statistics --show-source -q -v", "--max-line-length --select --ignore "
                   "--extend-ignore --max-complexity", operands=PATHS),
    "pylint": _run("--errors-only -E -rn --score=n", "--disable --enable", operands=PATHS),
    "bandit": _run("-r -q -l -ll", operands=PATHS),
    **_each("pyright basedpyright", _run("--stats --verbose --outputjson --warnings", operands=PATHS)),
    **_each("pyflakes pycodestyle vulture djlint yamllint hadolint ava oxlint", _run(operands=FILES)),
    "coverage": {
        "report": _run("-m --show-missing --skip-covered --skip-empty", "--fail-under"),
        **_each("html xml json lcov combine erase", _run("-q --quiet")),
    },
    "tox": _run("-q -v -l -p", "-e"),
    "nox": _run("-r -R -l --list -v", "-s --session"),
    "jest": _run("--coverage --ci --verbose --silent --runInBand -i --watchAll=false --watch=false --bail "
                 "--passWithNoTests --onlyChanged --listTests --detectOpenHandles --forceExit --no-coverage "
                 "--no-cache -u --updateSnapshot", "-t --testNamePattern --maxWorkers -w --testTimeout",
                 operands=FILES),
    "vitest": _run("run --run --coverage --watch=false --no-watch --silent --passWithNoTests -u --update",
                   "-t --testNamePattern", operands=FILES,
                   forms="--reporter=(default|verbose|dot|json|basic|tap)"),
    "mocha": _run("--exit --bail -b --recursive --parallel", "-g --grep -t --timeout", operands=FILES,
                  forms="--reporter=(spec|dot|min|json|tap|list)"),
    "tsc": _run("--noEmit --pretty --skipLibCheck --strict -b --build --listFiles --incremental", "",
                "-p --project", FILES),
    "eslint": _run("--fix --quiet --no-color --color --cache --fix-dry-run --no-error-on-unmatched-pattern",
                   "--ext --max-warnings", operands=PATHS, forms="--format=(stylish|json|compact|unix)"),
    "prettier": _run("--check -c -l --list-different --write -w --no-color", operands=PATHS),
    "biome": _each("check lint format ci", _run("--write --fix", operands=PATHS)),
    "stylelint": _run("--fix --quiet", operands=FILES),
    "markdownlint": _run("--fix -f", operands=FILES),
    "rspec": _run("--fail-fast --color --no-color", "-e --example", operands=LINES,
                  forms="--format=(documentation|progress|json)"),
    "rubocop": _run("-a -A --autocorrect --autocorrect-all --parallel --lint", operands=PATHS),
    "phpunit": _run("--testdox --stop-on-failure", "--filter --testsuite --group", operands=FILES),
    "phpstan": {"analyse": _run("--no-progress", "-l --level", operands=PATHS)},
    "ctest": _run("--output-on-failure -V -VV --verbose -N --rerun-failed", "-R -E -L -j --parallel",
                  "--test-dir"),
    "ninja": _run("-v -n", "-j -k", "-C", NAMES),
    "shellcheck": _run("-a", "-s --shell -S --severity -e --exclude", operands=PATHS),
    "shfmt": _run("-w -l -d", "-i", operands=PATHS),
    **_each("gofmt goimports", _run("-l -d -w -s", operands=PATHS)),
    "staticcheck": _run(operands=LOCAL),
    "golangci-lint": {"run": _run("--fix", operands=LOCAL)},
    "rustfmt": _run("--check", "--edition", operands=PATHS),
    "clang-format": _run("-i --dry-run -n --Werror", operands=PATHS),
    "ktlint": _run("-F --format", operands=FILES),
    "swiftlint": {"lint": _run("--fix --quiet --strict", operands=PATHS)},
    "javac": _run("-g -Xlint -nowarn", "", "-d", FILES),
    **_each("make gmake", _MAKE),
    "just": _run(operands=NAMES),
    "rake": _run(operands=NAMES),
    "npm": {**_each("test t start", _TEST), **_each("run run-script", _RUN),
            **_each("ci install i", _INSTALL), **_each("ls list why", _LIST), "-v": _run()},
    "pnpm": {**_each(_SCRIPTS, SCRIPT_ARGUMENTS), "run": _RUN, **_each("install i", _INSTALL),
             **_each("ls list why", _LIST)},
    "yarn": {**_each(_SCRIPTS, SCRIPT_ARGUMENTS), "run": _RUN, "install": _INSTALL,
             **_each("list why", _LIST)},
    "bun": {"test": _run("--coverage --bail", "-t", operands=FILES), "install": _run("--frozen-lockfile"),
            # It looks for a script first, and then for any program of the system.
            "run": _run(operands=rf"({_SCRIPTS.replace(' ', '|')}|dev)", most=1)},
    "deno": _each("test lint fmt check", _run(operands=FILES)),
    "cargo": {
        **_each("build test check bench doc b t c", _CARGO),
        "clippy": _run(f"{_CARGO_FLAGS} --fix --allow-dirty", _CARGO_TEXTS, after=_CARGO_ARGUMENTS),
        "fmt": _run("--all --check -q -v", "-p --package", after=_CARGO_ARGUMENTS),
        **_each("run r", _run(_CARGO_FLAGS, _CARGO_TEXTS)),
        "clean": _run("--release --doc -q --quiet", "-p --package"),
        "tree": _run("--all --locked --offline", "-p --package --depth -e --edges"),
        "metadata": _run("--no-deps --offline --locked", "--format-version"),
        "nextest": {"run": _run(_CARGO_FLAGS, _CARGO_TEXTS, operands=NAMES)},
        "fetch": _run("--locked"),
    },
    "go": {
        **_each("build test vet", _GO),
        "fmt": _run("-n -x", operands=LOCAL), "list": _run("-json -deps", operands=LOCAL), "version": _run(),
        "generate": _run("-v -n -x", operands=LOCAL), "mod": _each("tidy verify graph", _run("-v")),
        "run": _run("-race", operands=LOCAL, most=1),
    },
    "cmake": _run("--parallel -Wno-dev --fresh --verbose -v", "-t --target --config -j --parallel -G",
                  "-S -B --build", PATHS,
                  forms=r"-j[0-9]{1,3}|-DCMAKE_(BUILD_TYPE|EXPORT_COMPILE_COMMANDS)=[A-Za-z]+|-DBUILD_[A-Z_]+=(ON|OFF)"),
    "meson": {"compile": _run("-v", "-j", "-C"), "test": _run("-v", "", "-C", NAMES),
              "setup": _run(operands=PATHS, most=1)},
    **_each("mvn mvnw", _MAVEN),
    **_each("gradle gradlew", _GRADLE),
    "dotnet": _each("build test restore format clean run",
                    _run("--no-restore --no-build --nologo", "-c --configuration --filter -f --framework "
                         "--verbosity", "--project", FILES)),
    "swift": _each("build test", _run("--parallel -v", "--filter -c --configuration")),
    "mix": _each("test compile format", _run("--check-formatted --warnings-as-errors",
                                             operands=rf"{FILES}(:[0-9]+)?")),
    "dart": _each("test analyze format", _run(operands=FILES)),
    "flutter": _each("test analyze", _run(operands=FILES)),
    "terraform": {"fmt": _run("-check -recursive", operands=PATHS), "validate": _run("-json"),
                  "version": _run()},
    "pre-commit": {"run": _run("--all-files -a", operands=NAMES)},
    "uv": _each("sync lock tree", _run("--frozen --locked --offline --all-extras --all-groups --dev --no-dev "
                                       "-q --quiet", "--extra --group")),
    "poetry": _each("install check show", _run("--no-root --no-interaction -n --sync", "--with --without "
                                               "--only --extras -E")),
    "bundle": _each("install check", _run("--quiet", forms="--jobs=[0-9]{1,3}")),
    **_each("gcc g++ cc c++ clang clang++", _COMPILER),
    "rustc": _run("-O -g --test", "--edition --crate-type --crate-name -A -W -D", "-o --out-dir", PATHS),
}  # fmt: skip

TARGETS = {
    **dict.fromkeys(("make", "gmake"), words("-f --file --makefile")),
    **dict.fromkeys(("just", "rake", "ninja", "go run", "pre-commit run", "meson test"), frozenset[str]()),
    **dict.fromkeys(("npm run", "npm run-script", "pnpm run", "yarn run", "bun run"), frozenset[str]()),
    **dict.fromkeys(("cargo run", "cargo r"), words("--bin --example -p --package")),
    "cmake": words("-t --target"),
    "dotnet run": words("--project"),
    "nox": words("-s --session"),
    "tox": words("-e"),
}
"""Programs that run something by a name of the folder: an operand, or the value of one of these options."""

PRINTING = {
    "prettier": words("--check -c -l --list-different --write -w"),
    "shfmt": words("-w -l"),
    **dict.fromkeys(("biome check", "biome lint", "biome format", "biome ci"), frozenset[str]()),
}
"""Programs that print the files they find, of any kind, unless one of these options is given."""

MODULES: dict[str, Options] = {
    "unittest": _run("-v -q -f -b discover", operands=UNIT_TESTS),
    "doctest": _run("-v", operands=FILES),
    "compileall": _run("-q", operands=PATHS),
    "py_compile": _run(operands=FILES),
    "tabnanny": _run("-v", operands=PATHS),
    "json.tool": _run(operands=FILES, most=1),
}
"""Modules that Python runs after `-m`; a second file of json.tool would be written."""
_SHELL = Interpreter(words("-e -u -x -n -eu -ex -eux"), script=r"[A-Za-z0-9_./-]*/[A-Za-z0-9_.+-]+")
"""A shell searches PATH for a script whose name has no slash."""
_PYTHON = Interpreter(
    words("-u -B -I -E -s -S -bb -O -q"),
    words("pytest mypy ruff black isort flake8 pylint coverage pyflakes nox tox") | frozenset(MODULES),
)
_JAVASCRIPT = r"[A-Za-z0-9_./-]+\.([cm]?[jt]s|[jt]sx)"
INTERPRETERS: dict[str, Interpreter] = {
    "python": _PYTHON,
    "python3": _PYTHON,
    "node": Interpreter(
        words("--test --check --trace-warnings --no-warnings --enable-source-maps"), script=_JAVASCRIPT
    ),
    "ruby": Interpreter(words("-w -c"), script=FILES),
    "php": Interpreter(words("-l"), script=FILES),
    "bash": _SHELL,
    "sh": _SHELL,
    "ts-node": Interpreter(script=_JAVASCRIPT),
    "tsx": Interpreter(script=_JAVASCRIPT),
}
