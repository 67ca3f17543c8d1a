"""The TTL sweeper deletes expired items from the table and its indexes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.engine import Engine
from singletable.engine.integrity_check import check_store
from singletable.errors import RequestRefused
from tests.engine.streams.test_stream_reading import Clock, records
from tests.engine.table_requests import (
    Document,
    create,
    create_indexed,
    delete,
    get,
    item,
    put,
    scan,
    texts,
    update,
    values,
)

HOUR = 3600.0
YEARS = 365 * 24 * HOUR


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    with Engine(now=clock, sweep_seconds=None) as made:
        create_indexed(made)
        yield made


def switch(engine: Engine, enabled: bool = True, attribute: str = "expires") -> Document:
    specification = {"Enabled": enabled, "AttributeName": attribute}
    return engine.call("UpdateTimeToLive", {"TableName": "table", "TimeToLiveSpecification": specification})


def setting(engine: Engine) -> Document:
    description: Document = engine.call("DescribeTimeToLive", {"TableName": "table"})["TimeToLiveDescription"]
    return description


def expiring(name: str, at: float) -> Document:
    return {**texts(pk=name, sk="1"), "expires": {"N": str(int(at))}}


def names(engine: Engine, **parameters: str) -> list[str]:
    return sorted(each["pk"]["S"] for each in scan(engine, **parameters)["Items"])


def test_expired_items_exist_until_the_ttl_sweeper_deletes_them(engine: Engine, clock: Clock) -> None:
    switch(engine)
    put(engine, expiring("past", clock.now - 10))
    put(engine, expiring("now", clock.now))
    put(engine, expiring("soon", clock.now + 10))
    put(engine, texts(pk="never", sk="1"))
    assert names(engine) == ["never", "now", "past", "soon"]
    assert engine.sweep() == 2
    assert names(engine) == ["never", "soon"]
    clock.now += 10
    assert engine.sweep() == 1
    assert engine.sweep() == 0


def test_the_ttl_sweeper_deletes_items_that_existed_before_ttl_too(engine: Engine, clock: Clock) -> None:
    for number in range(450):  # several steps of recording expiry times
        put(engine, expiring(f"{number:03}", clock.now - 10 + number))
    switch(engine)
    assert setting(engine) == {"TimeToLiveStatus": "ENABLING", "AttributeName": "expires"}
    assert engine.sweep() == 11
    assert setting(engine) == {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}
    clock.now += 1000
    assert engine.sweep() == 439
    assert names(engine) == []


@pytest.mark.parametrize(
    "value",
    [{"S": "1"}, {"N": "-5"}, {"M": {}}, {"NULL": True}, {"NS": ["5"]}, {"N": "1" + "0" * 30}],
    ids=["text", "negative", "map", "null", "set", "far"],
)
def test_the_ttl_sweeper_never_deletes_an_item_without_a_valid_time(
    engine: Engine, clock: Clock, value: Document
) -> None:
    switch(engine)
    put(engine, {**texts(pk="a", sk="1"), "expires": value})
    assert engine.sweep() == 0
    assert names(engine) == ["a"]


def test_the_ttl_sweeper_ignores_a_time_more_than_five_years_ago(engine: Engine, clock: Clock) -> None:
    switch(engine)
    put(engine, expiring("older", clock.now - 5 * YEARS - 2))
    put(engine, expiring("younger", clock.now - 5 * YEARS + 2))
    assert engine.sweep() == 1
    assert names(engine) == ["older"]


def test_the_ttl_sweeper_truncates_fractions_of_a_second(engine: Engine, clock: Clock) -> None:
    switch(engine)
    put(engine, {**texts(pk="a", sk="1"), "expires": {"N": f"{int(clock.now)}.9"}})
    assert engine.sweep() == 1


def test_the_ttl_sweeper_updates_indexes_and_names_the_service_in_the_stream(clock: Clock) -> None:
    with Engine(now=clock, sweep_seconds=None) as engine:
        create_indexed(engine)
        view = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
        engine.call("UpdateTable", {"TableName": "table", "StreamSpecification": view})
        switch(engine)
        put(engine, {**expiring("a", clock.now), **texts(gsiPk="g", lsiSk="l")})
        put(engine, texts(pk="b", sk="1"))
        delete(engine, texts(pk="b", sk="1"))
        assert names(engine, IndexName="gsi") == names(engine, IndexName="lsi") == ["a"]
        engine.sweep()
        assert names(engine, IndexName="gsi") == names(engine, IndexName="lsi") == []
        *_, by_user, by_service = records(engine)
    assert (by_user["eventName"], by_service["eventName"]) == ("REMOVE", "REMOVE")
    assert "userIdentity" not in by_user
    assert by_service["userIdentity"] == {"Type": "Service", "PrincipalId": "dynamodb.amazonaws.com"}
    assert by_service["dynamodb"]["OldImage"]["pk"] == {"S": "a"}


def test_the_ttl_sweeper_follows_a_changed_expiry_time(engine: Engine, clock: Clock) -> None:
    switch(engine)
    put(engine, expiring("moved", clock.now - 1))
    put(engine, expiring("removed", clock.now - 1))
    put(engine, expiring("deleted", clock.now - 1))
    put(engine, texts(pk="given", sk="1"))
    later = values(t=int(clock.now) + 100)
    update(engine, texts(pk="moved", sk="1"), "SET expires = :t", ExpressionAttributeValues=later)
    update(engine, texts(pk="removed", sk="1"), "REMOVE expires")
    delete(engine, texts(pk="deleted", sk="1"))
    update(engine, texts(pk="given", sk="1"), "SET expires = :t", ExpressionAttributeValues=values(t=int(clock.now)))
    assert engine.sweep() == 1
    assert names(engine) == ["moved", "removed"]


def test_update_time_to_live_can_change_the_setting_once_per_hour(engine: Engine, clock: Clock) -> None:
    assert setting(engine) == {"TimeToLiveStatus": "DISABLED"}
    description = switch(engine)
    assert description == {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expires"}}
    with pytest.raises(RequestRefused, match="modified multiple times within a fixed interval"):
        switch(engine, enabled=False)
    clock.now += HOUR
    switch(engine, enabled=False)
    assert setting(engine) == {"TimeToLiveStatus": "DISABLED"}
    put(engine, expiring("a", clock.now - 1))
    assert engine.sweep() == 0
    clock.now += HOUR
    switch(engine, attribute="other")
    assert engine.sweep() == 0
    assert setting(engine) == {"TimeToLiveStatus": "ENABLED", "AttributeName": "other"}


@pytest.mark.parametrize(
    ("before", "enabled", "attribute", "words"),
    [
        (None, False, "expires", "TimeToLive is already disabled"),
        ("expires", True, "expires", "TimeToLive is already enabled"),
        ("expires", True, "other", "TimeToLive is active on a different AttributeName: .* is expires"),
        ("expires", False, "other", "TimeToLive is active on a different AttributeName: .* is expires"),
        (None, True, "", "Member must have length greater than or equal to 1"),
    ],
)
def test_update_time_to_live_rejects_an_update_without_a_change(
    engine: Engine, before: str | None, enabled: bool, attribute: str, words: str
) -> None:
    if before is not None:
        switch(engine, attribute=before)
    with pytest.raises(RequestRefused, match=words):
        switch(engine, enabled, attribute)


def test_describe_time_to_live_and_update_time_to_live_reject_an_unknown_table(engine: Engine) -> None:
    for action, more in (
        ("DescribeTimeToLive", {}),
        ("UpdateTimeToLive", {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "a"}}),
    ):
        with pytest.raises(RequestRefused) as error:
            engine.call(action, {"TableName": "nobody", **more})
        assert error.value.code == "ResourceNotFoundException"


@given(
    st.lists(
        st.tuples(
            st.sampled_from("abcd"),
            st.sampled_from(["put", "update", "remove", "delete", "sweep", "wait"]),
            st.integers(-3, 3),
        ),
        max_size=30,
    ),
    st.integers(0, 30),
)
def test_the_ttl_sweeper_deletes_exactly_the_expired_items(
    steps: list[tuple[str, str, int]], enabled_after: int
) -> None:
    clock = Clock()
    expected: dict[str, float | None] = {}
    with Engine(now=clock, sweep_seconds=None) as engine:
        create(engine)
        for place, (name, kind, offset) in enumerate(steps):
            if place == enabled_after:
                switch(engine)
            key = texts(pk=name, sk="1")
            at = int(clock.now) + offset
            if kind == "put":
                put(engine, {**key, **item(expires=at)})
                expected[name] = at
            elif kind == "update":
                update(engine, key, "SET expires = :t", ExpressionAttributeValues=values(t=at))
                expected[name] = at
            elif kind == "remove":
                update(engine, key, "REMOVE expires")
                if name in expected:  # a removal creates no item
                    expected[name] = None
            elif kind == "delete":
                delete(engine, key)
                expected.pop(name, None)
            elif kind == "wait":
                clock.now += 1
            elif place >= enabled_after:
                engine.sweep()
                expected = {each: time for each, time in expected.items() if time is None or time > int(clock.now)}
            assert names(engine) == sorted(expected)


def test_the_ttl_sweeper_runs_in_the_background_and_resumes_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Engine(f"file:{path}", sweep_seconds=None) as engine:
        create(engine)
        put(engine, expiring("a", time.time() - 5))
        switch(engine)
    assert check_store(path).problems == []
    with Engine(f"file:{path}", sweep_seconds=0.01) as engine:
        await_that(lambda: names(engine) == [])
        assert setting(engine)["TimeToLiveStatus"] == "ENABLED"
        put(engine, expiring("b", time.time() - 5))
        await_that(lambda: names(engine) == [])
        put(engine, expiring("c", time.time() + 1000))
    assert check_store(path).problems == []


def test_the_integrity_check_finds_wrong_expiry_times(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Engine(f"file:{path}", sweep_seconds=None) as engine:
        create(engine)
        switch(engine)
        put(engine, expiring("a", time.time() + 100))
        engine.sweep()
        with engine.store.writing() as connection:
            connection.execute("UPDATE x1 SET at = at + 1")
    missing, unexpected = sorted(check_store(path).problems, key=len)
    assert "but no expiry is recorded" in missing + unexpected
    assert "but the item does not expire at that time" in missing + unexpected


def await_that(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_delete_table_deletes_the_expiry_times_of_its_items(engine: Engine, clock: Clock) -> None:
    switch(engine)
    put(engine, expiring("a", clock.now))
    engine.call("DeleteTable", {"TableName": "table"})
    with engine.store.reading() as connection:
        assert connection.execute("SELECT name FROM sqlite_master WHERE name GLOB 'x[0-9]*'").fetchall() == []
    create_indexed(engine)
    assert get(engine, texts(pk="a", sk="1")) is None
    assert engine.sweep() == 0
