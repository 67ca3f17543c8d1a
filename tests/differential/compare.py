"""Field-by-field comparison of two responses, after normalising insignificant details."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from tests.differential.exchange import Exchange
from tests.differential.sides import Response

ABSENT = "(absent)"
SETS = ("SS", "NS", "BS")
# Dates, generated names, and counts that the service updates every six hours.
UNCOMPARED = frozenset(
    (
        *("CreationDateTime", "LastIncreaseDateTime", "LastDecreaseDateTime", "LastUpdateToPayPerRequestDateTime"),
        *("LastUpdateDateTime", "TableArn", "IndexArn", "TableId", "LatestStreamArn", "LatestStreamLabel"),
        *("TableSizeBytes", "IndexSizeBytes", "ItemCount"),
    )
)
# Lists without an order, and the field that identifies their elements.
UNORDERED = {
    "AttributeDefinitions": "AttributeName",
    "GlobalSecondaryIndexes": "IndexName",
    "LocalSecondaryIndexes": "IndexName",
    "ConsumedCapacity": "TableName",
    "Tags": "Key",
}


@dataclass(frozen=True)
class Difference:
    """One field in which two responses differ. The path of an error is `error`."""

    path: str
    ours: Any
    theirs: Any


ERROR = "error"
STORED = "stored"


def differences(exchange: Exchange) -> list[Difference]:
    """Return every field in which the responses to a request differ."""
    ours, theirs = exchange.ours, exchange.theirs
    if ours.is_error or theirs.is_error:
        found = (
            [Difference(ERROR, error_text(ours), error_text(theirs))] if error_text(ours) != error_text(theirs) else []
        )
        if ours.is_error and theirs.is_error and ours.code == theirs.code:
            found += documents_differ(_without_message(ours), _without_message(theirs))
        return found
    return documents_differ(ours.document, theirs.document)


def error_text(response: Response) -> str:
    """Return an error on one line: its status unless it is 400, its type and its message."""
    if not response.is_error:
        return "accepted"
    status = "" if response.status == 400 else f"{response.status} "
    return f"{status}{response.code}: {response.message}"


def _without_message(response: Response) -> Any:
    return {name: value for name, value in response.document.items() if name.lower() not in ("__type", "message")}


def documents_differ(ours: Any, theirs: Any) -> list[Difference]:
    """Return the fields in which two documents differ."""
    return list(_differ("", normal(ours), normal(theirs)))


def _differ(path: str, ours: Any, theirs: Any) -> list[Difference]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        found = []
        for name in dict.fromkeys([*ours, *theirs]):
            inner = f"{path}.{name}" if path else str(name)
            found += _differ(inner, ours.get(name, ABSENT), theirs.get(name, ABSENT))
        return found
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        return [each for mine, other in zip(ours, theirs, strict=True) for each in _differ(f"{path}[]", mine, other)]
    # 1 and 1.0 are equal numbers in JSON, but true is not a number.
    is_same = ours == theirs and isinstance(ours, bool) == isinstance(theirs, bool)
    return [] if is_same else [Difference(path, ours, theirs)]


def normal(document: Any, name: str = "") -> Any:
    """Return a document with sets and unordered lists sorted, without the fields that are not compared."""
    if isinstance(document, dict):
        if len(document) == 1 and next(iter(document)) in SETS:
            ((kind, members),) = document.items()
            return {kind: sorted(members, key=repr) if isinstance(members, list) else members}
        return {key: _member(key, value, name) for key, value in document.items() if key not in UNCOMPARED}
    if isinstance(document, list):
        return [normal(each) for each in document]
    return document


def _member(name: str, value: Any, parent: str) -> Any:
    inner = normal(value, name)
    if isinstance(inner, list) and name in UNORDERED and all(isinstance(each, dict) for each in inner):
        return sorted(inner, key=lambda each: str(each.get(UNORDERED[name])))
    if isinstance(inner, list) and (name == "NonKeyAttributes" or parent in ("Responses", "ItemCollectionMetrics")):
        return sorted(inner, key=lambda each: json.dumps(each, sort_keys=True))
    return inner


# Kinds of differences

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\{[^{}]*\}|\[[^\[\]]*\]")
_INDEX = re.compile(r"(SecondaryIndexes\.)[\w-]+")
_IN_ITEM = re.compile(r"\b(stored|Items?(?:\[\])?|Attributes|Responses|LastEvaluatedKey)\..*?((?:\.\w+(?:\[\])?)?)$")
_NUMBER = re.compile(r"\d+")


def kind_of(exchange: Exchange, difference: Difference) -> str:
    """Return the kind of a difference: its field and the way in which it differs, without the values of the request."""
    if difference.path != ERROR:
        field = _IN_ITEM.sub(r"\1...\2", _INDEX.sub(r"\1*", difference.path))
        return f"{exchange.action}: {field}: {_shape(difference.ours)} / {_shape(difference.theirs)}"
    return f"{_template(exchange, difference.ours)}  /  {_template(exchange, difference.theirs)}"


def _shape(value: Any) -> str:
    return str(value) if value == ABSENT or isinstance(value, str | bool) else type(value).__name__


def _template(exchange: Exchange, words: str) -> str:
    for text in sorted(_texts(exchange.request), key=len, reverse=True):
        if len(text) > 3:
            words = words.replace(text, "*")
    return _NUMBER.sub("0", words)[:400]


def _texts(node: Any) -> set[str]:
    if isinstance(node, str):
        return {node}
    if isinstance(node, dict):
        return {name for name in node if name.startswith(("#", ":"))}.union(*map(_texts, node.values()))
    return set().union(*map(_texts, node)) if isinstance(node, list) else set()
