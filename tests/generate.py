"""Hypothesis strategies for the items and arguments of a design, from small pools, so that values repeat."""

from __future__ import annotations

import enum
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal, get_args, get_origin

from hypothesis import strategies as st

from singletable.model.entity import Entity
from singletable.model.fields import Field
from singletable.model.parameter_types import Between, Box, Children, Nearest, Prefix, Radius, Since, Subtree, Until
from singletable.model.pattern_declaration import CURSOR, LIMIT, ParameterDeclaration
from singletable.testing.field_strategies import objects_from

# Texts with shared prefixes, and with every character that is special in keys.
TEXTS = ("a", "ab", "a#b", "b", "eng", "engineering", "eng#x", "%23", "a b", "$", "~", "é", "OPEN", "METADATA", "")
PATHS = (("r",), ("r", "eng"), ("r", "engineering"), ("r", "eng", "x"), ("r", "eng", "x", "y"), ("r#eng",), ("s",))
START = datetime(2026, 1, 1, tzinfo=UTC)


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for a type, with few values, so that some are equal."""
    if get_origin(kind) is Literal:
        return st.sampled_from(get_args(kind))
    if kind == tuple[str, ...]:
        return st.sampled_from(PATHS)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return st.sampled_from(list(kind))
    pools: dict[Any, st.SearchStrategy[Any]] = {
        str: st.sampled_from(TEXTS),
        int: st.integers(0, 12),
        bool: st.booleans(),
        Decimal: st.sampled_from([Decimal("-1.5"), Decimal(0), Decimal("9.99"), Decimal(10)]),
        float: st.integers(-9, 9).map(lambda number: number / 500),
        datetime: st.integers(0, 8).map(_moment),
        date: st.integers(0, 4).map(lambda number: START.date() + timedelta(days=number)),
        bytes: st.binary(min_size=1, max_size=2),
    }
    return pools[kind]


def _moment(number: int) -> datetime:
    """Return a time; some times differ only within a second."""
    return START + timedelta(days=17 * (number // 3), seconds=number // 2 % 2, milliseconds=300 * (number % 3))


def items(entity: Entity) -> st.SearchStrategy[Any]:
    """Return a strategy for objects of the class of an entity."""
    return objects_from(entity.cls, {name: _field(field) for name, field in entity.fields.items()})


def _field(field: Field) -> st.SearchStrategy[Any]:
    plain = values(field.type)
    return st.none() | plain if field.optional else plain


def argument(parameter: ParameterDeclaration) -> st.SearchStrategy[Any]:
    """Return a strategy for the arguments of a parameter, including ranges."""
    if parameter.name == LIMIT:
        return st.just(1000)
    if parameter.name == CURSOR:
        return st.none()
    if parameter.test is Radius:
        radius = st.sampled_from([0.0, 500.0, 1_000.0])
        return st.builds(Radius, values(float), values(float), radius)
    if parameter.test is Nearest:
        # A limit above the number of items: tests/client checks which items are the nearest.
        return st.builds(Nearest, values(float), values(float), st.just(1_000), meters=st.just(1_000.0))
    if parameter.test is Box:
        # Smaller than the whole area, which would need more Queries than the pattern of the guide declares.
        edge = st.integers(-8, 8).map(lambda number: number / 500)
        return st.tuples(*[edge] * 4).map(
            lambda edges: Box(*map(min, edges[:2], edges[2:]), *map(max, edges[:2], edges[2:]))
        )
    plain = values(parameter.type)
    if parameter.test is Between:
        return st.tuples(plain, plain).map(lambda pair: Between(min(pair), max(pair)))
    if parameter.test is Children:
        return st.builds(Children, plain | st.just(()))
    return plain.map(parameter.test) if parameter.test in (Since, Until, Prefix, Subtree) else plain
