"""Runs a problem's Python code inside one of our programs (``hosts/``), and reads its literals."""

from __future__ import annotations

import ast
import importlib.util
import io
import marshal
import threading
import zipfile
from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.language import load_languages, render
from venus_toolkit.execution.sandbox import Compiled, File, Program, Sandbox

RUNTIME = "venus_inputs.pyz"  # imported by programs that contain a specification of inputs
LONGEST_CODE = 1_000_000  # characters; longer code is not searched for a literal
# Python 3.11 counts the depth of syntax trees over all threads, so two concurrent parsers may both
# exceed the limit.
PARSING = threading.RLock()


def host_program(sandbox: Sandbox, host: str, code: str | None) -> Compiled:
    """Compile a problem's Python code inside a host program (such as ``generator.py.txt``).

    Raises:
        SourceError: The code is missing or does not compile.
    """
    name = host.removesuffix(".py.txt")
    if not code:
        raise SourceError(
            f"the problem has no {name}", f"{name}.py is missing", "see docs/problems.md"
        )
    template = (resources.files("venus_toolkit.execution.judging.hosts") / host).read_text()
    files = (File(RUNTIME, inputs_runtime(compiled=True)),) if "venus_inputs" in code else ()
    compiled = sandbox.compile(Program(load_languages()["python"], render(template, code), files))
    if not compiled.ok:
        raise SourceError(
            f"the {name} does not compile", compiled.log.strip()[-500:], f"fix {name}.py"
        )
    return compiled


@cache
def inputs_runtime(compiled: bool = False) -> bytes:
    """Return the package that reads, checks and draws from specifications of inputs, as one file.

    This process never imports it: it runs in the sandbox, and next to a release on the machines of
    its users.

    Args:
        compiled: Whether to include bytecode for this version of Python, which is imported five
            times as fast; other versions read the source. Without bytecode, the file is
            reproducible.
    """
    package = resources.files("venus_toolkit.builders.inputs.spec")
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in sorted(_modules(package, "venus_inputs")):
            files = {name: text}
            if compiled:
                # Flags for a hash-based file that is not checked against its source (PEP 552).
                header = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)
                files[f"{name}c"] = header + marshal.dumps(compile(text, name, "exec"))
            for path, data in files.items():
                info = zipfile.ZipInfo(path)
                info.compress_type = zipfile.ZIP_STORED if compiled else zipfile.ZIP_DEFLATED
                archive.writestr(info, data)
    return content.getvalue()


def _modules(folder: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the text of each module of a package and of its subpackages."""
    for entry in folder.iterdir():
        if entry.name.endswith(".py"):
            yield f"{name}/{entry.name}", entry.read_bytes()
        elif entry.is_dir() and entry.name != "__pycache__":
            yield from _modules(entry, f"{name}/{entry.name}")


def top_level_literal(code: str | None, name: str) -> Any:
    """Return the literal that a program assigns to a name at its top level, or None.

    The program is parsed, not run.
    """
    if not code or len(code) > LONGEST_CODE or name not in code:
        return None
    try:
        with PARSING:
            body = ast.parse(code).body
        for node in body:
            if isinstance(node, ast.Assign) and [
                ast.unparse(target) for target in node.targets
            ] == [name]:
                return ast.literal_eval(node.value)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        pass  # untrusted code that cannot be parsed has no known literals
    return None
