"""Partitions of a few values, of the current day and of a constant, and the declarations that end the findings."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

from singletable import Page, Table, entity, pattern, query, shard, sparse
from singletable.verify.design_check import check


@entity(
    key=("E#{id}", "META"),
    gsi1=("S#{status}", "{id}"),
    gsi2=("F#{is_open}", "{id}"),
    gsi3=("D#{day}#{level}", "{id}"),
    gsi4=("ALL", "{id}"),
    gsi5=("C#{status}#{customer}", "{id}"),
    gsi6=("X#{shard}", "{id}"),
    gsi7=("COUNTRY#{country}#{status}", "{id}"),
    derived={"shard": shard("id", of=4)},
)
@dataclass
class Event:
    id: str
    status: str
    is_open: bool
    day: date
    level: Literal["a", "b"]
    customer: str
    country: str


@entity(key=("LIST", "O#{id}"))
@dataclass
class Other:
    id: str


@entity(key=("LIST", "P#{id}"))
@dataclass
class Another:
    id: str


@entity(
    key=("B#{id}", "META"),
    gsi1=("S#{status}", "{id}"),
    gsi4=("ALL", "{id}"),
    cardinality={"status": 4},
    expected_per_partition={"gsi4": 50},
)
@dataclass
class Bounded:
    id: str
    status: str


@entity(key=("SET#{status}", "ONE"), gsi1=sparse("S#{status}", "{since}"))
@dataclass
class Setting:
    status: str
    since: date | None


class Events(Table, entities=[Event, Other, Another, Bounded, Setting]):
    pass


def found(table: type[Table], code: str) -> list[str]:
    return [finding.message for finding in check(table.design).findings if finding.code == code]


def test_partitions_of_few_values_and_of_the_current_day_are_found() -> None:
    assert found(Events, "ST121") == [
        'Event: GSI1, GSI1PK = "S#{status}" has few partitions: status has about 10 values (a guess from the name)',
        'Event: GSI2, GSI2PK = "F#{is_open}" has few partitions: is_open has 2 values',
        'Event: GSI3, GSI3PK = "D#{day}#{level}" has few partitions: items that are written at the same time have the '
        "same day, level has 2 values",
    ]


def test_a_constant_partition_is_found_once_for_all_its_entities() -> None:
    most = "a partition serves at most 1,000 write units per second"
    assert found(Events, "ST122") == [
        f'Event: all items are in one partition of GSI4, GSI4PK = "ALL"; {most}',
        f'Other: all items are in one partition of the table, PK = "LIST", together with the items of Another; {most}',
    ]


@entity(key=("O#{id}", "META"), gsi1=("S#{status}", "{id}"), gsi2=("ALL", "{id}"))
@dataclass
class Order:
    id: str
    status: str


class Frequent(Table, entities=[Order]):
    @pattern(frequency="high")
    def in_status(self, status: str) -> Page[Order]:
        """List the orders in a status."""
        return query(Order)

    @pattern(frequency="high")
    def orders(self) -> Page[Order]:
        """List the orders."""
        return query(Order)


def test_partitions_that_a_frequent_pattern_uses_are_reported_as_hot_only() -> None:
    assert len(found(Frequent, "ST109")) == 2
    assert found(Frequent, "ST121") == []
    assert found(Frequent, "ST122") == []


def test_a_sparse_index_by_type_and_an_index_by_a_flag_have_few_partitions() -> None:
    @entity(
        key=("T#{id}", "META"),
        gsi1=sparse("{record_type}", "{since}"),
        gsi2=sparse("{status}", "{since}"),
        gsi3=("{enabled}", "{id}"),
    )
    @dataclass
    class Thing:
        id: str
        enabled: str
        record_type: str | None = None
        status: str | None = None
        since: date | None = None

    class Things(Table, entities=[Thing]):
        pass

    places = [message.split(": ", 1)[1].split(",")[0] for message in found(Things, "ST121")]
    assert places == ["GSI1", "GSI3"]
