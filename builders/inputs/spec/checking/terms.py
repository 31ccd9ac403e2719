"""Compiles terms of promises to functions of the values that they name.

A term is an expression spelt as Python: numbers, texts, names of values with their indices, the
arithmetic operators and `CALLS`. Specifications come from untrusted authors: a term with a node
that is not in `ALLOWED` is refused, and all others are rewritten, so a compiled term can reach
only its arguments and `FUNCTIONS`.
"""

from __future__ import annotations

import ast
import copy
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .. import expressions
from ..expressions import name_nodes
from ..names import Names
from ..specification import SpecError
from . import checks

COMPARING = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
ALLOWED = (*expressions.ARITHMETIC, ast.Subscript, ast.Compare, *COMPARING)
# The functions that terms may call.
CALLS: Mapping[str, Callable[..., Any]] = {
    "abs": abs,
    "gcd": lambda first, *rest: math.gcd(*(first if isinstance(first, list) else [first]), *rest),
    "int": int,
    "len": len,
    "max": max,
    "min": min,
    "sum": sum,
}
OF_LISTS = ("gcd", "max", "min", "sum")
FUNCTIONS: Mapping[str, Any] = {
    **CALLS,
    **{name: value for name, value in vars(checks).items() if callable(value)},
    "frozenset": frozenset,
    "range": range,
    "set": set,
    "sorted": sorted,
    "zip": zip,
}


class CompiledTerm(NamedTuple):
    """A compiled expression and the names of the values that are its arguments."""

    names: tuple[str, ...]
    call: Callable[..., Any]


class ListOfTerm(NamedTuple):
    """The list that an index runs over, and the offset: 1 in ``A[i + 1]``."""

    list: ast.expr
    offset: int

    @property
    def indices(self) -> set[str]:
        """The indices, i to l, in the term of the list."""
        return {name.id for name in name_nodes(self.list) if name.id in "ijkl"}


def parse(text: str) -> ast.expr:
    """Return the tree of a term.

    Raises:
        SpecError: The text is not a term.
    """
    # A copy: `Terms.whole` and `Terms.spelt` change the tree, and the cache shares it.
    return copy.deepcopy(expressions.parse(text, ALLOWED, (int, float, str), tuple(CALLS)))


def call(name: str, *arguments: ast.expr) -> ast.expr:
    """Return the call of one of `FUNCTIONS`."""
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def compared(left: ast.expr, operator: str, right: ast.expr) -> ast.expr:
    """Return a comparison."""
    signs = dict(zip(("==", "!=", "<", "<=", ">", ">="), COMPARING, strict=True))
    if operator not in signs:
        raise SpecError(f"{operator!r} is not a comparison")
    return ast.Compare(left, [signs[operator]()], [right])


def constant(value: Any) -> ast.expr:
    """Return the node of a constant; unlike a term, it can hold a frozen set."""
    return ast.Constant(value)


class Terms:
    """Compiles the terms of a specification whose values have these names."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.numbers = {name: number for number, name in enumerate(names.places)}

    # -------------------------------------------------------------- values of a term

    def whole(self, tree: ast.expr) -> ast.expr:
        """Return a term with its missing indices, except where it means a whole list."""
        if isinstance(tree, ast.Call):
            return self._whole_call(tree)
        if isinstance(tree, (ast.Name, ast.Subscript)):
            return parse(self.names.whole(ast.unparse(tree)))
        for field, value in ast.iter_fields(tree):
            if isinstance(value, ast.expr):
                setattr(tree, field, self.whole(value))
            elif isinstance(value, list):
                parts = [self.whole(part) if isinstance(part, ast.expr) else part for part in value]
                setattr(tree, field, parts)
        return tree

    def _whole_call(self, tree: ast.Call) -> ast.expr:
        function = tree.func.id if isinstance(tree.func, ast.Name) else ""
        first = tree.args[0]
        place = self.names.place(ast.unparse(first))
        missing = self._missing(first)
        if function == "len":
            # ``len(A)`` is the length of the list A. If A holds texts, it is the length of each
            # text in the style lines, and that of the list in JSON.
            is_of_texts = place and place.kind == "text" and missing > 0
            if is_of_texts and self.names.style == "lines":
                return call("len", self.whole(first))
            return tree
        if function in OF_LISTS and len(tree.args) == 1:
            if isinstance(first, (ast.Name, ast.Subscript)) and missing == 1:
                return tree
            inner = self.whole(first)
            runs = self.containers([inner])
            if not runs:
                raise SpecError(f"{function} needs a list or several values")
            return call(function, self.generator(inner, runs))
        tree.args = [self.whole(argument) for argument in tree.args]
        return tree

    def _missing(self, tree: ast.expr) -> int:
        """Return the number of indices that a term lacks to denote a single value."""
        text = ast.unparse(tree)
        place = self.names.place(text)
        return place.depth - text.count("[") if place else 0

    def generator(self, tree: ast.expr, indices: Iterable[str]) -> ast.expr:
        """Return a generator of a term's values; its indices run over their lists from 0."""
        runs = self.containers([tree])
        loops = []
        # Loops over the rows of a list come before loops over the values of a row.
        for index in sorted(indices, key=lambda name: len(runs[name][0].indices)):
            length = call("len", runs[index][0].list)
            target = ast.Name(index, ast.Store())
            loops.append(ast.comprehension(target, call("range", length), [], 0))
        return ast.GeneratorExp(tree, loops)

    def containers(self, trees: Sequence[ast.expr]) -> dict[str, list[ListOfTerm]]:
        """Return the lists that the free indices of terms run over, by index."""
        free: dict[str, list[ListOfTerm]] = {}
        bound = {name for tree in trees for name in _bound_names(tree)}
        for node in (node for tree in trees for node in ast.walk(tree)):
            if not isinstance(node, ast.Subscript):
                continue
            index, offset = _split_offset(node.slice)
            name = index.id if isinstance(index, ast.Name) else ""
            if name in set(self.names.indices) - bound:
                free.setdefault(name, []).append(ListOfTerm(node.value, offset))
        return free

    # -------------------------------------------------------------- spelling

    def everywhere(
        self,
        test: ast.expr,
        walked: Sequence[ast.expr] = (),
        conditions: Sequence[ast.expr] = (),
    ) -> ast.expr:
        """Return a test that holds if `test` does for every value of the free indices.

        Args:
            test: The condition to check.
            walked: Other terms whose free indices are looped over, too.
            conditions: `test` has to hold only where these do.
        """
        trees = [*walked, test, *conditions]
        runs = self.containers(trees)
        free = {name for tree in trees for name in _names_outside_indices(tree)} & set(
            self.names.indices
        )
        if free - set(runs):
            raise SpecError(f"{', '.join(sorted(free - set(runs)))} is not the index of a list")
        bases = {self._base(run.list) for lists in runs.values() for run in lists}
        # If an index is also used as a value, loops count as the statement does, else from 0.
        shift = bool(free or conditions or len(bases) > 1)
        loops: list[ast.comprehension] = []
        done: set[str] = set()
        for index in sorted(runs, key=lambda i: (min(len(c.indices) for c in runs[i]), i)):
            # In T[i][i] the second i is bound by the first.
            reachable = [run for run in runs[index] if run.indices <= done]
            if not reachable:
                raise SpecError(f"{index} is not the index of a list")
            container = max(reachable, key=lambda run: len(run.indices)).list
            if done and not ListOfTerm(container, 0).indices & done:
                raise SpecError("checking every pair of values would take too long")
            offsets = [run.offset for run in runs[index]]
            first = max(self._base(run.list) for run in runs[index]) if shift else 0
            beyond = max(0, *offsets) - (self._base(container) if shift else 0)
            length = call("len", self.spelt(container, shift))
            end = ast.BinOp(length, ast.Sub(), ast.Constant(beyond))
            start = ast.Constant(first + max(0, -min(offsets)))
            target = ast.Name(index, ast.Store())
            loops.append(ast.comprehension(target, call("range", start, end), [], 0))
            done.add(index)
        spelt = self.spelt(test, shift)
        if not loops:
            return spelt
        loops[-1].ifs = [self.spelt(condition, shift) for condition in conditions]
        hoister = _Hoister(self.names.indices)
        spelt = hoister.visit(spelt)
        first_values = [
            ast.comprehension(ast.Name(name, ast.Store()), ast.Tuple([value], ast.Load()), [], 0)
            for name, value in hoister.constants.items()
        ]
        return call("all", ast.GeneratorExp(spelt, [*first_values, *loops]))

    def _base(self, tree: ast.expr) -> int:
        return self.names.base(ast.unparse(tree))

    def spelt(self, tree: ast.expr, shift: bool = False) -> ast.expr:
        """Return a term that Python can run: indices count from 0, powers are limited."""
        return _Rewriter(self, shift).visit(tree)  # type: ignore[no-any-return]

    def function(self, spelt: ast.expr) -> CompiledTerm:
        """Compile a spelt expression."""
        names = self.names_in(spelt)
        used = [f"value_{self.numbers[name]}" for name in names]
        arguments = ast.arguments(
            posonlyargs=[], args=[ast.arg(name) for name in used], kwonlyargs=[], kw_defaults=[],
            defaults=[],
        )  # fmt: skip
        expression = ast.fix_missing_locations(ast.Expression(ast.Lambda(arguments, spelt)))
        call_term = eval(  # only nodes of `ALLOWED` and calls of `FUNCTIONS`
            compile(expression, "a promise", "eval"), {"__builtins__": {}, "all": all, **FUNCTIONS}
        )
        return CompiledTerm(names, call_term)

    def names_in(self, spelt: ast.expr) -> tuple[str, ...]:
        """Return the names of the values in a spelt expression."""
        used = {node.id for node in name_nodes(spelt)}
        return tuple(name for name, number in self.numbers.items() if f"value_{number}" in used)

    def is_number(self, tree: ast.expr) -> bool:
        """Whether a term is a number, not a text or a list."""
        if isinstance(tree, ast.Constant):
            return isinstance(tree.value, (int, float))
        if isinstance(tree, (ast.Name, ast.Subscript)):
            if isinstance(tree, ast.Name) and tree.id in self.names.indices:
                return True
            depth = 0
            while isinstance(tree, ast.Subscript):
                tree, depth = tree.value, depth + 1
            place = self.names.places.get(tree.id) if isinstance(tree, ast.Name) else None
            return place is not None and place.depth == depth and place.kind in ("int", "real")
        return isinstance(tree, (ast.BinOp, ast.UnaryOp, ast.Call))


def _bound_names(tree: ast.AST) -> Iterable[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.comprehension) and isinstance(node.target, ast.Name):
            yield node.target.id


def _names_outside_indices(tree: ast.AST) -> Iterable[str]:
    """Yield the names in a term outside the indices of lists."""
    if isinstance(tree, ast.Name):
        yield tree.id
    if not isinstance(tree, ast.GeneratorExp):
        for child in ast.iter_child_nodes(tree):
            if not (isinstance(tree, ast.Subscript) and child is tree.slice):
                yield from _names_outside_indices(child)


class _Rewriter(ast.NodeTransformer):
    """Rewrites a term so that Python can run it."""

    def __init__(self, terms: Terms, shift: bool) -> None:
        self.terms, self.names, self.shift = terms, terms.names, shift
        self.from_zero: set[str] = set()  # indices that a generator expression binds

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.terms.numbers:
            return ast.Name(f"value_{self.terms.numbers[node.id]}", ast.Load())
        if node.id not in self.names.indices:
            raise SpecError(f"the input has no {node.id}")
        return ast.Name(node.id, ast.Load())

    def visit_Call(self, node: ast.Call) -> ast.expr:
        node.args = [self.visit(argument) for argument in node.args]
        return node

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        before = self.from_zero
        self.from_zero = before | set(_bound_names(node))
        element = self.visit(node.elt)
        for loop in node.generators:
            loop.iter = self.visit(loop.iter)
        self.from_zero = before
        return ast.GeneratorExp(element, node.generators)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        used = {name.id for name in name_nodes(node.slice)} & set(self.names.indices)
        # Literal indices count as the statement does; the index of a loop may count from 0.
        as_stated = not used or (self.shift and not used <= self.from_zero)
        less = self.names.base(ast.unparse(node.value)) if as_stated else 0
        index = _subtract(self.visit(node.slice), less)
        return ast.Subscript(self.visit(node.value), index, ast.Load())

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        if not self.terms.is_number(node.operand):
            raise SpecError(f"{ast.unparse(node.operand)} is not a number")
        return ast.UnaryOp(node.op, self.visit(node.operand))

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        # A text times a number could exceed the memory.
        for side in (node.left, node.right):
            if not self.terms.is_number(side):
                raise SpecError(f"{ast.unparse(side)} is not a number")
        left, right = self.visit(node.left), self.visit(node.right)
        if not isinstance(node.op, ast.Pow):
            return ast.BinOp(left, node.op, right)
        if isinstance(left, ast.Constant) and isinstance(right, ast.Constant):
            return ast.Constant(_constant_power(left.value, right.value))
        return call("power", left, right)


def _constant_power(base: Any, exponent: Any) -> float:
    if not isinstance(exponent, int) or exponent < 0:
        raise SpecError(f"the exponent {exponent} is not a non-negative integer")
    if exponent * math.log2(abs(base) + 2) > checks.MOST_BITS:
        raise SpecError("a power is too large")
    try:
        return base**exponent  # type: ignore[no-any-return]
    except OverflowError:
        raise SpecError("a power is too large") from None


def _split_offset(index: ast.expr) -> tuple[ast.expr, int]:
    """Split an index from its offset: ``i + 1`` into ``i`` and 1."""
    if isinstance(index, ast.BinOp) and isinstance(index.right, ast.Constant):
        number = index.right.value
        if type(number) is int and isinstance(index.op, (ast.Add, ast.Sub)):
            return index.left, number if isinstance(index.op, ast.Add) else -number
    return index, 0


def _subtract(index: ast.expr, amount: int) -> ast.expr:
    """Subtract a number from an index: 1 from ``i + 1`` is ``i``."""
    if isinstance(index, ast.Constant) and type(index.value) is int:
        return ast.Constant(index.value - amount)
    inner, offset = _split_offset(index)
    if offset:
        return _subtract(inner, amount - offset)
    return ast.BinOp(index, ast.Sub(), ast.Constant(amount)) if amount else index


class _Hoister(ast.NodeTransformer):
    """Hoists calls that no index changes out of the loops: ``sum(B)`` in ``A[i] <= sum(B)``."""

    def __init__(self, indices: str) -> None:
        self.indices = set(indices)
        self.constants: dict[str, ast.expr] = {}

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if {name.id for name in name_nodes(node)} & self.indices - set(_bound_names(node)):
            node.args = [self.visit(argument) for argument in node.args]
            return node
        name = f"constant_{len(self.constants)}"
        self.constants[name] = node
        return ast.Name(name, ast.Load())

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        return node
