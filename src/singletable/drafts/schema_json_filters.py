"""The filter of a pattern in a `schema.json` as a condition of a draft, with the parameters that only it uses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from singletable.drafts.conditions import all_of, exists
from singletable.drafts.draft import DraftField, DraftParameter
from singletable.expressions.tree import Compare, Condition, Function, In, Not, Or, Parameter, Path

_COMPARATORS = ("=", "<>", "<", "<=", ">", ">=")


class FilterReader:
    """Reads the conditions of one pattern; `refuse` makes the error that says why it is none of ours."""

    def __init__(
        self, field: Callable[[str], DraftField], known: Collection[str], refuse: Callable[[str], Exception]
    ) -> None:
        self._field = field
        self._known = known
        self._refuse = refuse
        self.used: dict[str, DraftParameter] = {}
        """The parameters that the filter uses, by the names that the document has for them."""

    def condition(self, expression: dict[str, Any] | None) -> Condition | None:
        """All of the conditions, or any of them when the document says OR."""
        parts = [self._one(each) for each in expression["conditions"]] if expression is not None else []
        if expression is not None and expression.get("logical_operator") == "OR" and len(parts) > 1:
            return Or(tuple(parts))
        return all_of([inner for each in parts for inner in _flat(each)])

    def _one(self, condition: dict[str, Any]) -> Condition:
        field = self._field(condition["field"])
        path, word = Path((field.name,)), condition.get("function") or condition.get("operator")
        match word:
            case "attribute_exists":
                return exists(field.name)
            case "attribute_not_exists":
                return Not(exists(field.name))
            case "contains" | "begins_with":
                kind = "str" if field.type in ("list[Any]", "list[str]", "set[str]") else field.type
                return Function(str(word), (path, self._parameter(condition, "param", field, kind)))
            case "between":
                low = Compare(">=", path, self._parameter(condition, "param", field))
                both = all_of([low, Compare("<=", path, self._parameter(condition, "param2", field))])
                assert both is not None
                return both
            case "in":
                given = condition.get("params")
                options = given if isinstance(given, list) and given else [condition.get("param")]
                return In(path, tuple(self._named(each, condition, field, field.type) for each in options))
            case comparator if comparator in _COMPARATORS:
                return Compare(comparator, path, self._parameter(condition, "param", field))
            case _:
                raise self._refuse(self._not_ours(condition))

    def _parameter(self, condition: dict[str, Any], member: str, field: DraftField, kind: str = "") -> Parameter:
        return self._named(condition.get(member), condition, field, kind or field.type)

    def _named(self, given: Any, condition: dict[str, Any], field: DraftField, kind: str) -> Parameter:
        """A parameter is called as the field that it is compared with; a second one of a field says so."""
        if given not in self._known:
            raise self._refuse(self._not_ours(condition))
        if given not in self.used:
            taken = {each.name for each in self.used.values()}
            name = next(each for each in _names(field.name) if each not in taken)
            self.used[given] = DraftParameter(name, kind)
        return Parameter(self.used[given].name)

    def _not_ours(self, condition: dict[str, Any]) -> str:
        word = condition.get("function") or condition.get("operator")
        return f"its filter tests {condition['field']} with {word}; write it as the filter= of its query"


def _flat(condition: Condition) -> tuple[Condition, ...]:
    return getattr(condition, "parts", (condition,)) if not isinstance(condition, Or) else (condition,)


def _names(name: str) -> Iterator[str]:
    while True:
        yield name
        name = f"{name}_other"
