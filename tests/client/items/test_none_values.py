"""None and empty sets are read as they were written, for every default of the class."""

from __future__ import annotations

import dataclasses
from typing import Any

import attrs
import msgspec
import pytest
from pydantic import BaseModel, Field

from singletable import ArgumentRefused, Page, Table, entity, exists, field, key, native, not_, pattern, query, sparse
from tests.client.places import Place, call


@dataclasses.dataclass
class Inner:
    word: str | None = "w"
    tags: set[str] | None = dataclasses.field(default_factory=lambda: {"x"})


@entity(key=("D#{id}", "D"))
@dataclasses.dataclass
class AsDataclass:
    id: str
    plain: str | None = None
    word: str | None = "w"
    number: int | None = 7
    made: list[str] | None = dataclasses.field(default_factory=list)
    full: set[str] = dataclasses.field(default_factory=lambda: {"x"})
    empty: set[str] = dataclasses.field(default_factory=set)
    maybe: frozenset[int] | None = None
    anything: Any = 5
    inner: Inner = dataclasses.field(default_factory=Inner)


@entity(key=("P#{id}", "P"))
class AsPydantic(BaseModel):
    id: str
    plain: str | None = None
    word: str | None = "w"
    number: int | None = Field(default=7, ge=0)
    made: list[str] | None = Field(default_factory=list)
    full: set[str] = {"x"}
    empty: set[str] = set()
    maybe: frozenset[int] | None = None
    anything: Any = 5
    inner: Inner = Inner()


@entity(key=("M#{id}", "M"))
class AsStruct(msgspec.Struct):
    id: str
    plain: str | None = None
    word: str | None = "w"
    number: int | None = 7
    made: list[str] | None = msgspec.field(default_factory=list)
    full: set[str] = msgspec.field(default_factory=lambda: {"x"})
    empty: set[str] = set()
    maybe: frozenset[int] | None = None
    anything: Any = 5
    inner: Inner = msgspec.field(default_factory=Inner)


@entity(key=("A#{id}", "A"))
@attrs.define
class AsAttrs:
    id: str
    plain: str | None = None
    word: str | None = "w"
    number: int | None = 7
    made: list[str] | None = attrs.Factory(list)
    full: set[str] = attrs.field(factory=lambda: {"x"})
    empty: set[str] = attrs.field(factory=set)
    maybe: frozenset[int] | None = None
    anything: Any = 5
    inner: Inner = attrs.Factory(Inner)


CLASSES: list[Any] = [AsDataclass, AsPydantic, AsStruct, AsAttrs]


class Nothing(Table, entities=CLASSES):
    @pattern()
    def words(self, id: str) -> Page[AsDataclass]:
        return query(AsDataclass, filter=lambda d: exists(d.word))

    @pattern()
    def no_words(self, id: str) -> Page[AsDataclass]:
        return query(AsDataclass, filter=lambda d: not_(exists(d.word)))


NOTHING: dict[str, Any] = {
    "plain": None,
    "word": None,
    "number": None,
    "made": None,
    "full": set(),
    "empty": set(),
    "maybe": None,
    "anything": None,
    "inner": Inner(None, None),
}


@pytest.mark.parametrize("cls", CLASSES)
def test_item_decoder_reads_none_and_empty_values_unchanged(place: Place, cls: Any) -> None:
    with place.open(Nothing) as table:
        for given in ({}, NOTHING, {**NOTHING, "maybe": frozenset(), "inner": Inner("", set())}, {"made": ["a"]}):
            value = cls(id="1", **given)
            table.put(value)
            assert table.get(key(cls, id="1")) == value
            table.upsert(value)
            assert table.get(key(cls, id="1")) == value
            assert list(table.scan(cls, reason="all")) == [value]


def test_item_encoder_does_not_store_none_if_it_is_the_default(place: Place) -> None:
    with place.open(Nothing) as table:
        table.put(AsDataclass("1", plain=None, word=None, empty=set()))
        item = call(table, "GetItem", Key={"PK": {"S": "D#1"}, "SK": {"S": "D"}})["Item"]
        assert "plain" not in item
        assert "empty" not in item
        assert item["word"] == {"NULL": True}


def test_field_changes_set_a_field_to_none(place: Place) -> None:
    with place.open(Nothing) as table:
        table.put(AsDataclass("1"))
        of = key(AsDataclass, id="1")
        assert table.update(of, field(AsDataclass, lambda d: d.word).set(None)).word is None
        assert table.get(of) == AsDataclass("1", word=None)
        assert table.update(of, field(AsDataclass, lambda d: d.full).set(set())).full == set()
        assert table.update(of, field(AsDataclass, lambda d: d.inner.word).set(None)).inner == Inner(None)
        assert table.update(of, field(AsDataclass, lambda d: d.word).remove()).word == "w"


def test_pattern_conditions_distinguish_none_from_a_value(place: Place) -> None:
    with place.open(Nothing) as table:
        table.put(AsDataclass("1", word=None))
        assert list(table.words("1")) == []
        assert list(table.no_words("1")) == [AsDataclass("1", word=None)]
        table.put(AsDataclass("1"))
        assert list(table.words("1")) == [AsDataclass("1")]
        assert list(table.no_words("1")) == []


def test_index_key_changes_accept_a_missing_attribute_for_a_default_value(place: Place) -> None:
    with place.open(Nothing) as table:
        call(
            table,
            "PutItem",
            Item={"PK": {"S": "D#1"}, "SK": {"S": "D"}, "id": {"S": "1"}, "entity_type": {"S": "AsDataclass"}},
        )
        old = table.get(key(AsDataclass, id="1"))
        assert old == AsDataclass("1")
        new = dataclasses.replace(old, id="2")
        table.move(old, new)
        assert table.get(key(AsDataclass, id="2")) == new


@entity(key=("T#{id}", "T"), gsi1=sparse("WHO#{who}", "{id}"), gsi2=sparse(native("rank"), "{id}"))
@dataclasses.dataclass
class Indexed:
    id: str
    who: str | None = "nobody"
    rank: int | None = 1
    word: str = "w"


class Indexes(Table, entities=[Indexed]):
    @pattern()
    def of(self, who: str) -> Page[Indexed]:
        return query(Indexed)

    @pattern()
    def taken(self, who: str) -> Page[Indexed]:
        return query(Indexed, where=lambda i: exists(i.who))


def test_index_key_changes_remove_an_item_without_the_field_from_a_sparse_index(place: Place) -> None:
    with place.open(Indexes) as table:
        table.put(Indexed("1", who=None))
        assert table.get(key(Indexed, id="1")) == Indexed("1", who=None)
        assert list(table.of("nobody")) == []
        table.put(Indexed("1"))
        assert list(table.taken("nobody")) == [Indexed("1")]
        table.update(key(Indexed, id="1"), field(Indexed, lambda i: i.who).set(None))
        assert list(table.of("nobody")) == []


def test_item_encoder_rejects_none_that_cannot_be_stored(place: Place) -> None:
    wrong: Any = None
    with place.open(Indexes) as table:
        with pytest.raises(
            ArgumentRefused, match=r"Indexed.rank is None, but an index key cannot store None, .*default"
        ):
            table.put(Indexed("1", rank=None))
        with pytest.raises(ArgumentRefused, match=r"Indexed.word must be str, got None; set a value"):
            table.put(Indexed("1", word=wrong))
