"""Proposed keys: parameters before indexes, shards before one partition, and no more indexes than DynamoDB allows."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import pytest

from singletable import Page, Table, entity, pattern, query
from singletable.model.design import Design
from singletable.planner.key_proposals import propose_keys
from singletable.planner.plan import UnsupportedPattern
from singletable.planner.planner import plan
from singletable.planner.remedies import remedy
from singletable.planner.remedy import AddParameter, Remedy, SetKeyword

Status = Literal["OPEN", "PAID"]


@dataclass
class Fields:
    id: str
    tenant_id: str
    status: Status
    created_at: datetime


@entity(key=("TENANT#{tenant_id}", "ORDER#{created_at}#{id}"))
class Order(Fields): ...


@entity(key=("SETTING#{id}", "METADATA"), expected_items=40)
class Setting(Fields): ...


@entity(key=("EVENT#{id}", "METADATA"))
class Event(Fields): ...


class Shop(Table, entities=[Order, Setting, Event]):
    @pattern()
    def newest(self) -> Page[Order]:
        return query(Order, newest_first=True)

    @pattern(frequency="low")
    def settings(self) -> Page[Setting]:
        return query(Setting)

    @pattern(frequency="low")
    def events(self) -> Page[Event]:
        return query(Event)

    @pattern(frequency="very high")
    def events_often(self) -> Page[Event]:
        return query(Event, newest_first=True)

    @pattern(frequency="very high")
    def events_in_status(self, status: Status) -> Page[Event]:
        return query(Event)


def remedy_of(name: str, design: Design = Shop.design) -> Remedy:
    declared = design.pattern(name)
    assert declared is not None
    outcome = plan(design, declared)
    assert isinstance(outcome, UnsupportedPattern)
    return remedy(design, outcome)


def sources(found: Remedy) -> list[list[str]]:
    return [[edit.code for edit in each.edits] for each in found.alternatives]


def test_remedies_propose_a_parameter_before_an_index() -> None:
    found = remedy_of("newest")
    first = found.alternatives[0]
    assert [type(edit) for edit in first.edits] == [AddParameter]
    assert first.edits[0].code == "tenant_id: str"
    assert first.needs_decision
    assert found.automatic is None
    assert any(isinstance(edit, SetKeyword) for edit in found.alternatives[1].edits)


def test_key_proposals_put_a_bounded_list_into_one_partition_with_its_load() -> None:
    found = remedy_of("settings")
    assert sources(found)[0] == ['gsi1=("SETTING", "{id}")', 'expected_per_partition={"gsi1": 40}']
    effect = found.alternatives[0].effect
    assert effect.startswith(
        "All Setting items (40) are then in one partition of GSI1, which serves at most 3,000 read"
    )
    assert effect.endswith("per second.")


def test_key_proposals_shard_an_unbounded_list_first() -> None:
    found = remedy_of("events")
    sharded = ['gsi1=("EVENT#{shard}", "{id}")', 'derived={"shard": shard("id", of=8)}']
    assert sources(found)[0][:2] == sharded
    assert sources(found)[0][-1] == "fanout=8"
    assert len(found.alternatives) == 1  # without shards, ST122 would report one partition for a growing list


@pytest.mark.parametrize("name", ["events_often", "events_in_status"])
def test_key_proposals_never_put_frequent_reads_into_few_partitions(name: str) -> None:
    (only,) = remedy_of(name).alternatives
    assert any("{shard}" in edit.code for edit in only.edits)


def test_key_proposals_stop_at_the_maximum_number_of_indexes() -> None:
    keys: Any = {f"gsi{number}": (f"N{number}#{{status}}", "{id}") for number in range(1, 21)}

    @entity(key=("FULL#{id}", "METADATA"), **keys)
    class Full(Fields): ...

    class Many(Table, entities=[Full]):
        @pattern()
        def of_tenant(self, tenant_id: str) -> Page[Full]:
            return query(Full)

    declared = Many.design.pattern("of_tenant")
    assert declared is not None
    assert propose_keys(Many.design, declared) is None
