"""Requests to one table as the requests that the same question takes where every entity has a table of its own.

What reads one entity is sent to its table as it is. What reads several becomes a request for each: a GetItem where the
entity has one item under a partition key and its whole key is known, a Query otherwise. Batches and transactions stay
one request, since DynamoDB takes several tables in one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from singletable.client.items.decoder import key_value
from singletable.demo.captured import Captured, Document
from singletable.demo.ranges import entities_met, index_of
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.index import Index
from singletable.planner.bind import key_attribute_value
from singletable.planner.plan import Plan

OwnerOf = Callable[[Document], Entity]
"""Says whose item it is, by the whole item or by its key."""
_NAMES = "ExpressionAttributeNames"
_OF_A_GET = ("ConsistentRead", "ProjectionExpression", "ReturnConsumedCapacity")


@dataclass(frozen=True)
class Retargeted:
    """A request to the tables of entities; one that stands for several of them is read on to its last page."""

    operation: str
    parameters: Document
    reads_on: bool = False


def table_of(entity: Entity) -> str:
    """The name of an entity's own table: the one of its class, at least as long as DynamoDB asks for."""
    return entity.label.ljust(3, "_")


def retargeted(design: Design, request: Captured, plan: Plan | None, owner_of: OwnerOf) -> Iterator[Retargeted]:
    """The requests that take the place of one; none where another one's pages have been read on already."""
    sent: Document = {**request.parameters, "ReturnConsumedCapacity": "TOTAL"}
    match request.operation:
        case "Query":
            wanted = plan.wanted if plan is not None else entities_met(design, sent)
            yield from _queries(design, sent, plan, wanted)
        case "Scan":
            if "ExclusiveStartKey" not in sent:
                placed = design.placed_in(index_of(design, sent))
                yield from (Retargeted("Scan", {**sent, "TableName": table_of(each)}, reads_on=True) for each in placed)
        case "BatchGetItem":
            yield Retargeted("BatchGetItem", {**sent, "RequestItems": _keys_by_table(sent, owner_of)})
        case "BatchWriteItem":
            yield Retargeted("BatchWriteItem", {**sent, "RequestItems": _writes_by_table(sent, owner_of)})
        case "TransactGetItems" | "TransactWriteItems":
            actions = [_of_its_table(action, owner_of) for action in sent["TransactItems"]]
            yield Retargeted(request.operation, {**sent, "TransactItems": actions})
        case operation:
            owner = plan.wanted[0] if plan is not None else owner_of(sent.get("Item") or sent["Key"])
            yield Retargeted(operation, {**sent, "TableName": table_of(owner)})


def _queries(design: Design, sent: Document, plan: Plan | None, wanted: Sequence[Entity]) -> Iterator[Retargeted]:
    if len(wanted) == 1:
        yield Retargeted("Query", {**sent, "TableName": table_of(wanted[0])})
        return
    if "ExclusiveStartKey" in sent:
        return  # each table has given all its pages when the first one was asked for
    extra = plan.limit.extra if plan is not None and plan.limit is not None else 0
    index = index_of(design, sent)
    for entity in wanted:
        named = {**sent, "TableName": table_of(entity)}
        key = _whole_key(index, entity, sent)
        if key is not None:
            yield Retargeted("GetItem", _get(named, key))
        elif "Limit" in sent:
            yield Retargeted("Query", {**named, "Limit": sent["Limit"] - extra})
        else:
            yield Retargeted("Query", named, reads_on=True)


def _whole_key(index: Index, entity: Entity, sent: Mapping[str, Any]) -> Document | None:
    """The key of the entity's one item in the partition that is read, if the partition's key says it whole."""
    placement = entity.base
    is_plain = index.is_table and "FilterExpression" not in sent and "Select" not in sent
    partition = _equalled(sent, index.partition[0].name) if is_plain else None
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


def _equalled(sent: Mapping[str, Any], attribute: str) -> Document | None:
    """The value that a key condition wants an attribute to equal."""
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
    for asked in sent["RequestItems"].values():
        for key in asked["Keys"]:
            table = tables.setdefault(table_of(owner_of(key)), {**asked, "Keys": []})
            table["Keys"].append(key)
    return tables


def _writes_by_table(sent: Document, owner_of: OwnerOf) -> Document:
    tables: Document = {}
    for writes in sent["RequestItems"].values():
        for write in writes:
            (inner,) = write.values()
            tables.setdefault(table_of(owner_of(inner.get("Item") or inner["Key"])), []).append(write)
    return tables


def _of_its_table(action: Document, owner_of: OwnerOf) -> Document:
    ((kind, inner),) = action.items()
    owner = owner_of(inner.get("Item") or inner["Key"])
    return {kind: {**inner, "TableName": table_of(owner)}}
