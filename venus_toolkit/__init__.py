"""Venus: build, publish, train on and evaluate with code-efficiency datasets.

The core vocabulary; docs/glossary.md is complete:

problem      a statement with its limits, its comparison, its source and licence
test case    one standard input and the standard output that every canonical solution agrees on
solution     code in one language, and what is expected of it: accepted, wrong, slow or unknown
task         a problem of a release in one language, with everything needed to judge and measure a program for it
sandbox      compiles a program once and runs it on many inputs; its own failures are exceptions
worker       where the work of one item is done: a sandbox, and cores of this machine or of a node
executor     the one place where programs and tests become verdicts and figures
run          the kernel's report on one execution of one program on one input
verdict      the judgement on a program: accepted, wrong_answer, runtime_error, time_limit, memory_limit,
             output_limit, compile_error; never used for a failure of the toolkit
measurement  a solution's time, memory and integral over all its tests and repeats, with spread
reference    a short program of the same language, run right before and after a measured one; the unit of relative time
release      a folder with data, card and manifest: one version of a dataset

Words not used: "score" for a measurement, "case" for a test case, "submission" for a solution,
"status" for a verdict (the published column ``status`` keeps its ancestor's name and holds the
verdict).

The Python API (api/) has `run`, `compare`, `build`, `load`, `evaluate` and `optimize`, with their
results, `Limits` and their errors. Each is imported on first use.
"""

from __future__ import annotations

__all__ = [
    "Comparison", "Evaluated", "HubError", "LanguageError", "Limits", "Optimized", "ReleaseError", "Result",
    "SandboxError", "SourceError", "StoreError", "ToolchainError", "UsageError", "VenusError", "__version__", "build",
    "compare", "evaluate", "load", "optimize", "run",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # `import venus_toolkit` alone must be instant. Type checkers read __init__.pyi.
    from importlib import import_module

    # The version is in core, where every subpackage can read it without importing this package.
    return getattr(
        import_module("venus_toolkit.core" if name == "__version__" else "venus_toolkit.api"), name
    )
