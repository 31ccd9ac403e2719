"""One signature from those that several languages say: each is exact in something else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from venus_toolkit.errors import SignatureError
from venus_toolkit.signatures.types import Function, Kind, Parameter, Signature, Type

# Of two kinds that languages give for the same thing, the one that says more.
EXACT = {
    frozenset({Kind.INT, Kind.LONG}): Kind.LONG,
    frozenset({Kind.INT, Kind.FLOAT}): Kind.FLOAT,
    frozenset({Kind.STRING, Kind.CHAR}): Kind.CHAR,
}


def combined(signatures: Sequence[Signature]) -> Signature:
    """Return the most exact signature that agrees with all of `signatures`; names are those of the first.

    A long is more exact than an integer, a fraction than a whole number, a character than a text, a value that may be
    absent than one that may not.

    Raises:
        SignatureError: There is none, or two of them disagree; the message names the parameter and both types.
    """
    if not signatures:
        raise SignatureError("there is no signature to combine", "no language gave one", "see docs/runners.md")
    return reduce(_both, signatures)


def _both(one: Signature, other: Signature) -> Signature:
    if len(one.functions) != len(other.functions) or one.design != other.design:
        raise _disagreement("how many functions there are", str(len(one.functions)), str(len(other.functions)))
    constructor = _parameters("the constructor", one.constructor, other.constructor)
    functions = tuple(_function(*pair) for pair in zip(one.functions, other.functions, strict=True))
    return replace(one, functions=functions, constructor=constructor)


def _function(one: Function, other: Function) -> Function:
    if one.changed != other.changed:
        raise _disagreement(f"which argument {one.name} changes", str(one.changed), str(other.changed))
    returns = _type(f"the result of {one.name}", one.returns, other.returns)
    return replace(one, parameters=_parameters(one.name, one.parameters, other.parameters), returns=returns)


def _parameters(where: str, one: Sequence[Parameter], other: Sequence[Parameter]) -> tuple[Parameter, ...]:
    if len(one) != len(other):
        raise _disagreement(f"how many arguments {where} takes", str(len(one)), str(len(other)))
    return tuple(
        replace(left, type=_type(f"the argument {left.name} of {where}", left.type, right.type))
        for left, right in zip(one, other, strict=True)
    )


def _type(where: str, one: Type, other: Type) -> Type:
    if one.kind == other.kind and one.element and other.element:
        return replace(one, element=_type(where, one.element, other.element))
    if one.kind == other.kind:
        return one
    if Kind.OPTIONAL in (one.kind, other.kind):
        return Type(Kind.OPTIONAL, _type(where, _present(one), _present(other)))
    kind = EXACT.get(frozenset({one.kind, other.kind}))
    if kind is None:
        raise _disagreement(f"the type of {where}", str(one), str(other))
    return Type(kind)


def _present(wanted: Type) -> Type:
    return wanted.element if wanted.kind == Kind.OPTIONAL and wanted.element else wanted


def _disagreement(what: str, one: str, other: str) -> SignatureError:
    return SignatureError(
        f"languages do not agree on {what}", f"one says {one}, another {other}", "use one of them alone"
    )
