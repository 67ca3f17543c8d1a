"""Random items and operations: the units predicted from items equal those that the engine consumes."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from singletable.cost.measured_items import (
    IndexShape,
    Item,
    TableShape,
    units_of_change,
    units_of_check,
    units_of_get,
    units_of_pages,
)
from singletable.engine.engine import Engine
from singletable.values.item_size import CONSISTENT, EVENTUAL, TRANSACTIONAL, item_size
from singletable.values.item_validation import accept_item
from tests.engine.table_requests import Document, create, definitions, index, projection

HELD = {"ALL": projection(kind="ALL"), "KEYS_ONLY": projection(kind="KEYS_ONLY"), "INCLUDE": projection("x", "big")}
GLOBAL = {f"g-{held}": (("g", "n"), held) for held in HELD}
LOCAL = {f"l-{held}": (("pk", "l"), held) for held in HELD}
SHAPE = TableShape(
    ("pk", "sk"),
    tuple(
        IndexShape(name, name, keys, {"ALL": None, "KEYS_ONLY": frozenset()}.get(held, frozenset(("x", "big"))))
        for name, (keys, held) in (*GLOBAL.items(), *LOCAL.items())
    ),
)
KINDS = ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")

numbers = st.sampled_from(["0", "1", "-1", "1.50", "1E3", "-0.25", "12345678901234567890"]).map(lambda n: {"N": n})
short = st.sampled_from(["", "a", "é", "text"]).map(lambda text: {"S": text})
sized = st.integers(0, 9000).map(lambda count: {"S": "x" * count})
values = st.recursive(
    st.one_of(
        numbers,
        short,
        sized,
        st.booleans().map(lambda flag: {"BOOL": flag}),
        st.just({"NULL": True}),
        st.just({"B": "AAEC"}),
        st.sampled_from([["a"], ["b", "a"], ["a", "b"]]).map(lambda members: {"SS": members}),
        st.just({"NS": ["1.0", "20"]}),
        st.just({"BS": ["AA==", "AQ=="]}),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda elements: {"L": elements}),
        st.dictionaries(st.sampled_from(["k", "ü"]), inner, max_size=2).map(lambda members: {"M": members}),
    ),
    max_leaves=5,
)
keys = st.fixed_dictionaries(
    {"pk": st.sampled_from("ab").map(lambda t: {"S": t}), "sk": st.sampled_from("123").map(lambda t: {"S": t})}
)
rest = st.fixed_dictionaries(
    {},
    optional={
        "g": st.sampled_from(["g", "h"]).map(lambda text: {"S": text}),
        "n": st.sampled_from(["1", "2.0", "2"]).map(lambda text: {"N": text}),
        "l": st.sampled_from(["l", "m" * 900]).map(lambda text: {"S": text}),
        "x": values,
        "big": values,
        "other": values,
    },
)
items = st.builds(lambda key, more: {**key, **more}, keys, rest)
write = st.one_of(
    st.tuples(st.just("Put"), items, st.just(())),
    st.tuples(st.just("Update"), items, st.sets(st.sampled_from(["g", "n", "l", "x", "big", "other"])).map(tuple)),
    st.tuples(st.just("Delete"), keys, st.just(())),
)
Write = tuple[str, Document, tuple[str, ...]]


class Run:
    """An engine, and the items that it should contain."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.images: dict[tuple[str, str], Document] = {}
        create(
            engine,
            AttributeDefinitions=definitions(pk="S", sk="S", g="S", n="N", l="S"),
            GlobalSecondaryIndexes=[index(name, *keys, holds=HELD[held]) for name, (keys, held) in GLOBAL.items()],
            LocalSecondaryIndexes=[index(name, *keys, holds=HELD[held]) for name, (keys, held) in LOCAL.items()],
        )

    def call(self, action: str, **request: Any) -> Document:
        answer = self.engine.call(action, {"ReturnConsumedCapacity": "INDEXES", **request})
        told: Any = answer["ConsumedCapacity"]
        return told[0] if isinstance(told, list) else told  # type: ignore[no-any-return]  # one table, one document

    def image(self, item: Item) -> Document | None:
        return self.images.get(_identity(item))

    def changed(self, done: Write, *, in_transaction: bool = False) -> dict[str, float]:
        """Record a write, and predict its units."""
        kind, item, removed = done
        before = self.image(item)
        key = {name: item[name] for name in ("pk", "sk")}
        after = None
        if kind == "Put":
            after = deepcopy(item)
        elif kind == "Update":
            after = {**(before or key), **deepcopy(item)}
            after = {name: value for name, value in after.items() if name not in removed}
        if after is None:
            self.images.pop(_identity(item), None)
        else:
            accept_item(after)
            self.images[_identity(item)] = after
        units = units_of_change(SHAPE, before, after, in_transaction=in_transaction)
        return {"table": units.table, **units.indexes}


def _identity(item: Item) -> tuple[str, str]:
    return item["pk"]["S"], item["sk"]["S"]


def _by_place(told: Document) -> dict[str, float]:
    found = {"table": told["Table"]["CapacityUnits"]}
    for kind in KINDS:
        found |= {name: each["CapacityUnits"] for name, each in told.get(kind, {}).items()}
    return found


def _request(done: Write) -> Document:
    kind, item, removed = done
    if kind == "Put":
        return {"Item": deepcopy(item)}
    key = {name: item[name] for name in ("pk", "sk")}
    if kind == "Delete":
        return {"Key": key}
    kept = {name: value for name, value in item.items() if name not in (*key, *removed)}
    clauses = [f"SET {', '.join(f'#{name} = :{name}' for name in kept)}"] * bool(kept)
    clauses += [f"REMOVE {', '.join(f'#{name}' for name in removed)}"] * bool(removed)
    request: Document = {"Key": key}
    if clauses:
        request["UpdateExpression"] = " ".join(clauses)
        request["ExpressionAttributeNames"] = {f"#{name}": name for name in (*kept, *removed)}
    if kept:
        request["ExpressionAttributeValues"] = {f":{name}": deepcopy(value) for name, value in kept.items()}
    return request


def _sums(several: list[dict[str, float]]) -> dict[str, float]:
    return {name: sum(each.get(name, 0) for each in several) for name in {name for each in several for name in each}}


def _distinct(writes: list[Write]) -> list[Write]:
    return list({_identity(item): (kind, item, removed) for kind, item, removed in writes}.values())


@given(st.lists(write, min_size=1, max_size=12))
def test_measured_items_predict_the_units_of_single_writes_in_the_engine(writes: list[Write]) -> None:
    with Engine() as engine:
        run = Run(engine)
        for done in writes:
            told = run.call(f"{done[0]}Item", TableName="table", **_request(done))
            assert _by_place(told) == run.changed(done)


@given(st.lists(write, max_size=6), st.lists(write, min_size=1, max_size=4), keys)
def test_measured_items_predict_the_units_of_transactions_in_the_engine(
    earlier: list[Write], together: list[Write], looked_at: Document
) -> None:
    with Engine() as engine:
        run = Run(engine)
        for done in earlier:
            run.call(f"{done[0]}Item", TableName="table", **_request(done))
            run.changed(done)
        together = [done for done in _distinct(together) if _identity(done[1]) != _identity(looked_at)]
        together = [done for done in together if done[0] != "Update" or "UpdateExpression" in _request(done)]
        condition = {"Key": looked_at, "ConditionExpression": "attribute_exists(pk) OR attribute_not_exists(pk)"}
        entries = [{done[0]: {"TableName": "table", **_request(done)}} for done in together]
        told = run.call(
            "TransactWriteItems",
            TransactItems=[*entries, {"ConditionCheck": {"TableName": "table", **condition}}],
            ClientRequestToken="once",
        )
        checked = {"table": units_of_check(run.image(looked_at), in_transaction=True)}
        predicted = [run.changed(done, in_transaction=True) for done in together]
        assert _by_place(told) == _sums([*predicted, checked])


@given(st.lists(write, max_size=6), st.lists(write.filter(lambda done: done[0] != "Update"), min_size=1, max_size=5))
def test_measured_items_predict_the_units_of_write_batches_in_the_engine(
    earlier: list[Write], together: list[Write]
) -> None:
    with Engine() as engine:
        run = Run(engine)
        for done in earlier:
            run.call(f"{done[0]}Item", TableName="table", **_request(done))
            run.changed(done)
        together = _distinct(together)
        requests = [{f"{done[0]}Request": _request(done)} for done in together]
        told = run.call("BatchWriteItem", RequestItems={"table": requests})
        assert _by_place(told) == _sums([run.changed(done) for done in together])


@given(st.lists(items, max_size=8), st.sampled_from([1, 2, None]))
def test_measured_items_predict_the_units_of_reads_in_the_engine(held: list[Document], limit: int | None) -> None:
    with Engine() as engine:
        run = Run(engine)
        for item in held:
            run.call("PutItem", TableName="table", Item=deepcopy(item))
            run.changed(("Put", item, ()))
        for consistent, factor in ((False, EVENTUAL), (True, CONSISTENT)):
            _hold_items(run, consistent, factor)
            _hold_pages(run, consistent, factor, limit)
        _hold_global(run)


def _hold_items(run: Run, consistent: bool, factor: float) -> None:
    every = [{"pk": {"S": pk}, "sk": {"S": sk}} for pk in "ab" for sk in "123"]
    for key in every:
        told = run.call("GetItem", TableName="table", Key=key, ConsistentRead=consistent)
        assert told["CapacityUnits"] == units_of_get(run.image(key), factor)
    told = run.call("BatchGetItem", RequestItems={"table": {"Keys": every, "ConsistentRead": consistent}})
    assert told["CapacityUnits"] == sum(units_of_get(run.image(key), factor) for key in every)
    entries = [{"Get": {"TableName": "table", "Key": key}} for key in every]
    told = run.call("TransactGetItems", TransactItems=entries)
    assert told["CapacityUnits"] == sum(units_of_get(run.image(key), TRANSACTIONAL) for key in every)


def _hold_pages(run: Run, consistent: bool, factor: float, limit: int | None) -> None:
    """Check Queries of the table and of each local index, page by page, and the items that they fetch."""
    for name in (None, *LOCAL):
        shape = next((each for each in SHAPE.indexes if each.name == name), None)
        found = sorted((item for item in run.images.values() if item["pk"]["S"] == "a"), key=_in_order(name))
        entries = [item if shape is None else SHAPE.entry(shape, item) for item in found]
        sizes = [item_size(entry) for entry in entries if entry is not None]
        assert _queried(run, name, "pk", "a", consistent, limit) == units_of_pages(sizes, factor, limit)
    told = run.call("Scan", TableName="table", ConsistentRead=consistent)
    assert [told["CapacityUnits"]] == units_of_pages([item_size(item) for item in run.images.values()], factor)


def _in_order(name: str | None) -> Callable[[Document], tuple[str, str]]:
    return lambda item: ("" if name is None else item.get("l", {"S": ""})["S"], item["sk"]["S"])


def _hold_global(run: Run) -> None:
    for shape in SHAPE.indexes[: len(GLOBAL)]:
        entries = [SHAPE.entry(shape, item) for item in run.images.values()]
        sizes = [item_size(entry) for entry in entries if entry is not None and entry["g"]["S"] == "g"]
        assert _queried(run, shape.name, "g", "g", False, None) == units_of_pages(sizes, EVENTUAL)


def _queried(run: Run, name: str | None, key: str, value: str, consistent: bool, limit: int | None) -> list[float]:
    """Return the units of every page of a Query."""
    request: Document = {
        "TableName": "table",
        "KeyConditionExpression": f"{key} = :v",
        "ExpressionAttributeValues": {":v": {"S": value}},
        "ConsistentRead": consistent,
        "ReturnConsumedCapacity": "TOTAL",
        "Select": "ALL_PROJECTED_ATTRIBUTES" if name else "ALL_ATTRIBUTES",
    }
    request |= {"IndexName": name} if name else {}
    request |= {"Limit": limit} if limit else {}
    units: list[float] = []
    while True:
        answer = run.engine.call("Query", deepcopy(request))
        units.append(answer["ConsumedCapacity"]["CapacityUnits"])
        if "LastEvaluatedKey" not in answer:
            return units
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def test_measured_items_round_up_each_page_of_large_items_separately() -> None:
    with Engine() as engine:
        run = Run(engine)
        sizes = []
        for number in range(9):
            item = {"pk": {"S": "a"}, "sk": {"S": str(number)}, "other": {"S": "x" * (300_001 + 1000 * number)}}
            engine.call("PutItem", {"TableName": "table", "Item": item})
            sizes.append(item_size(item))
        assert _queried(run, None, "pk", "a", True, None) == units_of_pages(sizes, CONSISTENT)
        assert len(units_of_pages(sizes, CONSISTENT)) == 3
