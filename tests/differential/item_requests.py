"""Requests for items: the requests of the comparison with the oracle, with every option."""

from __future__ import annotations

from tests.differential.sides import Request
from tests.differential.world import World, large
from tests.engine.oracle import generated_requests as requests
from tests.engine.oracle.generated_values import Given
from tests.engine.oracle.oracle_conditions import printed
from tests.engine.oracle.seeded_choices import SeededChoices

TOKENS_MAX = 5


def _with_metrics(chance: SeededChoices, request: Request) -> Request:
    if chance.one_in(3):
        request["ReturnItemCollectionMetrics"] = chance.pick(["SIZE", "SIZE", "NONE"])
    return request


def _single(chance: SeededChoices, world: World, action: str) -> Request:
    request: Request = printed(requests.single_write(chance, chance.pick(world.tables), action))
    if "Item" in request:
        request["Item"] = large(chance, request["Item"])
    return some_left_out(chance, request, ("ReturnValues", "ReturnConsumedCapacity"))


def some_left_out(chance: SeededChoices, request: Request, names: tuple[str, ...]) -> Request:
    """Return the request without some of its options."""
    return {name: value for name, value in request.items() if name not in names or not chance.one_in(4)}


def put(chance: SeededChoices, world: World) -> Request:
    return _single(chance, world, "PutItem")


def update(chance: SeededChoices, world: World) -> Request:
    return _single(chance, world, "UpdateItem")


def delete(chance: SeededChoices, world: World) -> Request:
    return _single(chance, world, "DeleteItem")


def get(chance: SeededChoices, world: World) -> Request:
    request: Request = printed(requests.get(chance, chance.pick(world.tables)))
    return some_left_out(chance, request, ("ReturnConsumedCapacity",))


def query(chance: SeededChoices, world: World) -> Request:
    given = chance.pick(world.tables)
    request: Request = printed(requests.page(chance, given, is_query=True))
    return some_left_out(chance, _started(chance, given, request), ("ReturnConsumedCapacity",))


def scan(chance: SeededChoices, world: World) -> Request:
    given = chance.pick(world.tables)
    request: Request = printed(requests.page(chance, given, is_query=False))
    if chance.one_in(4):
        total = chance.pick([1, 2, 3, 4, 7])
        request |= {"TotalSegments": total, "Segment": chance.below(total)}
    return some_left_out(chance, _started(chance, given, request), ("ReturnConsumedCapacity",))


def _started(chance: SeededChoices, given: Given, request: Request) -> Request:
    """Start a page after the key of an existing item, or of another item."""
    if not chance.one_in(6):
        return request
    index = given.table.indexes.get(request.get("IndexName", ""))
    item = given.item(chance) if chance.one_in(2) or not given.table.items else given.known_item(chance)
    names = (*given.table.key_names, *(index.key_names if index else ()))
    start = {name: item[name] for name in dict.fromkeys(names) if name in item}
    return {**request, "ExclusiveStartKey": start}


def batch_write(chance: SeededChoices, world: World) -> Request:
    request: Request = printed(requests.batch_write(chance, world.tables))
    return _with_metrics(chance, some_left_out(chance, request, ("ReturnConsumedCapacity",)))


def batch_get(chance: SeededChoices, world: World) -> Request:
    request: Request = printed(requests.batch_get(chance, chance.several(world.tables, 1, 3)))
    return some_left_out(chance, request, ("ReturnConsumedCapacity",))


def transact_write(chance: SeededChoices, world: World) -> Request:
    """Generate a transaction. Some have a token, and some tokens were used before, with the same or other content."""
    made: Request = printed(requests.transact_write(chance, world.tables))
    if not chance.one_in(5):
        return _with_metrics(chance, some_left_out(chance, made, ("ReturnConsumedCapacity",)))
    if world.tokens and chance.one_in(2):
        known = chance.pick(world.tokens)
        return known if not chance.one_in(3) else {**made, "ClientRequestToken": known["ClientRequestToken"]}
    request = {**made, "ClientRequestToken": f"token-{chance.below(10**9)}"}
    world.tokens = [request, *world.tokens][:TOKENS_MAX]
    return request


def transact_get(chance: SeededChoices, world: World) -> Request:
    request: Request = printed(requests.transact_get(chance, world.tables))
    return some_left_out(chance, request, ("ReturnConsumedCapacity",))
