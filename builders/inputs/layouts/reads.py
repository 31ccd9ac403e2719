"""What a program reads, from its source.

The kinds of its values in their order, and the loops that they stand in.

Python is read as a syntax tree (``input().split()``, ``map(int, …)``, ``sys.stdin.readline``,
helper functions that return such things); C++ word by word (``cin >>``, ``scanf``, ``getline``).
What is read under a condition ends the account: from there
on the source alone does not say what comes.
"""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from venus_toolkit.builders.inputs.spec.layout import Choice, Item, Loop, Many, Node, Tuple
from venus_toolkit.core.records import Solution

LONGEST_PROGRAM = 100_000  # characters
MOST_READS = 200
MOST_CALLS = 300  # of the program's own functions that are followed
DEEPEST = 40


class Read(NamedTuple):
    """One value that is read, or the values of a list.

    Its kind (int, real, text, or word where it is not known), how many loops are around it, and of
    a layout what it is called.
    """

    kind: str
    depth: int
    name: str = ""


def reads_of(program: Solution) -> list[Read] | None:
    """Return what a program reads, up to the first place that depends on what was read.

    None where nothing is known.
    """
    code = program.code[:LONGEST_PROGRAM]
    try:
        if program.language == "python":
            return _PythonReads(ast.parse(code)).reads() or None
        if program.language == "cpp":
            return _Words(code).reads() or None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return None


def reads_in(items: Sequence[Item], depth: int = 0) -> Iterator[Read]:
    """Yield what a program would read of a body, up to its first choice."""
    for item in items:
        if isinstance(item, Choice):
            return
        if isinstance(item, Loop):
            yield from reads_in(item.body, depth + 1)
            if any(isinstance(inner, Choice) for inner in item.body):
                return
        else:
            for node in item.nodes:
                yield from _reads_of_node(node, depth)


def _reads_of_node(node: Node, depth: int) -> Iterator[Read]:
    if isinstance(node, Many):
        yield from _reads_of_node(node.item, depth + 1)
    elif isinstance(node, Tuple):
        yield from (Read(item.kind, depth, item.name) for item in node.items)
    else:
        yield Read(node.kind, depth, node.name)


def kinds_read(items: Sequence[Item], programs: Sequence[Solution]) -> dict[str, set[str]]:
    """Return, by name, as what programs read the values of a body.

    Programs that do not agree with it say nothing.
    """
    found: dict[str, set[str]] = {}
    wanted = list(reads_in(items))
    for reads in map(reads_of, programs):
        if reads and agrees(reads, wanted):
            for want, read in zip(wanted, reads, strict=True):
                if read.kind != "word":
                    found.setdefault(want.name, set()).add(read.kind)
    return found


def programs_agreeing(items: Sequence[Item], programs: Sequence[Solution]) -> int:
    """Return how many programs read values as a body has them."""
    wanted = list(reads_in(items))
    return sum(reads is not None and agrees(reads, wanted) for reads in map(reads_of, programs))


def agrees(reads: Sequence[Read], wanted: Sequence[Read]) -> bool:
    """Whether a program reads values as a layout has them.

    In the same loops, and never words as numbers.
    """
    return len(reads) == len(wanted) and all(
        read.depth == want.depth and not (want.kind == "text" and read.kind in ("int", "real"))
        for read, want in zip(reads, wanted, strict=True)
    )


# ------------------------------------------------------------------ Python


@dataclass(slots=True)
class _Line:
    """A line that was read: its values are what the program makes of it."""

    depth: int
    kind: str = "text"  # what its words become
    split: bool = False
    words: int = 1  # once split: how many have names of their own
    rest: bool = False  # a list takes the (other) words

    def reads(self) -> Iterator[Read]:
        """Yield the values of the line."""
        yield from [Read(self.kind, self.depth)] * self.words
        if self.rest:
            yield Read(self.kind, self.depth + 1)


READERS = {
    "input",
    "readline",
    "sys.stdin.readline",
    "stdin.readline",
    "sys.stdin.buffer.readline",
    "raw_input",
}
SAME = {
    "list",
    "tuple",
    "sorted",
    "iter",
    "str",
    "strip",
    "rstrip",
    "lstrip",
    "decode",
    "deque",
    "reversed",
    "set",
    "array",
}
NUMBERS = {"int": "int", "float": "real", "Decimal": "real", "str": "text"}


class _Stop(Exception):
    """From here on the source does not say what is read."""


@dataclass(slots=True)
class _PythonReads:
    """Follows a program from its first statement and notes the lines that it reads."""

    tree: ast.Module
    lines: list[_Line] = field(default_factory=list)
    values: dict[str, _Line] = field(default_factory=dict)
    functions: dict[str, ast.FunctionDef | ast.Lambda] = field(default_factory=dict)
    readers: set[str] = field(default_factory=lambda: set(READERS))
    depth: int = 0
    calls: int = 0

    def reads(self) -> list[Read]:
        """Return what is read, in order."""
        with contextlib.suppress(_Stop):
            self._run(self.tree.body)
        return [read for line in self.lines for read in line.reads()]

    def _run(self, body: Sequence[ast.stmt]) -> _Line | None:
        """Follow statements; returns what a return statement gives back."""
        for statement in body:
            if isinstance(statement, ast.FunctionDef):
                self.functions[statement.name] = statement
            elif isinstance(statement, ast.Assign):
                self._assign(statement)
            elif isinstance(statement, ast.Return) and statement.value:
                return self._of(statement.value)
            elif isinstance(statement, ast.For):
                self._of(statement.iter)
                with self._deeper(1):
                    self._run(statement.body)
            elif isinstance(statement, ast.If):
                self._if(statement)
            elif isinstance(statement, (ast.While, ast.Try, ast.With)):
                if any(map(self._reads_something, statement.body)):
                    if not isinstance(statement, ast.With):
                        raise _Stop
                    self._run(statement.body)
            else:
                for value in ast.iter_child_nodes(statement):
                    if isinstance(value, ast.expr):
                        self._of(value)
        return None

    @contextlib.contextmanager
    def _deeper(self, by: int) -> Iterator[None]:
        """Inside of it, what is read is read in `by` more loops."""
        self.depth += by
        yield
        self.depth -= by

    def _if(self, statement: ast.If) -> None:
        if isinstance(statement.test, ast.Compare) and "__name__" in ast.dump(statement.test.left):
            self._run(statement.body)
            return
        self._of(statement.test)
        if any(map(self._reads_something, [*statement.body, *statement.orelse])):
            raise _Stop

    def _reads_something(self, node: ast.AST) -> bool:
        called = (_name(inner.func) for inner in ast.walk(node) if isinstance(inner, ast.Call))
        return any(
            name in self.readers or name in self.functions or name.endswith("read")
            for name in called
        )

    def _assign(self, statement: ast.Assign) -> None:
        target, value = statement.targets[0], statement.value
        if isinstance(target, ast.Name) and _name(value) in self.readers:
            self.readers.add(target.id)
            return
        if isinstance(target, ast.Name) and isinstance(value, ast.Lambda):
            self.functions[target.id] = value
            return
        if (
            isinstance(target, ast.Tuple)
            and isinstance(value, ast.Tuple)
            and len(target.elts) == len(value.elts)
        ):
            for one, other in zip(target.elts, value.elts, strict=True):
                self._assign(ast.Assign([one], other))
            return
        line = self._of(value)
        if line is None:
            return
        if isinstance(target, (ast.Tuple, ast.List)) and line.split:
            stars = sum(isinstance(each, ast.Starred) for each in target.elts)
            line.words, line.rest = len(target.elts) - stars, bool(stars)
            # ``s, k = input().split()``: what becomes of the words later is not followed.
            line.kind = "word" if line.kind == "text" else line.kind
        elif isinstance(target, ast.Name):
            self.values[target.id] = line

    # -------------------------------------------------------------- expressions

    def _of(self, node: ast.expr) -> _Line | None:
        """Return the line whose words an expression stands for, if it does.

        Notes all lines that are read in it.
        """
        if isinstance(node, ast.Name):
            return self.values.get(node.id)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
            return self._comprehension(node)
        if isinstance(node, (ast.Subscript, ast.Attribute, ast.Starred)):
            return self._of(node.value)
        if isinstance(node, ast.IfExp) and self._reads_something(node):
            raise _Stop
        if not isinstance(node, ast.Lambda):
            for inner in ast.iter_child_nodes(node):
                if isinstance(inner, ast.expr):
                    self._of(inner)
        return None

    def _call(self, node: ast.Call) -> _Line | None:
        name = _name(node.func)
        if name in self.readers:
            if len(self.lines) >= MOST_READS:
                raise _Stop
            self.lines.append(_Line(self.depth))
            return self.lines[-1]
        if name.endswith((".read", ".readlines")) or name == "open":
            # All of the input at once: its words have no order that the source shows.
            raise _Stop
        last = name.rsplit(".", 1)[-1]
        if last == "map" and len(node.args) == 2:
            line = self._of(node.args[1])
            if line and line.split:
                line.kind = NUMBERS.get(_name(node.args[0]), "int")
            return line
        if name in self.functions:
            return self._follow(self.functions[name])
        inner = [self._of(argument) for argument in node.args]
        line = (
            self._of(node.func.value)
            if isinstance(node.func, ast.Attribute)
            else next(filter(None, inner), None)
        )
        if last == "split" and line:
            line.split, line.words, line.rest = True, 0, True
            return line
        if (
            name in NUMBERS
            and line
            and not line.split
            and not isinstance(node.args[0], ast.Subscript)
        ):
            line.kind = NUMBERS[name]
        return line if last in SAME else None

    def _follow(self, function: ast.FunctionDef | ast.Lambda) -> _Line | None:
        self.calls += 1
        if self.calls > MOST_CALLS:
            raise _Stop
        outer, self.values = self.values, dict(self.values)
        found = (
            self._of(function.body)
            if isinstance(function, ast.Lambda)
            else self._run(function.body)
        )
        self.values = outer
        return found

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> _Line | None:
        first = node.generators[0]
        line = self._of(first.iter)
        if line and line.split:
            # ``[int(word) for word in input().split()]``
            called = _name(node.elt.func) if isinstance(node.elt, ast.Call) else "str"
            line.kind = NUMBERS.get(called, line.kind)
            return line
        before = len(self.lines)
        with self._deeper(len(node.generators)):
            inner = self._of(node.elt)
        return inner if len(self.lines) == before else None


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return f"{_name(node.value)}.{node.attr}" if isinstance(node, ast.Attribute) else ""


# ------------------------------------------------------------------ C++

WORD = re.compile(r"[A-Za-z_]\w*|\d+|\"(?:[^\"\\\n]|\\.)*\"|>>|<<|[{}();,\[\]=<>&*.+-]|\S")
NOISE = re.compile(r"//[^\n]*|/\*.*?\*/|^[ \t]*#include[^\n]*", re.DOTALL | re.MULTILINE)
LOOP = re.compile(r"#\s*define\s+(\w+)\s*\([^)\n]*\)[^\n]*\bfor\b")
TEXTS = {"string", "char"}
REALS = {"double", "float", "ld"}
READS = {"cin", "scanf", "getline"}


class _Words:
    """Reads a program word by word, following the calls of its own functions from main on."""

    def __init__(self, code: str) -> None:
        self.loops = {"for", "rep", "REP", "FOR", "per", "rrep", *LOOP.findall(code)}
        code = re.sub(r"^[ \t]*#[^\n]*", " ", NOISE.sub(" ", code), flags=re.MULTILINE)
        self.words = WORD.findall(code)
        self.types: Mapping[str, str] = self._declared()
        self.functions = self._bodies()
        self.found: list[Read] = []
        self.calls = 0

    def reads(self) -> list[Read]:
        """Return what is read from main on, in order."""
        if "main" in self.functions:
            with contextlib.suppress(_Stop):
                self._run(*self.functions["main"], 0)
        return self.found

    def _declared(self) -> dict[str, str]:
        """Return the kind of every name that is declared as a text or a real.

        ``vector<string> s(n), t;``.
        """
        found: dict[str, str] = {}
        kind = ""
        for at, word in enumerate(self.words):
            if word in TEXTS or word in REALS:
                kind = "text" if word in TEXTS else "real"
            elif word in (";", ")", "{") or word in ("int", "long", "ll", "auto", "void"):
                kind = ""
            elif (
                kind
                and word.isidentifier()
                and self.words[at - 1] in (kind, *TEXTS, *REALS, ">", ",", "&", "]")
            ):
                found.setdefault(word, kind)
        return found

    def _bodies(self) -> dict[str, tuple[int, int]]:
        """Return where the body of each function begins and ends."""
        found: dict[str, tuple[int, int]] = {}
        opened: list[int] = []
        for at, word in enumerate(self.words):
            if word == "{":
                opened.append(at)
            elif word == "}" and opened:
                start = opened.pop()
                name = self._head(start)
                if name:
                    found.setdefault(name, (start + 1, at))
        return found

    def _head(self, start: int) -> str:
        """Return the name before the brackets before a body, if that is a function."""
        at, depth = start - 1, 0
        while at > 0 and self.words[at] not in (")", ";", "}", "{"):
            at -= 1
        if self.words[at] != ")":
            return ""
        while at > 0:
            depth += (self.words[at] == ")") - (self.words[at] == "(")
            at -= 1
            if depth == 0:
                break
        name = self.words[at]
        return (
            name
            if name.isidentifier() and name not in {"if", "while", "switch", "catch", *self.loops}
            else ""
        )

    def _run(self, at: int, end: int, depth: int) -> None:
        while at < end:
            at = self._statement(at, end, depth)

    def _statement(self, at: int, end: int, depth: int) -> int:
        """Follow one statement and return the place after it."""
        word = self.words[at]
        if (
            word.isidentifier()
            and self.words[at + 1 : at + 2] == [":"]
            and self.words[at + 2 : at + 3] != [":"]
        ):  # a label
            return at + 2
        if word in self.loops:
            after = self._closed(at + 1, end)
            return self._statement(after, end, depth + 1) if after < end else end
        if word in ("while", "if", "switch", "do"):
            after = self._closed(at + 1, end) if word != "do" else at + 1
            tests = word == "while" and "--" in "".join(self.words[at:after])
            stop = self._end_of(after, end)
            if tests:
                self._run(after, stop, depth + 1)
            elif self._has_reads(at, stop):
                raise _Stop
            return stop
        if word == "{":
            stop = self._end_of(at, end)
            self._run(at + 1, stop - 1, depth)
            return stop
        stop = self._end_of(at, end)
        self._simple(at, stop, depth)
        return stop

    def _note(self, kind: str, depth: int) -> None:
        if len(self.found) >= MOST_READS:
            raise _Stop
        self.found.append(Read(kind, depth))

    def _closed(self, at: int, end: int) -> int:
        """Return the place after the brackets that open at `at`."""
        depth = 0
        while at < end:
            depth += (self.words[at] == "(") - (self.words[at] == ")")
            at += 1
            if depth == 0:
                return at
        return end

    def _end_of(self, at: int, end: int) -> int:
        """Return the place after the statement that begins at `at`."""
        depth = 0
        while at < end:
            word = self.words[at]
            depth += (word in "({") - (word in ")}")
            at += 1
            if depth <= 0 and word in (";", "}"):
                return at
        return end

    def _has_reads(self, at: int, end: int) -> bool:
        return any(word in READS or word in self.functions for word in self.words[at:end])

    def _simple(self, at: int, end: int, depth: int) -> None:
        while at < end:
            word = self.words[at]
            if word == "cin":
                at = self._cin(at + 1, end, depth)
                continue
            if word == "scanf":
                text = self.words[at + 2] if at + 2 < end else ""
                for kind in re.findall(r"%\d*(?:ll|l|h)?([a-zA-Z])", text):
                    self._note("text" if kind in "sc" else "real" if kind in "fg" else "int", depth)
            elif word == "getline":
                self._note("text", depth)
            elif (
                word in self.functions
                and word != "main"
                and at + 1 < end
                and self.words[at + 1] == "("
            ):
                self.calls += 1
                if self.calls > MOST_CALLS or depth > DEEPEST:
                    raise _Stop
                self._run(*self.functions[word], depth)
            at += 1

    def _cin(self, at: int, end: int, depth: int) -> int:
        """Read ``>> n >> a[i].x`` and return the place after it."""
        while at < end and self.words[at] == ">>":
            name = self.words[at + 1] if at + 1 < end else ""
            self._note(self.types.get(name, "int"), depth)
            at += 2
            while at < end and self.words[at] not in (">>", ";", ")", ","):
                at += 1
        return at
