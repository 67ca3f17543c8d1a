"""Ids of every kind: different ids have different keys, no id extends a range, and long ids are rejected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from singletable import KeyRefused, Page, Prefix, Table, collection, entity, get, key, pattern, query
from tests.client.places import Place

HOSTILE = [
    "",
    " ",
    "#",
    "%",
    "%23",
    "a",
    "a#",
    "a#b",
    "a%23b",
    "a b",
    "a$",
    "a!",
    "#b",
    "b",
    "c#z",
    "🙂",
    "🙂#🙂",
    "é",
    "NOTE#",
    "x" * 900,
    "x" * 900 + "y",
    "\x00",
    "\n",
    "\u2028",
    "￿",
]


@entity(key=("OWNER#{owner}", "NOTE#{folder}#{id}"), gsi1=("FOLDER#{owner}#{folder}", "ID#{id}"))
@dataclass(frozen=True)
class Note:
    owner: str
    folder: str
    id: str


@entity(key=("OWNER#{owner}", "OWNER"))
@dataclass(frozen=True)
class Owner:
    owner: str


@entity(key=("{id}", "BARE"))
@dataclass(frozen=True)
class Bare:
    id: str


@dataclass
class Drawer:
    owner: Owner
    notes: list[Note]


class Notes(Table, entities=[Note, Owner, Bare]):
    @pattern()
    def note(self, owner: str, folder: str, id: str) -> Note | None:
        return get(Note)

    @pattern()
    def notes_of(self, owner: str) -> Page[Note]:
        return query(Note)

    @pattern()
    def notes_in(self, owner: str, folder: str) -> Page[Note]:
        return query(Note)

    @pattern()
    def notes_beginning(self, owner: str, folder: Prefix[str]) -> Page[Note]:
        return query(Note)

    @pattern()
    def in_index(self, owner: str, folder: str) -> Page[Note]:
        return query(Note, order_by=lambda n: n.id)

    @pattern()
    def drawer(self, owner: str) -> Drawer | None:
        return collection(Drawer)


@pytest.fixture
def notes(place: Place) -> Iterator[Notes]:
    with place.open(Notes) as opened:
        yield opened


def test_key_templates_encode_hostile_ids_without_collisions_or_wider_ranges(notes: Notes) -> None:
    short = [text for text in HOSTILE if len(text) < 100]
    written = [Note("o", folder, "1") for folder in HOSTILE]
    written += [Note("o#" + id, "f", id) for id in short]
    written += [Note(owner, "f", "1") for owner in HOSTILE]
    written += [Note("o", "f", id) for id in short]
    written = list(dict.fromkeys(written))
    for note in written:
        notes.create(note)  # fails if two ids have the same key
    for note in written:
        assert notes.note(note.owner, note.folder, note.id) == note
    for owner in {note.owner for note in written}:
        own = [note for note in written if note.owner == owner]
        assert _same(notes.notes_of.all(owner), own)
        notes.put(Owner(owner))
        found = notes.drawer(owner)
        assert found is not None
        assert _same(found.notes, own)
        for folder in {note.folder for note in own}:
            inside = [note for note in own if note.folder == folder]
            assert _same(notes.notes_in.all(owner, folder), inside)
            assert _same(notes.in_index.all(owner, folder), inside)
            beginning = [note for note in own if note.folder.startswith(folder)]
            assert _same(notes.notes_beginning.all(owner, Prefix(folder)), beginning)


def test_model_keys_reject_a_key_that_is_too_long_with_the_limit(notes: Notes) -> None:
    with pytest.raises(KeyRefused, match=r"PK has \d+ bytes, but DynamoDB allows at most 2048"):
        notes.put(Owner("o" * 2043))
    with pytest.raises(KeyRefused, match=r"SK has \d+ bytes, but DynamoDB allows at most 1024"):
        notes.put(Note("o", "f" * 1020, "1"))
    with pytest.raises(KeyRefused, match="at most 1024"):
        notes.put(Note("o", "#" * 400, "1"))  # each of them is escaped as three characters
    with pytest.raises(KeyRefused, match="PK is empty"):
        notes.put(Bare(""))
    with pytest.raises(KeyRefused, match="surrogate"):
        notes.note("o", "f", "\ud800")
    notes.put(Note("o" * 1200, "f" * 800, "1"))
    assert notes.get(key(Note, owner="o" * 1200, folder="f" * 800, id="1")) is not None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(*[st.text("a#%$ !é🙂", max_size=4)] * 2), min_size=2, max_size=12, unique=True))
def test_key_templates_never_mix_two_fields_in_one_key(pairs: list[tuple[str, str]]) -> None:
    with Notes.open("memory:") as notes:
        for owner, folder in pairs:
            notes.create(Note(owner, folder, "1"))
        for owner, folder in pairs:
            assert list(notes.notes_in(owner, folder)) == [Note(owner, folder, "1")]
            assert len(list(notes.notes_of(owner))) == sum(pair[0] == owner for pair in pairs)


def _same(found: Iterable[Note], expected: list[Note]) -> bool:
    return sorted(map(repr, found)) == sorted(map(repr, expected))
