"""Checks the arguments of the Python API, and translates errors to Python's terms.

Arguments are checked against the annotations of the function. Errors of the toolkit name options of
the command line (``--repeats 3``); here they become keywords (``repeats=3``).
"""

from __future__ import annotations

import errno
import inspect
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import cache, wraps
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, ParamSpec, TypeVar, get_type_hints

from venus_toolkit.core.errors import UsageError, VenusError
from venus_toolkit.core.options import POSITIVE, check_value
from venus_toolkit.core.records import Limits, TestCase

Source = str | Path
Tests = Source | Sequence[tuple[str, str | None]]
POSITIVE_INT = Annotated[int, POSITIVE]
P = ParamSpec("P")
R = TypeVar("R")


def checked(**renamed: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return the decorator of a public function.

    Args:
        renamed: New names of parameters by their old names, which still work with a warning.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)
        see = f"type: help(venus_toolkit.{function.__name__})"

        @cache  # resolved at the first call, because it is slow
        def hints() -> dict[str, Any]:
            # The result is not checked, and its type may be in a module that is not imported.
            annotations = {**function.__annotations__}
            annotations.pop("return")
            holder = SimpleNamespace(__annotations__=annotations)
            return get_type_hints(holder, function.__globals__, include_extras=True)

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            for old, new in renamed.items():
                if old in kwargs:
                    warnings.warn(f"{old}= is now called {new}=", DeprecationWarning, stacklevel=2)
                    kwargs[new] = kwargs.pop(old)
            for name, value in signature.bind(*args, **kwargs).arguments.items():
                kind = signature.parameters[name].kind
                if kind is kind.VAR_POSITIONAL:
                    for index, item in enumerate(value):
                        check_value(f"{name}[{index}]", hints()[name], item, see)
                elif kind is not kind.VAR_KEYWORD:
                    check_value(name, hints()[name], value, see)
                if isinstance(value, Limits):
                    for limit in fields(value):
                        limit_name = f"{name}.{limit.name}"
                        check_value(limit_name, POSITIVE_INT, getattr(value, limit.name), see)
            try:
                return function(*args, **kwargs)
            except OSError as error:
                if error.errno != errno.ENAMETOOLONG:
                    raise
                message = f"the name {str(error.filename)[:100]} is too long"
                raise UsageError(message, str(error.strerror), "give a shorter one") from error
            except VenusError as error:
                error.args = (_in_python(error.what),)
                error.what, error.why, error.fix = map(
                    _in_python, (error.what, error.why, error.fix)
                )
                raise

        return call

    return decorate


def read_given_tests(
    tests: Tests | None, stdin: str = "", expected: str | None = None
) -> tuple[TestCase, ...]:
    """Return the tests of a folder or of (input, expected output) pairs.

    Without `tests`, returns one test with `stdin` and `expected`.

    Raises:
        UsageError: `tests` is empty or combined with another argument, or the folder cannot be
            read.
    """
    from venus_toolkit.execution.judging.files import read_tests

    if tests is None:
        check_text("stdin", stdin)
        check_text("expected", expected or "")
        return (TestCase("1", stdin, expected, kind="given"),)
    if stdin or expected is not None:
        reason = "tests have inputs and expected outputs of their own"
        raise UsageError(
            "stdin and expected cannot be combined with tests", reason, "leave out one of them"
        )
    if isinstance(tests, (str, Path)):
        return read_tests(Path(tests))
    if not tests:
        raise UsageError("there is no test", "tests is empty", "give a pair, or leave tests out")
    for number, (text, output) in enumerate(tests):
        check_text(f"tests[{number}][0]", text)
        check_text(f"tests[{number}][1]", output or "")
    return tuple(TestCase(str(number), *pair, kind="given") for number, pair in enumerate(tests, 1))


def check_text(name: str, text: str) -> None:
    """Reject a text that cannot be written as UTF-8.

    Raises:
        UsageError: The text contains a lone surrogate.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        reason = f"{text[error.start]!r} at {error.start} is a lone surrogate"
        fix = 'read it with errors="replace"'
        raise UsageError(f"{name} cannot be written as UTF-8", reason, fix) from error


def _in_python(text: str) -> str:
    """Return a message with keywords instead of options, except in shell commands."""
    option = re.compile(
        r"(?P<command>\bvenus [a-z].*|`[^`]*`)|--(?P<name>[a-z][a-z-]*)"
        r"(?: (?P<value>[A-Z]+\b(?!:)|'[^']*'|[^\s;,)]+?(?=\.?$|[;,)])))?"
    )

    def keyword(match: re.Match[str]) -> str:
        if match["command"]:
            return match[0]
        name, value = match["name"].replace("-", "_"), match["value"]
        if value is None:
            return name
        # A word in capitals is a placeholder for a value.
        plain = value.isupper() or value.replace(".", "", 1).isdigit()
        return f"{name}={value if plain else repr(value.strip(chr(39)))}"

    return option.sub(keyword, text)
