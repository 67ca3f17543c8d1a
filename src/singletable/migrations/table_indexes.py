"""Changes of the indexes of a live table: creates and deletes them one at a time, and waits for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from singletable.client.request_steps import Call, Steps, pause
from singletable.errors import RequestRefused
from singletable.evolve.snapshot_records import IndexSnapshot, Snapshot

Document = dict[str, Any]
POLL_SECONDS, TTL_POLL_SECONDS = 1.0, 60.0
Report = Callable[[str], None]


def describe_table(table: str) -> Steps[Document]:
    """Return the description of a table."""
    (body,) = yield (Call("DescribeTable", {"TableName": table}),)
    found: Document = msgspec.json.decode(body)["Table"]
    return found


def create_indexes(table: str, before: Snapshot, after: Snapshot, report: Report) -> Steps[None]:
    """Create the global indexes that only the new design has, and set the TTL attribute if it is new."""
    names = {each.name for each in before.indexes.values()}
    for index in after.indexes.values():
        if index.kind == "GSI" and index.name not in names:
            yield from _create(table, after, index, report)
    if before.ttl_attribute is None and after.ttl_attribute is not None:
        yield from _set_ttl(table, after.ttl_attribute, is_enabled=True)


def delete_indexes(table: str, kept: Snapshot, dropped: Snapshot, report: Report) -> Steps[None]:
    """Delete the global indexes of a design that the other design does not have."""
    names = {each.name for each in kept.indexes.values()}
    for index in dropped.indexes.values():
        if index.kind == "GSI" and index.name not in names:
            found = yield from _settled(table)
            if index.name in _index_names(found):
                report(f"deleting index {index.name}")
                yield from _change(table, {"Delete": {"IndexName": index.name}}, index.name, exists=False)


def _create(table: str, design: Snapshot, index: IndexSnapshot, report: Report) -> Steps[None]:
    found = yield from _settled(table)
    if index.name in _index_names(found):
        return
    report(f"creating index {index.name}")
    schema = [{"AttributeName": each.name, "KeyType": "HASH"} for each in index.partition]
    schema += [{"AttributeName": each.name, "KeyType": "RANGE"} for each in index.sort]
    projection: Document = {"ProjectionType": index.projection}
    projection |= {"NonKeyAttributes": list(index.included)} if index.included else {}
    definition: Document = {"IndexName": index.name, "KeySchema": schema, "Projection": projection}
    if found.get("BillingModeSummary", {}).get("BillingMode") != "PAY_PER_REQUEST":
        given = found.get("ProvisionedThroughput", {})
        units = {name: given.get(name) or 1 for name in ("ReadCapacityUnits", "WriteCapacityUnits")}
        definition["ProvisionedThroughput"] = units
    types = {each["AttributeName"]: each["AttributeType"] for each in found["AttributeDefinitions"]}
    types |= {each.name: each.type for each in (*index.partition, *index.sort)}
    definitions = [{"AttributeName": name, "AttributeType": kind} for name, kind in types.items()]
    change = {"Create": definition}
    yield from _change(table, change, index.name, exists=True, AttributeDefinitions=definitions)


def _change(table: str, change: Document, index: str, *, exists: bool, **parameters: Any) -> Steps[None]:
    """Create or delete an index and wait for it. Another runner may have done the same meanwhile."""
    problem: RequestRefused | None = None
    try:
        yield (Call("UpdateTable", {"TableName": table, "GlobalSecondaryIndexUpdates": [change], **parameters}),)
    except RequestRefused as error:
        problem = error
    found = yield from _settled(table)
    if problem is not None and (index in _index_names(found)) is not exists:
        raise problem


def _settled(table: str) -> Steps[Document]:
    """Wait until the table and all its indexes are active. Return the description of the table."""
    while True:
        found = yield from describe_table(table)
        states = [found.get("TableStatus"), *(each.get("IndexStatus") for each in _indexes(found))]
        if all(state in ("ACTIVE", None) for state in states):
            return found
        yield from pause(POLL_SECONDS)


def _indexes(description: Document) -> list[Document]:
    return description.get("GlobalSecondaryIndexes") or []


def _index_names(description: Document) -> set[str]:
    return {each["IndexName"] for each in _indexes(description)}


def change_ttl(table: str, attribute: str | None, report: Report) -> Steps[None]:
    """Set the TTL attribute of a table; None for none. DynamoDB accepts one change an hour, so this waits."""
    (body,) = yield (Call("DescribeTimeToLive", {"TableName": table}),)
    found = msgspec.json.decode(body)["TimeToLiveDescription"]
    current = found.get("AttributeName") if found["TimeToLiveStatus"] in ("ENABLED", "ENABLING") else None
    if current == attribute:
        return
    report(f"changing the time to live from {current} to {attribute}; DynamoDB accepts one change an hour")
    if current is not None:
        yield from _set_ttl(table, current, is_enabled=False)
    if attribute is not None:
        yield from _set_ttl(table, attribute, is_enabled=True)


def _set_ttl(table: str, attribute: str, *, is_enabled: bool) -> Steps[None]:
    """Enable or disable the time to live. Repeat the request until DynamoDB accepts another change."""
    while True:
        (body,) = yield (Call("DescribeTimeToLive", {"TableName": table}),)
        found = msgspec.json.decode(body)["TimeToLiveDescription"]
        is_set = found["TimeToLiveStatus"] in ("ENABLED", "ENABLING")
        if is_set is is_enabled and (not is_enabled or found.get("AttributeName") == attribute):
            return
        setting = {"Enabled": is_enabled, "AttributeName": attribute}
        try:
            yield (Call("UpdateTimeToLive", {"TableName": table, "TimeToLiveSpecification": setting}),)
        except RequestRefused as error:
            if error.code == "UnknownOperationException":  # some local servers do not support time to live
                return
            if "multiple times within a fixed interval" not in error.message:
                raise
            yield from pause(TTL_POLL_SECONDS)
