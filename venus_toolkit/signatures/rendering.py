"""The code around a function.

The starter code that a solution fills in, and the runner that a solution is put into.

A runner reads arguments as JSON, one on each line, calls the solution, and prints the result as one
line of JSON. A runner whose first input line is ``==Batch== N`` reads the arguments of N cases one
after the other and prints N lines. What a solution prints itself goes to standard error.
docs/runners.md says how values look on either side.
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
from venus_toolkit.signatures.grammar import grammar_of, parameter_name, spelled, written
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
# as Rust and Ruby: numIslands2 is num_islands2, toHTML to_html
snake = functools.partial(spelled, convention="snake")
# as Go spells what it exports: getMin is GetMin
pascal = functools.partial(spelled, convention="pascal")
PARTS = (Kind.NODE, *SECOND_LINES)  # values that are, or have, a part of another


class NodeClass(NamedTuple):
    """The class of the nodes of a linked list, tree or graph, and the type of their values."""

    name: str
    element: Type


def node_class(wanted: Type) -> NodeClass:
    """Return the node class of a linked list, tree or graph.

    Where the type says nothing, the usual one of integers.
    """
    usual = {Kind.LINKED_LIST: "ListNode", Kind.TREE: "TreeNode"}.get(wanted.kind, "Node")
    return NodeClass(wanted.node or usual, wanted.element or Type(Kind.INT))


def _all_types(signature: Signature) -> Iterator[Type]:
    """Yield the types of parameters and results, and all that they are made of."""
    for outer in signature.types():
        inner: Type | None = outer
        while inner:
            yield inner
            inner = node_class(inner).element if inner.kind in NODES else inner.element


def starter_code(signature: Signature, language: Language) -> str:
    """Return the frame that solutions of `signature` fill in, with the node classes it needs defined in comments.

    Raises:
        LanguageError: The language has no template for it, or does not say how it writes
            signatures.
    """
    grammar = grammar_of(language)

    def arguments(
        parameters: Sequence[Parameter], changed: int | None = None
    ) -> list[dict[str, Any]]:
        return [
            {
                "name": parameter_name(each.name, grammar),
                "type": written(each.type, grammar),
                "kind": each.type.declared.kind,
                "changed": index == changed,
            }
            for index, each in enumerate(parameters)
        ]

    def routine(function: Function) -> dict[str, Any]:
        convention = grammar.names.methods if signature.design else grammar.names.functions
        listed = arguments(function.parameters, function.changed)
        return {
            "name": spelled(function.name, convention),
            "arguments": listed,
            "returns": written(function.returns, grammar),
            "kind": function.returns.declared.kind,
            "changed": ""
            if function.changed is None or function.returns.kind != Kind.VOID
            else listed[function.changed]["name"],
        }

    types = _all_types(_declared(signature))
    nodes = {node_class(each): each.kind for each in types if each.kind in NODES and each.element}
    return _template(language, "starter").render(
        holder=signature.holder,
        design=signature.design,
        constructor=arguments(signature.constructor),
        functions=[routine(function) for function in signature.functions],
        nodes=[
            {"name": each.name, "kind": kind, "value": written(each.element, grammar)}
            for each, kind in nodes.items()
        ],
    )


@functools.cache
def _template(language: Language, name: str) -> jinja2.Template:
    """Return the template ``starter`` or ``runner`` of a language."""
    file = language.folder / f"{name}{language.extension}.j2"
    if not file.is_file() and name == "runner":
        why = f"languages/{language.id}/{file.name} is missing"
        raise LanguageError(
            f"{language.name} has no runners for functions", why, "write one: see docs/runners.md"
        )
    if not file.is_file():
        what = f"starter code in {language.name} cannot be written"
        raise LanguageError(what, f"there is no {file}", "see docs/runners.md")
    # A runner is a whole file, starter code is shown in a prompt.
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
    """Return the runner of `signature` in `language`.

    The line with ``==Code Submission==`` stands for the solution.

    Args:
        signature: What to call, and with what.
        language: Of the runner.
        called: The name of its only function in this language, where it is not spelt as usual
            there.

    Raises:
        LanguageError: The language has no template.
        SignatureError: The signature has a type that runners do not know.
    """
    template = _template(language, "runner")
    check_signature(signature)
    kinds = {str(each.kind) for each in _all_types(signature)}
    for wanted in signature.types() if grammar_of(language).owned_lists else ():
        # Where a node owns what it points to, nothing else can point there.
        part = wanted.kind == Kind.NODE and wanted.of.kind == Kind.LINKED_LIST
        if part or wanted.kind in (*SECOND_LINES, Kind.RANDOM_LIST, Kind.NEXT_TREE):
            why = f"two pointers to one node have no owner, and the type {wanted} has them"
            raise _no_runner(f"{language.name} has no runner for it", why)
    signature = _declared(signature)
    types = list(_all_types(signature))
    kinds_of_nodes = {each.kind for each in types if each.kind in NODES}
    names_of_nodes = {node_class(each).name for each in types if each.kind in NODES}
    # What solutions may take for granted: a comment defines it, where no argument is of it.
    types += (
        each
        for each in signature.nodes
        if each.kind not in kinds_of_nodes and each.node not in names_of_nodes
    )
    if called and not signature.design:
        signature = replace(signature, functions=(replace(signature.functions[0], name=called),))
    convention = grammar_of(language).names
    names = [
        called
        or spelled(each.name, convention.methods if signature.design else convention.functions)
        for each in signature.functions
    ]
    return template.render(
        signature=signature,
        called_names=f", called: {' '.join(names)}",
        kinds=kinds,
        parted=not kinds.isdisjoint(PARTS),
        nodes={str(each.kind): node_class(each) for each in types if each.kind in NODES},
        marker=MARKER,
        batch=BATCH,
        called=called,
    )


def _declared(signature: Signature) -> Signature:
    """Return a signature with the types that code declares.

    Only a result that is a part of something stays one.
    """

    def declared(parameters: Sequence[Parameter]) -> tuple[Parameter, ...]:
        return tuple(replace(each, type=each.type.declared) for each in parameters)

    functions = tuple(
        replace(each, parameters=declared(each.parameters)) for each in signature.functions
    )
    return replace(signature, functions=functions, constructor=declared(signature.constructor))


class Filled(NamedTuple):
    """A solution in its runner.

    The text of the program, the files beside it, and what compiles them.

    compile_argv is empty where the usual command of the language compiles all.
    """

    source: str
    files: Mapping[str, str] = {}
    compile_argv: tuple[str, ...] = ()


def fill(runner: str, code: str, language: Language) -> Filled:
    """Return the program that a solution and a runner make.

    ``languages/<id>/pasted.toml`` says how.

    A runner that `render_runner` made gets the solution as a file of its own. Where an earlier
    version made it, the solution stands inside it, without what would be there twice. Where
    somebody wrote it, its line for the solution is replaced and nothing else.

    Raises:
        LanguageError: The runner has no line for the solution, or several.
    """
    if BATCH not in runner:  # only what was made here knows batches
        return Filled(render(runner, code))
    table = _pasted(language)
    # Behind "or" follows the name of the file that the solution may be.
    if "file" in table and f"{MARKER} or " in runner:
        return _beside(runner, code, language, table["file"])
    for pattern in table.get("remove", ()):
        code = re.sub(pattern, "", code, flags=re.MULTILINE)
    added = [line for line, pattern in table.get("add", {}).items() if re.search(pattern, code)]
    # Its name is the last word: a solution may import it among others.
    return Filled(
        render(
            runner, "".join(f"{line}; " for line in added if line.split()[-1] not in code) + code
        )
    )


@functools.cache
def _pasted(language: Language) -> dict[str, Any]:
    file = language.folder / "pasted.toml"
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def _beside(runner: str, code: str, language: Language, table: Mapping[str, Any]) -> Filled:
    """Return a runner with a solution in a file beside it."""
    hidden = re.compile(f"(?:{language.comments.pattern})|(?:{language.strings.pattern})")
    bare = hidden.sub(" ", code)
    imports: Mapping[str, str] = table.get("imports", {})
    for pattern, text in table.get("change", ()):
        code = re.sub(pattern.replace("{packages}", "|".join(map(re.escape, imports))), text, code)

    def is_used(package: str) -> bool:
        """Return whether a program means a package by a name that is not one of its own."""
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

    def region(found: re.Match[str]) -> str:
        if found["name"] and not is_defined(found["name"]):
            return found["text"]
        return table.get("defined", "").format(name=found["name"]) + "\n" if found["name"] else ""

    # Lines of a runner that are for pasted solutions alone, or for solutions that do not define a
    # type themselves.
    runner = re.sub(
        r"(?m)^[^\n]*==(?:Pasted|Unless (?P<name>\w+))==\n(?P<text>[\s\S]*?)^[^\n]*==End==\n",
        region,
        runner,
    )
    # The same, for solutions in files of their own.
    runner = re.sub(
        r"(?m)^[ \t]*//\?(?P<name>\w+) (?P<text>[^\n]*\n)",
        lambda found: "" if is_defined(found["name"]) else found["text"],
        runner,
    )
    # The runner's line for the solution lists what it calls there.
    line = next(line for line in runner.split("\n") if MARKER in line)
    for called in line.partition(", called: ")[2].split():
        runner = _with_spelling(runner, called, bare)
    argv = tuple(part.replace("{solution}", name) for part in table.get("compile", ()))
    return Filled(render(runner, table["line"].strip("\n")), files, argv)


def _with_spelling(runner: str, called: str, bare: str) -> str:
    """Return a runner that calls a function as the solution spells it, where it has one other spelling."""
    names = set(re.findall(r"\b(\w+)\s*\(", bare))
    others = {name for name in names if _plain(name) == _plain(called)}
    if called in names or len(others) != 1:
        return runner
    # Between quotes it is the name of an operation in the input, which stays.
    return re.sub(rf'(?<!["\w]){called}(?!["\w])', others.pop(), runner)


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def lines_of_case(signature: Signature) -> int:
    """Return how many lines of standard input one case has."""
    return 2 if signature.design else len(signature.lines())


def check_signature(signature: Signature) -> None:
    """Do nothing where runners can be made for `signature`.

    Raises:
        SignatureError: Otherwise; the message names the function and the type.
    """
    if not signature.design and len(signature.functions) != 1:
        names = ", ".join(function.name for function in signature.functions) or "none"
        raise _no_runner("the signature has no runner", f"one function is wanted, got {names}")
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
                    "only of a list the first values can be the result",
                )
        elif function.changed is None and not signature.design:
            raise _no_runner(
                f"{function.name} has no runner", "it returns nothing and changes no argument"
            )
    for parameter in signature.constructor:
        _check_type(parameter.type, f"the constructor's argument {parameter.name}")
    # One class for each kind of node, and one kind and element for each class.
    classes: dict[str, Type] = {}
    by_kind: dict[Kind, str] = {}
    for wanted in _all_types(_declared(signature)):
        if wanted.kind in NODES:
            name, element = node_class(wanted)
            other = classes.setdefault(name, Type(wanted.kind, element))
            if other != Type(wanted.kind, element) or by_kind.setdefault(wanted.kind, name) != name:
                why = f"both {other} and {wanted} occur"
                raise _no_runner(f"no runner has two kinds of {wanted.kind} or {name}", why)


def _check_type(wanted: Type, where: str) -> None:
    """A type is supported when it is a scalar, has nodes of scalars, or is a list of supported types."""
    element = wanted.element
    known = wanted.kind in SCALARS
    if wanted.kind in PARTS:
        whole = wanted.declared
        _check_type(whole, where)
        known = whole.kind in (Kind.LINKED_LIST, Kind.TREE)
    if wanted.kind in NODES:
        # The values of a graph's nodes are their labels.
        known = node_class(wanted).element.kind in (
            (Kind.INT,) if wanted.kind == Kind.GRAPH else SCALARS
        )
    elif wanted.kind in (Kind.LIST, Kind.OPTIONAL) and element:
        known = wanted.kind == Kind.LIST or element.kind in (*SCALARS, Kind.LIST)
        _check_type(element, where)
    if not known:
        raise _no_runner(f"no runner knows the type {wanted}", f"{where} is of it")


def _no_runner(what: str, why: str) -> SignatureError:
    return SignatureError(what, why, "see docs/runners.md for the types that have runners")


def camel(name: str) -> str:
    """Return `name` in camel case without underscores: ``linked_list`` is ``linkedList``."""
    return re.sub(r"(?<=[a-zA-Z0-9])_+([a-zA-Z0-9])", lambda found: found[1].upper(), name)


def result_type(function: Function) -> Type:
    """Return the type of what is printed.

    Of the result, or of the argument that is changed in place.
    """
    return (
        function.returns if function.changed is None else function.parameters[function.changed].type
    )
