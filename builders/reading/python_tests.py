"""Reads tests written in Python: their arguments become JSON, one a line, and so does the result.

A test is a call, ``n = 7, words = ["a"]`` and a result, or an assertion, ``assert add(1, 2) == 3``.
The code is read and never run. Only assertions that compare one call on literal arguments with a
literal are read; loops, computed arguments and helpers are skipped.
"""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from venus_toolkit.builders.reading.cells import json_text, show
from venus_toolkit.builders.reading.drafts import SourceTests, given_tests
from venus_toolkit.signatures import Function, Kind

LONGEST = 1_000_000  # characters; a syntax tree takes many times the memory of its text


def call_input(text: str, function: Function | None) -> str:
    """Return the arguments of a call as JSON, one a line, in the order of the parameters.

    Without a `function` their order is that of the text.

    Raises:
        ValueError: `text` is not a list of ``name = value``, or names other parameters.
    """
    # `n = 7, words = […]` becomes an expression as the arguments of a call.
    call = _parse_expression(f"_({text})")
    if (
        not isinstance(call, ast.Call)
        or call.args
        or not call.keywords
        or not all(k.arg for k in call.keywords)
    ):
        raise ValueError(f"it is not a list of name = value: {show(text)}")
    values = {str(keyword.arg): _literal_value(keyword.value) for keyword in call.keywords}
    names = [parameter.name for parameter in function.parameters] if function else list(values)
    if sorted(names) != sorted(values):
        raise ValueError(
            f"the arguments are {', '.join(values)}, the parameters {', '.join(names)}"
        )
    return "".join(json_text(values[name]) + "\n" for name in names)


def call_output(text: str, function: Function | None) -> str:
    """Return the result of a call as JSON.

    For a function that returns text, `text` is the result itself, with or without quotes.

    Raises:
        ValueError: `text` is not a literal.
    """
    # Most sources print text without quotes, which is not a literal.
    if function and function.returns.kind in (Kind.STRING, Kind.CHAR):
        quoted = None
        if len(text) > 1 and text[0] == text[-1] == '"':
            with suppress(ValueError):
                quoted = json.loads(text)
        return json_text(text if quoted is None else quoted) + "\n"
    return json_text(_literal_value(_parse_expression(text))) + "\n"


def _parse_expression(text: str) -> ast.expr:
    if len(text) > LONGEST:
        raise ValueError(f"it has {len(text)} characters")
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"it is not a value: {show(text)}") from error


def _literal_value(node: ast.expr) -> Any:
    """Return the value of a literal of Python or JSON; a tuple becomes a list."""
    literals = {"true": True, "false": False, "null": None}  # of JSON
    match node:
        case ast.Name(id=name) if name in literals:
            return literals[name]
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_literal_value(item) for item in items]
        case ast.Dict(keys=keys, values=items) if all(
            isinstance(key, ast.Constant) for key in keys
        ):
            names = [str(key.value) for key in keys if isinstance(key, ast.Constant)]
            return dict(zip(names, map(_literal_value, items), strict=True))
    try:
        with suppress(ValueError, TypeError):
            value = ast.literal_eval(node)
            if value is None or isinstance(value, (bool, int, float, str)):
                return value
        raise ValueError(f"it is not a literal: {ast.unparse(node)[:80]}")
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


Claim = tuple[str, list[Any], Any]  # a function's name, its arguments and its result


def read_asserts(code: str, program: str = "") -> SourceTests:
    """Return the tests in Python assertions for the function that most of them call.

    `program` defines the function, and thus the order of named arguments.

    Raises:
        ValueError: `code` or `program` is not Python.
    """
    tree = _parse_module(code, "the assertions are")
    functions = [
        node
        for node in ast.walk(_parse_module(program, "the program is"))
        if isinstance(node, ast.FunctionDef)
    ]
    parameters = {
        function.name: [argument.arg for argument in function.args.args] for function in functions
    }
    claims: list[Claim] = []
    skipped: Counter[str] = Counter()
    for node in ast.walk(tree):
        # `assert True` tests nothing, so it does not count as skipped.
        if isinstance(node, ast.Assert) and not isinstance(node.test, ast.Constant):
            try:
                claims.append(_read_claim(node.test, parameters))
            except ValueError as error:
                skipped[str(error)] += 1
    tested = Counter(name for name, _, _ in claims).most_common(1)
    pairs = [
        ("".join(json_text(argument) + "\n" for argument in arguments), json_text(result) + "\n")
        for name, arguments, result in claims
        if name == tested[0][0]
    ]
    if len(claims) > len(pairs):
        skipped["it tests another function"] = len(claims) - len(pairs)
    name = tested[0][0] if tested else ""
    return SourceTests(given_tests(pairs), "function", name, skipped)


def _parse_module(code: str, subject: str) -> ast.Module:
    if len(code) > LONGEST:
        raise ValueError(f"{subject} longer than {LONGEST} characters")
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"{subject} not Python: {error}") from error


def _read_claim(condition: ast.expr, parameters: Mapping[str, Sequence[str]]) -> Claim:
    """Read ``f(…)``, ``not f(…)``, ``f(…) == value`` or ``abs(f(…) - value) < 1e-6``."""
    distances = ("abs", "fabs")  # abs(f(x) - y) < 1e-6 means f(x) == y
    match condition:
        case ast.UnaryOp(op=ast.Not(), operand=call):
            return _read_call(call, False, parameters)
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right]):
            return _read_equality(left, right, parameters)
        case ast.Compare(
            left=ast.Call(func=name, args=[ast.BinOp(left=left, op=ast.Sub(), right=right)]),
            ops=[ast.Lt() | ast.LtE()],
        ) if _function_name(name) in distances:
            return _read_equality(left, right, parameters)
        case ast.Compare():
            raise ValueError("it asserts no result")
    return _read_call(condition, True, parameters)


def _read_equality(
    left: ast.expr, right: ast.expr, parameters: Mapping[str, Sequence[str]]
) -> Claim:
    copies = ("tuple", "list")  # tuple(x) and x are the same list in JSON
    left, right = (
        side.args[0]
        if isinstance(side, ast.Call)
        and _function_name(side.func) in copies
        and len(side.args) == 1
        else side
        for side in (left, right)
    )
    call, value = (left, right) if isinstance(left, ast.Call) else (right, left)
    return _read_call(call, _literal_value(value), parameters)


def _function_name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _read_call(node: ast.expr, result: Any, parameters: Mapping[str, Sequence[str]]) -> Claim:
    match node:
        # ``f`` or, in LeetCode's style, ``solution.f`` or ``Solution().f``
        case ast.Call(func=ast.Name() | ast.Attribute(value=ast.Name(id="solution"))):
            pass
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="Solution"), args=[]))):
            pass
        case _:
            raise ValueError("it calls no function by its name")
    name = _function_name(node.func)
    named = {str(keyword.arg): keyword.value for keyword in node.keywords}
    # The first parameter of a method is the object.
    order = [parameter for parameter in parameters.get(name, ()) if parameter != "self"][
        len(node.args) :
    ][: len(named)]
    if set(order) != set(named):
        raise ValueError("it names arguments, and their order is not known")
    return (
        name,
        [
            _literal_value(argument)
            for argument in (*node.args, *(named[argument] for argument in order))
        ],
        result,
    )
