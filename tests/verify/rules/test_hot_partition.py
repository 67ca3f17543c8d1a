"""Hot partitions: how many partitions a pattern touches, when it is frequent, and what each of them has to give."""

import enum
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

import pytest

from singletable import (
    GSI,
    KEYS_ONLY,
    Page,
    Table,
    count,
    create,
    delete,
    entity,
    field,
    get,
    native,
    pattern,
    put,
    query,
    shard,
    skewed,
    update,
)
from singletable.verify.design_check import check

Ten = Literal["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
Eleven = Literal["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"]


class Region(enum.Enum):
    EUROPE = "eu"
    ASIA = "as"


@entity(
    key=("ORDER#{id}", "META"),
    gsi1=("ALL", "{at:seconds}#{id}"),
    gsi2=("TEN#{ten}", "{id}"),
    gsi3=("ELEVEN#{eleven}", "{id}"),
    gsi4=("PAIR#{region}#{open}", "{id}"),
    gsi5=("CUST#{customer}", "{id}"),
    gsi6=("SHARD#{shard}", "{customer}#{id}"),
    gsi7=(native("region"), native("at", "seconds")),
    derived={"shard": shard("id", of=4)},
    expected_bytes=4000,
    expected_per_partition={**{f"gsi{number}": 100 for number in range(1, 8)}, "gsi6": 25},
)
@dataclass
class Order:
    id: str
    at: datetime
    ten: Ten
    eleven: Eleven
    region: Region
    open: bool
    customer: str


class Reads(Table, entities=[Order]):
    """A hundred orders of 4,000 bytes are 98 read units, and half as many when they are read eventually consistent."""

    @pattern(rate=100)
    def every_order(self) -> Page[Order]:
        return query(Order, newest_first=True)

    @pattern(rate=100)
    def of_ten(self, ten: Ten) -> Page[Order]:
        return query(Order)

    @pattern(rate=100)
    def of_eleven(self, eleven: Eleven) -> Page[Order]:
        return query(Order)

    @pattern(rate=100)
    def of_pair(self, region: Region, open: bool) -> Page[Order]:
        return query(Order)

    @pattern(rate=100)
    def of_customer(self, customer: str) -> Page[Order]:
        return query(Order)

    @pattern(rate=100)
    def of_one_customer(self) -> Page[Order]:
        return query(Order, where=lambda order: order.customer == "c1")

    @pattern(rate=100)
    def of_one_of_ten(self) -> Page[Order]:
        return query(Order, where=lambda order: order.ten == "a")

    @pattern(rate=100)
    def of_region(self, region: Region) -> Page[Order]:
        return query(Order, newest_first=True)

    @pattern(rate=100, fanout=4)
    def of_shards(self) -> Page[Order]:
        return query(Order, order_by=lambda order: order.customer)

    @pattern(rate=100)
    def order(self, id: str) -> Order | None:
        return get(Order)


READS = {
    "every_order": "one partition of GSI1, {}: about 4900 read units per second; the limit of a partition is 3000",
    "of_ten": "10 partitions of GSI2, {}: "
    "about 490 read units per second per partition; the limit of a partition is 3000",
    "of_eleven": None,
    "of_pair": "4 partitions of GSI4, {}: "
    "about 1225 read units per second per partition; the limit of a partition is 3000",
    "of_customer": None,
    "of_one_customer": "one partition of GSI5, {}: about 4900 read units per second; the limit of a partition is 3000",
    "of_one_of_ten": "one partition of GSI2, {}: about 4900 read units per second; the limit of a partition is 3000",
    "of_region": "2 partitions of GSI7, {}: "
    "about 2450 read units per second per partition; the limit of a partition is 3000",
    "of_shards": None,
    "order": None,
}


def messages(table: type[Table]) -> list[tuple[str, str]]:
    return [(finding.subject, finding.message) for finding in check(table.design).findings if finding.code == "ST109"]


@pytest.mark.parametrize("name", READS)
def test_the_hot_partition_rule_counts_the_partitions_of_a_read(name: str) -> None:
    found = [message for subject, message in messages(Reads) if subject == name]
    expected = READS[name]
    assert len(found) == (expected is not None)
    for message in found:
        assert expected is not None
        before, after = expected.split("{}")
        assert before in message
        assert after in message


class Often(Table, entities=[Order]):
    @pattern(rate=99)
    def a_little_less(self) -> Page[Order]:
        return query(Order, newest_first=True)

    @pattern(rate=100)
    def just_enough(self) -> Page[Order]:
        return query(Order, newest_first=True)

    @pattern(frequency=100)
    def as_a_number(self) -> Page[Order]:
        return query(Order, newest_first=True)

    @pattern(frequency="medium")
    def medium(self) -> Page[Order]:
        return query(Order, newest_first=True)

    @pattern(frequency="high")
    def high(self) -> Page[Order]:
        return query(Order, newest_first=True)

    @pattern(frequency="very high")
    def very_high(self) -> Page[Order]:
        return query(Order, newest_first=True)

    @pattern(frequency="very high", rate=5)
    def a_rate_says_more_than_a_word(self) -> Page[Order]:
        return query(Order, newest_first=True)

    @pattern()
    def nobody_knows(self) -> Page[Order]:
        return query(Order, newest_first=True)


def test_the_hot_partition_rule_treats_100_calls_per_second_and_the_word_high_as_frequent() -> None:
    assert [subject for subject, _ in messages(Often)] == ["just_enough", "as_a_number", "high", "very_high"]


def test_the_hot_partition_rule_shows_the_load_when_the_rate_is_known() -> None:
    said = {subject: "units per second" in message for subject, message in messages(Often)}
    assert said == {"just_enough": True, "as_a_number": True, "high": False, "very_high": False}


@entity(
    key=("EVENT#{id}", "META"),
    gsi1=("ALL", "{at:seconds}#{id}"),
    gsi2=("STATE#{open}", "{id}"),
    gsi3=("SHARD#{shard}", "{id}"),
    derived={"shard": shard("id", of=4)},
    expected_bytes=2500,
)
@dataclass
class Event:
    id: str
    at: datetime
    open: bool


class Writes(Table, entities=[Event], indexes=[GSI("gsi2", projection=KEYS_ONLY)]):
    """An event of 2,500 bytes is three write units, and one in an index that holds its keys only."""

    @pattern(rate=600)
    def report(self, event: Event) -> Event:
        return put(Event)

    @pattern(rate=2000)
    def report_more(self, event: Event) -> Event:
        return put(Event)

    @pattern(rate=600)
    def shut(self, id: str) -> Event:
        return update(Event, field(Event, lambda event: event.open).set(False))

    @pattern(rate=600)
    def forget(self, id: str) -> Event | None:
        return delete(Event)


WRITES = {
    (
        "report",
        "GSI1",
    ): "one partition of GSI1, {}: about 1800 write units per second; the limit of a partition is 1000",
    (
        "report",
        "GSI2",
    ): "2 partitions of GSI2, {}: about 300 write units per second per partition; the limit of a partition is 1000",
    (
        "report_more",
        "GSI1",
    ): "one partition of GSI1, {}: about 6000 write units per second; the limit of a partition is 1000",
    (
        "report_more",
        "GSI2",
    ): "2 partitions of GSI2, {}: about 1000 write units per second per partition; the limit of a partition is 1000",
    # Four shards that take 1,500 units each are too few; below 1,000 they are what shards are for.
    (
        "report_more",
        "GSI3",
    ): "4 partitions of GSI3, {}: about 1500 write units per second per partition; the limit of a partition is 1000",
    # An update moves the item inside the one index whose key it changes: an entry taken away, and one written.
    (
        "shut",
        "GSI2",
    ): "2 partitions of GSI2, {}: about 600 write units per second per partition; the limit of a partition is 1000",
    (
        "forget",
        "GSI1",
    ): "one partition of GSI1, {}: about 1800 write units per second; the limit of a partition is 1000",
    (
        "forget",
        "GSI2",
    ): "2 partitions of GSI2, {}: about 300 write units per second per partition; the limit of a partition is 1000",
}


@entity(key=("STATS", "STATS"), expected_bytes=100)
@dataclass
class Stats:
    posts: int = 0
    name: str = "all"


@entity(key=("POST#{id}", "POST"), counted=[count(Stats, by={}, field="posts")], expected_bytes=100)
@dataclass
class Post:
    id: str


class Counters(Table, entities=[Stats, Post]):
    """A counter of everything."""

    @pattern(rate=600)
    def post(self, post: Post) -> Post:
        return create(Post)


def test_the_hot_partition_rule_finds_a_global_counter_that_every_write_uses() -> None:
    ((subject, message),) = messages(Counters)
    assert subject == "post"
    assert "writes to only one partition of the table" in message
    assert "about 1200 write units per second; the limit of a partition is 1000" in message


def test_the_hot_partition_rule_judges_each_index_of_a_write_by_its_own_entries() -> None:
    found = messages(Writes)
    assert len(found) == len(WRITES)
    for (name, index), expected in WRITES.items():
        (message,) = [text for subject, text in found if subject == name and f" of {index}, " in text]
        before, after = expected.split("{}")
        assert before in message
        assert after in message


@entity(
    key=("E#{id}", "META"),
    gsi1=("S#{status}", "{id}"),
    gsi2=("K#{kind}", "{id}"),
    gsi3=("D#{day}", "{id}"),
    cardinality={"status": 4, "kind": skewed(5, hottest=0.9)},
    expected_bytes=100,
)
@dataclass
class Reported:
    id: str
    status: str
    kind: str
    day: date


class Declared(Table, entities=[Reported]):
    """Declared numbers of values, and the partition of today."""

    @pattern(rate=1500)
    def report(self, reported: Reported) -> Reported:
        return put(Reported)

    @pattern(rate=1500)
    def in_status(self, status: str, *, limit: int = 5) -> Page[Reported]:
        return query(Reported)

    @pattern(rate=1500)
    def of_day(self, day: date, *, limit: int = 5) -> Page[Reported]:
        return query(Reported)


def test_the_hot_partition_rule_judges_declared_values_by_their_load_and_today_as_one_partition() -> None:
    limit = "the limit of a partition is 1000"
    assert messages(Declared) == [
        (
            "report",
            f'report: writes to only 5 partitions of GSI2, GSI2PK = "K#{{kind}}": about 1350 write units per second '
            f"per partition; {limit}",
        ),
        (
            "report",
            f'report: writes to only one partition of GSI3, GSI3PK = "D#{{day}}": about 1500 write units per second; '
            f"{limit}",
        ),
    ]
