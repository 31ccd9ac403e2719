r"""The public Python API: measure programs, build and load datasets, evaluate models.

    import venus_toolkit as venus

    result = venus.run("solution.py", stdin="3\n", args=["--fast"])
    result.verdict, result.cpu_ns, result.peak_bytes
    venus.compare("slow.py", "quick.cpp", stdin="100000\n").to_pandas()
    venus.build("cpp", "build/venus", plan="demo")
    venus.build("python", "build/mine", source=frame)
    venus.load("me/Venus@1.0.0", "solutions", split="train")
    venus.evaluate("human:median", data="build/venus", lang="cpp", out="build/human").to_pandas()
    venus.optimize("sum.py", tests="tests", model="replay:answers.jsonl").code

These names, their parameters and the fields of their results are stable; CONTRIBUTING.md describes
how one is deprecated.
"""

from venus_toolkit.api.datasets import build, load
from venus_toolkit.api.models import Evaluated, Optimized, evaluate, optimize
from venus_toolkit.api.programs import Comparison, Result, compare, run
from venus_toolkit.core.errors import (
    HubError,
    LanguageError,
    ReleaseError,
    SandboxError,
    SourceError,
    StoreError,
    ToolchainError,
    UsageError,
    VenusError,
)
from venus_toolkit.core.records import Limits

__all__ = [
    "Comparison",
    "Evaluated",
    "HubError",
    "LanguageError",
    "Limits",
    "Optimized",
    "ReleaseError",
    "Result",
    "SandboxError",
    "SourceError",
    "StoreError",
    "ToolchainError",
    "UsageError",
    "VenusError",
    "build",
    "compare",
    "evaluate",
    "load",
    "optimize",
    "run",
]
