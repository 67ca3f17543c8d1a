"""Deletion of item collections: children first and the root last, with derived data in sync.

It can be resumed anywhere.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, assert_type

import pytest

from singletable import (
    ArgumentRefused,
    BatchProgress,
    BatchResult,
    ConditionFailed,
    DesignError,
    ItemRefused,
    Key,
    Table,
    Unreachable,
    copy,
    count,
    entity,
    first_letter,
    get,
    key,
    native,
    pattern,
)
from singletable.planner.stored_items import key_of
from tests.client.between import Between, Document, between
from tests.client.places import Place, call
from tests.client.shop import Order, OrderItem, Shop, order
from tests.client.social import Follow, Follower, Post, Social, User, user

ROOT = key(Order, id="o0001")


def items_of(table: Table) -> list[tuple[str, str]]:
    """Return the keys of all stored items, including internal ones."""
    items = call(table, "Scan", ConsistentRead=True)["Items"]
    return sorted((item["PK"]["S"], item["SK"]["S"]) for item in items)


def filled(shop: Shop, children: int = 3) -> Shop:
    shop.put_many([order(1), *(OrderItem("o0001", f"s{number:04}") for number in range(children))])
    shop.put_many([order(2), OrderItem("o0002", "s0000")])
    return shop


def send(stands: Between, operation: str, **parameters: Any) -> None:
    """Send a request of another client. It is not recorded."""
    stands.inner.send(operation, json.dumps(parameters).encode())


def raw_key(table: Table, of: Key[Any]) -> Document:
    """Return a key in its stored form."""
    return key_of(next(each for each in table.design.entities if each.cls is of.entity), of.values)


OTHERS = [("ORDER#o0002", "ITEM#s0000"), ("ORDER#o0002", "METADATA")]


# Items without derived data


def test_delete_collection_deletes_a_collection_and_nothing_else(shop: Shop) -> None:
    filled(shop)
    result = shop.delete_collection(ROOT)
    assert_type(result, BatchResult[Key[Any] | Mapping[str, Any]])
    assert result == BatchResult(4)
    assert items_of(shop) == OTHERS


def test_delete_collection_deletes_the_root_last_and_by_a_request_of_its_own(shop: Shop) -> None:
    filled(shop, 30)
    seen = between(shop)
    assert shop.delete_collection(ROOT) == BatchResult(31)
    assert seen.operations == ["Query", "BatchWriteItem", "BatchWriteItem", "Query", "BatchWriteItem"]
    (write,) = seen.requests[-1]["RequestItems"]["Shop"]
    assert write["DeleteRequest"]["Key"]["SK"] == {"S": "METADATA"}
    assert all(request["ConsistentRead"] for request in seen.requests if "ConsistentRead" in request)
    assert shop.metrics.by_pattern["delete_collection"].requests == 2


def test_delete_collection_reads_only_keys_where_they_are_enough(shop: Shop) -> None:
    filled(shop)
    pages: list[Document] = []

    def note(operation: str, answer: Document) -> None:
        if operation == "Query":
            pages.append(answer)

    between(shop, None, note)
    shop.delete_collection(ROOT)
    assert {name for item in pages[0]["Items"] for name in item} == {"PK", "SK", "entity_type"}


def test_delete_collection_works_with_asyncio(shop: Shop) -> None:
    filled(shop)
    told: list[BatchProgress] = []

    async def awaited() -> None:
        result = await shop.aio.delete_collection(ROOT, progress=told.append)
        assert_type(result, BatchResult[Key[Any] | Mapping[str, Any]])
        assert result == BatchResult(4)

    asyncio.run(awaited())
    assert items_of(shop) == OTHERS
    assert told == [BatchProgress(3, 0, 0), BatchProgress(4, 0, 0)]


def test_delete_collection_reports_progress_with_totals_over_all_pages(shop: Shop) -> None:
    filled(shop, 450)

    def small_pages(operation: str, request: Document) -> Document | None:
        return {**request, "Limit": 100} if operation == "Query" else None

    seen = between(shop, small_pages)
    told: list[BatchProgress] = []
    assert shop.delete_collection(ROOT, progress=told.append) == BatchResult(451)
    assert [so_far.written for so_far in told] == [100, 200, 300, 400, 450, 451]
    assert len([each for each in seen.operations if each == "Query"]) >= 6
    assert items_of(shop) == OTHERS


def cut_after(table: Table, requests: int) -> Between:
    """Let some requests pass, and reject all later ones."""
    left = requests

    def cut(operation: str, request: Document) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Unreachable("the cable was cut", sent=False)

    return between(table, cut)


@pytest.mark.parametrize("requests", range(6))
def test_delete_collection_continues_an_interrupted_deletion_with_the_same_call(shop: Shop, requests: int) -> None:
    filled(shop, 60)  # the requests are a Query, three concurrent BatchWriteItem, a Query, and a BatchWriteItem
    stands = cut_after(shop, requests)
    with pytest.raises(Unreachable) as interrupted:
        shop.delete_collection(ROOT)
    assert interrupted.value.__notes__[-1].endswith("items before this error; repeat the call to continue.")
    shop._opened().session.transport = stands.inner
    assert shop.order("o0001") == order(1)
    assert shop.delete_collection(ROOT).failed == ()
    assert items_of(shop) == OTHERS


def test_delete_collection_without_its_root_deletes_the_rest(shop: Shop) -> None:
    filled(shop)
    shop.delete(ROOT)
    assert shop.delete_collection(ROOT) == BatchResult(3)
    assert items_of(shop) == OTHERS
    assert shop.delete_collection(ROOT) == BatchResult(0)


def test_delete_collection_deletes_items_that_appear_meanwhile(shop: Shop) -> None:
    filled(shop)
    added = iter(["a", "b"])

    def add(operation: str, request: Document) -> None:
        if operation == "BatchWriteItem" and (sku := next(added, None)) is not None:
            item = {"PK": {"S": "ORDER#o0001"}, "SK": {"S": f"ITEM#{sku}"}, "entity_type": {"S": "OrderItem"}}
            send(stands, "PutItem", TableName="Shop", Item=item)

    stands = between(shop, add)
    assert shop.delete_collection(ROOT) == BatchResult(6)
    assert items_of(shop) == OTHERS


def test_delete_collection_ends_before_the_root_if_items_keep_appearing(shop: Shop) -> None:
    filled(shop)
    number = 0

    def add(operation: str, request: Document) -> None:
        nonlocal number
        if operation == "BatchWriteItem":
            number += 1
            item = {"PK": {"S": "ORDER#o0001"}, "SK": {"S": f"ITEM#n{number}"}, "entity_type": {"S": "OrderItem"}}
            send(stands, "PutItem", TableName="Shop", Item=item)

    stands = between(shop, add)
    result = shop.delete_collection(ROOT)
    (failure,) = result.failed
    assert failure.value == ROOT
    assert isinstance(failure.reason, ConditionFailed)
    assert str(failure.reason) == (
        "Order with id='o0001' was not deleted: other writers keep adding items to its collection; stop these "
        "writers and call the method again"
    )
    assert shop.order("o0001") == order(1)


def test_delete_collection_deletes_neither_unknown_items_nor_their_root(shop: Shop) -> None:
    filled(shop)
    unknown = {"PK": {"S": "ORDER#o0001"}, "SK": {"S": "LEGACY#1"}}
    call(shop, "PutItem", Item={**unknown, "entity_type": {"S": "Bill"}})
    call(shop, "PutItem", Item={"PK": {"S": "ORDER#o0001"}, "SK": {"S": "Z"}})
    told: list[BatchProgress] = []
    result = shop.delete_collection(ROOT, progress=told.append)
    assert result.written == 3
    assert [failure.value for failure in result.failed] == [
        unknown,
        {"PK": {"S": "ORDER#o0001"}, "SK": {"S": "Z"}},
        ROOT,
    ]
    assert [type(failure.reason) for failure in result.failed] == [ItemRefused, ItemRefused, ConditionFailed]
    assert str(result.failed[0].reason) == (
        "the item {'PK': {'S': 'ORDER#o0001'}, 'SK': {'S': 'LEGACY#1'}} belongs to no entity of Shop and was not "
        "deleted.\n  Delete it with DeleteItem, or add its entity to the model."
    )
    assert str(result.failed[2].reason) == (
        "Order with id='o0001' was not deleted: 2 items of its collection could not be deleted"
    )
    assert told == [BatchProgress(3, 2, 0)]
    assert shop.order("o0001") == order(1)
    for item in call(shop, "Scan")["Items"]:
        if item["SK"]["S"] in ("LEGACY#1", "Z"):
            call(shop, "DeleteItem", Key={"PK": item["PK"], "SK": item["SK"]})
    assert shop.delete_collection(ROOT) == BatchResult(1)


def test_delete_collection_does_not_delete_an_unknown_item_in_place_of_the_root(shop: Shop) -> None:
    call(shop, "PutItem", Item={"PK": {"S": "ORDER#o0001"}, "SK": {"S": "METADATA"}, "entity_type": {"S": "Bill"}})
    result = shop.delete_collection(ROOT)
    assert [failure.value for failure in result.failed] == [{"PK": {"S": "ORDER#o0001"}, "SK": {"S": "METADATA"}}]
    assert items_of(shop) == [("ORDER#o0001", "METADATA")]


def test_delete_collection_deletes_unreadable_items_without_derived_data(shop: Shop) -> None:
    filled(shop)
    for sort, name in (("ITEM#bad", "OrderItem"), ("METADATA", "Order")):
        item = {"PK": {"S": "ORDER#o0001"}, "SK": {"S": sort}, "entity_type": {"S": name}, "quantity": {"S": "many"}}
        call(shop, "PutItem", Item=item)
    assert shop.delete_collection(ROOT) == BatchResult(5)
    assert items_of(shop) == OTHERS


def test_delete_collection_does_not_delete_an_item_whose_key_is_not_of_its_entity(shop: Shop) -> None:
    filled(shop)
    other = {"PK": {"S": "ORDER#o0001"}, "SK": {"S": "LINE#1"}}
    call(shop, "PutItem", Item={**other, "entity_type": {"S": "OrderItem"}, "order_id": {"S": "o1"}})
    result = shop.delete_collection(ROOT)
    assert [failure.value for failure in result.failed] == [other, ROOT]
    assert "has the type 'OrderItem', but its key does not match" in str(result.failed[0].reason)
    assert result.written == 3


def test_delete_collection_deletes_expired_items(place: Place) -> None:
    with place.open(Logins) as logins:
        logins.put(Account("a"))
        logins.put(Login("a", 1, expires_at=1))
        logins.put(Login("a", 2, expires_at=4_000_000_000))
        assert logins.delete_collection(key(Account, id="a")) == BatchResult(3)
        assert items_of(logins) == []


@entity(key=("ACCOUNT#{id}", "ACCOUNT"), version="version")
@dataclass
class Account:
    id: str
    version: int = 0


@entity(key=("ACCOUNT#{account}", "LOGIN#{number}"), ttl="expires_at", version="version")
@dataclass
class Login:
    account: str
    number: int
    expires_at: int
    version: int = 0


class Logins(Table, entities=[Account, Login]):
    @pattern()
    def account(self, id: str) -> Account | None:
        return get(Account)


@entity(key=("BOOK#{id}", "BOOK"))
@dataclass
class Book:
    id: str


@entity(key=("BOOK#{book}", "NAME#{letter}#{id}"), derived={"letter": first_letter("name")}, identity=("book", "id"))
@dataclass
class Name:
    book: str
    id: str
    name: str
    note: str = ""


class Books(Table, entities=[Book, Name], type_attribute=None):
    @pattern()
    def book(self, id: str) -> Book | None:
        return get(Book)


def test_delete_collection_supports_keys_with_derived_values_and_no_type_attribute(place: Place) -> None:
    with place.open(Books) as books:
        books.put_many([Book("b"), Name("b", "1", "Ada"), Name("b", "2", "Grace"), Name("c", "1", "Ada")])
        call(books, "PutItem", Item={"PK": {"S": "BOOK#b"}, "SK": {"S": "NAME#Z#3"}, "name": {"S": "Ada"}})
        result = books.delete_collection(key(Book, id="b"))
        stays = {"PK": {"S": "BOOK#b"}, "SK": {"S": "NAME#Z#3"}}
        assert [failure.value for failure in result.failed] == [stays, key(Book, id="b")]
        assert "has the fields of the Name with the key" in str(result.failed[0].reason)
        assert items_of(books) == [("BOOK#b", "BOOK"), ("BOOK#b", "NAME#Z#3"), ("BOOK#c", "NAME#A#1")]


@entity(key=(native("id"),))
@dataclass
class Setting:
    id: int


class Settings(Table, entities=[Setting], keys=("id",)):
    @pattern()
    def setting(self, id: int) -> Setting | None:
        return get(Setting)


def test_delete_collection_deletes_only_the_root_in_a_table_without_a_sort_key(place: Place) -> None:
    with place.open(Settings) as settings:
        settings.put_many([Setting(1), Setting(2)])
        assert settings.delete_collection(key(Setting, id=1)) == BatchResult(1)
        assert (settings.setting(1), settings.setting(2)) == (None, Setting(2))


# Which roots are accepted


@entity(key=("TENANT#{tenant}", "INVOICE#{id}"))
@dataclass
class Invoice:
    tenant: str
    id: str


@entity(key=("CONFIG", "CONFIG"))
@dataclass
class Config:
    text: str = ""


@entity(key=("TENANT#{id}", "TENANT"))
@dataclass
class Tenant:
    id: str


class Tenants(Table, entities=[Tenant, Invoice, Config]):
    @pattern()
    def tenant(self, id: str) -> Tenant | None:
        return get(Tenant)


def test_delete_collection_rejects_a_root_without_a_partition_of_its_own() -> None:
    with Tenants.open("memory:") as tenants:
        tenants.put(Invoice("t", "1"))
        seen = between(tenants)
        with pytest.raises(ArgumentRefused) as refused:
            tenants.delete_collection(key(Invoice, tenant="t", id="1"))
        assert str(refused.value) == (
            "delete_collection: Invoice has no partition of its own: its partition key 'TENANT#{tenant}' does not "
            "contain id, so other Invoice items can be in the same partition.\n"
            "  Pass the key of an item whose partition key contains its whole identity, or query the items and pass "
            "them to delete_many."
        )
        assert seen.operations == []
        assert tenants.delete_collection(key(Tenant, id="t")) == BatchResult(1)
        tenants.put(Config())
        assert tenants.delete_collection(key(Config)) == BatchResult(1)


def test_delete_collection_rejects_arguments_that_are_not_a_root(place: Place) -> None:
    with place.open(Social) as social:
        with pytest.raises(ArgumentRefused, match="Follower mirrors Follow and is deleted"):
            social.delete_collection(key(Follower, followed="u1", follower="u2"))
        with pytest.raises(ArgumentRefused, match="is not a key"):
            social.delete_collection(user(1))  # type: ignore[arg-type]
        with pytest.raises(ArgumentRefused, match="is not an entity of Social"):
            social.delete_collection(ROOT)
        with pytest.raises(ArgumentRefused, match="User needs a value for id to build its key"):
            social.delete_collection(key(User))


def test_delete_collection_is_a_reserved_pattern_name() -> None:
    with pytest.raises(DesignError, match="is a reserved name"):

        class Wrong(Table, entities=[Tenant]):
            @pattern()
            def delete_collection(self, id: str) -> Tenant | None:  # type: ignore[override]
                return get(Tenant)


# Items with derived data


@entity(key=("ALBUM#{id}", "ALBUM"), unique=("title",))
@dataclass
class Album:
    id: str
    title: str
    tracks: int = 0
    likes: int = 0


@entity(
    key=("ALBUM#{album}", "TRACK#{number}"),
    unique=("isrc",),
    counted=[count(Album, by={"id": "album"}, field="tracks")],
    version="version",
)
@dataclass
class Track:
    album: str
    number: int
    isrc: str
    takes: int = 0
    version: int = 0


@entity(
    key=("ALBUM#{album}", "Z_TAKE#{track}#{number}"),
    counted=[count(Track, by={"album": "album", "number": "track"}, field="takes")],
)
@dataclass
class Take:
    album: str
    track: int
    number: int


@entity(
    key=("ALBUM#{album}", "LABEL#{text}"), copies=[copy(Album, by={"id": "album"}, fields={"title": "album_title"})]
)
@dataclass
class Label:
    album: str
    text: str
    album_title: str = ""


@dataclass
class Remark:
    """A remark on an album, or a reply to another remark."""

    album: str
    id: str
    reply_to: str | None = None
    replies: int = 0


entity(
    key=("ALBUM#{album}", "REMARK#{id}"),
    counted=[count(Remark, by={"album": "album", "id": "reply_to"}, field="replies")],
)(Remark)


@entity(key=("FAN#{fan}", "LIKES#{album}"), counted=[count(Album, by={"id": "album"}, field="likes")])
@dataclass
class Like:
    fan: str
    album: str
    stars: int = 5


@entity(key=("ALBUM#{album}", "LIKED_BY#{stars}#{fan}"), mirror_of=Like)
@dataclass
class LikedBy:
    fan: str
    album: str
    stars: int = 5


class Music(
    Table,
    entities=[Album, Track, Take, Label, Remark, Like, LikedBy],
    accept={"ST101": "names of tests"},
):
    @pattern()
    def album(self, id: str) -> Album | None:
        return get(Album)


ALBUM = key(Album, id="a")


@pytest.fixture
def music(place: Place) -> Iterator[Music]:
    place.needs("transactions")
    with place.open(Music) as opened:
        for album in ("a", "b"):
            opened.create(Album(album, f"title of {album}"))
            for number in range(4):
                opened.create(Track(album, number, f"isrc {album}{number}"))
            for number in range(6):
                opened.create(Take(album, number % 2, number))
            opened.create(Label(album, "rock"))
            opened.create(Like("f1", album))
            opened.create(Like("f2", album, 3))
        yield opened


ITEMS_IN_ALBUM = 1 + 4 + 6 + 1 + 2


def rest(music: Music) -> list[tuple[str, str]]:
    """Return every item and marker that does not belong to album a."""
    found = items_of(music)
    assert [each for each in found if "a0" in each[0] or "title of a" in each[0] or each[0] == "ALBUM#a"] == []
    assert [each for each in found if each[1] == "LIKES#a"] == []
    return found


def test_delete_collection_deletes_derived_data_with_its_items(music: Music) -> None:
    assert music.delete_collection(ALBUM) == BatchResult(ITEMS_IN_ALBUM)
    rest(music)
    assert music.album("a") is None
    assert music.album("b") == Album("b", "title of b", tracks=4, likes=2)
    music.create(Album("c", "title of a"))  # the unique values can be used again
    music.create(Track("c", 0, "isrc a0"))


def test_delete_collection_deletes_counted_items_before_their_owners(music: Music) -> None:
    seen = between(music)
    music.delete_collection(ALBUM)
    deleted = [
        each["Delete"]["Key"]["SK"]["S"].partition("#")[0]
        for request in seen.requests
        for each in request.get("TransactItems", ())
        if "Delete" in each and each["Delete"]["Key"]["PK"] == {"S": "ALBUM#a"}
    ]
    assert deleted.index("TRACK") > max(place for place, name in enumerate(deleted) if name == "Z_TAKE")
    assert deleted[-1] == "ALBUM"
    # One pass deletes takes, labels and likes, one deletes tracks, and one finds only the album.
    assert seen.operations.count("Query") == 3


def test_delete_collection_deletes_children_in_few_transactions(place: Place) -> None:
    place.needs("transactions")
    with place.open(Music) as music:
        music.create(Album("a", "long"))
        music.put_many([Track("a", number, f"isrc {number}") for number in range(60)])
        seen = between(music)
        assert music.delete_collection(ALBUM) == BatchResult(61)
        assert seen.operations.count("TransactWriteItems") < 10
        assert items_of(music) == []


@pytest.mark.parametrize("requests", [1, 2, 4, 8, 12, 16, 18])
def test_delete_collection_with_derived_data_continues_after_any_interruption(music: Music, requests: int) -> None:
    stands = cut_after(music, requests)
    with pytest.raises(Unreachable):
        music.delete_collection(ALBUM)
    music._opened().session.transport = stands.inner
    assert music.album("a") is not None
    assert music.delete_collection(ALBUM).failed == ()
    rest(music)
    assert music.album("b") == Album("b", "title of b", tracks=4, likes=2)


def test_delete_collection_deletes_items_that_count_their_own_kind_from_the_leaves(music: Music) -> None:
    music.create(Remark("a", "z"))
    for number in range(12):
        music.create(Remark("a", f"{number:02}", "z" if number == 0 else f"{number - 1:02}"))
    assert music.delete_collection(ALBUM) == BatchResult(ITEMS_IN_ALBUM + 13)
    rest(music)


def test_delete_collection_does_not_delete_an_unreadable_item_with_derived_data(music: Music) -> None:
    stored = raw_key(music, key(Track, album="a", number=3))
    track = call(music, "GetItem", Key=stored)["Item"]
    call(music, "PutItem", Item={**track, "isrc": {"N": "5"}})
    result = music.delete_collection(ALBUM)
    assert [failure.value for failure in result.failed] == [key(Track, album="a", number=3), ALBUM]
    assert [type(failure.reason) for failure in result.failed] == [ItemRefused, ConditionFailed]
    assert result.written == ITEMS_IN_ALBUM - 2
    assert music.album("a") == Album("a", "title of a", tracks=1)
    call(music, "PutItem", Item=track)
    assert music.delete_collection(ALBUM) == BatchResult(2)
    rest(music)


def test_delete_collection_deletes_an_unreadable_item_that_only_holds_copies(music: Music) -> None:
    item = {"PK": {"S": "ALBUM#a"}, "SK": {"S": "LABEL#jazz"}, "entity_type": {"S": "Label"}, "text": {"N": "1"}}
    call(music, "PutItem", Item=item)
    assert music.delete_collection(ALBUM) == BatchResult(ITEMS_IN_ALBUM + 1)
    rest(music)


def test_delete_collection_does_not_delete_another_item_whose_fields_an_item_has(music: Music) -> None:
    other = raw_key(music, key(Track, album="a", number=9))
    track = call(music, "GetItem", Key=raw_key(music, key(Track, album="b", number=3)))["Item"]
    call(music, "PutItem", Item={**track, **other})
    result = music.delete_collection(ALBUM)
    assert [failure.value for failure in result.failed] == [key(Track, album="a", number=9), ALBUM]
    assert "has the fields of the Track with the key" in str(result.failed[0].reason)
    assert music.get(key(Track, album="b", number=3)) == Track("b", 3, "isrc b3", version=1)


def test_delete_collection_does_not_delete_a_root_that_counts_items_elsewhere(place: Place) -> None:
    place.needs("transactions")
    with place.open(Social) as social:
        social.create(user(1))
        social.create(user(2))
        social.create(Follow("u1", "u2"))
        social.create(Post("p1", "u1", "a title"))
        result = social.delete_collection(key(User, id="u1"))
        (failure,) = result.failed
        assert (result.written, failure.value) == (1, key(User, id="u1"))
        assert "has posts = 1: it still counts other items" in str(failure.reason)
        social.delete_collection(key(Post, id="p1"))
        assert social.delete_collection(key(User, id="u1")) == BatchResult(1)


def test_delete_collection_deletes_mirrored_edges_from_both_ends(place: Place) -> None:
    place.needs("transactions")
    with place.open(Social) as social:
        for number in range(3):
            social.create(user(number))
        edges = [("u0", "u1"), ("u1", "u0"), ("u2", "u1"), ("u1", "u1"), ("u0", "u2")]
        for follower, followed in edges:
            social.create(Follow(follower, followed))
        assert social.delete_collection(key(User, id="u1")) == BatchResult(5)
        assert [each.followed for each in social.follows("u0")] == ["u2"]
        assert [each.follower for each in social.followers("u2")] == ["u0"]
        assert not [each for each in items_of(social) if "u1" in each[0] or "u1" in each[1]]


def test_delete_collection_deletes_a_mirror_without_a_source(music: Music) -> None:
    call(music, "DeleteItem", Key=raw_key(music, key(Like, fan="f1", album="a")))
    call(music, "UpdateItem", Key=raw_key(music, ALBUM), **_minus_one_like())
    assert music.delete_collection(ALBUM) == BatchResult(ITEMS_IN_ALBUM)
    rest(music)


def test_delete_collection_deletes_a_mirror_that_differs_from_its_source_alone(music: Music) -> None:
    stored = raw_key(music, key(Like, fan="f1", album="a"))
    call(music, "PutItem", Item={**call(music, "GetItem", Key=stored)["Item"], "stars": {"N": "1"}})
    result = music.delete_collection(ALBUM)
    # The source is in another partition, to which no mirror leads. The album still counts it.
    assert [failure.value for failure in result.failed] == [ALBUM]
    assert "has likes = 1: it still counts other items" in str(result.failed[0].reason)
    assert music.get(key(Like, fan="f1", album="a")) == Like("f1", "a", 1)
    music.delete(key(Like, fan="f1", album="a"))
    assert music.delete_collection(ALBUM) == BatchResult(1)
    rest(music)


def test_delete_collection_deletes_a_mirror_with_its_source_that_appears_meanwhile(music: Music) -> None:
    stored = raw_key(music, key(Like, fan="f1", album="a"))
    item = call(music, "GetItem", Key=stored)["Item"]
    call(music, "DeleteItem", Key=stored)
    is_absent = True

    def restore(operation: str, answer: Document) -> None:
        nonlocal is_absent
        if operation == "BatchGetItem" and is_absent:
            is_absent = False
            send(stands, "PutItem", TableName="Music", Item=item)

    stands = between(music, None, restore)
    assert music.delete_collection(ALBUM) == BatchResult(ITEMS_IN_ALBUM)
    rest(music)


def _minus_one_like() -> Document:
    return {"UpdateExpression": "ADD likes :n", "ExpressionAttributeValues": {":n": {"N": "-1"}}}


def test_delete_collection_deletes_the_new_derived_data_of_an_item_changed_meanwhile(music: Music) -> None:
    left = 2

    def change(operation: str, answer: Document) -> None:
        nonlocal left
        if operation == "Query" and left:
            left -= 1
            added = {"UpdateExpression": "ADD version :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}
            stored = raw_key(music, key(Track, album="a", number=0))
            send(stands, "UpdateItem", TableName="Music", Key=stored, **added)

    stands = between(music, None, change)
    assert music.delete_collection(ALBUM) == BatchResult(ITEMS_IN_ALBUM)
    rest(music)
