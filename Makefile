# `make demo` and `make test` each work on a bare Debian or Ubuntu machine. Targets that take long or need a separate
# environment are in noxfile.py.

WORKERS ?= 3
SANDBOX ?= auto
OUT     ?= build/demo
# --thorough-marked makes `make test` also run the tests marked `thorough` in full, such as the documentation pages.
THOROUGH ?=

SUPERVISOR := venus_toolkit/execution/native/venus-supervisor
COUNTER    := venus_toolkit/execution/native/venus-counter.so
PIP        := .venv/bin/pip install --quiet --disable-pip-version-check

ifeq ($(origin CC),default)
CC := gcc
endif

# Container images often set it; then each of hundreds of processes would compile the toolkit again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help machine demo test lint format native docs clean

help: ## print this list
	@echo "Targets (variables: WORKERS=$(WORKERS), SANDBOX=$(SANDBOX), OUT=$(OUT)):"
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 16
	@echo "Everything else, after make test: .venv/bin/nox --list"

demo: .venv/installed native ## build a small C++ dataset and load it back
	.venv/bin/venus build --lang cpp --plan demo --out $(OUT) --sandbox $(SANDBOX)
	.venv/bin/python -c "from datasets import load_dataset; print(load_dataset('$(OUT)', 'cpp'))"

# Tests that measure time or memory run last and alone. Collecting only their files saves 15 s.
test: lint native ## lint, and every test this machine can run, side by side
	tools/pytest-twice .venv/bin/pytest -n $(WORKERS) --dist worksteal $(THOROUGH) -m "not serial"
	tools/pytest-twice .venv/bin/pytest $(THOROUGH) -m serial $$(grep -rl --include='test_*.py' 'mark\.serial' tests)

lint: .venv/installed-dev ## ruff, and mypy, strict
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy -p venus_toolkit -p examples.reproduce

format: .venv/installed-dev ## let ruff repair what it can
	.venv/bin/ruff check --fix
	.venv/bin/ruff format

native: $(SUPERVISOR) $(COUNTER) ## compile the native supervisor and counter, for a checkout that is not installed

# Search in pages opened from disk needs iframe-worker (MIT), which needs npm.
docs: .venv/installed-dev ## build the documentation site into build/site, links checked
	mkdir -p build && cd build && { ! command -v npm >/dev/null || tar xzf "$$(npm pack --silent iframe-worker@1.0.4)"; }
	NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --quiet

clean: ## remove everything that was built, .venv and .nox included
	rm -rf .venv .nox build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis .schemathesis $(SUPERVISOR) $(COUNTER) venus_toolkit/server/static
	find . -name __pycache__ -not -path './.git/*' -prune -exec rm -rf {} +

# Does nothing if all tools are installed.
machine:
	@tools/setup-machine

.venv/installed: pyproject.toml setup.py | machine
	$(PIP) -e '.[build,docker]'
	@tools/setup-machine --judge
	@touch $@

.venv/installed-dev: pyproject.toml setup.py | machine
	$(PIP) -e '.[dev]'
	@tools/setup-machine --judge
	@git config core.hooksPath >/dev/null 2>&1 || git config core.hooksPath tools/hooks 2>/dev/null || true
	@touch .venv/installed $@

# An editable install compiles them once; these rules recompile them when a source changes.
$(SUPERVISOR): venus_toolkit/execution/native/supervisor.c venus_toolkit/execution/native/supervisor.flags
	$(CC) @$(word 2,$^) -o $@ $<

# Runs inside QEMU's emulator, which is GPL-2.0-or-later, so it is a separate file.
$(COUNTER): venus_toolkit/execution/native/counter.c venus_toolkit/execution/native/counter.flags
	$(CC) @$(word 2,$^) -o $@ $<

$(SUPERVISOR) $(COUNTER): venus_toolkit/execution/native/count_file.h
