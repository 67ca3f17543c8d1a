"""Strategies for numbers, attribute values and almost valid JSON, for property tests of `values`."""

from __future__ import annotations

import base64
from decimal import Context, Decimal
from typing import Any

from hypothesis import strategies as st

EXACT = Context(prec=1000, Emin=-9999, Emax=9999)


@st.composite
def numbers(draw: st.DrawFn) -> Decimal:
    """Every number that DynamoDB can store, with many short ones, long ones and close neighbours."""
    digits = draw(st.integers(0, 99) | st.integers(0, 10**38 - 1) | st.integers(10**38 - 99, 10**38 - 1))
    if not digits:
        return Decimal(0)
    leading = draw(st.integers(-130, 125) | st.sampled_from([-130, -1, 0, 1, 125]))
    number = Decimal(digits).scaleb(leading - (len(str(digits)) - 1), EXACT)
    return number.copy_negate() if draw(st.booleans()) else number  # a minus would round to the context


@st.composite
def spellings(draw: st.DrawFn, number: Decimal) -> str:
    """A spelling of a number: with signs, zeros at either end, or an exponent."""
    exponent = draw(st.none() | st.integers(-140, 140)) if number else None
    coefficient = number if exponent is None else number.scaleb(-exponent, EXACT)
    integer, _, fraction = f"{coefficient.copy_abs():f}".partition(".")
    integer = draw(st.sampled_from(["", "0", "000"])) + (integer if integer != "0" else "")
    fraction = fraction + draw(st.sampled_from(["", "0", "000"]))
    if not integer and not fraction:
        integer = "0"
    point = "." if fraction else draw(st.sampled_from(["", "."]))
    sign = "-" if number < 0 else draw(st.sampled_from(["", "+"] if number else ["", "+", "-"]))
    power = ""
    if exponent is not None:
        power = (
            draw(st.sampled_from("eE")) + (draw(st.sampled_from(["", "+"])) if exponent >= 0 else "") + str(exponent)
        )
    return f"{sign}{integer}{point}{fraction}{power}"


SPELT_NUMBERS = numbers().flatmap(spellings)

TEXTS = st.text(max_size=8) | st.sampled_from(["", "a", "S", "héllo", "😀", "x" * 100])
NAMES = st.text(min_size=1, max_size=6)
BINARIES = st.binary(max_size=9).map(lambda content: base64.b64encode(content).decode())

SCALARS: st.SearchStrategy[dict[str, Any]] = st.one_of(
    TEXTS.map(lambda text: {"S": text}),
    SPELT_NUMBERS.map(lambda text: {"N": text}),
    BINARIES.map(lambda text: {"B": text}),
    st.booleans().map(lambda truth: {"BOOL": truth}),
    st.just({"NULL": True}).map(dict),
)
SETS: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.lists(TEXTS, min_size=1, max_size=4, unique=True).map(lambda members: {"SS": members}),
    st.lists(numbers(), min_size=1, max_size=4, unique=True)
    .flatmap(lambda members: st.tuples(*map(spellings, members)))
    .map(lambda members: {"NS": list(members)}),
    st.lists(BINARIES, min_size=1, max_size=4, unique=True).map(lambda members: {"BS": members}),
)


def _documents(values: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.one_of(
        st.lists(values, max_size=4).map(lambda elements: {"L": elements}),
        st.dictionaries(NAMES, values, max_size=4).map(lambda members: {"M": members}),
    )


VALUES = st.recursive(SCALARS | SETS, _documents, max_leaves=6)
ITEMS = st.dictionaries(NAMES, VALUES, max_size=5)

# Any JSON, mostly in the shape of attribute values, so that every kind of error occurs.
_KINDS = st.sampled_from(["S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M", "X"])
_FEW_TEXTS = st.sampled_from(["", "a", "S", "1", "1.0", "YQ==", "YR==", "true", "no", "1e999", "9" * 39, "\ud800"])
_PLAIN_JSON = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | _FEW_TEXTS
_NEAR_VALUES = st.dictionaries(_KINDS, _PLAIN_JSON | st.lists(_FEW_TEXTS, max_size=3), min_size=1, max_size=2)
ANY_JSON: st.SearchStrategy[Any] = st.recursive(
    _PLAIN_JSON | _NEAR_VALUES | SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(_KINDS, inner, max_size=2),
        st.dictionaries(st.text(max_size=2), inner, max_size=3),
        _documents(inner),
    ),
    max_leaves=8,
)
ANY_ITEMS = st.dictionaries(st.text(max_size=2), SCALARS | _NEAR_VALUES | ANY_JSON, max_size=3) | ANY_JSON


def nested(levels: int, *, leaf: Any = None, kind: str = "M") -> Any:
    """Return a value inside this many maps or lists."""
    value = {"S": "leaf"} if leaf is None else leaf
    for _ in range(levels):
        value = {"M": {"n": value}} if kind == "M" else {"L": [value]}
    return value
