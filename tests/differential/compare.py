"""Two answers compared field by field; only what has no meaning is made alike before."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from tests.differential.ask import Exchange
from tests.differential.sides import Told

ABSENT = "(absent)"
SETS = ("SS", "NS", "BS")
# Dates, names that a side gives, and what the service counts every six hours.
UNCOMPARED = frozenset(
    (
        *("CreationDateTime", "LastIncreaseDateTime", "LastDecreaseDateTime", "LastUpdateToPayPerRequestDateTime"),
        *("LastUpdateDateTime", "TableArn", "IndexArn", "TableId", "LatestStreamArn", "LatestStreamLabel"),
        *("TableSizeBytes", "IndexSizeBytes", "ItemCount"),
    )
)
# Lists that stand in any order, and what their elements are told apart by.
UNORDERED = {
    "AttributeDefinitions": "AttributeName",
    "GlobalSecondaryIndexes": "IndexName",
    "LocalSecondaryIndexes": "IndexName",
    "ConsumedCapacity": "TableName",
    "Tags": "Key",
}


@dataclass(frozen=True)
class Difference:
    """One field in which two answers differ; `refusal` is the field of what was refused."""

    path: str
    ours: Any
    theirs: Any


REFUSAL = "refusal"
STORED = "stored"


def differences(exchange: Exchange) -> list[Difference]:
    """Every field in which the answers to a request differ."""
    ours, theirs = exchange.ours, exchange.theirs
    if ours.is_refused or theirs.is_refused:
        found = [Difference(REFUSAL, refusal(ours), refusal(theirs))] if refusal(ours) != refusal(theirs) else []
        if ours.is_refused and theirs.is_refused and ours.code == theirs.code:
            found += documents_differ(_without_words(ours), _without_words(theirs))
        return found
    return documents_differ(ours.document, theirs.document)


def refusal(told: Told) -> str:
    """A refusal in one line: its status where it is not the usual one, its type and its words."""
    if not told.is_refused:
        return "accepted"
    status = "" if told.status == 400 else f"{told.status} "
    return f"{status}{told.code}: {told.message}"


def _without_words(told: Told) -> Any:
    return {name: value for name, value in told.document.items() if name.lower() not in ("__type", "message")}


def documents_differ(ours: Any, theirs: Any) -> list[Difference]:
    """The fields in which two documents differ."""
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
    # 1 and 1.0 are one number in JSON, but true is none.
    is_same = ours == theirs and isinstance(ours, bool) == isinstance(theirs, bool)
    return [] if is_same else [Difference(path, ours, theirs)]


def normal(document: Any, name: str = "") -> Any:
    """A document with sets and unordered lists in one order, and without what is not compared."""
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
    """What makes two differences the same: the field, and how it differs without what a request alone brings in."""
    if difference.path != REFUSAL:
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
