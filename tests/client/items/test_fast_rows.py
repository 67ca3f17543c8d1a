"""The compiled fast path for rows creates the same objects as msgspec and Python, and rejects all other input."""

from __future__ import annotations

import gc
import json
import sys
import threading
import tracemalloc
import weakref
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
from singletable.client.items.rows import ABSENT, FastColumn, FastType, row_reader
from singletable.client.reading.plan_decoder import PageFastPath
from singletable.planner.stored_items import item_of
from singletable.values import fast_path
from singletable.values.fast_path import PURE, NotOnFastPath, compiled_module, fast_path_counts
from tests.client.items.test_rows import THINGS, Thing, Things

if row_reader(()) is None:
    pytest.skip("the compiled module is not built: there is no C compiler here", allow_module_level=True)


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
    """The two ways to read objects: the compiled fast path, and msgspec with Python."""

    fast: Read
    slow: Read
    fast_pages: PageFastPath
    slow_pages: PageFastPath


def ways(table: type[Table], name: str) -> Ways:
    with table.open("memory:") as opened:
        reader = opened._opened().reader
        fast = reader._plan_decoder(getattr(table, name).plan).page_fast_path
    assert isinstance(fast, PageFastPath)
    assert fast._fast is not None
    slow = PageFastPath.__new__(PageFastPath)
    slow.__dict__.update({**vars(fast), "_fast": None})
    return Ways(fast._fast.of, slow.chunk, fast, slow)


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


def observed(made: Any) -> Any:
    """Return all observable properties of an object: its values and types, and the fields that were given."""
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
def test_fast_rows_create_the_same_objects_as_the_slow_path(objects: list[Any], escapes: bool, chance: Any) -> None:
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
    slow = both.slow(text)
    assert list(map(observed, _fast_or_slow(both, text))) == list(map(observed, slow))
    if not any("moment" in item and item["moment"] != {"NULL": True} for item in items):
        assert list(map(observed, both.fast(text))) == list(map(observed, slow)), (
            "nothing here has to be left to the rest"
        )


def _fast_or_slow(both: Ways, text: bytes) -> list[Any]:
    try:
        return both.fast(text)
    except NotOnFastPath:
        return both.slow(text)


@settings(deadline=None)
@given(OBJECTS.filter(bool), st.booleans(), st.booleans(), st.booleans())
def test_fast_rows_read_a_page_as_the_slow_path_does(objects: list[Any], first: bool, ends: bool, spaced: bool) -> None:
    array = {"Items": [stored(each) for each in objects]}
    rest: dict[str, Any] = {"Count": len(objects), "ConsumedCapacity": {"CapacityUnits": 0.5}}
    if not ends:
        rest["LastEvaluatedKey"] = {"PK": {"S": '"Items":['}, "Items": {"S": "x"}}
    answer = array | rest if first else rest | array
    body = json.dumps(answer, indent=1).encode() if spaced else msgspec.json.encode(answer)
    both = WAYS[type(objects[0])]
    found, quick = both.fast_pages.page(body)
    expected, slow = both.slow_pages.page(body)
    assert list(map(observed, quick)) == list(map(observed, slow))
    assert (found.count, found.last_evaluated_key) == (expected.count, expected.last_evaluated_key)
    assert found.consumed_capacity == expected.consumed_capacity


def test_fast_rows_end_at_the_bracket_of_an_array_and_report_its_position() -> None:
    text = b'[{"a":{"S":"x"}},{"a":{"S":"]"}}],"more":5'
    found = reader(TEXT).array(text, 1)
    assert list(found) == [("x",), ("]",)]
    assert text[found.position :] == b',"more":5'
    empty = reader(TEXT).array(b"[]", 1)
    assert (list(empty), empty.position) == ([], 2)
    for wrong in (text[:-10], b'[{"a":{"S":"x"}}', b"[", b'[{"a":{"S":"x"}},]'):
        with pytest.raises(NotOnFastPath):
            list(reader(TEXT).array(wrong, 1))
    with pytest.raises(ValueError, match="outside the bytes"):
        reader(TEXT).array(text, 99)


TOKENS = [
    *(b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b" ", b"\x00", b"\x1f", b"\xff", b"\xc3", b"\xed\xa0\x80"),
    *(b"null", b"true", b"false", b"0", b"-", b"1e5", b".", b"_", b'"S"', b'"N"', b'"NULL"', b'{"NULL":true}'),
    *(rb"\u0041", rb"\ud83d", rb"\ude00", rb"\u12", rb"\q", b'{"S":"x"}', b'{"N":"1"}', b'"id":{"S":"x"},', b"+00:00"),
]
EDITS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 6), st.sampled_from([b"", *TOKENS])), min_size=1, max_size=3)


@settings(deadline=None)
@given(OBJECTS.filter(bool), EDITS)
def test_fast_rows_never_differ_from_the_slow_path_for_any_bytes(
    objects: list[Any], edits: list[tuple[float, int, bytes]]
) -> None:
    both = WAYS[type(objects[0])]
    text = written([stored(each) for each in objects])
    for where, length, token in edits:
        place = int(where * len(text))
        text = text[:place] + token + text[place + length :]
    try:
        quick = both.fast(text)
    except NotOnFastPath:
        return
    assert list(map(observed, quick)) == list(map(observed, both.slow(text)))


@settings(deadline=None)
@given(OBJECTS.filter(bool), st.floats(0, 1))
def test_fast_rows_never_accept_truncated_items(objects: list[Any], where: float) -> None:
    texts = [written([stored(each)]) for each in objects]
    text = b",".join(texts)
    cut = text[: 1 + int(where * (len(text) - 2))]
    whole = {len(b",".join(texts[:count])) for count in range(len(texts) + 1)}
    # The memory of an array ends with its bytes, so that the sanitizers detect a read after its end.
    exactly = array("B", cut)
    if len(cut) in whole:
        assert len(WAYS[type(objects[0])].fast(exactly)) < len(objects)  # type: ignore[arg-type]  # any buffer does
    else:
        with pytest.raises(NotOnFastPath):
            WAYS[type(objects[0])].fast(exactly)  # type: ignore[arg-type]  # as above


def reader(*columns: FastColumn) -> Any:
    made = row_reader(columns)
    assert made is not None
    return made


def rows(text: bytes, *columns: FastColumn) -> list[Any]:
    return list(reader(*columns).rows(text))


TEXT, OTHER = FastColumn("a", FastType("text")), FastColumn("b", FastType("int"), optional=True, nullable=True)


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
def test_fast_rows_are_tuples_of_their_columns(text: bytes, expected: list[Any]) -> None:
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
def test_fast_rows_decline_unexpected_bytes(text: bytes) -> None:
    with pytest.raises(NotOnFastPath):
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
def test_fast_rows_read_only_datetimes_in_utc(text: str, moment: datetime | None) -> None:
    column = FastColumn("a", FastType("moment"))
    body = b'{"a":{"S":"%b"}}' % text.encode()
    if moment is None:
        with pytest.raises(NotOnFastPath):
            rows(body, column)
    else:
        ((found,),) = rows(body, column)
        assert found == moment
        assert found.tzinfo is UTC


def test_fast_rows_leave_out_a_constant_column_that_must_match_its_bytes() -> None:
    constant = FastColumn("kind", FastType("constant", b'{"S":"Order"}'))
    assert rows(b'{"kind":{"S":"Order"},"a":{"S":"x"}}', constant, TEXT) == [("x",)]
    for text in (b'{"a":{"S":"x"}}', b'{"kind":{"S":"Ordex"},"a":{"S":"x"}}', b'{"kind":{"S":"Order"}}'):
        with pytest.raises(NotOnFastPath):
            rows(text, constant, TEXT)


def test_fast_rows_name_the_exception_of_a_column_function_as_the_cause() -> None:
    def refuse(written: bytes) -> Any:
        raise LookupError(written)

    with pytest.raises(NotOnFastPath) as raised:
        rows(b'{"a":{"BOOL":true}}', FastColumn("a", FastType.read_by(refuse)))
    assert repr(raised.value.__cause__) == repr(LookupError(b'{"BOOL":true}'))


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
def test_fast_rows_reject_invalid_columns(columns: Any) -> None:
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
def test_fast_rows_reject_invalid_models(model: Any) -> None:
    made = type(reader())
    with pytest.raises((TypeError, ValueError)):
        made((("a", "text", "text", None, False, False, False),), ABSENT, Decimal, model)


def test_fast_rows_leak_no_memory() -> None:
    some = Model.model_validate(
        {"id": "a", "line": 1, "total": "1.5", "ratio": 0.5, "at": "2026-01-01T00:00:00Z", "state": "OPEN",
         "tags": ["a", "b"], "counts": [1], "blob": b"x", "must": None}
    )  # fmt: skip
    good = written([stored(some)] * 3)
    bad = [good[:place] for place in range(1, len(good), 7)] + [good.replace(b'"N":"1.5"', b'"N":"--"')]
    both = WAYS[Model]

    def all_of_it() -> None:
        both.fast(good)
        for text in bad:
            _refused(both.fast, text)

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
    except NotOnFastPath:
        return


def test_threads_use_one_reader_of_fast_rows_at_once() -> None:
    some = [Struct(f"s{number}", number, True, [Decimal(number)]) for number in range(200)]
    text = written([stored(each) for each in some])
    found: list[list[Any]] = []
    threads = [threading.Thread(target=lambda: found.append(WAYS[Struct].fast(text))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [some] * 4


def test_a_table_uses_fast_rows_and_still_reports_invalid_items() -> None:
    with Many.open("memory:") as many:
        put = [Checked(id="a", line=number, note="x" * (number % 6)) for number in range(150)]
        many.put_many(put)
        before = fast_path_counts()["compiled rows"]
        assert list(many.checks("a")) == put
        after = fast_path_counts()["compiled rows"]
        assert (after.hits > before.hits, after.misses) == (True, before.misses)
        item = stored(put[-1]) | {"note": {"S": "far too long"}}
        many._opened().session.transport.send("PutItem", msgspec.json.encode({"TableName": "Many", "Item": item}))
        with pytest.raises(ItemRefused, match="too long"):
            many.checks("a")
        assert fast_path_counts()["compiled rows"].misses > after.misses


def test_a_reader_of_fast_rows_in_a_reference_cycle_is_collected() -> None:
    class Owner:
        reader: Any

    owner = Owner()
    owner.reader = reader(FastColumn("a", FastType.read_by(lambda _, owner=owner: owner)))  # type: ignore[misc]
    remaining = weakref.ref(owner)
    del owner
    gc.collect()
    assert remaining() is None


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
    """A view without fields."""


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


Loud.__init__ = _loudly  # type: ignore[method-assign]  # as a decorator does


class Odd(Table, entities=[Price, Abstract, Loud]):
    @pattern()
    def prices(self, id: str) -> Page[Price]:
        return query(Price)

    @pattern()
    def none(self, id: str) -> Page[Nothing]:
        return query(Price, view=Nothing)

    @pattern()
    def abstracts(self, id: str) -> Page[Abstract]:
        return query(Abstract)  # type: ignore[type-abstract]  # this test is about abstract classes

    @pattern()
    def louds(self, id: str) -> Page[Loud]:
        return query(Loud)


def odd(kind: str, **values: dict[str, Any]) -> bytes:
    key = {"PK": {"S": f"{kind.upper()}#a"}, "SK": {"S": "001"}}
    return written([{**key, "entity_type": {"S": kind}, "id": {"S": "a"}, "line": {"N": "1"}, **values}])


def test_fast_rows_do_not_end_a_page_at_a_class_that_raises_stop_iteration() -> None:
    put = [Price("a", number, Money(KNOWN[number % 2])) for number in range(3)]
    with Odd.open("memory:") as table:
        table.put_many(put)
        item = {**_item(Odd, put[1]), "money": {"M": {"currency": {"S": "GBP"}}}}
        table._opened().session.transport.send("PutItem", msgspec.json.encode({"TableName": "Odd", "Item": item}))
        with pytest.raises(ItemRefused, match="StopIteration"):
            table.prices("a")


def test_fast_rows_leave_a_page_whose_count_does_not_match_to_the_slow_path() -> None:
    item = odd("Price", money={"M": {"currency": {"S": "EUR"}}})
    pages = ways(Odd, "prices").fast_pages
    for count in (1, 2):
        _, objects = pages.page(b'{"Items":[%b],"Count":%d}' % (item, count))
        assert objects == [Price("a", 1, Money("EUR"))]


def test_the_garbage_collector_never_exposes_an_incomplete_fast_row() -> None:
    met: list[Any] = []

    def walk(text: bytes) -> int:
        met.extend(each for each in gc.get_objects() if type(each) is tuple and "the first" in each)
        return len(text)

    columns = (TEXT, FastColumn("b", FastType.read_by(walk)), FastColumn("c", FastType("text")))
    found = rows(b'{"a":{"S":"the first"},"b":{"BOOL":true},"c":{"S":"x"}}', *columns)
    assert found == [("the first", 13, "x")]
    assert met == []
    assert gc.is_tracked(found[0])


def test_fast_rows_of_a_view_without_fields_are_as_many_as_its_items() -> None:
    with Odd.open("memory:") as table:
        table.put_many([Price("a", number, Money("EUR")) for number in range(3)])
        assert list(table.none("a")) == [Nothing()] * 3


def test_fast_rows_create_no_objects_of_an_abstract_class() -> None:
    both = ways(Odd, "abstracts")
    with pytest.raises(NotOnFastPath):
        both.fast(odd("Abstract"))
    with pytest.raises(NotOnFastPath) as left:
        both.slow(odd("Abstract"))
    assert isinstance(left.value.__cause__, (TypeError, ValueError))


def test_fast_rows_call_a_constructor_that_was_set_later() -> None:
    both = ways(Odd, "louds")
    assert both.fast(odd("Loud")) == both.slow(odd("Loud"))
    assert both.fast(odd("Loud"))[0].id == "A"


@pytest.mark.parametrize("blob", [{"B": "eA==", "Z": "1"}, {"B": "eA==", "NULL": True}, {"B": None}])
def test_fast_rows_decline_a_value_with_several_types(blob: dict[str, Any]) -> None:
    with pytest.raises(NotOnFastPath):
        ways(Odd, "prices").fast(odd("Price", money={"M": {"currency": {"S": "EUR"}}}, blob=blob))


def test_fast_path_does_not_load_a_compiled_module_with_another_interface_version() -> None:
    name = "singletable.client.items._fast_rows"
    assert compiled_module(name) is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(fast_path.INTERFACE_VERSIONS, name, 0)
        assert compiled_module(name) is None
        patch.setitem(fast_path.INTERFACE_VERSIONS, "singletable.no_such_module", 1)
        assert compiled_module("singletable.no_such_module") is None


def test_the_compiled_module_of_fast_rows_can_be_disabled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PURE, "1")
    assert row_reader(()) is None
    with Many.open("memory:") as many:
        put = [Struct("a", number, False) for number in range(3)]
        many.put_many(put)
        assert list(many.structs("a")) == put
