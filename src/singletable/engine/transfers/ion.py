"""Reads and writes items as Amazon Ion, using the optional library amazon.ion."""

from __future__ import annotations

import base64
import importlib
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, BinaryIO

from singletable.engine.tables.stored_table import Item
from singletable.errors import invalid
from singletable.values.attribute_value import number_text

_SETS = {"SS": "S", "NS": "N", "BS": "B"}
_SET_ANNOTATION = "$dynamodb_"


class NotIon(Exception):  # internal exception, which counts as an import error
    """A value that is not an item, or not valid Ion."""


def require_ion() -> None:
    """Reject a request for Ion if the library is not installed."""
    try:
        _library("simpleion")
    except ModuleNotFoundError:
        raise invalid(
            "One or more parameter values were invalid: ION needs the library amazon.ion: "
            "pip install 'singletable[ion]'"
        ) from None


def _library(module: str) -> Any:
    return importlib.import_module(f"amazon.ion.{module}")


def ion_line(document: dict[str, Item]) -> bytes:
    """Encode a document such as `{"Item": ...}` as a line of Ion text."""
    value = {member: _struct(item) for member, item in document.items()}
    text: str = _library("simpleion").dumps(value, binary=False)
    return text.encode() + b"\n"


def _struct(item: Item) -> dict[str, Any]:
    return {name: _to_ion(value) for name, value in item.items()}


def _to_ion(value: dict[str, Any]) -> Any:
    ((kind, content),) = value.items()
    match kind:
        case "S" | "BOOL":
            return content
        case "N":
            return Decimal(content)
        case "B":
            return base64.b64decode(content)
        case "NULL":
            return None
        case "M":
            return _struct(content)
        case "L":
            return [_to_ion(each) for each in content]
        case _:
            types, core = _library("simple_types"), _library("core")
            members = [_to_ion({_SETS[kind]: each}) for each in content]
            return types.IonPyList.from_value(core.IonType.LIST, members, (f"{_SET_ANNOTATION}{kind}",))


def ion_documents(file: BinaryIO) -> Iterator[Any]:
    """Yield the values in a text or binary Ion file as Python objects. Lists are flattened."""
    ion, exceptions = _library("simpleion"), _library("exceptions")
    try:
        for value in ion.load(file, single_value=False, parse_eagerly=False):
            yield from _flat(value)
    except (exceptions.IonException, ValueError, TypeError) as problem:
        raise NotIon(f"not Ion: {problem}") from None


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for each in value:
            yield from _flat(each)
    else:
        yield value


def item_of_ion(document: Any) -> Item:
    """Return the item in a document. Raise NotIon if the document has no item."""
    item = document.get("Item") if hasattr(document, "get") else None
    if item is None or not hasattr(item, "items"):
        raise NotIon("it has no member Item")
    return {str(name): _from_ion(value) for name, value in item.items()}


def _from_ion(value: Any) -> dict[str, Any]:
    core = _library("core")
    kind = getattr(value, "ion_type", None)
    if value is None or kind is core.IonType.NULL:
        return {"NULL": True}
    if isinstance(value, bool) or kind is core.IonType.BOOL:
        return {"BOOL": bool(value)}
    match value:
        case int() | float() | Decimal():
            try:
                return {"N": number_text(value)}
            except TypeError as problem:
                raise NotIon(str(problem)) from None
        case bytes():
            return {"B": base64.b64encode(value).decode()}
        case str():
            return {"S": str(value)}
        case list():
            return _list_from_ion(value)
        case _ if hasattr(value, "items"):
            return {"M": {str(name): _from_ion(each) for name, each in value.items()}}
        case _:
            raise NotIon(f"{value!r} has a type that DynamoDB does not support")


def _list_from_ion(value: Any) -> dict[str, Any]:
    members = [_from_ion(each) for each in value]
    marks = [getattr(mark, "text", mark) for mark in getattr(value, "ion_annotations", ())]
    for kind, member_kind in _SETS.items():
        if f"{_SET_ANNOTATION}{kind}" in marks:
            if any(member_kind not in member for member in members):
                raise NotIon(f"a set of {member_kind} has a member of another type")
            return {kind: [member[member_kind] for member in members]}
    return {"L": members}
