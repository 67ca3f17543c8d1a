"""Sample calls: every kind of parameter gets a valid argument."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import Enum
from typing import Any

import pytest

from singletable import Between, Page, Prefix, Since, Table, Until, entity, pattern, put, query
from singletable.document.pattern_sections import SampleCall, sample_call
from singletable.planner.plan import Plan
from singletable.planner.planner import plan
from singletable.sample_rows.generate_rows import sample_rows


class Kind(Enum):
    START = "start"
    STOP = "stop"


@entity(key=("DEVICE#{device_id}", "{at:seconds}#{id}"), gsi1=("KIND#{kind}", "{on}#{id}"), gsi2=("ALL", "{name}#{id}"))
@dataclass
class Event:
    device_id: str
    id: str
    at: datetime
    on: date
    kind: Kind
    name: str

    def __post_init__(self) -> None:
        raise ValueError("a sample is not what I accept")


class Events(Table, entities=[Event]):
    @pattern()
    def between(self, device_id: str, at: Between[datetime]) -> Page[Event]:
        return query(Event)

    @pattern()
    def since(self, kind: Kind, on: Since[date]) -> Page[Event]:
        return query(Event)

    @pattern()
    def until(self, kind: Kind, on: Until[date]) -> Page[Event]:
        return query(Event)

    @pattern()
    def named(self, name: Prefix[str]) -> Page[Event]:
        return query(Event)

    @pattern()
    def add(self, event: Event) -> Event:
        return put(Event)


ROWS = sample_rows(Events.design).values


def call(name: str, rows: Any = ROWS) -> SampleCall | None:
    declared = Events.design.pattern(name)
    assert declared is not None
    planned = plan(Events.design, declared)
    assert isinstance(planned, Plan)
    return sample_call(Events.design, planned, rows)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("between", 'between(device_id="d1", at=2026-01-12T09:30:00+00:00 to 2026-01-18T12:10:00+00:00)'),
        ("since", 'since(kind="start", on=Since(2026-01-12))'),
        ("until", 'until(kind="start", on=Until(2026-01-18))'),
        ("named", 'named(name=Prefix("E"))'),
        ("add", "add(event=Event(…))"),
    ],
)
def test_pattern_sections_show_a_sample_call_as_readable_code(name: str, text: str) -> None:
    found = call(name)
    assert found is not None
    assert found.text == text
    assert len(found.requests) == 1


def test_pattern_sections_make_a_sample_object_without_validation() -> None:
    found = call("add")
    assert found is not None
    assert found.requests[0].parameters["Item"]["PK"] == {"S": "DEVICE#d1"}


def test_pattern_sections_take_sample_arguments_from_a_row_that_has_them_all() -> None:
    whole = ROWS["Event"][1]
    found = call("since", {"Event": [{**ROWS["Event"][0], "kind": None}, whole]})
    assert found is not None
    assert found.text.startswith(f'since(kind="{whole["kind"].value}"')


def test_pattern_sections_without_rows_take_sample_arguments_from_types() -> None:
    found = call("since", {})
    assert found is not None
    assert found.text.startswith('since(kind="start"')
    assert call("add", {}) is None


def test_pattern_sections_show_sample_ranges_that_cover_the_times_of_the_rows() -> None:
    assert ROWS["Event"][0]["at"] == datetime(2026, 1, 12, 9, 30, tzinfo=UTC)
