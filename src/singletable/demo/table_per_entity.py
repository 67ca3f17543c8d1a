"""Runs recorded requests on one table per entity, in a separate engine, for comparison."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from singletable.client.items.decoder import key_value
from singletable.client.items.item_types import ItemTypes
from singletable.client.table import Table
from singletable.demo.request_capture import CapturedRequest, Document
from singletable.engine.engine import Engine
from singletable.errors import RequestRefused
from singletable.expressions.condition_parser import parse_condition
from singletable.expressions.key_condition import KeyTest, key_tests
from singletable.expressions.tree import Parameter
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.regular_language import ANYTHING, Language, between, concat, literal, overlap
from singletable.model.table_schema import Index, create_table_request
from singletable.planner.plan import Plan
from singletable.planner.stored_items import key_attribute_value

_LAST = "\U0010ffff" * 2


def index_of(design: Design, sent: Mapping[str, Any]) -> Index:
    """Return the index that a request reads, or the table itself."""
    name = sent.get("IndexName")
    return next((each for each in design.indexes.values() if not each.is_table and each.name == name), design.table)


def entities_of_query(design: Design, sent: Mapping[str, Any]) -> tuple[Entity, ...]:
    """Return the entities whose items can be in the key range of a Query."""
    index = index_of(design, sent)
    read = parse_condition(
        "KeyConditionExpression", sent["KeyConditionExpression"], sent.get("ExpressionAttributeNames", {})
    )
    ranges = {name: _language(test, sent) for name, test in key_tests(read.tree).items()}
    return tuple(
        entity
        for entity in design.placed_in(index)
        if all(
            overlap(ranges.get(part.attribute, ANYTHING), part.language)
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


OwnerOf = Callable[[Document], Entity]
"""A function that returns the entity of an item, given the item or its key."""
_NAMES = "ExpressionAttributeNames"
_OF_A_GET = ("ConsistentRead", "ProjectionExpression", "ReturnConsumedCapacity")


@dataclass(frozen=True)
class RetargetedRequest:
    """A request to the table of an entity. With `reads_on`, the replay reads all its pages."""

    operation: str
    parameters: Document
    reads_on: bool = False


def table_of(entity: Entity) -> str:
    """Return the name of an entity's table: its class name, padded to DynamoDB's minimum length."""
    return entity.label.ljust(3, "_")


def retargeted(
    design: Design, request: CapturedRequest, plan: Plan | None, owner_of: OwnerOf
) -> Iterator[RetargetedRequest]:
    """Yield the requests that replace a request.

    For a later page, yield none, because the first request has read its items.
    """
    sent: Document = {**request.parameters, "ReturnConsumedCapacity": "TOTAL"}
    match request.operation:
        case "Query":
            wanted = plan.entities if plan is not None else entities_of_query(design, sent)
            yield from _queries(design, sent, plan, wanted)
        case "Scan":
            if "ExclusiveStartKey" not in sent:
                placed = design.placed_in(index_of(design, sent))
                yield from (
                    RetargetedRequest("Scan", {**sent, "TableName": table_of(each)}, reads_on=True) for each in placed
                )
        case "BatchGetItem":
            yield RetargetedRequest("BatchGetItem", {**sent, "RequestItems": _keys_by_table(sent, owner_of)})
        case "BatchWriteItem":
            yield RetargetedRequest("BatchWriteItem", {**sent, "RequestItems": _writes_by_table(sent, owner_of)})
        case "TransactGetItems" | "TransactWriteItems":
            actions = [_retargeted_action(action, owner_of) for action in sent["TransactItems"]]
            yield RetargetedRequest(request.operation, {**sent, "TransactItems": actions})
        case operation:
            owner = plan.entities[0] if plan is not None else owner_of(sent.get("Item") or sent["Key"])
            yield RetargetedRequest(operation, {**sent, "TableName": table_of(owner)})


def _queries(
    design: Design, sent: Document, plan: Plan | None, wanted: Sequence[Entity]
) -> Iterator[RetargetedRequest]:
    if len(wanted) == 1:
        yield RetargetedRequest("Query", {**sent, "TableName": table_of(wanted[0])})
        return
    if "ExclusiveStartKey" in sent:
        return  # the first request has read all pages of each table
    extra = plan.limit.extra if plan is not None and plan.limit is not None else 0
    index = index_of(design, sent)
    for entity in wanted:
        named = {**sent, "TableName": table_of(entity)}
        key = _full_key(index, entity, sent)
        if key is not None:
            yield RetargetedRequest("GetItem", _get(named, key))
        elif "Limit" in sent:
            yield RetargetedRequest("Query", {**named, "Limit": sent["Limit"] - extra})
        else:
            yield RetargetedRequest("Query", named, reads_on=True)


def _full_key(index: Index, entity: Entity, sent: Mapping[str, Any]) -> Document | None:
    """Return the full key if the partition key determines the only item of the entity. Otherwise return None."""
    placement = entity.base
    is_plain = index.is_table and "FilterExpression" not in sent and "Select" not in sent
    partition = _equal_value(sent, index.partition[0].name) if is_plain else None
    known = placement.partition[0].exact_fields
    if partition is None or not all(part.fields <= known for part in placement.sort):
        return None
    fields = placement.partition[0].decode(key_value(partition))
    key: Document = {index.partition[0].name: partition}
    for part in placement.sort:
        value = part.encode(fields)
        if value is None:
            return None
        key[part.attribute] = key_attribute_value(value)
    return key


def _equal_value(sent: Mapping[str, Any], attribute: str) -> Document | None:
    """Return the value that a key condition requires of an attribute by `=`, or None if there is no such value."""
    for placeholder, name in sent.get(_NAMES, {}).items():
        found = re.search(rf"{re.escape(placeholder)} = (:\w+)", sent["KeyConditionExpression"])
        if name == attribute and found:
            value: Document = sent["ExpressionAttributeValues"][found[1]]
            return value
    return None


def _get(named: Document, key: Document) -> Document:
    get = {"TableName": named["TableName"], "Key": key, **{name: named[name] for name in _OF_A_GET if name in named}}
    used = set(re.findall(r"#\w+", named.get("ProjectionExpression", "")))
    names = {placeholder: name for placeholder, name in named.get(_NAMES, {}).items() if placeholder in used}
    return {**get, _NAMES: names} if names else get


def _keys_by_table(sent: Document, owner_of: OwnerOf) -> Document:
    tables: Document = {}
    for requested in sent["RequestItems"].values():
        for key in requested["Keys"]:
            table = tables.setdefault(table_of(owner_of(key)), {**requested, "Keys": []})
            table["Keys"].append(key)
    return tables


def _writes_by_table(sent: Document, owner_of: OwnerOf) -> Document:
    tables: Document = {}
    for writes in sent["RequestItems"].values():
        for write in writes:
            (inner,) = write.values()
            tables.setdefault(table_of(owner_of(inner.get("Item") or inner["Key"])), []).append(write)
    return tables


def _retargeted_action(action: Document, owner_of: OwnerOf) -> Document:
    ((kind, inner),) = action.items()
    owner = owner_of(inner.get("Item") or inner["Key"])
    return {kind: {**inner, "TableName": table_of(owner)}}


COMPARISON = (
    "For comparison, every request also runs against one table per entity, with the same items, keys and indexes.\n"
    "Reading one entity costs the same there; reading several takes one request per table."
)


class TablePerEntity:
    """One table per entity of a model, with the keys, indexes and items of that entity."""

    def __init__(self, model: type[Table], items: Iterable[Document]) -> None:
        self._model = model
        self._design = model.design
        self._kinds = ItemTypes(model.design)
        self._owners: dict[str, Entity] = {}
        self._engine = Engine("memory:", sweep_seconds=None)
        for entity in self._design.entities:
            self._engine.call(
                "CreateTable", create_table_request(_single_entity_design(self._design, entity), table_of(entity))
            )
        for item in items:
            owner = self._owner_of(item)
            self._engine.call("PutItem", {"TableName": table_of(owner), "Item": item})

    def replay(self, requests: Iterable[CapturedRequest]) -> tuple[CapturedRequest, ...]:
        """Replay requests to the single table, and return the requests that replace them."""
        return tuple(
            answered
            for request in requests
            for sent in retargeted(self._design, request, self._plan(request), self._owner_of)
            for answered in self._answers(sent)
        )

    def close(self) -> None:
        """Close the engine."""
        self._engine.close()

    def _plan(self, request: CapturedRequest) -> Plan | None:
        pattern = getattr(self._model, request.pattern, None) if request.pattern else None
        plan = pattern.plan if pattern is not None else None
        # A write pattern can read items first. Its plan does not describe these reads.
        return plan if isinstance(plan, Plan) and not plan.pattern.is_write else None

    def _owner_of(self, item: Document) -> Entity:
        key = json.dumps([item[name] for name in self._design.table.key_attributes])
        owner = self._owners.get(key)
        if owner is None:
            owner = self._kinds.entity_of(item) or self._kinds.marker_owner(item) or self._design.entities[0]
            self._owners[key] = owner
        return owner

    def _answers(self, sent: RetargetedRequest) -> Iterator[CapturedRequest]:
        """Yield the request with its response, followed by the requests of its later pages."""
        parameters = sent.parameters
        while True:
            try:
                answer = self._engine.call(sent.operation, parameters)
            except RequestRefused as problem:
                yield CapturedRequest(sent.operation, parameters, error=problem.code)
                return
            yield CapturedRequest(sent.operation, parameters, answer)
            if not sent.reads_on or "LastEvaluatedKey" not in answer:
                return
            parameters = {**parameters, "ExclusiveStartKey": answer["LastEvaluatedKey"]}


def _single_entity_design(design: Design, entity: Entity) -> Design:
    """Return the design with only one entity and its indexes."""
    indexes = {alias: index for alias, index in design.indexes.items() if alias in entity.placements}
    return replace(design, entities=(entity,), indexes=indexes, patterns=())
