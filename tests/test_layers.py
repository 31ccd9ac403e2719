"""The arrows of docs/architecture.md: which module may import which, and where the heavy packages stay.

Everything is read from the source, nothing is imported, so a forbidden import inside a function or below TYPE_CHECKING
is found as well. Not covered: modules named in strings and handed to importlib.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "venus_toolkit"

# Each layer and the layers just below it; whatever those may import, it may import too.
BELOW: dict[str, tuple[str, ...]] = {
    PACKAGE: (),  # the __init__.py of the package itself; everybody may read __version__ from it
    "errors": (),
    "temporary": (),  # folders that do not stay
    "hosts": (),  # programs that run inside the sandbox: read as text, imported by nobody
    "records": ("errors",),
    "options": ("errors",),
    "language": ("records",),
    "signatures": ("language",),
    "supervisor": ("language",),
    "sandbox": ("supervisor", "temporary"),
    "judge": ("sandbox",),
    "batch": ("judge", "signatures"),
    "function_check": ("batch",),
    "measure": ("judge",),
    "trial": ("measure",),
    "engine": ("measure",),
    "store": ("records", "temporary"),
    "generators": ("judge",),
    "fresh": ("generators",),
    "funnel": ("store",),
    "release": ("store",),
    "card": ("release", "funnel"),
    "hub": ("card",),
    "llm": ("records",),
    "answers": ("language",),
    "prompts": ("answers", "llm"),
    "task": ("measure", "signatures", "release", "generators"),
    "doctor": ("sandbox",),
    "debian": ("errors",),
    "images": ("sandbox", "debian"),
    "builders": ("engine", "options", "hub", "llm", "doctor", "batch", "generators", "prompts", "task"),
    "training": ("engine", "options", "hub", "llm", "doctor", "fresh", "prompts", "task"),
    "eval": ("engine", "hub", "llm", "doctor", "signatures", "fresh", "prompts", "task"),
    "server": ("engine", "hub", "llm", "doctor"),
    "reproduce": ("builders", "training", "eval"),
    "cli": ("images", "trial", "function_check", "reproduce", "server"),
    "__main__": ("cli",),
}

# Each heavy package and the modules (with everything inside them) that may import it.
HOMES: dict[str, tuple[str, ...]] = {
    "torch": ("training", "llm"),  # llm: a small model in this process, where there is no server
    "trl": ("training",),
    "transformers": ("training", "llm"),
    "peft": ("training",),
    "vllm": ("training", "llm"),
    "docker": ("sandbox.docker",),
    "huggingface_hub": ("hub",),
    "openai": ("llm",),
    "inspect_ai": ("eval.inspect_task",),
    "duckdb": ("store", "card", "hub", "builders"),
    "ray": ("engine",),
    "fastapi": ("server",),
    "starlette": ("server",),
    "uvicorn": ("server",),
}

# Even where they are allowed, these may be imported inside a function only: (module, package).
INSIDE_A_FUNCTION = {("llm", "vllm"), ("llm", "transformers"), ("llm", "torch"), ("engine", "ray")}

# What a command may load when it needs it, and `venus --help` never.
NOT_AT_START = {*HOMES, "datasets", "matplotlib", "pandas"}

# Data with programs in it, which are nobody's modules.
DATA = ("languages", "cards", "builders/corpus")


def allowed_layers(layer: str) -> set[str]:
    """Every layer that `layer` may import, itself included."""
    return {layer, PACKAGE}.union(*(allowed_layers(below) for below in BELOW[layer]))


def is_within(module: str, home: str) -> bool:
    return module == home or module.startswith(home + ".")


class Imports(ast.NodeVisitor):
    """Collects (absolute dotted name, line, inside a function) of every import of one module."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.depth = 0
        self.found: list[tuple[str, int, bool]] = []

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.found.append((alias.name, node.lineno, self.depth > 0))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        parts = self.package.split(".")
        start = ".".join(parts[: len(parts) - node.level + 1]) if node.level else ""
        base = ".".join(filter(None, (start, node.module)))
        for alias in node.names:
            self.found.append((f"{base}.{alias.name}", node.lineno, self.depth > 0))


def layer_of(name: str) -> str:
    """The layer an absolute name below the package belongs to; what the package itself holds belongs to PACKAGE."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in BELOW else PACKAGE


def complain_about_import(module: str, name: str, inside: bool) -> str | None:
    """Says what is wrong with `module` (without the package's name) importing `name`, or None."""
    top = name.split(".")[0]
    if top == PACKAGE:
        layer = module.split(".")[0]
        if layer_of(name) not in allowed_layers(layer):
            return f"{layer} may not import {layer_of(name)}"
    elif top in HOMES:
        if not any(is_within(module, home) for home in HOMES[top]):
            return f"{top} belongs in {', '.join(HOMES[top])}"
        if not inside and any(is_within(module, home) and top == heavy for home, heavy in INSIDE_A_FUNCTION):
            return f"{top} may be imported inside a function only"
    return None


def complaints(path: str, source: str) -> list[str]:
    """What a source file does that it may not; `path` is relative to the package folder, e.g. "sandbox/docker.py"."""
    parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
    module = PACKAGE if parts == ["__init__"] else ".".join(parts)
    if parts[0] not in BELOW and module != PACKAGE:
        return [f"{path}: {parts[0]} is not in the table of layers in {Path(__file__).name}"]
    package = [PACKAGE, *path.split("/")[:-1]]
    tree = ast.parse(source)
    imports = Imports(".".join(package))
    imports.visit(tree)
    found = [
        f"{path}:{line}: {complaint}"
        for name, line, inside in imports.found
        if (complaint := complain_about_import(module, name, inside))
    ]
    if parts[0] not in ("cli", "__main__"):
        found += [f"{path}:{line}: print() belongs in cli/" for line in print_calls(tree)]
    return found


def print_calls(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            yield node.lineno


def source_files() -> Iterator[str]:
    """The package's Python files relative to its folder, those behind the symlinks too."""
    for folder, folders, files in os.walk(ROOT / PACKAGE, followlinks=True):
        here = Path(folder).relative_to(ROOT / PACKAGE)
        folders[:] = [name for name in folders if (here / name).as_posix() not in DATA]
        yield from ((here / name).as_posix() for name in files if name.endswith(".py"))


def test_no_file_breaks_the_arrows() -> None:
    files = sorted(source_files())
    assert files
    found = [line for path in files for line in complaints(path, (ROOT / PACKAGE / path).read_text(encoding="utf-8"))]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("path", "source", "word"),
    [
        ("records.py", "from venus_toolkit.judge import judge", "records may not import judge"),
        ("records.py", "from venus_toolkit import judge", "records may not import judge"),
        ("records.py", "import venus_toolkit.judge", "records may not import judge"),
        ("records.py", "from . import judge", "records may not import judge"),
        ("sandbox/local.py", "from ..judge import judge", "sandbox may not import judge"),
        ("sandbox/__init__.py", "from .. import judge", "sandbox may not import judge"),
        ("judge.py", "def f():\n    from .engine import Engine", "judge may not import engine"),
        ("judge.py", "async def f():\n    from venus_toolkit.store import Store", "judge may not import store"),
        ("measure.py", "from venus_toolkit.trial import Report", "measure may not import trial"),
        ("trial.py", "from venus_toolkit.engine import Engine", "trial may not import engine"),
        ("trial.py", "from venus_toolkit.cli.run import command", "trial may not import cli"),
        ("builders/demo.py", "from venus_toolkit.eval.metrics import rank", "builders may not import eval"),
        ("training/sft.py", "from venus_toolkit.builders import derive", "training may not import builders"),
        ("server/app.py", "from venus_toolkit.cli import main", "server may not import cli"),
        ("__init__.py", "from venus_toolkit.records import Problem", "venus_toolkit may not import records"),
        ("__init__.py", "from .cli import main", "venus_toolkit may not import cli"),
        ("errors.py", "import torch", "torch belongs in training, llm"),
        ("cli/build.py", "def f():\n    import huggingface_hub.utils", "huggingface_hub belongs in hub"),
        ("sandbox/local.py", "from docker import APIClient", "docker belongs in sandbox.docker"),
        ("sandbox/docker_images.py", "import docker", "docker belongs in sandbox.docker"),
        ("llm.py", "import vllm", "vllm may be imported inside a function only"),
        ("llm/local.py", "import transformers", "transformers may be imported inside a function only"),
        ("engine/ray.py", "import ray", "ray may be imported inside a function only"),
        ("llm.py", "class A:\n    import vllm", "vllm may be imported inside a function only"),
        ("judge.py", "if True:\n    print('done')", "print() belongs in cli/"),
        ("utils.py", "", "utils is not in the table"),
        ("utils/__init__.py", "", "utils is not in the table"),
    ],
)
def test_an_offender_is_named(path: str, source: str, word: str) -> None:
    [complaint] = complaints(path, source)
    assert word in complaint


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("judge.py", "from venus_toolkit import __version__, records\nfrom .sandbox.local import LocalSandbox"),
        ("engine/ray.py", "from venus_toolkit.errors import VenusError\ndef f():\n    import ray"),
        ("trial.py", "from venus_toolkit import errors, judge, language, measure, records, sandbox, supervisor"),
        ("cli/run.py", "from venus_toolkit.trial import Report"),
        ("hub.py", "from venus_toolkit.card import Card\nfrom huggingface_hub import HfApi"),
        ("llm.py", "def f():\n    from vllm import LLM"),
        ("training/grpo/rewards.py", "import torch\nfrom ...judge import judge\nfrom ..exports import write"),
        ("sandbox/docker.py", "import docker.errors"),
        ("sandbox/docker/images.py", "import docker"),
        ("cli/build.py", "from venus_toolkit.builders.demo import build\nprint('done')"),
        ("doctor.py", "from venus_toolkit import language, sandbox, supervisor"),
        ("store.py", "import duckdb, json\nlog.print('not the built-in')"),
    ],
)
def test_what_is_allowed_passes(path: str, source: str) -> None:
    assert complaints(path, source) == []


def modules_loaded_by(statement: str) -> set[str]:
    """The top-level names in sys.modules after a statement has run in a fresh interpreter."""
    report = "print(); print(json.dumps([name.split('.')[0] for name in sys.modules]))"
    script = f"import json, sys\n{statement}\n{report}"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


VENUS_HELP = """
from venus_toolkit.cli import main
sys.argv = ["venus", "--help"]
try:
    main()
except SystemExit as stop:
    assert not stop.code
"""


@pytest.mark.parametrize(
    "statement",
    [
        "import venus_toolkit",
        "import venus_toolkit.cli",
        VENUS_HELP,
    ],
    ids=["package", "cli", "help"],
)
def test_nothing_heavy_is_loaded_at_start(statement: str) -> None:
    assert modules_loaded_by(statement) & NOT_AT_START == set()


def test_a_heavy_import_would_be_seen() -> None:
    assert "duckdb" in modules_loaded_by("import duckdb") & NOT_AT_START
