"""The version of an item: raised by every write, held against the one that was read, and none where there was none."""

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
    """Documents that used to have no version."""

    @pattern()
    def doc(self, id: str) -> Doc | None:
        """A document."""
        return get(Doc)


TEXT = field(Doc, lambda doc: doc.text)


def _without_version(docs: Docs) -> Doc:
    """A document from before documents had a version."""
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


def test_what_was_stored_without_a_version_is_put_and_has_one_then(place: Place) -> None:
    with place.open(Docs) as docs:
        read = _without_version(docs)
        assert docs.put(replace(read, text="new")) == Doc("d", "new", 1)
        with pytest.raises(VersionConflict, match="was read with version 0 and has version 1 by now"):
            docs.put(replace(read, text="late"))


def test_the_same_with_an_update_of_the_object(place: Place) -> None:
    with place.open(Docs) as docs:
        read = _without_version(docs)
        assert docs.update(read, TEXT.set("new")) == Doc("d", "new", 1)
        with pytest.raises(VersionConflict):
            docs.update(read, TEXT.set("late"))


def test_the_same_when_it_is_edited(place: Place) -> None:
    with place.open(Docs) as docs:
        _without_version(docs)
        assert docs.edit(key(Doc, id="d"), lambda doc: replace(doc, text=doc.text + "er")) == Doc("d", "older", 1)


def test_a_new_object_never_replaces_one_that_has_a_version(place: Place) -> None:
    with place.open(Docs) as docs:
        docs.put(Doc("d", "first"))
        with pytest.raises(VersionConflict):
            docs.put(Doc("d", "second"))
        assert docs.doc("d") == Doc("d", "first", 1)


def test_an_object_is_deleted_as_it_was_read_and_a_key_whatever_is_there(place: Place) -> None:
    with place.open(Docs) as docs:
        first = docs.put(Doc("d", "first"))
        second = docs.update(first, TEXT.set("second"))
        with pytest.raises(VersionConflict, match="was read with version 1 and has version 2 by now") as conflict:
            docs.delete(first)
        assert conflict.value.item == second == docs.doc("d")
        assert docs.delete(second) == second
        assert docs.delete(second) is None  # it is gone already
        docs.put(Doc("d", "third"))
        assert docs.delete(key(Doc, id="d")) == Doc("d", "third", 1)


def test_what_was_stored_without_a_version_is_deleted(place: Place) -> None:
    with place.open(Docs) as docs:
        read = _without_version(docs)
        assert docs.delete(read) == read
        assert docs.doc("d") is None


def test_nobody_changes_the_version_by_hand(place: Place) -> None:
    with place.open(Docs) as docs:
        docs.put(Doc("d"))
        version = field(Doc, lambda doc: doc.version)
        for change in (version.set(7), version.add(1)):
            with pytest.raises(
                ArgumentRefused, match=r"Doc\.version is the item's version, which every write increments"
            ):
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
def test_a_version_in_a_key_is_no_design(places: dict[str, Any]) -> None:
    @entity(**places, version="version")
    @dataclass
    class Placed:
        id: str
        version: int = 0

    with pytest.raises(
        DesignError, match="the version version is part of a key, which every write would have to write"
    ):

        class Wrong(Table, entities=[Placed]):
            """A version cannot be where it would have to move with every write."""


@entity(key=("NOTE#{id}", "NOTE"), version="revision")
@dataclass
class Note:
    id: str
    revision: int | None = None


class Notes(Table, entities=[Note]):
    """Notes without a version until they are written."""


def test_a_version_may_be_none_until_the_object_is_written(place: Place) -> None:
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


def test_edit_changes_no_key(place: Place) -> None:
    with place.open(Docs) as docs:
        docs.create(Doc("d", "old"))
        with pytest.raises(ArgumentRefused, match="must return the same item as Doc with id='d'"):
            docs.edit(key(Doc, id="d"), lambda doc: replace(doc, id="e"))
        assert docs.doc("d") == Doc("d", "old", 1)
        assert docs.doc("e") is None
