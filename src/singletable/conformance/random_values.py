"""Random values for items and arguments, from small pools, so that different items have equal values."""

from __future__ import annotations

import enum
import random
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal, get_args, get_origin

from singletable.model.entity import Entity
from singletable.model.parameter_types import Between, Box, Children, Nearest, Prefix, Radius, Since, Subtree, Until
from singletable.model.pattern_declaration import CURSOR, LIMIT, ParameterDeclaration
from singletable.sample_rows.sample_values import sample_field, value_of

TEXTS = ("a", "ab", "a#b", "b", "eng", "engineering", "eng#x", "%23", "a b", "$", "~", "é")
"""Texts with shared prefixes, and with characters that are special in keys."""
PATHS = (("r",), ("r", "eng"), ("r", "engineering"), ("r", "eng", "x"), ("r", "eng", "x", "y"), ("r#eng",), ("s",))
_START = datetime(2026, 1, 1, tzinfo=UTC)
_NEVER = datetime(2100, 1, 1, tzinfo=UTC)
"""An expiry time in the future, because reads leave out expired items."""
_NONE_SHARE = 0.25
_SAME_VALUE_SHARE = 0.7
"""The share of arguments that come from a stored item, so that most calls return items."""
_LIMIT = 1000


def random_object(chance: random.Random, entity: Entity, number: int, known: Mapping[str, Any]) -> Any:
    """Return a random object of an entity with some known values, or None if its class rejects the values."""
    values: dict[str, Any] = {}
    for name, field in entity.fields.items():
        if field.initialised:
            is_none = field.optional and chance.random() < _NONE_SHARE
            values[name] = None if is_none else random_value(chance, entity, name, number)
    try:
        return entity.cls(**{**values, **known})
    except Exception:  # the class is code of the user
        return None


def random_value(chance: random.Random, entity: Entity, name: str, number: int) -> Any:
    """Return a random value of a field. Types without a pool get a sample value."""
    kind = entity.fields[name].type
    if name == entity.declaration.ttl:
        return _NEVER if kind is datetime else int(_NEVER.timestamp())
    pool = _pool(kind)
    if kind is str and entity.identity == (name,):  # more items than texts in the pool
        return f"{chance.choice(TEXTS)}{chance.choice(('', number % 7))}"
    if pool is not None:
        return chance.choice(pool)
    return value_of(kind, sample_field(entity, name, 0), number % 3, codecs=entity.declaration.codecs)


def random_arguments(
    chance: random.Random, parameters: Mapping[str, ParameterDeclaration], stored: Sequence[Any]
) -> dict[str, Any]:
    """Return random arguments of a pattern. Most values come from one stored item."""
    example = chance.choice(stored) if stored and chance.random() < _SAME_VALUE_SHARE else None
    return {
        name: _argument(chance, each, example)
        for name, each in parameters.items()
        if not (name == CURSOR or (name == LIMIT and not each.required))
    }


def _argument(chance: random.Random, parameter: ParameterDeclaration, example: Any) -> Any:
    if parameter.name == LIMIT:
        return _LIMIT
    test, values = parameter.test, _pool(parameter.type) or ()
    known = getattr(example, parameter.name, None)
    one: Any = known if known is not None else chance.choice(values) if values else None
    if test is Between:
        other = chance.choice(values) if values else one
        return Between(min(one, other), max(one, other))
    if test is Children:
        return Children(one[:-1])
    if test is Prefix:
        return Prefix(one[:1])
    if test in (Since, Until, Subtree):
        return test(one)
    if test is Radius:
        return Radius(_degrees(chance), _degrees(chance), chance.choice([0.0, 500.0, 1_000.0]))
    if test is Nearest:
        return Nearest(_degrees(chance), _degrees(chance), _LIMIT, meters=1_000.0)
    if test is Box:
        south, north = sorted((_degrees(chance), _degrees(chance)))
        west, east = sorted((_degrees(chance), _degrees(chance)))
        return Box(south, west, north, east)
    return one


def _degrees(chance: random.Random) -> float:
    return chance.randint(-9, 9) / 500


def _pool(kind: Any) -> Sequence[Any] | None:
    """Return the possible values of a type, or None if it has no pool."""
    if get_origin(kind) is Literal:
        return get_args(kind)
    if kind == tuple[str, ...]:
        return PATHS
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return list(kind)
    return _POOLS.get(kind) if isinstance(kind, type) else None


def _moment(number: int) -> datetime:
    """Return a time; some times differ only within a second."""
    return _START + timedelta(days=17 * (number // 3), seconds=number // 2 % 2, milliseconds=300 * (number % 3))


_POOLS: Mapping[type, Sequence[Any]] = {
    str: TEXTS,
    int: range(13),
    bool: (False, True),
    Decimal: (Decimal("-1.5"), Decimal(0), Decimal("9.99"), Decimal(10)),
    float: [number / 500 for number in range(-9, 10)],
    datetime: [_moment(number) for number in range(9)],
    date: [date(2026, 1, day) for day in range(1, 6)],
    bytes: (b"a", b"b", b"ab"),
}
