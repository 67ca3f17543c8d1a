"""Time buckets in chosen keys: declared buckets with a declared fan-out, shards of a hot bucket, and other reads."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from singletable import Between, Page, Table, bucket, entity, get, pattern, put, query
from singletable.conformance.witness import witness
from singletable.design.designed_table import design_table
from singletable.design.model_workload import DesignOptions
from singletable.verify.design_check import check


@entity(identity=("id",), derived={"day": bucket("at", "day")})
@dataclass
class Event:
    id: str
    kind: str
    at: datetime


class Declared(Table, entities=[Event]):
    @pattern(fanout=31)
    def between(self, at: Between[datetime], *, limit: int = 20, cursor: str | None = None) -> Page[Event]:
        return query(Event, newest_first=True)

    @pattern()
    def of_kind(self, kind: str, at: Between[datetime], *, limit: int = 20, cursor: str | None = None) -> Page[Event]:
        return query(Event)


class Hot(Table, entities=[Event]):
    @pattern()
    def between(self, at: Between[datetime]) -> Page[Event]:
        return query(Event)

    @pattern()
    def event(self, id: str) -> Event | None:
        return get(Event)

    @pattern(rate=2_500)
    def add(self, event: Event) -> Event:
        return put(Event)


def test_a_range_of_times_with_a_declared_fan_out_is_one_query_for_each_bucket() -> None:
    table = design_table(Declared.design)
    assert table.keys["Event"] == {
        "key": ("DAY#{day}", "EVENT#{at}#{id}"),
        "gsi1": ("KIND#{kind}", "EVENT#{at}#{id}"),
    }
    assert [str(each) for each in check(table.after).findings if each.fails] == []
    report = witness(table.after, seed=1)
    assert report.passes, "\n".join(map(str, report.differences))
    assert report.calls["between"]


def test_without_a_declared_fan_out_the_bucket_is_not_used_and_all_events_are_in_one_partition() -> None:
    table = design_table(Hot.design)
    (missing,) = table.not_served
    assert missing.pattern == "between"
    assert "the only partition gets 2,500 write units per second" in missing.reason


def test_all_writes_go_to_the_current_bucket_so_a_hot_bucket_is_split_into_shards() -> None:
    table = design_table(Hot.design, DesignOptions(fan_out=True))
    assert table.keys["Event"]["gsi1"] == ("DAY#{day}#{shard}", "EVENT#{at}#{id}")
    assert [each.source for each in table.added["Event"]] == ['shard("id", of=3)']
    assert table.fanouts == {"between": 36}
    assert not table.not_served
