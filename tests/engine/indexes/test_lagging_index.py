"""A lagging index returns every entry as it was before the lag."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.engine import Engine
from singletable.engine.integrity_check import check_store
from singletable.errors import RequestRefused
from tests.engine.streams.test_stream_reading import Clock
from tests.engine.table_requests import Document, create_indexed, delete, item, put, query, scan, texts, update, values

LAG = 3.0


def of_index(engine: Engine, partition: str, **parameters: Any) -> list[tuple[str, str]]:
    answer = query(engine, "gsiPk = :g", values(g=partition), IndexName="gsi", **parameters)
    return [(each["pk"]["S"], each.get("n", {}).get("N", "")) for each in answer["Items"]]


def test_writes_appear_late_in_a_lagging_index_and_at_once_in_the_table() -> None:
    clock = Clock()
    with Engine(now=clock, gsi_lag_seconds=LAG) as engine:
        create_indexed(engine)
        key = texts(pk="a", sk="1")
        put(engine, {**key, **item(gsiPk="g", n=1, lsiSk="l")})
        assert of_index(engine, "g") == []
        assert len(scan(engine)["Items"]) == 1
        assert len(scan(engine, IndexName="lsi")["Items"]) == 1  # a local index never lags
        clock.now += LAG
        assert of_index(engine, "g") == [("a", "1")]
        update(engine, key, "SET n = :n", ExpressionAttributeValues=values(n=2))
        assert of_index(engine, "g") == [("a", "1")]
        clock.now += LAG / 2
        update(engine, key, "SET gsiPk = :h", ExpressionAttributeValues=values(h="h"))
        clock.now += LAG / 2
        assert (of_index(engine, "g"), of_index(engine, "h")) == ([("a", "2")], [])
        clock.now += LAG / 2
        assert (of_index(engine, "g"), of_index(engine, "h")) == ([], [("a", "2")])
        delete(engine, key)
        assert of_index(engine, "h") == [("a", "2")]
        clock.now += LAG
        assert of_index(engine, "h") == []


def test_a_rolled_back_write_never_appears_in_a_lagging_index() -> None:
    clock = Clock()
    with Engine(now=clock, gsi_lag_seconds=LAG) as engine:
        create_indexed(engine)
        put(engine, {**texts(pk="a", sk="1"), **item(gsiPk="g", n=1)})
        clock.now += LAG
        refused = {"ConditionExpression": "attribute_not_exists(pk)"}
        transaction = [
            {"Put": {"TableName": "table", "Item": {**texts(pk="b", sk="1"), **item(gsiPk="g", n=2)}}},
            {"Put": {"TableName": "table", "Item": texts(pk="a", sk="1"), **refused}},
        ]
        with pytest.raises(RequestRefused):
            engine.call("TransactWriteItems", {"TransactItems": transaction})
        assert of_index(engine, "g") == [("a", "1")]
        clock.now += LAG
        assert of_index(engine, "g") == [("a", "1")]


Step = tuple[str, str, str, int]


@given(
    st.lists(
        st.tuples(
            st.sampled_from("abcd"),
            st.sampled_from(["put", "delete", "wait"]),
            st.sampled_from("gh"),
            st.integers(0, 3),
        ),
        max_size=30,
    )
)
def test_a_lagging_index_reads_as_it_was_before_the_lag(steps: list[Step]) -> None:
    clock = Clock()
    states: list[tuple[float, Document]] = [(0.0, {})]
    with Engine(now=clock, gsi_lag_seconds=LAG) as engine:
        create_indexed(engine)
        for name, kind, partition, number in steps:
            state = copy.deepcopy(states[-1][1])
            if kind == "put":
                put(engine, {**texts(pk=name, sk="1"), **item(gsiPk=partition, n=number)})
                state[name] = (partition, str(number))
            elif kind == "delete":
                delete(engine, texts(pk=name, sk="1"))
                state.pop(name, None)
            else:
                clock.now += number
            states.append((clock.now, state))
            was = next(state for at, state in reversed(states) if at <= clock.now - LAG)
            for each in "gh":
                expected = {name: n for name, (of, n) in was.items() if of == each}
                up, down = of_index(engine, each), of_index(engine, each, ScanIndexForward=False)
                assert dict(up) == expected
                assert up == down[::-1]
                paged = query(engine, "gsiPk = :g", values(g=each), IndexName="gsi", Limit=1)
                assert [row["pk"]["S"] for row in paged["Items"]] == [name for name, _ in up[:1]]


def test_the_stored_entries_of_a_lagging_index_do_not_lag(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Engine(f"file:{path}", gsi_lag_seconds=1000) as engine:
        create_indexed(engine)
        put(engine, {**texts(pk="a", sk="1"), **item(gsiPk="g")})
        assert of_index(engine, "g") == []
    with Engine(f"file:{path}") as engine:
        assert of_index(engine, "g") == [("a", "")]
    assert check_store(path).problems == []
