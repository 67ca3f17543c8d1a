"""Derived data of objects whose validators change fields. It follows from the fields as they are stored."""

from __future__ import annotations

from typing import Any

import pydantic
import pytest

from singletable import InvalidValue, ItemRefused, Table, copy, count, entity, field, key
from tests.client.between import between
from tests.client.places import call


@entity(key=("AUTHOR#{id}", "META"))
class Author(pydantic.BaseModel):
    id: str
    name: str = ""
    lines: int = 0


@entity(
    key=("LINE#{id}", "META"),
    gsi1=("AUTHOR#{author}", "{id}"),
    copies=[copy(Author, by={"id": "author"}, fields={"name": "author_name"})],
    counted=[count(Author, by={"id": "author"}, field="lines")],
)
class Line(pydantic.BaseModel):
    id: str
    author: str
    author_name: str = ""
    text: str = ""

    @pydantic.field_validator("author")
    @classmethod
    def lower(cls, value: str) -> str:
        return value.lower().strip()


@entity(key=("NODE#{start}", "TO#{end}"))
class Edge(pydantic.BaseModel):
    start: str
    end: str


@entity(key=("NODE#{end}", "FROM#{start}"), mirror_of=Edge)
class Back(pydantic.BaseModel):
    start: str
    end: str

    @pydantic.field_validator("end")
    @classmethod
    def lower(cls, value: str) -> str:
        return value.lower()


class Texts(Table, entities=[Author, Line, Edge, Back], name="texts"):
    """Authors, lines with copies and counters, and mirrored edges."""


@pytest.fixture
def texts() -> Any:
    with Texts.open("memory:", create=True) as opened:
        opened.put(Author(id="a", name="Ada"))
        opened.put(Author(id="b", name="Ben"))
        yield opened


def changed(line: Line, author: str) -> Line:
    """Return a line whose author was not validated."""
    line.author = author
    return line


@pytest.mark.parametrize("verb", ["put", "create", "upsert", "put_many", "create_many", "transaction"])
def test_derived_actions_use_the_validated_fields_for_copies_and_counters(texts: Texts, verb: str) -> None:
    line = changed(Line(id="1", author="a"), " B")
    if verb == "transaction":
        with texts.transaction() as tx:
            tx.create(line)
    elif verb.endswith("many"):
        assert getattr(texts, verb)([line]).written == 1
    else:
        assert getattr(texts, verb)(line) == Line(id="1", author="b", author_name="Ben")
    assert texts.get(key(Line, id="1")) == Line(id="1", author="b", author_name="Ben")
    assert texts.get(key(Author, id="b")) == Author(id="b", name="Ben", lines=1)


def test_derived_actions_copy_from_the_new_source_of_a_put_object(texts: Texts) -> None:
    line = texts.put(Line(id="1", author="a"))
    assert texts.put(changed(line, "B")) == Line(id="1", author="b", author_name="Ben")


def test_derived_actions_reject_a_mirrored_item_that_validation_changes(texts: Texts) -> None:
    with pytest.raises(InvalidValue, match=r"Back.end: 'YY' is invalid: validation changes the value"):
        texts.put(Edge(start="x", end="YY"))
    texts.put(Edge(start="x", end="yy"))
    texts.delete(key(Edge, start="x", end="yy"))
    assert texts.get(key(Back, start="x", end="yy")) is None


def test_table_writer_delete_returns_the_item_that_it_deleted(texts: Texts) -> None:
    texts.create(Line(id="1", author="a", text="first"))
    meddled = False

    def meddle(operation: str, document: dict[str, Any]) -> None:
        nonlocal meddled
        if operation == "GetItem" and not meddled:
            meddled = True
            request = {
                "Key": {"PK": {"S": "LINE#1"}, "SK": {"S": "META"}},
                "UpdateExpression": "SET #t = :t",
                "ExpressionAttributeNames": {"#t": "text"},
                "ExpressionAttributeValues": {":t": {"S": "second"}},
            }
            call(texts, "UpdateItem", **request)

    between(texts, answer=meddle)
    deleted = texts.delete(key(Line, id="1"))
    assert deleted is not None
    assert deleted.text == "second"


def test_update_copies_does_not_skip_an_unreadable_copy_when_reads_report_unreadable_items() -> None:
    with Texts.open("memory:", create=True, unreadable="report") as texts:
        texts.put(Author(id="a", name="Ada"))
        texts.create(Line(id="1", author="a"))
        request = {
            "Key": {"PK": {"S": "LINE#1"}, "SK": {"S": "META"}},
            "UpdateExpression": "SET #t = :t",
            "ExpressionAttributeNames": {"#t": "text"},
            "ExpressionAttributeValues": {":t": {"N": "5"}},
        }
        call(texts, "UpdateItem", **request)
        with pytest.raises(ItemRefused):
            texts.update(key(Author, id="a"), field(Author, lambda a: a.name).set("Augusta"))
        assert texts.get(key(Author, id="a")) == Author(id="a", name="Ada", lines=1)
