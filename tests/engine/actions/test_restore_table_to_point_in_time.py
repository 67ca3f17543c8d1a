"""RestoreTableToPointInTime: a new table with the items of another table at a point in time."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.engine import Engine
from tests.engine.actions.test_update_continuous_backups import Clock, clock, engine, set_recovery
from tests.engine.table_requests import (
    Document,
    Refused,
    assert_refused,
    create_indexed,
    delete,
    put,
    refusals,
    scan,
    texts,
)

__all__ = ["clock", "engine"]  # fixtures

INVALID = "One or more parameter values were invalid: "


def restore(engine: Engine, at: float | None = None, name: str = "restored", **more: Any) -> Document:
    when: Document = {"UseLatestRestorableTime": True} if at is None else {"RestoreDateTime": at}
    request = {"SourceTableName": "table", "TargetTableName": name, **when, **more}
    description: Document = engine.call("RestoreTableToPointInTime", request)["TableDescription"]
    return description


def test_restore_table_to_point_in_time_restores_the_items_of_that_time(engine: Engine, clock: Clock) -> None:
    put(engine, texts(pk="before", sk="1"))
    set_recovery(engine, True)
    start = clock.time
    clock.time += 10
    put(engine, texts(pk="a", sk="1", version="1"))
    clock.time += 10
    put(engine, texts(pk="a", sk="1", version="2"))
    put(engine, texts(pk="b", sk="1"))
    delete(engine, texts(pk="before", sk="1"))
    clock.time += 10
    delete(engine, texts(pk="a", sk="1"))
    expected = {
        start: [texts(pk="before", sk="1")],
        start + 9.9: [texts(pk="before", sk="1")],
        start + 10: [texts(pk="a", sk="1", version="1"), texts(pk="before", sk="1")],
        start + 20: [texts(pk="a", sk="1", version="2"), texts(pk="b", sk="1")],
        start + 30: [texts(pk="b", sk="1")],
    }
    for number, (at, items) in enumerate(expected.items()):
        restore(engine, at, f"at-{number}")
        found = sorted(scan(engine, f"at-{number}")["Items"], key=lambda item: item["pk"]["S"])
        assert found == items, at
    restore(engine, None)
    assert scan(engine, "restored")["Items"] == [texts(pk="b", sk="1")]


def test_restore_table_to_point_in_time_responds_with_the_source_and_the_time(engine: Engine, clock: Clock) -> None:
    set_recovery(engine, True)
    at = clock.time
    clock.time += 5
    answer = restore(engine, at, OnDemandThroughputOverride={"MaxReadRequestUnits": 5})
    assert answer["TableStatus"] == "CREATING"
    summary = {"SourceTableArn": engine.arn("table"), "RestoreDateTime": at, "RestoreInProgress": True}
    assert answer["RestoreSummary"] == summary
    table = engine.call("DescribeTable", {"TableName": "restored"})["Table"]
    assert (table["TableStatus"], table["RestoreSummary"]["RestoreInProgress"]) == ("ACTIVE", False)
    assert table["OnDemandThroughput"] == {"MaxReadRequestUnits": 5}
    assert table["CreationDateTime"] == at + 5


def test_restore_table_to_point_in_time_accepts_the_arn_of_the_source(engine: Engine) -> None:
    set_recovery(engine, True)
    put(engine, texts(pk="a", sk="1"))
    restore(engine, None, SourceTableName=None, SourceTableArn=engine.arn("table"))
    assert scan(engine, "restored")["Count"] == 1


def test_point_in_time_recovery_may_be_enabled_after_a_stream(engine: Engine, clock: Clock) -> None:
    specification = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    engine.call("UpdateTable", {"TableName": "table", "StreamSpecification": specification})
    put(engine, texts(pk="a", sk="1"))
    clock.time += 1
    set_recovery(engine, True)
    at = clock.time
    clock.time += 1
    delete(engine, texts(pk="a", sk="1"))
    restore(engine, at)
    assert scan(engine, "restored")["Items"] == [texts(pk="a", sk="1")]


@refusals(
    Refused("no source", {"SourceTableName": "missing"}, "Table not found: missing", "TableNotFoundException"),
    Refused(
        "an existing target",
        {"TargetTableName": "table"},
        "Table already exists: table",
        "TableAlreadyExistsException",
    ),
    Refused(
        "two sources",
        {"SourceTableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/table"},
        f"{INVALID}Exactly one of SourceTableArn and SourceTableName must be specified",
    ),
    Refused(
        "two moments",
        {"RestoreDateTime": 5.0},
        f"{INVALID}Exactly one of UseLatestRestorableTime and RestoreDateTime must be specified",
    ),
    *(
        Refused(
            claim,
            {"UseLatestRestorableTime": None, "RestoreDateTime": at},
            "The time must be between EarliestRestorableDateTime and LatestRestorableDateTime of the table",
            "InvalidRestoreTimeException",
        )
        for claim, at in (("a moment before recovery", 999_999.0), ("a moment to come", 1_000_011.0), ("never", 1e300))
    ),
)
def test_restore_table_to_point_in_time_rejects_an_invalid_request(engine: Engine, clock: Clock, row: Refused) -> None:
    set_recovery(engine, True)
    clock.time += 10
    common = {"SourceTableName": "table", "TargetTableName": "restored", "UseLatestRestorableTime": True}
    assert_refused(engine, "RestoreTableToPointInTime", row, **common)


def test_restore_table_to_point_in_time_rejects_a_table_without_recovery(engine: Engine) -> None:
    row = Refused(
        "",
        {"SourceTableName": "table", "TargetTableName": "restored", "UseLatestRestorableTime": True},
        "Point in time recovery is not enabled for table 'table'",
        "PointInTimeRecoveryUnavailableException",
    )
    assert_refused(engine, "RestoreTableToPointInTime", row)


KEYS = st.sampled_from("abc")
VALUES = st.sampled_from("xyz")
WRITES = st.lists(st.tuples(KEYS, VALUES | st.none(), st.integers(0, 2)), max_size=12)


@given(WRITES, WRITES, st.data())
def test_restore_table_to_point_in_time_restores_any_time(
    first: list[Any], later: list[Any], data: st.DataObject
) -> None:
    """Random writes with a clock that sometimes stops. Every second can be restored, with its index entries."""
    time = Clock()
    with Engine(now=time, sweep_seconds=None) as made:
        create_indexed(made)
        _write(made, time, first)
        set_recovery(made, True)
        states = {time.time: _state(made)}
        for write in later:
            _write(made, time, [write])
            states[time.time] = _state(made)
        at = data.draw(st.sampled_from(sorted(states)))
        restore(made, at)
        assert _state(made, "restored") == states[at]


def _write(engine: Engine, clock: Clock, writes: list[Any]) -> None:
    for key, value, seconds in writes:
        clock.time += seconds
        if value is None:
            delete(engine, texts(pk=key, sk="1"))
        else:
            put(engine, texts(pk=key, sk="1", gsiPk=value, lsiSk=value))


def _state(engine: Engine, table: str = "table") -> list[Any]:
    return [scan(engine, table, **source)["Items"] for source in ({}, {"IndexName": "gsi"}, {"IndexName": "lsi"})]


@pytest.mark.parametrize("is_large", [False, True])
def test_log_retention_discards_only_changes_outside_the_recovery_period(
    engine: Engine, clock: Clock, monkeypatch: pytest.MonkeyPatch, is_large: bool
) -> None:
    if is_large:
        monkeypatch.setattr("singletable.engine.backups.backup_records.SMALL_ITEMS", 0)
    set_recovery(engine, True, RecoveryPeriodInDays=2)
    for _ in range(5):
        put(engine, texts(pk="a", sk="1", version=str(clock.time)))
        clock.time += 86_400
    engine.sweep()
    at = clock.time - 2 * 86_400
    restore(engine, at)
    assert scan(engine, "restored")["Items"] == [texts(pk="a", sk="1", version=str(at))]
