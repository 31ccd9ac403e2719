"""The layers of docs/architecture.md: allowed imports, and heavy packages.

The tests read the source and import nothing, so they also find a forbidden import inside a function
or below TYPE_CHECKING. Not covered: module names in strings passed to importlib.
"""

from __future__ import annotations

import ast
import graphlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "venus_toolkit"

# Each package and the packages directly below it. What these may import, it may import too.
BELOW: dict[str, tuple[str, ...]] = {
    PACKAGE: (),  # its __init__.py imports nothing, and nothing imports it
    "core": (),
    "signatures": ("core",),
    "models": ("core",),
    "execution": ("signatures",),
    "dataset": ("execution",),
    "builders": ("dataset", "models"),
    "training": ("dataset", "models"),
    "eval": ("dataset", "models"),
    "server": ("execution",),
    "integrations": ("training", "eval"),  # only other projects import it
    "api": ("builders", "eval"),
    "cli": ("training", "server", "api"),
    "__main__": ("cli",),
}

# Each heavy package and the modules (with everything inside them) that may import it.
HOMES: dict[str, tuple[str, ...]] = {
    # models: runs small models in this process, without a server
    "torch": ("training", "models"),
    "trl": ("training",),
    "transformers": ("training", "models"),
    "peft": ("training",),
    "vllm": ("training", "models"),
    "docker": ("execution.sandbox.docker",),
    "huggingface_hub": ("dataset.hub",),
    "openai": ("models",),
    "inspect_ai": ("integrations.inspect_ai",),
    "duckdb": ("core.store", "dataset", "builders"),
    "ray": ("execution.engine",),
    "verifiers": ("integrations.verifiers",),
    "openenv": ("integrations.openenv",),
    "skyrl_gym": ("integrations.skyrl",),
    "tinker_cookbook": ("integrations.tinker",),
    "fastapi": ("server",),
    "starlette": ("server",),
    "uvicorn": ("server",),
}

# Allowed inside functions only: (module, package).
INSIDE_A_FUNCTION = {
    ("models", "vllm"),
    ("models", "transformers"),
    ("models", "torch"),
    ("execution.engine", "ray"),
}

# Loaded by commands that need them, but never by `venus --help`.
NOT_AT_START = {*HOMES, "datasets", "matplotlib", "pandas"}

# Folders of data; the programs in them are not modules.
DATA = ("languages", "cards", "corpus")


def allowed_layers(layer: str) -> set[str]:
    """Return every layer that `layer` may import, including itself."""
    return {layer}.union(*(allowed_layers(below) for below in BELOW[layer]))


def is_within(module: str, home: str) -> bool:
    return module == home or module.startswith(home + ".")


class Imports(ast.NodeVisitor):
    """Collects the imports of one module: (absolute dotted name, line, inside a function)."""

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
    """Return the layer of an absolute name below the package.

    Modules of the package itself belong to PACKAGE.
    """
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in BELOW else PACKAGE


def complain_about_import(module: str, name: str, inside: bool) -> str | None:
    """Return a complaint if `module`, a name within the package, must not import `name`."""
    top = name.split(".")[0]
    if top == PACKAGE:
        layer = module.split(".")[0]
        if layer_of(name) not in allowed_layers(layer):
            return f"{layer} may not import {layer_of(name)}"
    elif top in HOMES:
        if not any(is_within(module, home) for home in HOMES[top]):
            return f"{top} belongs in {', '.join(HOMES[top])}"
        if not inside and any(
            is_within(module, home) and top == heavy for home, heavy in INSIDE_A_FUNCTION
        ):
            return f"{top} may be imported inside a function only"
    return None


def complaints(path: str, source: str) -> list[str]:
    """Return the forbidden imports and prints of a source file.

    `path` is relative to the package folder, such as "core/store.py".
    """
    parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
    module = PACKAGE if parts == ["__init__"] else ".".join(parts)
    if parts[0] not in BELOW and module != PACKAGE:
        return [f"{path}: {parts[0]} is not in the table of layers in {Path(__file__).name}"]
    package = [PACKAGE, *path.split("/")[:-1]]
    tree = ast.parse(source)
    imports = Imports(".".join(package))
    imports.visit(tree)
    messages = [
        f"{path}:{line}: {complaint}"
        for name, line, inside in imports.found
        if (complaint := complain_about_import(module, name, inside))
    ]
    if parts[0] not in ("cli", "__main__"):
        messages += [f"{path}:{line}: print() belongs in cli/" for line in print_calls(tree)]
    return messages


def print_calls(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "print"
        ):
            yield node.lineno


def source_files() -> Iterator[str]:
    """Return the package's Python files relative to its folder, including those behind symlinks."""
    for folder, folders, files in os.walk(ROOT / PACKAGE, followlinks=True):
        here = Path(folder).relative_to(ROOT / PACKAGE)
        folders[:] = [name for name in folders if (here / name).as_posix() not in DATA]
        yield from ((here / name).as_posix() for name in files if name.endswith(".py"))


def test_imports_follow_the_layers() -> None:
    files = sorted(source_files())
    assert files
    messages = [
        line
        for path in files
        for line in complaints(path, (ROOT / PACKAGE / path).read_text(encoding="utf-8"))
    ]
    assert not messages, "\n".join(messages)


@pytest.mark.parametrize(
    ("path", "source", "word"),
    [
        (
            "core/records.py",
            "from venus_toolkit.execution.judging.judge import judge",
            "core may not import execution",
        ),
        ("core/records.py", "from venus_toolkit import execution", "core may not import execution"),
        (
            "core/records.py",
            "import venus_toolkit.execution.judging.judge",
            "core may not import execution",
        ),
        ("core/records.py", "from ..execution import judge", "core may not import execution"),
        ("core/__init__.py", "from .. import execution", "core may not import execution"),
        (
            "models/client.py",
            "def f():\n    from ..execution.engine import Engine",
            "models may not import execution",
        ),
        (
            "execution/judging/judge.py",
            "async def f():\n    from ...dataset import task",
            "execution may not import dataset",
        ),
        (
            "dataset/task.py",
            "from venus_toolkit.cli.machine.run import command",
            "dataset may not import cli",
        ),
        (
            "builders/demo.py",
            "from venus_toolkit.eval.scoring.metrics import rank",
            "builders may not import eval",
        ),
        (
            "training/sft.py",
            "from venus_toolkit.builders import derive",
            "training may not import builders",
        ),
        (
            "training/environment.py",
            "from venus_toolkit.integrations.verl import compute_score",
            "training may not import integrations",
        ),
        ("server/app.py", "from venus_toolkit.dataset import hub", "server may not import dataset"),
        (
            "__init__.py",
            "from venus_toolkit.core.records import Problem",
            "venus_toolkit may not import core",
        ),
        ("__init__.py", "from .cli import main", "venus_toolkit may not import cli"),
        (
            "execution/judging/judge.py",
            "from venus_toolkit import __version__",
            "execution may not import venus_toolkit",
        ),
        ("core/errors.py", "import torch", "torch belongs in training, models"),
        (
            "cli/data/build.py",
            "def f():\n    import huggingface_hub.utils",
            "huggingface_hub belongs in dataset.hub",
        ),
        (
            "execution/sandbox/local.py",
            "from docker import APIClient",
            "docker belongs in execution.sandbox.docker",
        ),
        (
            "execution/sandbox/docker_images.py",
            "import docker",
            "docker belongs in execution.sandbox.docker",
        ),
        ("models/client.py", "import vllm", "vllm may be imported inside a function only"),
        ("execution/engine/ray.py", "import ray", "ray may be imported inside a function only"),
        (
            "models/client.py",
            "class A:\n    import vllm",
            "vllm may be imported inside a function only",
        ),
        ("execution/judging/judge.py", "if True:\n    print('done')", "print() belongs in cli/"),
        ("utils.py", "", "utils is not in the table"),
        ("utils/__init__.py", "", "utils is not in the table"),
    ],
)
def test_offending_import_is_named(path: str, source: str, word: str) -> None:
    [complaint] = complaints(path, source)
    assert word in complaint


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (
            "execution/judging/judge.py",
            "from venus_toolkit.core import __version__\nfrom .sandbox.local import LocalSandbox",
        ),
        (
            "execution/engine/ray.py",
            "from venus_toolkit.core.errors import VenusError\ndef f():\n    import ray",
        ),
        ("cli/machine/run.py", "from venus_toolkit.execution.engine.work import Judged"),
        (
            "dataset/hub/remote.py",
            "from venus_toolkit.dataset.card import Card\nfrom huggingface_hub import HfApi",
        ),
        ("models/client.py", "def f():\n    from vllm import LLM"),
        (
            "training/grpo/rewards.py",
            "import torch\nfrom ...execution.judge import judge\nfrom ..exports import write",
        ),
        ("execution/sandbox/docker.py", "import docker.errors"),
        ("execution/sandbox/docker/images.py", "import docker"),
        ("cli/data/build.py", "from venus_toolkit.builders.demo import build\nprint('done')"),
        ("core/store.py", "import duckdb, json\nlog.print('not the built-in')"),
    ],
)
def test_allowed_imports_pass(path: str, source: str) -> None:
    assert complaints(path, source) == []


def module_of(path: str) -> str:
    """Return the absolute name of the module at a path relative to the package folder."""
    return ".".join([PACKAGE, *path.removesuffix(".py").split("/")]).removesuffix(".__init__")


def cycle(sources: Mapping[str, str]) -> list[str] | None:
    """Return the modules of an import cycle, if there is one; the first is repeated at the end.

    Imports inside functions count.
    """
    modules = {module_of(path) for path in sources}
    below: dict[str, set[str]] = {}
    for path, source in sources.items():
        imports = Imports(".".join([PACKAGE, *path.split("/")[:-1]]))
        imports.visit(ast.parse(source))
        # The imported name is a module, or a name in one.
        names = {
            name if name in modules else name.rpartition(".")[0] for name, _, _ in imports.found
        }
        below[module_of(path)] = (names & modules) - {module_of(path)}
    try:
        graphlib.TopologicalSorter(below).prepare()
    except graphlib.CycleError as error:
        return list(reversed(error.args[1]))
    return None


def test_no_import_cycles() -> None:
    modules = cycle(
        {path: (ROOT / PACKAGE / path).read_text(encoding="utf-8") for path in source_files()}
    )
    assert modules is None, " imports ".join(modules)


@pytest.mark.parametrize(
    "sources",
    [
        {"core/a.py": "import venus_toolkit.core.b", "core/b.py": "from .a import name"},
        {
            "core/a.py": "from . import b",
            "core/b.py": "def f():\n    from venus_toolkit.core.a import name",
        },
        {
            "core/__init__.py": "def f():\n    from venus_toolkit.core.a import name",
            "core/a.py": "from venus_toolkit.core import b",
            "core/b.py": "from venus_toolkit.core import name",
        },
    ],
)
def test_a_cycle_is_found(sources: dict[str, str]) -> None:
    modules = cycle(sources)
    assert modules
    assert modules[0] == modules[-1]
    assert set(modules) == {module_of(path) for path in sources}


def test_shared_imports_are_not_a_cycle() -> None:
    assert (
        cycle(
            {
                "core/a.py": "from . import b, c",
                "core/b.py": "from . import c",
                "core/c.py": "import json",
            }
        )
        is None
    )


def modules_loaded_by(statement: str) -> set[str]:
    """Return the top-level names in sys.modules after a statement in a fresh interpreter."""
    report = "print(); print(json.dumps([name.split('.')[0] for name in sys.modules]))"
    script = f"import json, sys\n{statement}\n{report}"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
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
def test_heavy_packages_are_not_loaded_at_start(statement: str) -> None:
    assert modules_loaded_by(statement) & NOT_AT_START == set()


def test_heavy_import_is_detected() -> None:
    assert "duckdb" in modules_loaded_by("import duckdb") & NOT_AT_START
