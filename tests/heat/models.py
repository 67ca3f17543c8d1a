"""A table of measurements with declared rates and cardinalities, in the forms that heat has something to say about."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from singletable import (
    GSI,
    KEYS_ONLY,
    Between,
    Page,
    Table,
    bucket,
    copy,
    count,
    create,
    entity,
    get,
    native,
    pattern,
    put,
    query,
    shard,
    skewed,
    update,
)
from singletable.model.update_changes import field


@entity(
    key=("DEVICE#{device_id}", "EVT#{at:seconds}#{id}"),
    gsi1=("EVTTYPE#{kind}", "{at:seconds}#{device_id}#{id}"),
    cardinality={"device_id": 20_000, "kind": skewed(6, hottest=0.7)},
    expected_bytes=200,
)
@dataclass
class Event:
    device_id: str
    id: str
    at: datetime
    kind: str


class Events(Table, entities=[Event]):
    @pattern(rate=1, expected_items=100, expected_examined=100)
    def of_kind(self, kind: str, at: Between[datetime], *, limit: int = 100, cursor: str | None = None) -> Page[Event]:
        """Events of a kind in a time."""
        return query(Event)

    @pattern(rate=500)
    def report(self, event: Event) -> Event:
        """Store what a device reports."""
        return put(Event)


@entity(
    key=("DEVICE#{device_id}", "EVT#{at:seconds}#{id}"),
    gsi1=("EVTTYPE#{kind}#{part}", "{at:seconds}#{device_id}#{id}"),
    derived={"part": shard("id", of=10)},
    cardinality={"device_id": 20_000, "kind": skewed(6, hottest=0.7)},
    expected_bytes=200,
    name="Event",
)
@dataclass
class SpreadEvent:
    device_id: str
    id: str
    at: datetime
    kind: str


class SpreadEvents(Table, entities=[SpreadEvent]):
    @pattern(rate=500)
    def report(self, event: SpreadEvent) -> SpreadEvent:
        """Store what a device reports."""
        return put(SpreadEvent)


@entity(key=("PAGE#{id}", "META"), cardinality={"id": skewed(1000, hottest=0.9)}, expected_bytes=100)
@dataclass
class WebPage:
    id: str
    text: str


@entity(key=("PAGE#{page_id}", "NOTE#{id}"), cardinality={"page_id": skewed(1000, hottest=0.9)}, expected_bytes=100)
@dataclass
class Note:
    page_id: str
    id: str
    text: str


class Pages(Table, entities=[WebPage, Note]):
    @pattern(rate=10_000)
    def page(self, id: str) -> WebPage | None:
        """Get a page."""
        return get(WebPage)


class Notes(Table, entities=[Note]):
    @pattern(rate=2_000)
    def correct(self, page_id: str, id: str, text: str) -> Note:
        """Correct a note."""
        return update(Note, field(Note, lambda note: note.text).set(text))


@entity(
    key=("MEMBER#{id}", "META"),
    gsi1=("MEMBER", "{joined:seconds}"),
    expected_bytes=188,
    expected_per_partition={"gsi1": 5000},
)
@dataclass
class Member:
    id: str
    joined: datetime


class Members(Table, entities=[Member]):
    @pattern(rate=1)
    def by_signup(self) -> Page[Member]:
        """All members, in the order in which they came."""
        return query(Member)


@entity(key=(native("symbol"), native("at")), cardinality={"symbol": skewed(100, hottest=0.5)}, expected_bytes=100)
@dataclass
class Tick:
    symbol: str
    at: int
    price: int


class Tickers(Table, entities=[Tick], type_attribute=None):
    @pattern(rate=1000)
    def record(self, tick: Tick) -> Tick:
        """Record a price."""
        return put(Tick)


@entity(
    key=("LEDGER#{ledger}", "ENTRY#{id}"),
    cardinality={"ledger": 4},
    expected_bytes=400,
    expected_per_partition={"key": 100_000},
)
@dataclass
class Entry:
    ledger: str
    id: str
    text: str


class Ledgers(Table, entities=[Entry]):
    """A ledger of 40 MB, which somebody reads whole now and then."""

    @pattern(rate=0.0001)
    def whole_ledger(self, ledger: str) -> Page[Entry]:
        """All entries of a ledger."""
        return query(Entry)

    @pattern(rate=400)
    def entry(self, ledger: str, id: str) -> Entry | None:
        """Get an entry."""
        return get(Entry)


@entity(
    key=("SENSOR#{sensor}#{day}", "{at:seconds}"),
    derived={"day": bucket("at", "day")},
    cardinality={"sensor": 1},
    expected_bytes=100,
    expected_per_partition={"key": 1_000},
)
@dataclass
class Reading:
    sensor: str
    at: datetime
    value: int


class Sensors(Table, entities=[Reading]):
    @pattern(rate=10, fanout=8)
    def week(self, sensor: str, at: Between[datetime]) -> Page[Reading]:
        """The readings of some days."""
        return query(Reading)


@entity(key=("FORUM#{name}", "STATS"), cardinality={"name": 3}, expected_bytes=100)
@dataclass
class Forum:
    name: str
    posts: int = 0


@entity(
    key=("POST#{id}", "POST"),
    counted=[count(Forum, by={"name": "forum"}, field="posts")],
    cardinality={"id": 10_000_000, "forum": 3},
    expected_bytes=200,
)
@dataclass
class Post:
    id: str
    forum: str


class Forums(Table, entities=[Forum, Post]):
    @pattern(rate=3000)
    def post(self, post: Post) -> Post:
        """Say something in a forum, which counts it."""
        return create(Post)


@entity(
    key=("READING#{id}", "READING"),
    gsi1=("DAY#{day}", "{at:seconds}#{id}"),
    derived={"day": bucket("at", "day")},
    cardinality={"id": 20_000},
    expected_bytes=100,
    expected_per_partition={"gsi1": 1_000},
)
@dataclass
class Daily:
    id: str
    at: datetime


class Dailies(Table, entities=[Daily]):
    @pattern(rate=500)
    def report(self, reading: Daily) -> Daily:
        """Store a reading."""
        return put(Daily)

    @pattern(rate=10, fanout=7)
    def week(self, at: Between[datetime], *, limit: int = 50, cursor: str | None = None) -> Page[Daily]:
        """The readings of some days."""
        return query(Daily)


@entity(
    key=("TASK#{id}", "TASK"),
    gsi1=("STATE#{state}", "{at:seconds}#{id}"),
    cardinality={"id": 20_000, "state": 3},
    expected_bytes=100,
    expected_per_partition={"gsi1": 1_000},
)
@dataclass
class Task:
    id: str
    at: datetime
    state: Literal["A", "B", "C"]


class Tasks(Table, entities=[Task]):
    @pattern(rate=1_500)
    def report(self, task: Task) -> Task:
        """Store a task."""
        return put(Task)

    @pattern(rate=1, fanout=3)
    def in_any_state(self, *, limit: int = 50, cursor: str | None = None) -> Page[Task]:
        """The tasks of all states."""
        return query(Task)

    @pattern(rate=1)
    def in_state(self, state: Literal["A", "B", "C"], *, limit: int = 50, cursor: str | None = None) -> Page[Task]:
        """The tasks of a state."""
        return query(Task)


@entity(
    key=("READING#{id}", "READING"),
    gsi1=("DAY#{day}#{part}", "{at:seconds}#{id}"),
    derived={"day": bucket("at", "day"), "part": shard("id", of=8)},
    cardinality={"id": 20_000},
    expected_bytes=100,
    expected_per_partition={"gsi1": 1_000},
    name="Daily",
)
@dataclass
class SpreadReading:
    id: str
    at: datetime


class SpreadReadings(Table, entities=[SpreadReading]):
    @pattern(rate=10, fanout=56)
    def week(self, at: Between[datetime], *, limit: int = 50, cursor: str | None = None) -> Page[SpreadReading]:
        """The readings of some days, of which each is in eight partitions."""
        return query(SpreadReading)

    @pattern(rate=10, fanout=7)
    def hopeless(self, at: Between[datetime], *, limit: int = 50, cursor: str | None = None) -> Page[SpreadReading]:
        """The same with a fan-out that not even one day keeps to."""
        return query(SpreadReading)


@entity(key=("FLOOD#{id}", "X"), gsi1=("ALL", "{at:seconds}#{id}"), cardinality={"id": 20_000_000}, expected_bytes=100)
@dataclass
class Drop:
    id: str
    at: datetime


class Flood(Table, entities=[Drop]):
    @pattern(rate=420_000)
    def report(self, drop: Drop) -> Drop:
        """Store a drop."""
        return put(Drop)

    @pattern(rate=3_000)
    def newest(self, *, limit: int = 5, cursor: str | None = None) -> Page[Drop]:
        """The newest drops."""
        return query(Drop)


@entity(key=("AUTHOR#{id}", "AUTHOR"), cardinality={"id": 1_000}, expected_bytes=300)
@dataclass
class Author:
    id: str
    name: str


@entity(
    key=("ARTICLE#{id}", "ARTICLE"),
    gsi1=("AUTHOR#{author}", "{id}"),
    gsi2=("LANGUAGE#{language}", "{id}"),
    gsi3=("MONTH#{month}", "{id}"),
    gsi4=("LIST#{list}", "{id}"),
    derived={"month": bucket("at", "month"), "list": shard("author", of=4)},
    copies=[copy(Author, by={"id": "author"}, fields={"name": "author_name"}, in_parts=True)],
    cardinality={"id": 900_000, "author": 1_000, "language": skewed(3, hottest=0.8)},
    expected_bytes=300,
    expected_per_partition={"gsi1": 900, "gsi3": 50},
)
@dataclass
class Article:
    id: str
    author: str
    language: str
    at: datetime
    author_name: str = ""


class Magazine(Table, entities=[Author, Article]):
    """Articles that are each in a partition of their own, and together in one of each index."""

    @pattern(rate=0.01, fanout=100)
    def rename(self, id: str, name: str) -> Author:
        """Rename an author, in all articles."""
        return update(Author, field(Author, lambda author: author.name).set(name))

    @pattern(rate=0.01, fanout=100)
    def welcome(self, author: Author) -> Author:
        """Store an author."""
        return create(Author)


@entity(
    key=("ARTICLE#{id}", "ARTICLE"),
    gsi1=("AUTHOR#{author}#{part}", "{id}"),
    derived={"part": shard("id", of=9)},
    copies=[copy(Author, by={"id": "author"}, fields={"name": "author_name"}, in_parts=True)],
    cardinality={"id": 900_000, "author": 1_000},
    expected_bytes=300,
    expected_per_partition={"gsi1": 100},
    name="Article",
)
@dataclass
class SpreadArticle:
    id: str
    author: str
    author_name: str = ""


class SpreadMagazine(Table, entities=[Author, SpreadArticle], indexes=[GSI("gsi1", projection=KEYS_ONLY)]):
    """The same number of articles in nine shards of an index that holds their keys alone."""

    @pattern(rate=0.01, fanout=100)
    def rename(self, id: str, name: str) -> Author:
        """Rename an author, in all articles."""
        return update(Author, field(Author, lambda author: author.name).set(name))


@entity(
    key=("VOLUME#{id}", "VOLUME"),
    gsi1=("AUTHOR#{author}", "{id}"),
    copies=[copy(Author, by={"id": "author"}, fields={"name": "author_name"}, in_parts=True)],
    cardinality={"id": 900_000, "author": 1_000},
    expected_bytes=5_000,
    expected_per_partition={"gsi1": 10_000},
)
@dataclass
class Volume:
    id: str
    author: str
    author_name: str = ""


class Encyclopedia(Table, entities=[Author, Volume]):
    """Copies that a whole second of a partition is not enough to read."""

    @pattern(rate=0.01, fanout=100)
    def rename(self, id: str, name: str) -> Author:
        """Rename an author, in all volumes."""
        return update(Author, field(Author, lambda author: author.name).set(name))


@entity(
    key=("DEVICE#{device_id}", "ALARM#{at:seconds}#{id}"),
    gsi1=("ALARMS#{kind}", "{at:seconds}#{device_id}#{id}"),
    cardinality={"device_id": 20_000, "kind": skewed(6, hottest=0.7)},
    expected_bytes=500,
)
@dataclass
class Alarm:
    device_id: str
    id: str
    at: datetime
    kind: str
    text: str


class Alarms(Table, entities=[Alarm], indexes=[GSI("gsi1", projection=KEYS_ONLY)]):
    """Alarms of a kind by an index that holds their keys alone."""

    @pattern(rate=500)
    def report(self, alarm: Alarm) -> Alarm:
        """Store what a device reports."""
        return put(Alarm)

    @pattern(rate=1)
    def of_kind(self, kind: str, at: Between[datetime], *, limit: int = 100, cursor: str | None = None) -> Page[Alarm]:
        """Alarms of a kind in a time."""
        return query(Alarm, hydrate=True)

    @pattern(rate=1, fanout=4, expected_items=250)
    def all_of_kind(self, kind: str) -> Page[Alarm]:
        """All alarms of a kind."""
        return query(Alarm, hydrate=True)
