"""Hypothesis strategies for scalar values (strings, numbers, datetimes) within limits, as DynamoDB can store them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Context, Decimal
from functools import reduce
from typing import Any
from uuid import UUID

from hypothesis import reject
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from singletable.testing.field_limits import UNITS, Limits
from singletable.values.limits import NUMBER_DIGITS_MAX, NUMBER_EXPONENT_MAX, NUMBER_EXPONENT_MIN

Values = SearchStrategy[Any]

# The default range of datetimes and dates.
FIRST_DAY, LAST_DAY = date(1970, 1, 1), date(2200, 1, 1)
# Reads skip expired items, so generated expiry times must be in the future at the time of the test.
FIRST_EXPIRY, LAST_EXPIRY = datetime(2100, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)

_TRIES_MAX = 10
_WHOLE_MAX = 10**NUMBER_DIGITS_MAX - 1
_MONEY_PLACES = 2
_FLOAT_DIGITS = 15
_FLOAT_MAX, _FLOAT_MIN = 9.9e124, 1e-129
# DynamoDB stores 38 digits, and the default decimal context of Python rounds to 28.
_EXACT = Context(prec=200)


def expiries_of(kind: Any) -> Values:
    """Return a strategy for expiry times, in the whole seconds that DynamoDB uses."""
    seconds = st.integers(int(FIRST_EXPIRY.timestamp()), int(LAST_EXPIRY.timestamp()))
    return seconds.map(lambda second: datetime.fromtimestamp(second, UTC)) if kind is datetime else seconds


def characters(limits: Limits) -> SearchStrategy[str]:
    """Return a strategy for characters that can be encoded as UTF-8."""
    return st.characters(codec="utf-8", exclude_characters=limits.excluded)


def strings(limits: Limits) -> Values:
    """Return a strategy for strings. It includes the empty string, unless a key consists of this field only."""
    if limits.pattern is None:
        return st.text(characters(limits), min_size=limits.size_min or 0, max_size=limits.size_max)
    least, most = limits.size_min or 0, math.inf if limits.size_max is None else limits.size_max
    # In Python, `$` also matches before a newline at the end. The validators of the constraint do not accept this
    # newline.
    pattern = re.sub(r"(?<!\\)\$$", r"\\Z", limits.pattern)
    matching = st.from_regex(pattern, alphabet=characters(limits))
    return retried(matching, lambda text: least <= len(text) <= most)


@st.composite
def retried(draw: st.DrawFn, values: Values, fits: Callable[[Any], bool]) -> Any:
    """Draw until a value fits. Reject the whole example only after many draws.

    Hypothesis' own filter stops after three draws, which is too few if half of the values do not fit.
    """
    for _ in range(_TRIES_MAX):
        value = draw(values)
        if fits(value):
            return value
    return reject()


def integers(limits: Limits) -> Values:
    """Return a strategy for integers of at most 38 digits."""
    low = -_WHOLE_MAX if limits.low is None else math.ceil(limits.low)
    high = _WHOLE_MAX if limits.high is None else math.floor(limits.high)
    if limits.step is None:
        return st.integers(low, high)
    step = int(limits.step)
    return st.integers(-(-low // step), high // step).map(lambda number: number * step)


def decimals(limits: Limits) -> Values:
    """Return a strategy for decimals with the declared number of places. Without limits, they have up to 38 digits."""
    is_free = (limits.low, limits.high, limits.step, limits.places, limits.digits) == (None,) * 5
    digits = NUMBER_DIGITS_MAX if limits.digits is None else min(limits.digits, NUMBER_DIGITS_MAX)
    places = min(_MONEY_PLACES, digits) if limits.places is None else limits.places
    unit = Decimal(1).scaleb(-places) if limits.step is None else _exact(limits.step)
    largest = Decimal((0, (9,) * digits, -places))
    low = largest.copy_negate() if limits.low is None else max(largest.copy_negate(), _exact(limits.low))
    high = largest if limits.high is None else min(largest, _exact(limits.high))
    steps = st.integers(math.ceil(_EXACT.divide(low, unit)), math.floor(_EXACT.divide(high, unit)))
    scaled = steps.map(lambda number: _EXACT.multiply(Decimal(number), unit))
    return scaled | _any_decimals() if is_free else scaled


def _any_decimals() -> Values:
    def made(number: int, exponent: int) -> Decimal:
        sign, digits, _ = Decimal(number).as_tuple()
        return Decimal((sign, digits, exponent - len(digits) + 1))

    exponents = st.integers(NUMBER_EXPONENT_MIN, NUMBER_EXPONENT_MAX)
    return st.builds(made, st.integers(-_WHOLE_MAX, _WHOLE_MAX), exponents)


def _exact(number: Any) -> Decimal:
    return Decimal(repr(number)) if isinstance(number, float) else Decimal(number)


def floats(limits: Limits) -> Values:
    """Return a strategy for finite floats in DynamoDB's range."""
    if limits.step is not None or limits.places is not None:
        return decimals(limits & Limits(digits=_FLOAT_DIGITS)).map(float)
    low = -_FLOAT_MAX if limits.low is None else float(limits.low)
    high = _FLOAT_MAX if limits.high is None else float(limits.high)
    made = st.floats(low, high, allow_nan=False, allow_infinity=False, allow_subnormal=False)
    return made.filter(lambda number: not number or abs(number) >= _FLOAT_MIN)


def datetimes(limits: Limits) -> Values:
    """Return a strategy for datetimes in UTC, truncated to the precision of the key."""
    low = _midnight(FIRST_DAY) if limits.low is None else _naive(limits.low)
    high = _naive(limits.high) if limits.high is not None else max(_midnight(LAST_DAY), low)
    made = st.datetimes(min(low, high), high, timezones=st.just(UTC)).map(lambda moment: _cut(moment, limits.unit))
    return made if limits.low is None else made.filter(lambda moment: _naive(moment) >= low)


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)  # noqa: DTZ001  # Hypothesis takes naive bounds and attaches UTC


def _naive(moment: datetime) -> datetime:
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)


def _cut(moment: datetime, unit: str | None) -> datetime:
    """Truncate a datetime to a unit."""
    cuts: tuple[Callable[[datetime], datetime], ...] = (
        lambda each: each - timedelta(microseconds=each.microsecond % 1000),
        lambda each: each.replace(microsecond=0),
        lambda each: each.replace(second=0),
        lambda each: each.replace(minute=0),
        lambda each: each.replace(hour=0),
        lambda each: each.replace(day=1),
        lambda each: each.replace(month=1),
    )
    return reduce(lambda each, cut: cut(each), cuts[: UNITS.index(unit) if unit else 0], moment.replace(fold=0))


def dates(limits: Limits) -> Values:
    """Return a strategy for dates, truncated to the precision of the key."""
    low = limits.low or FIRST_DAY
    made = st.dates(min(low, limits.high or low), limits.high or max(LAST_DAY, low))
    if limits.unit not in ("months", "years"):
        return made
    cut = made.map(lambda day: day.replace(day=1) if limits.unit == "months" else day.replace(month=1, day=1))
    return cut if limits.low is None else cut.filter(lambda day: day >= low)


MAKERS: dict[type, Callable[[Limits], Values]] = {
    bool: lambda limits: st.booleans(),
    str: strings,
    int: integers,
    Decimal: decimals,
    float: floats,
    bytes: lambda limits: st.binary(min_size=limits.size_min or 0, max_size=limits.size_max),
    datetime: datetimes,
    date: dates,
    UUID: lambda limits: st.uuids(),
    time: lambda limits: st.times(),
    timedelta: lambda limits: st.timedeltas(),
}
"""The strategy for each built-in type. A subclass comes before its base class."""
