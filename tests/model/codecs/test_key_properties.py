"""Properties of all codecs, alone and combined in keys: exact, injective, sorted, and no neighbour in a range."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum, IntEnum
from functools import cache
from typing import Any, Literal
from uuid import UUID

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from singletable.errors import KeyRefused
from singletable.model.codecs.choose_codec import choose_codec
from singletable.model.codecs.codec import Codec, SortOrder
from singletable.model.codecs.text_codec import range_end
from singletable.model.regular_language import Language, common_text, literal

Values = st.SearchStrategy[Any]


class Status(Enum):
    OPEN = "open"
    OPENED = "opened #1"
    AJAR = "a"
    EMPTY = ""


class Level(IntEnum):
    LOW = 9
    HIGH = 10
    COLD = -1


class Grade(Enum):
    A = 1
    B = 2
    C = 30


# Characters that need care: those up to `%`, the delimiters, and the ends of Unicode.
BITING = ["#", "%", "$", " ", "!", '"', "\x00", "&", "a", "ab", "0", "25", "|", "-", ".", "/", "~", "\x7f", "é"]
BITING += ["\ud7ff", "\ue000", "\uffff", "\U0001f600", "\U0010ffff"]
LAST = BITING[-1]
ENDINGS = st.sampled_from(BITING[:8]) | st.sampled_from(BITING)
TEXTS = st.lists(st.sampled_from(BITING), max_size=5).map("".join)

MOMENTS = st.datetimes(timezones=st.just(UTC)) | st.sampled_from(
    [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)]
)
NUMBERS = st.builds(
    lambda sign, digits, exponent: Decimal((sign, tuple(digits), exponent - len(digits) + 1)),
    st.integers(0, 1),
    st.lists(st.integers(0, 9), min_size=1, max_size=38).map(lambda digits: [digits[0] or 1, *digits[1:]]),
    st.integers(-130, 125) | st.integers(-2, 2),
) | st.just(Decimal(0))
INTEGERS = st.integers(-(10**37), 10**37) | st.integers(-120, 120)
FLOATS = st.floats(-1e125, 1e125).filter(lambda value: value == 0 or abs(value) >= 1e-130) | st.sampled_from(
    [-0.5, 1.5]
)
CENTS = st.integers(0, 9_999_999).map(lambda cents: Decimal(cents) / 100)


def text_of(value: Any) -> str:
    return "".join(value) if isinstance(value, str | tuple) else ""


def fits(values: Values, delimiter: str) -> Values:
    """Return the values without U+10FFFF, which ends ranges with delimiters other than `#`."""
    return values if delimiter == "#" else values.filter(lambda value: LAST not in text_of(value))


def whole(value: datetime, **lowest: int) -> datetime:
    return value.replace(**lowest)  # type: ignore[arg-type]  # the names of the parts come from the caller


@dataclass(frozen=True)
class Field:
    """A field of a key: its type, its format, and its possible values."""

    python_type: Any
    spec: str
    values: Values

    @cache  # noqa: B019  the fields live as long as the module
    def codec(self, delimiter: str) -> Codec:
        return choose_codec(self.python_type, self.spec, delimiter)

    def drawn(self, delimiter: str) -> Values:
        """Return the values that are valid with this delimiter."""
        return fits(self.values, delimiter)


SECONDS = MOMENTS.map(lambda value: whole(value, microsecond=0))
FIELDS = [
    Field(str, "", TEXTS),
    Field(str, "raw", TEXTS),
    Field(tuple[str, ...], "path", st.lists(TEXTS.filter(bool), min_size=1, max_size=3).map(tuple)),
    Field(Literal["a", "ab", "a#", ""], "", st.sampled_from(["a", "ab", "a#", ""])),
    Field(Status, "", st.sampled_from(Status)),
    Field(Level, "", st.sampled_from(Level)),
    Field(Grade, "", st.sampled_from(Grade)),
    Field(Grade, "03d", st.sampled_from(Grade)),
    Field(UUID, "", st.uuids()),
    Field(bool, "", st.booleans()),
    Field(datetime, "%Y%m%dT%H%M%S%f", MOMENTS),
    Field(datetime, "%Y%m%dT%H%M%S", SECONDS),
    Field(datetime, "%S%M%HT%d%m%Y", SECONDS),
    Field(datetime, "%Y%m%dT%H%M%S:desc", SECONDS),
    Field(date, "%Y%m%d", st.dates()),
    Field(date, "%d%m%Y", st.dates()),
    Field(date, "%Y%m", st.dates().map(lambda value: value.replace(day=1))),
    Field(date, "%Y%m%d:desc", st.dates()),
    Field(int, "", INTEGERS),
    Field(int, "03d", st.integers(0, 999)),
    Field(int, "03d:desc", st.integers(0, 999)),
    Field(int, "number", INTEGERS),
    Field(int, "number:desc", INTEGERS),
    Field(Decimal, "", NUMBERS),
    Field(Decimal, "desc", NUMBERS),
    Field(Decimal, "08.2f", CENTS),
    Field(Decimal, "08.2f:desc", CENTS),
    Field(float, "", FLOATS),
    Field(float, "desc", FLOATS),
    Field(float, "08.2f", CENTS.map(float)),
    Field(int, "08.2f", st.integers(0, 99_999)),
]
# The precisions contain `-`, `:` and `.`, so they are valid only with other delimiters.
WORDS = [
    Field(datetime, "microseconds", MOMENTS),
    Field(
        datetime, "milliseconds", MOMENTS.map(lambda value: whole(value, microsecond=value.microsecond // 1000 * 1000))
    ),
    Field(datetime, "seconds", SECONDS),
    Field(datetime, "minutes", MOMENTS.map(lambda value: whole(value, microsecond=0, second=0))),
    Field(datetime, "hours", MOMENTS.map(lambda value: whole(value, microsecond=0, second=0, minute=0))),
    Field(datetime, "days", MOMENTS.map(lambda value: whole(value, microsecond=0, second=0, minute=0, hour=0))),
    Field(datetime, "milliseconds:desc", MOMENTS.map(lambda value: whole(value, microsecond=0))),
    Field(date, "", st.dates()),
]
DELIMITERS = ["#", "|", "-", ".", "/", "~", ":"]
ANY_DELIMITER = st.just("#") | st.sampled_from(DELIMITERS)
each_field = pytest.mark.parametrize(
    ("field", "delimiters"),
    [(field, ANY_DELIMITER) for field in FIELDS] + [(field, st.just("#")) for field in WORDS],
    ids=[f"{getattr(field.python_type, '__name__', 'Literal')}:{field.spec}" for field in FIELDS + WORDS],
)


def belongs(text: str, language: Language) -> bool:
    return common_text(language, literal(text)) == text


def sorts_by(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


def in_order(codec: Codec, first: Any, second: Any) -> bool:
    """Return whether two different values are in the order of the codec."""
    low, high = (second, first) if codec.order is SortOrder.DESCENDING else (first, second)
    return bool(sorts_by(low) < sorts_by(high))


@each_field
@given(data=st.data())
def test_every_codec_satisfies_the_codec_contract_for_every_value(
    field: Field, delimiters: Values, data: st.DataObject
) -> None:
    delimiter = data.draw(delimiters)
    codec, value = field.codec(delimiter), data.draw(field.drawn(delimiter))
    text = codec.encode(value)
    decoded = codec.decode(text)
    assert decoded == value
    assert isinstance(decoded, type(value))
    assert belongs(text, codec.language)
    assert codec.width in {None, len(text)}
    assert codec.last_text is None or text <= codec.last_text
    assert codec.domain is None or value in codec.domain
    assert codec.spans_segments or delimiter not in text
    assert (codec.order is SortOrder.NONE) == bool(codec.unordered_reason)


@each_field
@given(data=st.data())
def test_every_codec_decodes_a_text_only_if_encoding_restores_it(
    field: Field, delimiters: Values, data: st.DataObject
) -> None:
    delimiter = data.draw(delimiters)
    codec = field.codec(delimiter)
    text = list(codec.encode(data.draw(field.drawn(delimiter))))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(text)))
        removed = data.draw(st.integers(0, 1))
        text[place : place + removed] = data.draw(st.sampled_from([*BITING, *"0123456789nopZ\u0663\n_+\ud800", ""]))
    try:
        value = codec.decode("".join(text))
    except KeyRefused:
        return
    assert codec.encode(value) == "".join(text)


@st.composite
def templates(draw: st.DrawFn, fields: list[Field], delimiter: str) -> tuple[list[Field], list[Codec]]:
    """A few fields with their codecs; a field that can contain the delimiter is last."""
    inner = [field for field in fields if not field.codec(delimiter).spans_segments]
    chosen = draw(st.lists(st.sampled_from(inner), max_size=2)) if inner else []
    chosen.append(draw(st.sampled_from(fields)))
    return chosen, [field.codec(delimiter) for field in chosen]


def draw_values(data: st.DataObject, fields: list[Field], delimiter: str = "#") -> tuple[Any, ...]:
    return tuple(data.draw(field.drawn(delimiter)) for field in fields)


def near(field: Field, value: Any) -> Values:
    """Values whose text starts like that of another: `ab` for `a`, `1.51` for `1.5`, a path one element longer."""
    if field.python_type is str:
        return ENDINGS.map(lambda text: value + text)
    if isinstance(value, tuple):
        stem = value[:-1] or value
        return ENDINGS.map(lambda text: (*stem[:-1], stem[-1] + text)) | ENDINGS.map(lambda text: (*value, text))
    if isinstance(value, Decimal) and field.spec in {"", "desc"} and len(value.as_tuple().digits) < 38:
        sign, digits, exponent = value.as_tuple()
        return st.integers(0, 9).map(lambda digit: Decimal((sign, (*digits, digit), int(exponent) - 1)))
    return st.nothing()


def draw_neighbour(
    data: st.DataObject, fields: list[Field], values: tuple[Any, ...], delimiter: str = "#"
) -> tuple[Any, ...]:
    """Values that equal some of the others or are close to them, because keys with a common prefix are neighbours."""
    pairs = zip(fields, values, strict=True)
    return tuple(data.draw(st.just(value) | close(field, value, delimiter)) for field, value in pairs)


def close(field: Field, value: Any, delimiter: str) -> Values:
    return fits(near(field, value), delimiter) | field.drawn(delimiter)


def joined(codecs: list[Codec], values: tuple[Any, ...], delimiter: str = "#") -> str:
    return delimiter.join(codec.encode(value) for codec, value in zip(codecs, values, strict=True))


# Fields of the same kind have close values far more often than a mix of all kinds.
FAMILIES = {
    "texts": [field for field in FIELDS if field.python_type in {str, tuple[str, ...]}],
    "numbers": [field for field in FIELDS if field.python_type in {int, Decimal, float}],
    "known": [field for field in FIELDS if field.codec("#").domain],
    "all": FIELDS,
}
each_family = pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))


@each_family
@given(data=st.data())
def test_key_codecs_encode_different_field_values_as_different_keys(family: list[Field], data: st.DataObject) -> None:
    delimiter = data.draw(ANY_DELIMITER)
    fields, codecs = data.draw(templates(family, delimiter))
    first = draw_values(data, fields, delimiter)
    second = draw_neighbour(data, fields, first, delimiter)
    assert (joined(codecs, first, delimiter) == joined(codecs, second, delimiter)) == (first == second)


@each_family
@given(data=st.data())
def test_codecs_make_keys_that_sort_as_tuples_do(family: list[Field], data: st.DataObject) -> None:
    delimiter = data.draw(ANY_DELIMITER)
    words = WORDS if family is FIELDS and delimiter == "#" else []
    ordered = [field for field in family + words if field.codec(delimiter).order is not SortOrder.NONE]
    fields, codecs = data.draw(templates(ordered, delimiter))
    first = draw_values(data, fields, delimiter)
    second = draw_neighbour(data, fields, first, delimiter)
    assume(first != second)
    expected = next(in_order(codec, a, b) for codec, a, b in zip(codecs, first, second, strict=True) if a != b)
    low, high = (joined(codecs, values, delimiter).encode() for values in (first, second))
    assert (low < high) == expected


@each_family
@given(data=st.data())
def test_codecs_make_ranges_that_never_contain_a_neighbour(family: list[Field], data: st.DataObject) -> None:
    escaped = [field for field in family + (WORDS if family is FIELDS else []) if field.spec != "raw"]
    fields, codecs = data.draw(templates(escaped, "#"))
    values = draw_values(data, fields)
    parts = data.draw(st.integers(1, len(fields)))
    prefix = joined(codecs[:parts], values[:parts])
    others, other_codecs = data.draw(st.just((fields, codecs)) | templates(escaped, "#"))
    shared = draw_neighbour(data, others, values) if others is fields else draw_values(data, others)
    key = joined(other_codecs, shared)
    inside = prefix.encode() <= key.encode() <= (prefix + range_end("#")).encode()
    assert inside == (key == prefix or key.startswith(f"{prefix}#"))


def test_a_path_codec_excludes_engineering_from_the_subtree_of_eng() -> None:
    path = choose_codec(tuple[str, ...], "path", "#")
    low = path.encode(("root", "eng"))
    inside = [("root", "eng"), ("root", "eng", "db"), ("root", "eng", "\x00"), ("root", "eng", "\U0010ffff")]
    outside = [("root",), ("root", "engineering"), ("root", "eng "), ("root", "eng$"), ("root", "eng#"), ("root", "en")]
    assert all(low <= path.encode(value) <= low + range_end("#") for value in inside)
    assert not any(low <= path.encode(value) <= low + range_end("#") for value in outside)
