"""What the tests of whole builds share: what they need of this machine, and the options of a small build."""

from __future__ import annotations

from typing import Any

import pytest

from venus_toolkit.doctor import check_toolchain, why_not_isolated
from venus_toolkit.language import load_languages

PROBLEM = why_not_isolated()
needs_cpp = pytest.mark.skipif(not check_toolchain(load_languages()["cpp"]).ok, reason="g++ is not installed")
needs_isolation = [
    pytest.mark.isolation,
    pytest.mark.skipif(PROBLEM is not None, reason=f"programs cannot be isolated: {PROBLEM}"),
]

Shop = Any  # tests/conftest.py: Workshop
SMALL = ("--tests", "8", "--repeats", "2", "--min-solutions", "2")
