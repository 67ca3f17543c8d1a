"""Which entities a Query with its real values can meet, for the requests that no pattern made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from singletable.expressions.condition_parser import parse_condition
from singletable.expressions.key_condition import KeyTest, key_tests
from singletable.expressions.tree import Parameter
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.index import Index
from singletable.model.language import ANYTHING, Language, between, concat, literal, overlap
from singletable.planner.holdings import part_language

_LAST = "\U0010ffff" * 2


def index_of(design: Design, sent: Mapping[str, Any]) -> Index:
    """The index that a request reads, or the table itself."""
    name = sent.get("IndexName")
    return next((each for each in design.indexes.values() if not each.is_table and each.name == name), design.table)


def entities_met(design: Design, sent: Mapping[str, Any]) -> tuple[Entity, ...]:
    """The entities of which an item can lie in the range of a Query."""
    index = index_of(design, sent)
    read = parse_condition(
        "KeyConditionExpression", sent["KeyConditionExpression"], sent.get("ExpressionAttributeNames", {})
    )
    ranges = {name: _language(test, sent) for name, test in key_tests(read.tree).items()}
    return tuple(
        entity
        for entity in design.placed_in(index)
        if all(
            overlap(ranges.get(part.attribute, ANYTHING), part_language(part))
            for part in entity.placements[index.alias].parts
        )
    )


def _language(test: KeyTest, sent: Mapping[str, Any]) -> Language:
    given = sent.get("ExpressionAttributeValues", {})
    values = [given[each.name] if isinstance(each, Parameter) else each.value for each in test.operands]
    if not all("S" in value for value in values):
        return ANYTHING
    texts: list[str] = [value["S"] for value in values]
    match test.operator:
        case "=":
            return literal(texts[0])
        case "begins_with":
            return concat(literal(texts[0]), ANYTHING)
        case "BETWEEN":
            return between(texts[0], texts[1])
        case ">" | ">=":
            return between(texts[0], _LAST)
        case "<" | "<=":
            return between("", texts[0])
