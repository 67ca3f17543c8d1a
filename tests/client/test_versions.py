"""Optimistic locking: every write increments the version, and compares it with the version that was read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from singletable import ArgumentRefused, DesignError, Table, VersionConflict, entity, field, get, key, pattern
from tests.client.places import Place, call


@entity(key=("DOC#{id}", "DOC"), version="version")
@dataclass
class Doc:
    id: str
    text: str = ""
    version: int = 0


class Docs(Table, entities=[Doc]):
    """Documents of a class that had no version before."""

    @pattern()
    def doc(self, id: str) -> Doc | None:
        """A document."""
        return get(Doc)


TEXT = field(Doc, lambda doc: doc.text)


def _without_version(docs: Docs) -> Doc:
    """Store a document without a version."""
    item = {
        "PK": {"S": "DOC#d"},
        "SK": {"S": "DOC"},
        "entity_type": {"S": "Doc"},
        "id": {"S": "d"},
        "text": {"S": "old"},
    }
    call(docs, "PutItem", Item=item)
    assert docs.doc("d") == Doc("d", "old", 0)
    return Doc("d", "old", 0)


def test_table_writer_adds_a_version_when_it_puts_an_item_without_one(place: Place) -> None:
    with place.open(Docs) as docs:
        read = _without_version(docs)
        assert docs.put(replace(read, text="new")) == Doc("d", "new", 1)
        with pytest.raises(VersionConflict, match="was read with version 0, but now has version 1"):
            docs.put(replace(read, text="late"))


def test_table_writer_adds_a_version_when_it_updates_an_item_without_one(place: Place) -> None:
    with place.open(Docs) as docs:
        read = _without_version(docs)
        assert docs.update(read, TEXT.set("new")) == Doc("d", "new", 1)
        with pytest.raises(VersionConflict):
            docs.update(read, TEXT.set("late"))


def test_table_writer_adds_a_version_when_it_edits_an_item_without_one(place: Place) -> None:
    with place.open(Docs) as docs:
        _without_version(docs)
        assert docs.edit(key(Doc, id="d"), lambda doc: replace(doc, text=doc.text + "er")) == Doc("d", "older", 1)


def test_write_conditions_reject_a_new_object_in_place_of_one_that_has_a_version(place: Place) -> None:
    with place.open(Docs) as docs:
        docs.put(Doc("d", "first"))
        with pytest.raises(VersionConflict):
            docs.put(Doc("d", "second"))
        assert docs.doc("d") == Doc("d", "first", 1)


def test_write_conditions_check_the_version_of_a_deleted_object_but_not_of_a_key(place: Place) -> None:
    with place.open(Docs) as docs:
        first = docs.put(Doc("d", "first"))
        second = docs.update(first, TEXT.set("second"))
        with pytest.raises(VersionConflict, match="was read with version 1, but now has version 2") as conflict:
            docs.delete(first)
        assert conflict.value.item == second == docs.doc("d")
        assert docs.delete(second) == second
        assert docs.delete(second) is None  # already deleted
        docs.put(Doc("d", "third"))
        assert docs.delete(key(Doc, id="d")) == Doc("d", "third", 1)


def test_table_writer_deletes_an_item_without_a_version(place: Place) -> None:
    with place.open(Docs) as docs:
        read = _without_version(docs)
        assert docs.delete(read) == read
        assert docs.doc("d") is None


def test_write_intents_reject_an_update_of_the_version(place: Place) -> None:
    with place.open(Docs) as docs:
        docs.put(Doc("d"))
        version = field(Doc, lambda doc: doc.version)
        for change in (version.set(7), version.add(1)):
            with pytest.raises(ArgumentRefused, match=r"Doc\.version is the version, which every write increments"):
                docs.update(key(Doc, id="d"), change)


@pytest.mark.parametrize(
    "places",
    [
        {"key": ("DOC#{id}", "DOC#{version:05d}")},
        {"key": ("DOC#{id}", "DOC"), "gsi1": ("ALL", "{version:05d}")},
        {"key": ("DOC#{id}", "DOC"), "unique": ("version",)},
    ],
    ids=["key", "index", "unique"],
)
def test_derived_data_checks_reject_a_version_in_a_key(places: dict[str, Any]) -> None:
    @entity(**places, version="version")
    @dataclass
    class Placed:
        id: str
        version: int = 0

    with pytest.raises(
        DesignError, match="the version version is part of a key, so every write would have to replace the item"
    ):

        class Wrong(Table, entities=[Placed]):
            """A version in a place where it would change the key with every write."""


@entity(key=("NOTE#{id}", "NOTE"), version="revision")
@dataclass
class Note:
    id: str
    revision: int | None = None


class Notes(Table, entities=[Note]):
    """Notes that have no version until they are written."""


def test_table_writer_accepts_a_version_of_none_until_the_object_is_written(place: Place) -> None:
    with place.open(Notes) as notes:
        first = notes.put(Note("n"))
        assert first == Note("n", 1)
        with pytest.raises(VersionConflict):
            notes.put(Note("n"))
        assert notes.put(first) == Note("n", 2)
        assert notes.create(Note("m")) == Note("m", 1)
        assert notes.delete(Note("n", 2)) == Note("n", 2)
        assert notes.upsert(Note("m")) == Note("m", 2)
        assert notes.upsert(Note("k")) == Note("k", 1)


def test_table_writer_rejects_an_edit_that_changes_a_key(place: Place) -> None:
    with place.open(Docs) as docs:
        docs.create(Doc("d", "old"))
        with pytest.raises(ArgumentRefused, match="must return an object with the same key as Doc with id='d'"):
            docs.edit(key(Doc, id="d"), lambda doc: replace(doc, id="e"))
        assert docs.doc("d") == Doc("d", "old", 1)
        assert docs.doc("e") is None
