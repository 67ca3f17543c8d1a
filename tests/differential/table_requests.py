"""Requests for temporary tables: create, update, describe, list and delete."""

from __future__ import annotations

from typing import Any

from tests.differential.sides import Request
from tests.differential.world import PASSING_KINDS, World
from tests.engine.oracle.generated_values import ATTRIBUTES, INDEX_ATTRIBUTES
from tests.engine.oracle.oracle_table import OracleIndex, OracleTable
from tests.engine.oracle.seeded_choices import SeededChoices

UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 3}
VIEWS = ("NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY")


def _projection(chance: SeededChoices) -> tuple[str, tuple[str, ...]]:
    kind = chance.pick(["ALL", "KEYS_ONLY", "INCLUDE"])
    return kind, tuple(chance.several(ATTRIBUTES, 1, 3)) if kind == "INCLUDE" else ()


def _local(chance: SeededChoices, name: str) -> OracleIndex:
    return OracleIndex(name, ("pk",), (chance.pick(INDEX_ATTRIBUTES),), *_projection(chance), is_local=True)


def _global(chance: SeededChoices, name: str) -> OracleIndex:
    partition, sort = chance.several([*INDEX_ATTRIBUTES, "pk", "sk"], 2, 2)
    return OracleIndex(name, (partition,), (sort,) if chance.one_in(2) else (), *_projection(chance))


def create(chance: SeededChoices, world: World) -> Request:
    table = OracleTable(chance.pick(world.names), "pk", chance.pick(["sk", "sk", None]), dict(PASSING_KINDS))
    locals_ = [_local(chance, f"local{number}") for number in chance.times(0, 2)] if table.sort else []
    globals_ = [_global(chance, f"global{number}") for number in chance.times(0, 2)]
    for index in (*locals_, *globals_):
        table.indexes[index.name] = index
    request: Request = table.creation()
    if chance.one_in(3):
        request = _provisioned(request)
    if chance.one_in(6):
        request["DeletionProtectionEnabled"] = False
    if chance.one_in(8):
        request["TableClass"] = chance.pick(["STANDARD", "STANDARD_INFREQUENT_ACCESS"])
    return request


def _provisioned(request: Request) -> Request:
    del request["BillingMode"]
    request["ProvisionedThroughput"] = dict(UNITS)
    for index in request.get("GlobalSecondaryIndexes", ()):
        index["ProvisionedThroughput"] = dict(UNITS)
    return request


def _name(chance: SeededChoices, world: World) -> str:
    """Return the name of an existing table in most cases."""
    names = [given.table.name for given in world.temporary]
    return chance.pick(names) if names and not chance.one_in(6) else chance.pick(world.names)


def describe(chance: SeededChoices, world: World) -> Request:
    return {"TableName": _name(chance, world) if chance.one_in(2) else chance.pick(world.tables).table.name}


def delete(chance: SeededChoices, world: World) -> Request:
    return {"TableName": _name(chance, world)}


def list_tables(chance: SeededChoices, world: World) -> Request:
    request: Request = {}
    if chance.one_in(2):
        request["Limit"] = chance.pick([1, 2, 3, 100])
    if chance.one_in(2):
        request["ExclusiveStartTableName"] = chance.pick([*world.givens, "aaa", "zzz", "texts0"])
    return request


def update(chance: SeededChoices, world: World) -> Request:
    request: Request = {"TableName": _name(chance, world)}
    given = world.givens.get(request["TableName"])
    indexes = [index.name for index in given.table.indexes.values() if not index.is_local] if given else []
    match chance.below(7):
        case 0 | 1:
            index = _global(chance, f"later{chance.below(3)}")
            names = {"pk", *index.key_names} | ({"sk"} if given and given.table.sort else set())
            request["AttributeDefinitions"] = OracleTable("", "pk", None, PASSING_KINDS).definitions(names)
            request["GlobalSecondaryIndexUpdates"] = [{"Create": _maybe_provisioned(chance, index.description())}]
        case 2:
            name = chance.pick(indexes) if indexes and not chance.one_in(6) else "no-such-index"
            request["GlobalSecondaryIndexUpdates"] = [{"Delete": {"IndexName": name}}]
        case 3:
            name = chance.pick(indexes) if indexes and not chance.one_in(6) else "no-such-index"
            units = {"ReadCapacityUnits": chance.pick([5, 7]), "WriteCapacityUnits": chance.pick([3, 9])}
            request["GlobalSecondaryIndexUpdates"] = [{"Update": {"IndexName": name, "ProvisionedThroughput": units}}]
        case 4:
            request["BillingMode"] = chance.pick(["PAY_PER_REQUEST", "PROVISIONED"])
            if request["BillingMode"] == "PROVISIONED" or chance.one_in(6):
                request["ProvisionedThroughput"] = dict(UNITS)
        case 5:
            request["ProvisionedThroughput"] = {"ReadCapacityUnits": chance.pick([5, 6]), "WriteCapacityUnits": 3}
        case _:
            request |= _setting(chance)
    return request


def _maybe_provisioned(chance: SeededChoices, index: dict[str, Any]) -> dict[str, Any]:
    return {**index, "ProvisionedThroughput": dict(UNITS)} if chance.one_in(3) else index


def _setting(chance: SeededChoices) -> Request:
    if chance.one_in(2):
        return {"DeletionProtectionEnabled": chance.one_in(2)}
    return {"TableClass": chance.pick(["STANDARD", "STANDARD_INFREQUENT_ACCESS"])}


# Streams


def create_with_stream(chance: SeededChoices, world: World) -> Request:
    return {**create(chance, world), "StreamSpecification": _stream(chance)}


def update_stream(chance: SeededChoices, world: World) -> Request:
    return {"TableName": _name(chance, world), "StreamSpecification": _stream(chance)}


def _stream(chance: SeededChoices) -> Request:
    return (
        {"StreamEnabled": False} if chance.one_in(3) else {"StreamEnabled": True, "StreamViewType": chance.pick(VIEWS)}
    )
