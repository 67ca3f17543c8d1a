"""Keys of an entity: encoding, decoding, and the limits of DynamoDB."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Any, Literal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import SortOrder
from singletable.model.entity import Entity, declaration_of, entity
from singletable.model.entity_placement import place_entities
from singletable.model.keys import (
    KeyValue,
    NativePart,
    Placement,
    TemplatePart,
    check_bytes,
    native_type,
)
from singletable.model.source_location import caller
from singletable.model.table_schema import TABLE, Native, TableSettings, native
from singletable.values.attribute_value import attribute_value


class Status(Enum):
    OPEN = "open"
    WAITING = "in progress #2"


class Level(IntEnum):
    LOW = 1
    HIGH = 10


class Cents(Decimal):
    pass


@dataclass
class Everything:
    id: str
    sku: str
    number: int
    ratio: float
    price: Decimal
    blob: bytes
    at: datetime
    day: date
    key: UUID
    status: Status
    level: Level
    choice: Literal["a b", "c"]
    flag: bool
    tags: list[str]
    note: str | None = None


def placed(*positions: Any, delimiter: str = "#") -> Placement:
    """Return the placement of an entity with these keys in its table."""
    cls = type("Everything", (Everything,), {})
    declaration = declaration_of(entity(key=positions)(cls))
    assert declaration is not None
    _, entities, problems = place_entities(TableSettings("Shop", caller(), delimiter=delimiter), [declaration])
    assert problems == []
    (one,) = entities
    assert isinstance(one, Entity)
    return one.placements[TABLE]


def test_keys_encode_and_decode_their_fields() -> None:
    placement = placed("CUST#{id}", "ORDER#{at:seconds}#{sku}")
    values = {"id": "c#1", "at": datetime(2026, 4, 10, 14, tzinfo=UTC), "sku": "s"}
    keys = {"PK": "CUST#c%231", "SK": "ORDER#2026-04-10T14:00:00Z#s"}
    assert placement.encode({**values, "note": "not in the key"}) == keys
    decoded = placement.decode({**keys, "note": "not in the key"})
    assert decoded == {"id": "c#1", "sku": "s"}, "the key keeps only the second of the time"
    assert placement.truncated_fields == {"at"}


def test_keys_know_their_fields_in_a_placement() -> None:
    placement = placed("CUST#{id}", native("price"))
    assert placement.fields == placement.exact_fields == {"id", "price"}
    partition, sort = placement.parts
    assert isinstance(partition, TemplatePart)
    assert isinstance(sort, NativePart)
    assert [str(partition), str(sort)] == ["CUST#{id}", "price (N)"]


@given(st.text(), st.text(max_size=20))
def test_keys_round_trip_or_reject_any_text(first: str, second: str) -> None:
    placement = placed("A#{id}", "B#{sku}")
    try:
        keys = placement.encode({"id": first, "sku": second})
    except KeyRefused:
        return
    assert keys is not None
    assert placement.decode(keys) == {"id": first, "sku": second}


@pytest.mark.parametrize("values", [{"id": "x"}, {"id": "x", "note": None}, {"id": None, "note": "x"}])
def test_keys_with_a_none_field_leave_the_item_out_of_the_index(values: dict[str, Any]) -> None:
    assert placed("A#{id}", "B#{note}").encode(values) is None
    assert placed(native("id"), native("note")).encode(values) is None


@pytest.mark.parametrize(
    ("field", "value", "key_type", "key"),
    [
        ("id", "a#b c", "S", "a#b c"),
        ("number", 7, "N", Decimal(7)),
        ("number", -(10**37), "N", Decimal(-(10**37))),
        ("ratio", 0.1, "N", Decimal("0.1")),
        ("price", Decimal("1.50"), "N", Decimal("1.50")),
        ("blob", b"\x00\xff", "B", b"\x00\xff"),
        ("at", datetime(2026, 4, 10, tzinfo=UTC), "S", "2026-04-10T00:00:00.000000Z"),
        ("day", date(2026, 4, 10), "S", "2026-04-10"),
        ("key", UUID(int=7), "S", "00000000-0000-0000-0000-000000000007"),
        ("status", Status.OPEN, "S", "open"),
    ],
)
def test_a_native_key_is_text_a_number_or_bytes(field: str, value: Any, key_type: str, key: KeyValue) -> None:
    placement = placed(native(field))
    (part,) = placement.parts
    assert part.attribute == field
    assert part.type == key_type
    assert placement.encode({field: value}) == {field: key}
    decoded = placement.decode({field: key})
    assert decoded == {field: value}
    assert type(decoded[field]) is type(value)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", "a#b c"),
        ("number", 7),
        ("ratio", 0.1),
        ("price", Decimal("1.5")),
        ("at", datetime(2026, 4, 10, 1, 2, 3, 4, tzinfo=UTC)),
        ("day", date(2026, 4, 10)),
        ("key", UUID(int=7)),
        ("status", Status.WAITING),
        ("level", Level.HIGH),
        ("choice", "a b"),
    ],
)
def test_a_native_key_is_the_stored_attribute_itself(field: str, value: Any) -> None:
    """A filter or another program would miss the item if the attribute had two formats."""
    placement = placed(native(field))
    (part,) = placement.parts
    keys = placement.encode({field: value})
    assert keys is not None
    assert {part.type: str(keys[field])} == attribute_value(value)
    assert placement.decode(keys) == {field: value}


def test_a_native_key_can_have_a_format() -> None:
    placement = placed(native("id"), native("at", "seconds"))
    keys = {"id": "x", "at": "2026-04-10T14:00:00Z"}
    assert placement.encode({"id": "x", "at": datetime(2026, 4, 10, 14, tzinfo=UTC)}) == keys
    assert placement.decode(keys) == {"id": "x", "at": datetime(2026, 4, 10, 14, tzinfo=UTC)}


@pytest.mark.parametrize(
    ("position", "order"),
    [
        (native("number"), SortOrder.ASCENDING),
        (native("id"), SortOrder.ASCENDING),
        (native("at", "seconds:desc"), SortOrder.DESCENDING),
        (native("day", "%d%m%Y"), SortOrder.NONE),
    ],
)
def test_a_native_key_sorts_by_its_type_or_format(position: Native, order: SortOrder) -> None:
    (part,) = placed(position).parts
    assert isinstance(part, NativePart)
    assert part.order is order


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("id", 5, "5 is not valid for the key attribute id of type S"),
        ("id", b"x", "is not valid for the key attribute id of type S"),
        ("blob", "x", "'x' is not valid for the key attribute blob of type B"),
        ("number", "5", "'5' is not a number"),
        ("number", True, "True is not a number"),
        ("price", Decimal("NaN"), "is out of range for DynamoDB numbers"),
        ("ratio", float("inf"), "is out of range for DynamoDB numbers"),
        ("at", datetime(2026, 4, 10), "has no time zone"),
        ("status", "open", "is not a member"),
    ],
)
def test_a_native_key_rejects_values_of_other_types(field: str, value: Any, message: str) -> None:
    with pytest.raises(KeyRefused, match=message):
        placed(native(field)).encode({field: value})


@pytest.mark.parametrize(
    "value", [10**38 + 1, Decimal("1." + "1" * 38), Decimal("1E+126"), Decimal("1E-131"), Decimal("-1E+126")]
)
def test_native_keys_reject_a_number_out_of_the_range_of_dynamodb(value: Any) -> None:
    # 38 significant digits, from 1E-130 to 9.99...E+125.
    field = "number" if isinstance(value, int) else "price"
    with pytest.raises(KeyRefused):
        placed(native(field)).encode({field: value})


@pytest.mark.parametrize(
    ("positions", "keys"),
    [
        (("A#{id}", "M"), {"PK": "B#x", "SK": "M"}),
        (("A#{id}", "M"), {"PK": "A#x", "SK": "N"}),
        (("A#{id}", "M"), {"PK": "A#x", "SK": Decimal(1)}),
        (("A#{id}", "B#{id}"), {"PK": "A#x", "SK": "B#y"}),
        (("A#{id}", "M"), {"PK": "A#x"}),
        ((native("id"),), {"id": Decimal(1)}),
        ((native("id"),), {"id": b"x"}),
        ((native("blob"),), {"blob": "x"}),
        ((native("number"),), {"number": "x"}),
        ((native("number"),), {"number": Decimal("1.5")}),
        ((native("number"),), {"number": b"1"}),
        ((native("at"),), {"at": "yesterday"}),
        ((native("at"),), {"at": Decimal(1)}),
        ((native("status"),), {"status": "closed"}),
    ],
)
def test_keys_of_another_entity_are_rejected(positions: tuple[Any, ...], keys: dict[str, KeyValue]) -> None:
    with pytest.raises(KeyRefused):
        placed(*positions).decode(keys)


@pytest.mark.parametrize(("position", "most"), [(0, 2048), (1, 1024)])
@pytest.mark.parametrize("letter", ["x", "é", "\U0001f600"])
def test_key_templates_reject_keys_longer_than_the_limit_of_dynamodb(position: int, most: int, letter: str) -> None:
    placement = placed(native("id"), native("sku"))
    name = ("id", "sku")[position]
    values = {"id": "a", "sku": "b", name: letter * (most // len(letter.encode()))}
    assert placement.encode(values) == values
    with pytest.raises(KeyRefused, match=rf"{name} has {most + 1} bytes, but DynamoDB allows at most {most}"):
        placement.encode({**values, name: values[name] + "x"})


def test_key_templates_count_the_bytes_of_the_whole_key_for_the_limit() -> None:
    placement = placed("CUST#{id}", "M")
    assert placement.encode({"id": "x" * 2043}) is not None
    with pytest.raises(KeyRefused, match="PK has 2049 bytes"):
        placement.encode({"id": "x" * 2044})
    with pytest.raises(KeyRefused, match="PK has 2051 bytes"):
        placement.encode({"id": "x" * 2043 + "#"})


@pytest.mark.parametrize(
    ("positions", "values"),
    [
        (("{id}", "M"), {"id": ""}),
        (("M", "{id}"), {"id": ""}),
        ((native("id"),), {"id": ""}),
        ((native("blob"),), {"blob": b""}),
    ],
)
def test_empty_keys_are_rejected(positions: tuple[Any, ...], values: dict[str, Any]) -> None:
    with pytest.raises(KeyRefused, match="is empty, but DynamoDB does not allow empty keys"):
        placed(*positions).encode(values)


@pytest.mark.parametrize("position", ["{id}", native("id"), native("id", "raw")])
def test_keys_of_every_kind_reject_a_lone_surrogate(position: Any) -> None:
    with pytest.raises(KeyRefused):
        placed(position).encode({"id": "a\ud800"})


def test_keys_that_are_native_numbers_have_no_length_limit() -> None:
    check_bytes("price", Decimal("1E+100"), sort=True)


@pytest.mark.parametrize(
    ("field_type", "expected"),
    [
        (str, "S"),
        (Status, "S"),
        (datetime, "S"),
        (date, "S"),
        (UUID, "S"),
        (int, "N"),
        (float, "N"),
        (Decimal, "N"),
        (Cents, "N"),
        (Level, "N"),
        (bytes, "B"),
        (Literal["a", "b"], "S"),
        (bool, None),
        (list, None),
        (list[str], None),
        (tuple[str, ...], None),
        (str | int, None),
        (Literal[True], None),
        (object, None),
    ],
    ids=str,
)
def test_only_text_numbers_and_bytes_can_be_native_keys(field_type: Any, expected: str | None) -> None:
    assert native_type(field_type) == expected


@pytest.mark.parametrize(
    ("field", "domain"),
    [("status", tuple(Status)), ("level", tuple(Level)), ("choice", ("a b", "c")), ("id", None), ("number", None)],
)
def test_a_native_key_lists_its_few_values(field: str, domain: tuple[Any, ...] | None) -> None:
    (part,) = placed(native(field)).parts
    assert isinstance(part, NativePart)
    assert part.domain == domain
