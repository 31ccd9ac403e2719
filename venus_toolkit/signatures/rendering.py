"""Renders the code around a function: starter code, and the runner that calls a solution.

A runner reads arguments as JSON, one per line, calls the solution, and prints the result as one
line of JSON. If the first line of input is ``==Batch== N``, it reads the arguments of N cases and
prints N lines. The output of the solution itself goes to standard error. docs/runners.md describes
the values of each type.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import jinja2

from venus_toolkit.core.errors import LanguageError, SignatureError
from venus_toolkit.core.language import MARKER, Language, render
from venus_toolkit.core.untrusted.templates import make_environment
from venus_toolkit.signatures.grammar import grammar_of, parameter_name, spell_type, spelled
from venus_toolkit.signatures.types import (
    NODES,
    SCALARS,
    SECOND_LINES,
    Function,
    Kind,
    Parameter,
    Signature,
    Type,
)

BATCH = "==Batch=="
# as in Rust and Ruby: num_islands2 for numIslands2, to_html for toHTML
snake = functools.partial(spelled, convention="snake")
# as exported names in Go: GetMin for getMin
pascal = functools.partial(spelled, convention="pascal")
PARTS = (Kind.NODE, *SECOND_LINES)  # values that share nodes


class NodeClass(NamedTuple):
    """The class of the nodes of a linked list, tree or graph, and the type of their values."""

    name: str
    element: Type


def node_class(type_: Type) -> NodeClass:
    """Return the node class of a linked list, tree or graph; by default one of integers."""
    usual = {Kind.LINKED_LIST: "ListNode", Kind.TREE: "TreeNode"}.get(type_.kind, "Node")
    return NodeClass(type_.node or usual, type_.element or Type(Kind.INT))


def _all_types(signature: Signature) -> Iterator[Type]:
    """Yield the types of parameters and results, and of their elements at any depth."""
    for outer in signature.types():
        inner: Type | None = outer
        while inner:
            yield inner
            inner = node_class(inner).element if inner.kind in NODES else inner.element


def starter_code(signature: Signature, language: Language) -> str:
    """Return starter code for `signature`; comments define the node classes.

    Raises:
        LanguageError: The language has no template for starter code, or no ``signature.toml``.
    """
    grammar = grammar_of(language)

    def arguments(
        parameters: Sequence[Parameter], changed: int | None = None
    ) -> list[dict[str, Any]]:
        return [
            {
                "name": parameter_name(parameter.name, grammar),
                "type": spell_type(parameter.type, grammar),
                "kind": parameter.type.declared.kind,
                "changed": index == changed,
            }
            for index, parameter in enumerate(parameters)
        ]

    def routine(function: Function) -> dict[str, Any]:
        convention = grammar.names.methods if signature.design else grammar.names.functions
        listed = arguments(function.parameters, function.changed)
        return {
            "name": spelled(function.name, convention),
            "arguments": listed,
            "returns": spell_type(function.returns, grammar),
            "kind": function.returns.declared.kind,
            "changed": ""
            if function.changed is None or function.returns.kind != Kind.VOID
            else listed[function.changed]["name"],
        }

    types = _all_types(_declared(signature))
    nodes = {
        node_class(type_): type_.kind for type_ in types if type_.kind in NODES and type_.element
    }
    return _template(language, "starter").render(
        holder=signature.holder,
        design=signature.design,
        constructor=arguments(signature.constructor),
        functions=[routine(function) for function in signature.functions],
        nodes=[
            {"name": class_.name, "kind": kind, "value": spell_type(class_.element, grammar)}
            for class_, kind in nodes.items()
        ],
    )


@functools.cache
def _template(language: Language, name: str) -> jinja2.Template:
    """Return the template ``starter`` or ``runner`` of a language."""
    file = language.folder / f"{name}{language.extension}.j2"
    if not file.is_file() and name == "runner":
        reason = f"languages/{language.id}/{file.name} is missing"
        fix = "write one: see docs/runners.md"
        raise LanguageError(f"{language.name} has no runners for functions", reason, fix)
    if not file.is_file():
        raise LanguageError(
            f"starter code in {language.name} cannot be written",
            f"there is no {file}",
            "see docs/runners.md",
        )
    # A runner is a file and ends with a newline; starter code becomes part of a prompt.
    environment = make_environment(
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=name == "runner"
    )
    environment.filters |= {
        "snake": snake,
        "camel": camel,
        "pascal": pascal,
        "result_type": result_type,
    }
    environment.globals |= {"node_class": node_class}
    return environment.from_string(file.read_text(encoding="utf-8"))


def render_runner(signature: Signature, language: Language, called: str = "") -> str:
    """Return the runner of `signature` in `language`; `fill` inserts a solution.

    Args:
        signature: The functions to call, with their types.
        language: The language of the runner and of solutions.
        called: The name of the only function in this language, if it differs from the convention.

    Raises:
        LanguageError: The language has no template for runners.
        SignatureError: Runners do not support a type of the signature.
    """
    template = _template(language, "runner")
    check_signature(signature)
    kinds = {str(type_.kind) for type_ in _all_types(signature)}
    for type_ in signature.types() if grammar_of(language).owned_lists else ():
        # A node that owns the next one must hold the only pointer to it.
        part = type_.kind == Kind.NODE and type_.of.kind == Kind.LINKED_LIST
        if part or type_.kind in (*SECOND_LINES, Kind.RANDOM_LIST, Kind.NEXT_TREE):
            reason = f"two pointers to one node have no owner, and the type {type_} has them"
            raise _no_runner(f"{language.name} has no runner for it", reason)
    signature = _declared(signature)
    types = list(_all_types(signature))
    kinds_of_nodes = {type_.kind for type_ in types if type_.kind in NODES}
    names_of_nodes = {node_class(type_).name for type_ in types if type_.kind in NODES}
    # Solutions may also use node classes that only a comment in the starter code defines.
    types += (
        type_
        for type_ in signature.nodes
        if type_.kind not in kinds_of_nodes and type_.node not in names_of_nodes
    )
    if called and not signature.design:
        signature = replace(signature, functions=(replace(signature.functions[0], name=called),))
    convention = grammar_of(language).names
    names = [
        called
        or spelled(function.name, convention.methods if signature.design else convention.functions)
        for function in signature.functions
    ]
    return template.render(
        signature=signature,
        called_names=f", called: {' '.join(names)}",
        kinds=kinds,
        parted=not kinds.isdisjoint(PARTS),
        nodes={str(type_.kind): node_class(type_) for type_ in types if type_.kind in NODES},
        marker=MARKER,
        batch=BATCH,
        called=called,
    )


def _declared(signature: Signature) -> Signature:
    """Return a signature with the types that code declares; results keep their exact types."""

    def declared(parameters: Sequence[Parameter]) -> tuple[Parameter, ...]:
        return tuple(replace(parameter, type=parameter.type.declared) for parameter in parameters)

    functions = tuple(
        replace(function, parameters=declared(function.parameters))
        for function in signature.functions
    )
    return replace(signature, functions=functions, constructor=declared(signature.constructor))


class RunnerProgram(NamedTuple):
    """A solution in its runner: the program's source, its other files by name, its compile command.

    compile_argv is empty for the usual command of the language.
    """

    source: str
    files: Mapping[str, str] = {}
    compile_argv: tuple[str, ...] = ()


def fill(runner: str, code: str, language: Language) -> RunnerProgram:
    """Return the program that a runner and a solution form, as ``pasted.toml`` describes.

    With a runner of `render_runner`, the solution is a separate file. In a runner of an earlier
    version, it is pasted without duplicate declarations. In a handwritten runner, it just replaces
    the line with ``==Code Submission==``.

    Raises:
        LanguageError: The runner has no line with ``==Code Submission==``, or several.
    """
    if BATCH not in runner:  # a handwritten runner has no batches
        return RunnerProgram(render(runner, code))
    table = _pasted(language)
    # The marker is followed by "or" and the name of the solution's file.
    if "file" in table and f"{MARKER} or " in runner:
        return _with_solution_file(runner, code, language, table["file"])
    for pattern in table.get("remove", ()):
        code = re.sub(pattern, "", code, flags=re.MULTILINE)
    added = [line for line, pattern in table.get("add", {}).items() if re.search(pattern, code)]
    # The last word of a line is the imported name, which a solution may import itself.
    return RunnerProgram(
        render(
            runner, "".join(f"{line}; " for line in added if line.split()[-1] not in code) + code
        )
    )


@functools.cache
def _pasted(language: Language) -> dict[str, Any]:
    file = language.folder / "pasted.toml"
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def _with_solution_file(
    runner: str, code: str, language: Language, table: Mapping[str, Any]
) -> RunnerProgram:
    """Return a runner with the solution in a separate file."""
    hidden = re.compile(f"(?:{language.comments.pattern})|(?:{language.strings.pattern})")
    bare = hidden.sub(" ", code)
    imports: Mapping[str, str] = table.get("imports", {})
    for pattern, text in table.get("change", ()):
        code = re.sub(pattern.replace("{packages}", "|".join(map(re.escape, imports))), text, code)

    def is_used(package: str) -> bool:
        """Return whether the solution uses a package, and not its own name for something else."""
        own = rf'(?m)^(?:func|type|var|const)[ \t]+{package}\b|\b{package}[ \t]+"'
        return bool(re.search(rf"\b{package}\.[A-Z]", bare)) and not re.search(own, bare)

    used = {path: use for path, use in imports.items() if is_used(use.split(".")[0])}
    prefix = table.get("prefix", "") + "".join(f'import "{path}"; ' for path in used)
    suffix = "".join(f"\nvar _ = {use}" for use in used.values())
    name = table["name"].replace("{type}.java", language.file_of(code))
    files = {name: f"{prefix}{code}{suffix}"}
    if (module := table.get("module")) and re.search(module["where"], bare):
        files[module["name"]] = code + module["suffix"]

    for pattern, text in table.get("runner", ()):
        runner = re.sub(pattern, text, runner)
    defines = table.get("defines", "(?!)")

    def is_defined(name: str) -> bool:
        return bool(re.search(defines.format(name=re.escape(name)), bare))

    def region(match: re.Match[str]) -> str:
        if match["name"] and not is_defined(match["name"]):
            return match["text"]
        return table.get("defined", "").format(name=match["name"]) + "\n" if match["name"] else ""

    # Blocks of a runner that are only for pasted solutions, or for solutions that do not define a
    # type themselves.
    runner = re.sub(
        r"(?m)^[^\n]*==(?:Pasted|Unless (?P<name>\w+))==\n(?P<text>[\s\S]*?)^[^\n]*==End==\n",
        region,
        runner,
    )
    # Lines for solutions in separate files that do not define a type themselves.
    runner = re.sub(
        r"(?m)^[ \t]*//\?(?P<name>\w+) (?P<text>[^\n]*\n)",
        lambda match: "" if is_defined(match["name"]) else match["text"],
        runner,
    )
    # The line with the marker lists the functions that the runner calls.
    line = next(line for line in runner.split("\n") if MARKER in line)
    for called in line.partition(", called: ")[2].split():
        runner = _with_spelling(runner, called, bare)
    argv = tuple(part.replace("{solution}", name) for part in table.get("compile", ()))
    return RunnerProgram(render(runner, table["line"].strip("\n")), files, argv)


def _with_spelling(runner: str, called: str, bare: str) -> str:
    """Return a runner that calls a function by the solution's spelling of its name.

    The solution must have exactly one other spelling of the name.
    """
    names = set(re.findall(r"\b(\w+)\s*\(", bare))
    others = {name for name in names if _plain(name) == _plain(called)}
    if called in names or len(others) != 1:
        return runner
    # In quotes it is the name of an operation in the input, which does not change.
    return re.sub(rf'(?<!["\w]){called}(?!["\w])', others.pop(), runner)


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def lines_of_case(signature: Signature) -> int:
    """Return the number of input lines of one case."""
    return 2 if signature.design else len(signature.lines())


def check_signature(signature: Signature) -> None:
    """Check that `signature` can have runners.

    Raises:
        SignatureError: It cannot have one; the message names the function and the type.
    """
    if not signature.design and len(signature.functions) != 1:
        names = ", ".join(function.name for function in signature.functions) or "none"
        raise _no_runner("the signature has no runner", f"expected one function, got {names}")
    for function in signature.functions:
        for parameter in function.parameters:
            _check_type(parameter.type, f"the argument {parameter.name} of {function.name}")
        if function.changed is not None and not 0 <= function.changed < len(function.parameters):
            raise _no_runner(
                f"{function.name} has no runner", f"it has no argument {function.changed} to change"
            )
        if function.returns.kind != Kind.VOID:
            _check_type(function.returns, f"the result of {function.name}")
            if function.changed is not None and result_type(function).kind != Kind.LIST:
                raise _no_runner(
                    f"{function.name} has no runner",
                    "only a list can have the first values as the result",
                )
        elif function.changed is None and not signature.design:
            raise _no_runner(
                f"{function.name} has no runner", "it returns nothing and changes no argument"
            )
    for parameter in signature.constructor:
        _check_type(parameter.type, f"the constructor's argument {parameter.name}")
    # Each kind of node must have one class, and each class one kind and element.
    classes: dict[str, Type] = {}
    by_kind: dict[Kind, str] = {}
    for type_ in _all_types(_declared(signature)):
        if type_.kind in NODES:
            name, element = node_class(type_)
            other = classes.setdefault(name, Type(type_.kind, element))
            if other != Type(type_.kind, element) or by_kind.setdefault(type_.kind, name) != name:
                reason = f"both {other} and {type_} occur"
                raise _no_runner(f"no runner has two kinds of {type_.kind} or {name}", reason)


def _check_type(type_: Type, where: str) -> None:
    """Refuse a type that is not a scalar, a structure of nodes with scalars, or a list of these."""
    element = type_.element
    known = type_.kind in SCALARS
    if type_.kind in PARTS:
        whole = type_.declared
        _check_type(whole, where)
        known = whole.kind in (Kind.LINKED_LIST, Kind.TREE)
    if type_.kind in NODES:
        # The values of a graph's nodes are their labels.
        known = node_class(type_).element.kind in (
            (Kind.INT,) if type_.kind == Kind.GRAPH else SCALARS
        )
    elif type_.kind in (Kind.LIST, Kind.OPTIONAL) and element:
        known = type_.kind == Kind.LIST or element.kind in (*SCALARS, Kind.LIST)
        _check_type(element, where)
    if not known:
        raise _no_runner(f"no runner knows the type {type_}", f"{where} is of it")


def _no_runner(failure: str, reason: str) -> SignatureError:
    return SignatureError(failure, reason, "see docs/runners.md for the types that have runners")


def camel(name: str) -> str:
    """Return `name` in camel case without underscores: ``linked_list`` is ``linkedList``."""
    return re.sub(r"(?<=[a-zA-Z0-9])_+([a-zA-Z0-9])", lambda match: match[1].upper(), name)


def result_type(function: Function) -> Type:
    """Return the type of the printed result: of the return value or the changed argument."""
    return (
        function.returns if function.changed is None else function.parameters[function.changed].type
    )
