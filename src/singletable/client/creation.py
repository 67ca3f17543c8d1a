"""A table made out of its model, and a table that is there held against it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from singletable.client.steps import Call, Steps, pause
from singletable.errors import ArgumentRefused, RequestRefused, TableDiffers
from singletable.model.create_table import create_table_request
from singletable.model.design import Design
from singletable.values.limits import NAME_CHARACTERS_MAX, NAME_CHARACTERS_MIN, NAME_PATTERN

Document = dict[str, Any]
_decode = msgspec.json.decode

# How often a table that is being made is looked at: the service takes some seconds, and minutes for many indexes.
LOOK_SECONDS = 0.5
LOOKS_MAX = 1200


def refuse_name(name: str) -> None:
    """Refuses what DynamoDB takes for no table's name, before anybody is asked."""
    if not NAME_CHARACTERS_MIN <= len(name) <= NAME_CHARACTERS_MAX or not re.fullmatch(NAME_PATTERN, name):
        raise ArgumentRefused(
            f"{name!r} cannot be the name of a table: DynamoDB takes {NAME_CHARACTERS_MIN} to {NAME_CHARACTERS_MAX} of "
            'the letters a to z and A to Z, digits, "_", "-" and ".".\n'
            '  Name it apart from its class, class ...(Table, name="...", entities=[...]), or by open(name="...").'
        )


def create_table(design: Design, name: str) -> Steps[None]:
    """Makes the table, with its indexes and its time to live, unless it is there; waits until it can be used."""
    try:
        yield (Call("CreateTable", create_table_request(design, name)),)
    except RequestRefused as refusal:
        if refusal.code != "ResourceInUseException":
            raise
        return
    for _ in range(LOOKS_MAX):
        if (yield from _described(name)).get("TableStatus") == "ACTIVE":
            break
        yield from pause(LOOK_SECONDS)
    if design.ttl_attribute is not None:
        setting = {"Enabled": True, "AttributeName": design.ttl_attribute}
        try:
            yield (Call("UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": setting}),)
        except RequestRefused as refusal:
            if refusal.code != "UnknownOperationException":  # some that stand in for DynamoDB delete nothing by time
                raise


def check_table(design: Design, name: str) -> Steps[None]:
    """Refuses a table whose keys or indexes are not the model's, and says what differs."""
    try:
        found = yield from _described(name)
    except RequestRefused as refusal:
        if refusal.code != "ResourceNotFoundException":
            raise
        raise TableDiffers(
            f"there is no table {name!r}.\n  Open it with create=True to make it from the model, or look at its name."
        ) from None
    differences = list(_differences(create_table_request(design, name), found))
    if differences:
        shown = "\n  ".join(differences)
        raise TableDiffers(f"the table {name!r} is not what {design.name} declares:\n  {shown}")


def _described(name: str) -> Steps[Document]:
    (body,) = yield (Call("DescribeTable", {"TableName": name}),)
    table: Document = _decode(body)["Table"]
    return table


def _differences(wanted: Document, found: Document) -> Iterator[str]:
    kinds = {each["AttributeName"]: each["AttributeType"] for each in found.get("AttributeDefinitions", ())}
    yield from _key_differences("the table", wanted, found, wanted, kinds)
    for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        there = {index["IndexName"]: index for index in found.get(member, ())}
        for index in wanted.get(member, ()):
            name = index["IndexName"]
            if name not in there:
                yield f"the index {name} is not there; the model has it with {_shown(index['KeySchema'])}"
                continue
            yield from _key_differences(name, index, there[name], wanted, kinds)
            yield from _projection_differences(name, index["Projection"], there[name]["Projection"])


def _key_differences(
    what: str, wanted: Document, found: Document, table: Document, kinds: dict[str, str]
) -> Iterator[str]:
    if _shown(wanted["KeySchema"]) != _shown(found["KeySchema"]):
        yield f"{what} has the key {_shown(found['KeySchema'])}, and the model {_shown(wanted['KeySchema'])}"
        return
    for each in table["AttributeDefinitions"]:
        name, kind = each["AttributeName"], each["AttributeType"]
        is_key = any(element["AttributeName"] == name for element in wanted["KeySchema"])
        if is_key and kinds.get(name) != kind:
            yield f"{what} has {name} as {kinds.get(name)}, and the model as {kind}"


def _projection_differences(what: str, wanted: Document, found: Document) -> Iterator[str]:
    if wanted["ProjectionType"] != found["ProjectionType"]:
        yield f"{what} holds {found['ProjectionType']}, and the model says {wanted['ProjectionType']}"
        return
    missing = sorted(set(wanted.get("NonKeyAttributes", ())) - set(found.get("NonKeyAttributes", ())))
    if missing:
        yield f"{what} does not hold {', '.join(missing)}"


def _shown(schema: list[dict[str, str]]) -> str:
    return " + ".join(f"{element['AttributeName']} ({element['KeyType'].lower()})" for element in schema)
