"""Feeds: the keys of several entities in one order, the reads that can share such keys, and feeds without an order."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from singletable import Page, Since, Table, entity, get, pattern, query
from singletable.conformance.witness import witness
from singletable.design.design_report import certificate_lines
from singletable.design.designed_table import DesignedTable, design_table
from singletable.verify.design_check import check


@entity(identity=("id",))
@dataclass
class Post:
    id: str
    wall: str
    at: datetime


@entity(identity=("id",))
@dataclass
class Photo:
    id: str
    wall: str
    taken_at: datetime


class Walls(Table, entities=[Post, Photo]):
    @pattern()
    def feed(self, wall: str, *, limit: int = 20, cursor: str | None = None) -> Page[Post | Photo]:
        return query(Post, Photo, newest_first=True)

    @pattern()
    def feed_since(self, wall: str, at: Since[datetime]) -> Page[Post | Photo]:
        return query(Post, Photo)


class WallsWithLists(Table, entities=[Post, Photo]):
    @pattern()
    def feed(self, wall: str, *, limit: int = 20, cursor: str | None = None) -> Page[Post | Photo]:
        return query(Post, Photo, newest_first=True)

    @pattern()
    def latest(self, *, limit: int = 20, cursor: str | None = None) -> Page[Post | Photo]:
        return query(Post, Photo, newest_first=True)

    @pattern()
    def posts(self, wall: str, *, limit: int = 20, cursor: str | None = None) -> Page[Post]:
        return query(Post, newest_first=True)

    @pattern()
    def photo(self, wall: str, taken_at: datetime, id: str) -> Photo | None:
        return get(Photo)


def compared(table: DesignedTable) -> set[str]:
    """Return the reads that the witness check compared."""
    report = witness(table.after, seed=3)
    assert report.passes, "\n".join(map(str, report.differences))
    return set(report.calls)


def test_the_entities_of_a_feed_share_the_partition_and_the_column_of_the_order() -> None:
    table = design_table(Walls.design)
    assert table.keys == {
        "Photo": {"key": ("WALL#{wall}", "FEED#{taken_at}#PHOTO#{id}")},
        "Post": {"key": ("WALL#{wall}", "FEED#{at}#POST#{id}")},
    }
    assert not table.not_served
    assert [str(each) for each in check(table.after).findings if each.fails] == []
    assert compared(table) == {"feed", "feed_since"}


def test_a_read_of_one_entity_needs_its_own_key_but_a_read_of_one_item_can_use_the_key_of_a_feed() -> None:
    table = design_table(WallsWithLists.design)
    assert table.solution.indexes == 2
    assert table.keys["Photo"]["key"] == ("WALL#{wall}", "FEED#{taken_at}#PHOTO#{id}")
    assert {"LATEST", "WALL#{wall}"} == {templates[0] for templates in table.keys["Post"].values()}
    assert compared(table) == {"feed", "latest", "posts", "photo"}
    assert (
        "  posts and feed: items of Photo and Post alternate in a feed, "
        "so another read with this key would read all of them."
    ) in certificate_lines(table)


@entity(identity=("id",))
@dataclass
class Note:
    id: str
    wall: str
    day: date


def test_feed_reads_of_times_of_different_types_are_not_served_and_the_reason_names_them() -> None:
    class Mixed(Table, entities=[Post, Note]):
        @pattern()
        def feed(self, wall: str) -> Page[Post | Note]:
            return query(Post, Note, newest_first=True)

    (missing,) = design_table(Mixed.design).not_served
    assert missing.reason == "Post.at and Note.day have different types, so one sort key cannot order them"


@entity(key=("WALL#{wall}", "PIN#{at}#{id}"))
@dataclass
class Pin:
    id: str
    wall: str
    at: datetime


def test_feed_reads_with_an_entity_that_has_a_key_are_not_served_and_the_remedy_names_it() -> None:
    class Pinned(Table, entities=[Post, Pin]):
        @pattern()
        def feed(self, wall: str) -> Page[Post | Pin]:
            return query(Post, Pin, newest_first=True)

    (missing,) = design_table(Pinned.design).not_served
    assert missing.remedy == "Remove key= of Pin."


@entity(identity=("id",))
@dataclass
class Score:
    id: str
    game: str
    points: int


@entity(identity=("id",))
@dataclass
class Bonus:
    id: str
    game: str
    points: int


def test_feed_reads_with_the_highest_number_first_have_this_number_in_their_keys() -> None:
    class Game(Table, entities=[Score, Bonus]):
        @pattern()
        def ranking(self, game: str) -> Page[Score | Bonus]:
            return query(Score, Bonus, descending=True)

    table = design_table(Game.design)
    assert table.keys["Bonus"] == {"key": ("GAME#{game}", "RANKING#{points:number}#BONUS#{id}")}
    assert compared(table) == {"ranking"}
