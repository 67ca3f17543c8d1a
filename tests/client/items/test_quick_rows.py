"""The compiled pass reads what the rest of the decoder reads, to the same objects, and leaves everything else to it."""

from __future__ import annotations

import gc
import json
import sys
import threading
import tracemalloc
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Literal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, field_validator

from singletable import ItemRefused, Page, Table, entity, pattern, query
from singletable.client.items.quick_rows import ABSENT, Quick, QuickColumn, row_reader
from singletable.client.reading.planned_items import ObjectsOfRows
from singletable.planner.items import item_of
from singletable.values.compiled import PURE, compiled
from tests.client.items.test_rows import THINGS, Thing, Things

if row_reader(()) is None:
    pytest.skip("the compiled part was not built: there is no C compiler here", allow_module_level=True)


@entity(key=("ORDER#{id}", "{line:03d}"))
class Model(BaseModel):
    id: str
    line: int
    total: Decimal
    ratio: float
    at: datetime
    state: Literal["OPEN", "DONE"]
    tags: list[str]
    counts: list[int]
    blob: bytes
    shipped: datetime | None = None
    note: str | None = None
    size: str = "M"
    left: int | None = 3
    must: str | None


@entity(key=("CHECKED#{id}", "{line:03d}"))
class Checked(BaseModel):
    id: str
    line: int
    note: str | None = None

    @field_validator("note")
    @classmethod
    def short(cls, note: str | None) -> str | None:
        if note is not None and len(note) > 5:
            raise ValueError("too long")
        return note


@entity(key=("STRUCT#{id}", "{line:03d}"))
class Struct(msgspec.Struct):
    id: str
    line: int
    flag: bool
    amounts: list[Decimal] = msgspec.field(default_factory=list)
    at: datetime | None = None


@entity(key=("KEPT#{id}", "{line:03d}"))
@dataclass
class Kept:
    id: str
    line: int
    perhaps: str | None = "x"
    later: int = field(default=7, init=False)


class Many(Table, entities=[Model, Checked, Struct, Kept], schema_version_attribute="v"):
    @pattern()
    def models(self, id: str) -> Page[Model]:
        return query(Model)

    @pattern()
    def checks(self, id: str) -> Page[Checked]:
        return query(Checked)

    @pattern()
    def structs(self, id: str) -> Page[Struct]:
        return query(Struct)

    @pattern()
    def keeps(self, id: str) -> Page[Kept]:
        return query(Kept)


TEXTS = st.text(max_size=6) | st.sampled_from(['"', "\\", "\n\t", "é", "\U0001f600", "\x7f", "a/b"])
NUMBERS = st.integers(-(10**37), 10**37) | st.integers(-99, 99)
MOMENTS = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))
LINES = st.integers(0, 999)
MODELS = st.builds(
    Model,
    id=TEXTS.filter(bool),
    line=LINES,
    total=st.decimals(-(10**9), 10**9, places=3),
    ratio=st.floats(-1e100, 1e100).filter(lambda number: abs(number) > 1e-100),
    at=MOMENTS,
    state=st.sampled_from(["OPEN", "DONE"]),
    tags=st.lists(TEXTS, max_size=3),
    counts=st.lists(NUMBERS, max_size=3),
    blob=st.binary(max_size=5),
    shipped=st.none() | MOMENTS,
    note=st.none() | TEXTS,
    size=TEXTS,
    left=st.none() | NUMBERS,
    must=st.none() | TEXTS,
)
STRUCTS = st.builds(
    Struct,
    id=TEXTS.filter(bool),
    line=LINES,
    flag=st.booleans(),
    amounts=st.lists(st.decimals(-99, 99, places=2), max_size=3),
    at=st.none() | MOMENTS,
)
CHECKS = st.builds(Checked, id=TEXTS.filter(bool), line=LINES, note=st.none() | st.text(max_size=5))
KEEPS = st.builds(Kept, id=TEXTS.filter(bool), line=LINES, perhaps=st.none() | TEXTS)
MAY_BE_NULL = {"note", "shipped", "left", "must", "maybe", "moment", "anything", "perhaps"}
MAY_BE_MISSING = {
    Thing: {"note", "moment", "maybe", "later"},
    Model: {"note", "shipped", "size", "left", "must"},
    Struct: {"amounts", "at"},
    Checked: {"note"},
    Kept: {"perhaps", "later"},
}
Read = Callable[[bytes], list[Any]]


class Ways(msgspec.Struct):
    """The ways to the objects of some items: by the compiled pass, and by msgspec and Python."""

    quickly: Read
    slowly: Read
    quick_pages: ObjectsOfRows
    slow_pages: ObjectsOfRows


def ways(table: type[Table], name: str) -> Ways:
    with table.open("memory:") as opened:
        reader = opened._opened().reader
        objects_of = reader._items_of(getattr(table, name).plan).objects_of
    assert isinstance(objects_of, ObjectsOfRows)
    assert objects_of._quickly is not None
    slowly = ObjectsOfRows.__new__(ObjectsOfRows)
    slowly.__dict__.update({**vars(objects_of), "_quickly": None})
    return Ways(objects_of._quickly.of, slowly.piece, objects_of, slowly)


WAYS = {
    Thing: ways(Things, "things"),
    Model: ways(Many, "models"),
    Struct: ways(Many, "structs"),
    Checked: ways(Many, "checks"),
    Kept: ways(Many, "keeps"),
}
OBJECTS = st.one_of(*(st.lists(of, max_size=3) for of in (THINGS, MODELS, STRUCTS, CHECKS, KEEPS)))


def stored(made: Any) -> dict[str, Any]:
    return _item(Things if isinstance(made, Thing) else Many, made)


def _item(table: type[Table], made: Any) -> dict[str, Any]:
    design = table.design
    of = next(each for each in design.entities if each.cls is type(made))
    return item_of(design, of, {name: getattr(made, name) for name in of.fields})


def written(items: list[dict[str, Any]], *, escapes: bool = False) -> bytes:
    if escapes:
        return json.dumps(items, separators=(",", ":")).encode()[1:-1]
    return msgspec.json.encode(items)[1:-1]


def told(made: Any) -> Any:
    """An object with all that can be told of it: its values and their types, and of a model what was given."""
    values = {name: getattr(made, name) for name in _names(made)}
    types = {name: (type(value), [type(each) for each in value] if isinstance(value, list) else 0)
             for name, value in values.items()}  # fmt: skip
    zones = {name: value.tzinfo for name, value in values.items() if isinstance(value, datetime)}
    if not isinstance(made, BaseModel):
        return type(made), values, types, zones
    members = (list(vars(made)), made.model_fields_set, made.model_extra, made.__pydantic_private__)
    return type(made), values, types, zones, members


def _names(made: Any) -> list[str]:
    return list(getattr(type(made), "model_fields", None) or type(made).__annotations__)


@settings(deadline=None)
@given(OBJECTS, st.booleans(), st.randoms(use_true_random=False))
def test_objects_are_the_same_by_both_ways(objects: list[Any], escapes: bool, chance: Any) -> None:
    items = [stored(each) for each in objects]
    for item in items:
        for name in sorted(MAY_BE_NULL & item.keys()):
            if chance.random() < 0.3:
                item[name] = {"NULL": True}
        for name in sorted(MAY_BE_MISSING[type(objects[0])] & item.keys()):
            if chance.random() < 0.2:
                del item[name]
        if chance.random() < 0.3:
            item["unknown"] = {"M": {"a": {"L": [{"NULL": True}, {"M": {}}, {"SS": ["x", "}"]}, {"L": []}]}}}
    shuffled = [dict(chance.sample(list(item.items()), len(item))) if chance.random() < 0.2 else item for item in items]
    text = written(shuffled, escapes=escapes)
    both = WAYS[type(objects[0])] if objects else WAYS[Model]
    slow = both.slowly(text)
    assert list(map(told, _quickly_or_not(both, text))) == list(map(told, slow))
    if not any("moment" in item and item["moment"] != {"NULL": True} for item in items):
        assert list(map(told, both.quickly(text))) == list(map(told, slow)), "nothing here has to be left to the rest"


def _quickly_or_not(both: Ways, text: bytes) -> list[Any]:
    try:
        return both.quickly(text)
    except Exception:  # of whatever kind: what it does not expect is read again, as a table does
        return both.slowly(text)


@settings(deadline=None)
@given(OBJECTS.filter(bool), st.booleans(), st.booleans(), st.booleans())
def test_a_page_is_the_same_by_both_ways(objects: list[Any], first: bool, ends: bool, spaced: bool) -> None:
    array = {"Items": [stored(each) for each in objects]}
    rest: dict[str, Any] = {"Count": len(objects), "ConsumedCapacity": {"CapacityUnits": 0.5}}
    if not ends:
        rest["LastEvaluatedKey"] = {"PK": {"S": '"Items":['}, "Items": {"S": "x"}}
    answer = array | rest if first else rest | array
    body = json.dumps(answer, indent=1).encode() if spaced else msgspec.json.encode(answer)
    both = WAYS[type(objects[0])]
    found, quick = both.quick_pages.page(body)
    expected, slow = both.slow_pages.page(body)
    assert list(map(told, quick)) == list(map(told, slow))
    assert (found.count, found.last_evaluated_key) == (expected.count, expected.last_evaluated_key)
    assert found.consumed_capacity == expected.consumed_capacity


def test_an_array_ends_with_its_bracket_and_says_where() -> None:
    text = b'[{"a":{"S":"x"}},{"a":{"S":"]"}}],"more":5'
    found = reader(TEXT).array(text, 1)
    assert list(found) == [("x",), ("]",)]
    assert text[found.position :] == b',"more":5'
    empty = reader(TEXT).array(b"[]", 1)
    assert (list(empty), empty.position) == ([], 2)
    for wrong, start in ((text[:-10], 1), (b'[{"a":{"S":"x"}}', 1), (b"[", 1), (b'[{"a":{"S":"x"}},]', 1), (text, 99)):
        with pytest.raises(ValueError):
            list(reader(TEXT).array(wrong, start))


TOKENS = [
    *(b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b" ", b"\x00", b"\x1f", b"\xff", b"\xc3", b"\xed\xa0\x80"),
    *(b"null", b"true", b"false", b"0", b"-", b"1e5", b".", b"_", b'"S"', b'"N"', b'"NULL"', b'{"NULL":true}'),
    *(rb"\u0041", rb"\ud83d", rb"\ude00", rb"\u12", rb"\q", b'{"S":"x"}', b'{"N":"1"}', b'"id":{"S":"x"},', b"+00:00"),
]
EDITS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 6), st.sampled_from([b"", *TOKENS])), min_size=1, max_size=3)


@settings(deadline=None)
@given(OBJECTS.filter(bool), EDITS)
def test_no_bytes_are_read_otherwise_than_by_the_slow_way(
    objects: list[Any], edits: list[tuple[float, int, bytes]]
) -> None:
    both = WAYS[type(objects[0])]
    text = written([stored(each) for each in objects])
    for where, length, token in edits:
        place = int(where * len(text))
        text = text[:place] + token + text[place + length :]
    try:
        quick = both.quickly(text)
    except Exception:  # left to the rest, which knows what to say
        return
    assert list(map(told, quick)) == list(map(told, both.slowly(text)))


@settings(deadline=None)
@given(OBJECTS.filter(bool), st.floats(0, 1))
def test_what_is_cut_off_is_never_read_as_whole(objects: list[Any], where: float) -> None:
    texts = [written([stored(each)]) for each in objects]
    text = b",".join(texts)
    cut = text[: 1 + int(where * (len(text) - 2))]
    whole = {len(b",".join(texts[:count])) for count in range(len(texts) + 1)}
    # An array's memory ends where its bytes do, so that the sanitizers see a look beyond them.
    exactly = array("B", cut)
    if len(cut) in whole:
        assert len(WAYS[type(objects[0])].quickly(exactly)) < len(objects)  # type: ignore[arg-type]  # any buffer does
    else:
        with pytest.raises(Exception):  # noqa: B017  # of whatever kind: it is read again
            WAYS[type(objects[0])].quickly(exactly)  # type: ignore[arg-type]  # as above


def reader(*columns: QuickColumn) -> Any:
    made = row_reader(columns)
    assert made is not None
    return made


def rows(text: bytes, *columns: QuickColumn) -> list[Any]:
    return list(reader(*columns).rows(text))


TEXT, OTHER = QuickColumn("a", Quick("text")), QuickColumn("b", Quick("int"), optional=True, nullable=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", []),
        (b'{"a":{"S":""}}', [("", ABSENT)]),
        (b'{"b":{"N":"-5"},"a":{"S":"x"}},{"a":{"S":"y"}}', [("x", -5), ("y", ABSENT)]),
        (b'{"a":{"S":"x"},"b":{"NULL":true}}', [("x", ABSENT)]),
        (rb'{"a":{"S":"\u00e9\ud83d\ude00\"\\\/\b\f\n\r\t"}}', [("é\U0001f600\"\\/\b\f\n\r\t", ABSENT)]),
        ('{"a":{"S":"é\U0001f600"}}'.encode(), [("é\U0001f600", ABSENT)]),
        (b'{"z":{"L":[]},"a":{"S":"x"},"y":{"M":{}}}', [("x", ABSENT)]),
        (b'{"a":{"S":"x"},"b":{"N":"-999999999999999999"}}', [("x", -999999999999999999)]),
        (b'{"a":{"S":"x"},"b":{"N":"-%b"}}' % (b"9" * 38), [("x", 1 - 10**38)]),
    ],
)  # fmt: skip
def test_rows_are_tuples_of_their_columns(text: bytes, expected: list[Any]) -> None:
    assert rows(text, TEXT, OTHER) == expected


@pytest.mark.parametrize(
    "text",
    [
        b"{}",
        b"[]",
        b"null",
        b",",
        b'{"a":{"S":"x"}},',
        b'{"a":{"S":"x"}}]',
        b'{"a":{"S":"x"}} ',
        b' {"a":{"S":"x"}}',
        b'{"a":{"S":"x"}}{"a":{"S":"x"}}',
        b'{"a":{"S":"x"},}',
        b'{"a":{"S":"x"},"a":{"S":"y"}}',
        b'{"a":{"S":5}}',
        b'{"a":{"S":"x","N":"5"}}',
        b'{"a":{"N":"5"}}',
        b'{"a":{"NULL":true}}',
        b'{"a":"x"}',
        b'{"b":{"N":"5"}}',
        b'{"a":{"S":"x"},"b":{"N":""}}',
        b'{"a":{"S":"x"},"b":{"N":"-"}}',
        b'{"a":{"S":"x"},"b":{"N":"5.0"}}',
        b'{"a":{"S":"x"},"b":{"N":"%b"}}' % (b"1" * 300),
        b'{"a":{"S":"x"},"b":{"N":"%b"}}' % (b"1" * 20 + b"_1"),
        b'{"a":{"S":"x"},"b":{"NULL":false}}',
        b'{"a":{"S":"\xff"}}',
        b'{"a":{"S":"\n"}}',
        rb'{"a":{"S":"\ud83d"}}',
        rb'{"a":{"S":"\ude00"}}',
        rb'{"a":{"S":"\ud83d\u0041"}}',
        rb'{"a":{"S":"\u00g0"}}',
        rb'{"a":{"S":"\q"}}',
        rb'{"a":{"S":"\"}}',
        rb'{"\u0061":{"S":"x"}}',
        b'{"a":{"S":"x"},"z":{"N":5}}',
        b'{"a":{"S":"x"},"z":[}',
        b'{"a":{"S":"x"},"z":{"M":{"q" :{"S":"x"}}}}',
        b'{"a":{"S":"x"},"z":' + b'{"L":[' * 70 + b"]}" * 70 + b"}",
    ],
)
def test_whatever_is_not_expected_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError):
        rows(text, TEXT, OTHER)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-04-10T14:00:00Z", datetime(2026, 4, 10, 14, tzinfo=UTC)),
        ("2026-04-10T14:00:00.5+00:00", datetime(2026, 4, 10, 14, 0, 0, 500000, UTC)),
        ("2026-04-10T14:00:00.000001+0000", datetime(2026, 4, 10, 14, 0, 0, 1, UTC)),
        ("0000-04-10T14:00:00Z", None),
        ("2026-02-30T14:00:00Z", None),
        ("2026-04-10T24:00:00Z", None),
        ("2026-04-10T14:00:60Z", None),
        ("2026-04-10T14:00:00.Z", None),
        ("2026-04-10T14:00:00.1234567Z", None),
        ("2026-04-10T14:00:00", None),
        ("2026-04-10T14:00:00+02:00", None),
        ("2026-04-10 14:00:00Z", None),
        ("2026-04-10T14:00:00z", None),
        ("2026-4-10T14:00:00.0Z", None),
    ],
)
def test_moments_of_utc_are_read_and_all_others_left(text: str, moment: datetime | None) -> None:
    column = QuickColumn("a", Quick("moment"))
    body = b'{"a":{"S":"%b"}}' % text.encode()
    if moment is None:
        with pytest.raises(ValueError):
            rows(body, column)
    else:
        ((found,),) = rows(body, column)
        assert found == moment
        assert found.tzinfo is UTC


def test_a_constant_is_held_to_its_bytes_and_left_out() -> None:
    constant = QuickColumn("kind", Quick("constant", b'{"S":"Order"}'))
    assert rows(b'{"kind":{"S":"Order"},"a":{"S":"x"}}', constant, TEXT) == [("x",)]
    for text in (b'{"a":{"S":"x"}}', b'{"kind":{"S":"Ordex"},"a":{"S":"x"}}', b'{"kind":{"S":"Order"}}'):
        with pytest.raises(ValueError):
            rows(text, constant, TEXT)


def test_what_a_function_raises_comes_through() -> None:
    def refuse(written: bytes) -> Any:
        raise LookupError(written)

    with pytest.raises(LookupError, match="BOOL"):
        rows(b'{"a":{"BOOL":true}}', QuickColumn("a", Quick.read_by(refuse)))


@pytest.mark.parametrize(
    "columns",
    [
        ((1, "text", "text", None, False, False, False),),
        (("a", "nothing", "text", None, False, False, False),),
        (("a", "text", "text", {}, False, False, False),),
        (("a", "choice", "choice", None, False, False, False),),
        (("a", "constant", "constant", b"", True, False, False),),
        (("a", "list", "list", None, False, False, False),),
        (("a", "text"),),
        ("a",),
    ],
)
def test_columns_that_say_nothing_sensible_are_refused(columns: Any) -> None:
    made = type(reader())
    with pytest.raises((TypeError, ValueError)):
        made(columns, ABSENT, Decimal)


@pytest.mark.parametrize(
    "model",
    [
        5,
        (),
        (Model, (), {}, frozenset(), ()),
        (Model, ("a",), {}, frozenset(), (1, 2, 3, 4)),
        (5, ("a",), {}, frozenset(), (1, 2, 3, 4)),
    ],
)
def test_models_that_are_none_are_refused(model: Any) -> None:
    made = type(reader())
    with pytest.raises((TypeError, ValueError)):
        made((("a", "text", "text", None, False, False, False),), ABSENT, Decimal, model)


def test_nothing_is_kept_of_what_was_read_or_refused() -> None:
    some = Model.model_validate(
        {"id": "a", "line": 1, "total": "1.5", "ratio": 0.5, "at": "2026-01-01T00:00:00Z", "state": "OPEN",
         "tags": ["a", "b"], "counts": [1], "blob": b"x", "must": None}
    )  # fmt: skip
    good = written([stored(some)] * 3)
    bad = [good[:place] for place in range(1, len(good), 7)] + [good.replace(b'"N":"1.5"', b'"N":"--"')]
    both = WAYS[Model]

    def all_of_it() -> None:
        both.quickly(good)
        for text in bad:
            _refused(both.quickly, text)

    all_of_it()
    sys.intern("warm")
    tracemalloc.start()
    try:
        all_of_it()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(20):
            all_of_it()
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert after - before < 2_000, "bytes for twenty times the same"


def _refused(read: Read, text: bytes) -> None:
    try:
        read(text)
    except Exception:  # that it is refused is tried elsewhere; here, that nothing is kept of it
        return


def test_threads_read_with_one_reader_at_once() -> None:
    some = [Struct(f"s{number}", number, True, [Decimal(number)]) for number in range(200)]
    text = written([stored(each) for each in some])
    found: list[list[Any]] = []
    threads = [threading.Thread(target=lambda: found.append(WAYS[Struct].quickly(text))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [some] * 4


def test_a_table_reads_through_it_and_is_told_what_is_wrong_all_the_same() -> None:
    with Many.open("memory:") as many:
        put = [Checked(id="a", line=number, note="x" * (number % 6)) for number in range(150)]
        many.put_many(put)
        assert list(many.checks("a")) == put
        item = stored(put[-1]) | {"note": {"S": "far too long"}}
        many._opened().session.transport.send("PutItem", msgspec.json.encode({"TableName": "Many", "Item": item}))
        with pytest.raises(ItemRefused, match="too long"):
            many.checks("a")


KNOWN = ["EUR", "USD"]


@dataclass
class Money:
    currency: str

    def __post_init__(self) -> None:
        next(known for known in KNOWN if known == self.currency)


@entity(key=("PRICE#{id}", "{line:03d}"))
@dataclass
class Price:
    id: str
    line: int
    money: Money
    blob: bytes | None = None


@dataclass
class Nothing:
    """A view that asks only how many there are, so to speak."""


@entity(key=("ABSTRACT#{id}", "{line:03d}"))
class Abstract(BaseModel, ABC):
    id: str
    line: int

    @abstractmethod
    def said(self) -> str: ...


@entity(key=("LOUD#{id}", "{line:03d}"))
class Loud(BaseModel):
    id: str
    line: int


def _loudly(self: Loud, **given: Any) -> None:
    BaseModel.__init__(self, **{**given, "id": given["id"].upper()})


Loud.__init__ = _loudly  # type: ignore[method-assign]  # as a decorator does, after the class was made


class Odd(Table, entities=[Price, Abstract, Loud]):
    @pattern()
    def prices(self, id: str) -> Page[Price]:
        return query(Price)

    @pattern()
    def none(self, id: str) -> Page[Nothing]:
        return query(Price, view=Nothing)

    @pattern()
    def abstracts(self, id: str) -> Page[Abstract]:
        return query(Abstract)  # type: ignore[type-abstract]  # that it has no objects is what is tried

    @pattern()
    def louds(self, id: str) -> Page[Loud]:
        return query(Loud)


def odd(kind: str, **values: dict[str, Any]) -> bytes:
    return written([{"entity_type": {"S": kind}, "id": {"S": "a"}, "line": {"N": "1"}, **values}])


def test_a_class_that_stops_an_iteration_does_not_end_the_page() -> None:
    put = [Price("a", number, Money(KNOWN[number % 2])) for number in range(3)]
    with Odd.open("memory:") as table:
        table.put_many(put)
        item = {**_item(Odd, put[1]), "money": {"M": {"currency": {"S": "GBP"}}}}
        table._opened().session.transport.send("PutItem", msgspec.json.encode({"TableName": "Odd", "Item": item}))
        with pytest.raises(ItemRefused, match="StopIteration"):
            table.prices("a")


def test_a_page_whose_items_are_not_those_that_were_counted_is_read_again() -> None:
    item = odd("Price", money={"M": {"currency": {"S": "EUR"}}})
    pages = ways(Odd, "prices").quick_pages
    for count in (1, 2):
        _, objects = pages.page(b'{"Items":[%b],"Count":%d}' % (item, count))
        assert objects == [Price("a", 1, Money("EUR"))]


def test_whoever_walks_through_all_objects_meets_no_row_that_is_not_filled() -> None:
    met: list[Any] = []

    def walk(text: bytes) -> int:
        met.extend(each for each in gc.get_objects() if type(each) is tuple and "the first" in each)
        return len(text)

    columns = (TEXT, QuickColumn("b", Quick.read_by(walk)), QuickColumn("c", Quick("text")))
    found = rows(b'{"a":{"S":"the first"},"b":{"BOOL":true},"c":{"S":"x"}}', *columns)
    assert found == [("the first", 13, "x")]
    assert met == []
    assert gc.is_tracked(found[0])


def test_a_view_without_fields_has_as_many_objects_as_there_are_items() -> None:
    with Odd.open("memory:") as table:
        table.put_many([Price("a", number, Money("EUR")) for number in range(3)])
        assert list(table.none("a")) == [Nothing()] * 3


def test_an_abstract_class_has_no_objects() -> None:
    both = ways(Odd, "abstracts")
    for read in (both.quickly, both.slowly):
        with pytest.raises((TypeError, ValueError)):
            read(odd("Abstract"))


def test_a_constructor_that_was_set_later_is_called() -> None:
    both = ways(Odd, "louds")
    assert both.quickly(odd("Loud")) == both.slowly(odd("Loud"))
    assert both.quickly(odd("Loud"))[0].id == "A"


@pytest.mark.parametrize("blob", [{"B": "eA==", "Z": "1"}, {"B": "eA==", "NULL": True}, {"B": None}])
def test_a_value_with_more_in_it_than_one_is_left_to_the_rest(blob: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        ways(Odd, "prices").quickly(odd("Price", money={"M": {"currency": {"S": "EUR"}}}, blob=blob))


def test_a_module_of_another_form_is_left_out() -> None:
    name = "singletable.client.items._quick_rows"
    assert compiled(name, form=1) is not None
    assert compiled(name, form=0) is None
    assert compiled("singletable.no_such_module", form=1) is None


def test_it_can_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PURE, "1")
    assert row_reader(()) is None
    with Many.open("memory:") as many:
        put = [Struct("a", number, False) for number in range(3)]
        many.put_many(put)
        assert list(many.structs("a")) == put
