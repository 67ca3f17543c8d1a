"""Legacy parameters for reads: AttributesToGet, KeyConditions, QueryFilter and ScanFilter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from singletable.engine.items.request_expressions import WHOLE, ItemProjection, PageExpressions
from singletable.engine.legacy.comparison_operators import (
    INVALID,
    LegacyTest,
    check_arguments,
    combine_conditions,
    condition_tree,
)
from singletable.errors import invalid
from singletable.expressions.bound_expressions import BoundCondition
from singletable.expressions.key_condition import Accept, KeyCondition, KeyTest, key_tests
from singletable.expressions.projection import PathProjection
from singletable.expressions.tree import Path
from singletable.values.value_checks import check_name
from singletable.wire.api_types import Condition
from singletable.wire.query_and_scan import Query, Scan


def attributes_to_get(names: Sequence[str] | None) -> ItemProjection:
    """Return the projection that AttributesToGet specifies. A dot in an attribute name is part of the name."""
    if names is None:
        return WHOLE
    seen: set[str] = set()
    for name in names:
        check_name(name)
        if name in seen:
            raise invalid(f"{INVALID}Duplicate value in attribute name: {name}")
        seen.add(name)
    return ItemProjection(PathProjection(Path((name,)) for name in names))


_NO_RANGE = frozenset(("NULL", "NOT_NULL", "NE", "IN", "CONTAINS", "NOT_CONTAINS"))


class LegacyKeyCondition(KeyCondition):
    """A legacy key condition. Reading its values raises an error if its operator cannot be used on a key."""

    __slots__ = ("_not_indexable",)

    def __init__(self, tests: Mapping[str, KeyTest], not_indexable: frozenset[str]) -> None:
        super().__init__(tests, {})
        self._not_indexable = not_indexable

    def _values(self, test: KeyTest, kind: str, accept: Accept | None, is_partition: bool = False) -> tuple[Any, ...]:
        if test.attribute in self._not_indexable:
            raise invalid("Attempted conditional constraint is not an indexable operation")
        return super()._values(test, kind, accept, is_partition)


class LegacyPage(NamedTuple):
    """The legacy filter and attributes of a Query or Scan."""

    filter: BoundCondition | None
    projection: ItemProjection

    def combine_with(self, expressions: PageExpressions, request: Query | Scan) -> PageExpressions:
        """Return the expressions of the request, combined with its KeyConditions and this filter and projection."""
        key_condition = expressions.key_condition
        if isinstance(request, Query) and request.key_conditions is not None:
            key_condition = _key_condition(request.key_conditions)
        if self.filter is not None:
            expressions = expressions._replace(filter=self.filter, filter_word="QueryFilter")
        projection = expressions.projection if self.projection.is_whole else self.projection
        return expressions._replace(projection=projection, key_condition=key_condition)


def legacy_page(request: Query | Scan) -> LegacyPage:
    """Check the legacy filter and attributes of a request in DynamoDB's order, and return them."""
    conditions = request.query_filter if isinstance(request, Query) else request.scan_filter
    tests: list[LegacyTest] = []
    for name, condition in (conditions or {}).items():
        values = condition.attribute_value_list or []
        check_arguments(name, condition.comparison_operator, values)
        tests.append((name, condition.comparison_operator, values))
    return LegacyPage(
        combine_conditions(tests, request.conditional_operator), attributes_to_get(request.attributes_to_get)
    )


def _key_condition(conditions: Mapping[str, Condition]) -> KeyCondition:
    for name, condition in conditions.items():
        check_arguments(name, condition.comparison_operator, condition.attribute_value_list or [])
    if not conditions:
        raise invalid("Conditions can be of length 1 or 2 only")
    tests: dict[str, KeyTest] = {}
    for name, condition in conditions.items():
        if condition.comparison_operator in _NO_RANGE:
            tests[name] = KeyTest(name, "=", ())
        else:
            tree = condition_tree(name, condition.comparison_operator, condition.attribute_value_list or [])
            tests.update(key_tests(tree))
    not_indexable = (name for name, condition in conditions.items() if condition.comparison_operator in _NO_RANGE)
    return LegacyKeyCondition(tests, frozenset(not_indexable))
