"""What a function-style problem asks for: names and types, the same in every language."""

from venus_toolkit.signatures.parse import parse_signature
from venus_toolkit.signatures.starter import starter_code
from venus_toolkit.signatures.types import Function, Kind, Parameter, Signature, Type

__all__ = ["Function", "Kind", "Parameter", "Signature", "Type", "parse_signature", "starter_code"]
