"""KeyConditions, QueryFilter, ScanFilter and AttributesToGet: what a Query or Scan asked for before expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from singletable.engine.asked import AskedOfPage, Projected
from singletable.engine.legacy.attributes import attributes_of
from singletable.engine.legacy.conditions import check_arguments, combined, tree_of
from singletable.errors import invalid
from singletable.expressions.key_condition import Accept, KeyCondition, KeyTest, key_tests
from singletable.expressions.request import BoundCondition
from singletable.wire.pages import Query, Scan
from singletable.wire.shape import Condition

_NO_RANGE = frozenset(("NULL", "NOT_NULL", "NE", "IN", "CONTAINS", "NOT_CONTAINS"))


class LegacyKeyCondition(KeyCondition):
    """A key condition, some of whose operators may be none that a key can be looked up by."""

    __slots__ = ("_not_indexable",)

    def __init__(self, tests: Mapping[str, KeyTest], not_indexable: frozenset[str]) -> None:
        super().__init__(tests, {})
        self._not_indexable = not_indexable

    def _values(self, test: KeyTest, kind: str, accept: Accept | None, is_partition: bool = False) -> tuple[Any, ...]:
        if test.attribute in self._not_indexable:
            raise invalid("Attempted conditional constraint is not an indexable operation")
        return super()._values(test, kind, accept, is_partition)


class LegacyPage(NamedTuple):
    """The filter and the attributes that a Query or Scan asks for."""

    filter: BoundCondition | None
    projection: Projected

    def beside(self, asked: AskedOfPage, request: Query | Scan) -> AskedOfPage:
        """Together with what the request asks for in expressions, which old key conditions can stand beside."""
        key_condition = asked.key_condition
        if isinstance(request, Query) and request.key_conditions is not None:
            key_condition = _key_condition(request.key_conditions)
        if self.filter is not None:
            asked = asked._replace(filter=self.filter, filter_word="QueryFilter")
        projection = asked.projection if self.projection.is_whole else self.projection
        return asked._replace(projection=projection, key_condition=key_condition)


def legacy_page(request: Query | Scan) -> LegacyPage:
    """What does not depend on expressions, checked in the service's order."""
    conditions = request.query_filter if isinstance(request, Query) else request.scan_filter
    trees = []
    for name, condition in (conditions or {}).items():
        values = condition.attribute_value_list or []
        check_arguments(name, condition.comparison_operator, values)
        trees.append(tree_of(name, condition.comparison_operator, values))
    return LegacyPage(combined(trees, request.conditional_operator), attributes_of(request.attributes_to_get))


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
            tree = tree_of(name, condition.comparison_operator, condition.attribute_value_list or [])
            tests.update(key_tests(tree))
    not_indexable = (name for name, condition in conditions.items() if condition.comparison_operator in _NO_RANGE)
    return LegacyKeyCondition(tests, frozenset(not_indexable))
