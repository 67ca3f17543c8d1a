"""The Condition element of a policy: operators, set operators, IfExists and Null."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from singletable.engine.access.condition_keys import SEVERAL_VALUES, condition_key
from singletable.engine.access.policy_pattern import PolicyPattern, Values, parse_pattern
from singletable.errors import PolicyRefused

SetOperator = Literal["ForAllValues", "ForAnyValue"]
_SET_OPERATORS: Mapping[str, SetOperator] = {"ForAllValues": "ForAllValues", "ForAnyValue": "ForAnyValue"}
_IF_EXISTS = "IfExists"


@dataclass(frozen=True)
class Operator:
    """The way a condition compares: whether it is negated, ignores case, or supports wildcards."""

    negated: bool = False
    ignores_case: bool = False
    has_wildcards: bool = False


_OPERATORS = {
    "StringEquals": Operator(),
    "StringNotEquals": Operator(negated=True),
    "StringEqualsIgnoreCase": Operator(ignores_case=True),
    "StringNotEqualsIgnoreCase": Operator(negated=True, ignores_case=True),
    "StringLike": Operator(has_wildcards=True),
    "StringNotLike": Operator(negated=True, has_wildcards=True),
    "Bool": Operator(ignores_case=True),
}
_NULL = "Null"
_BOOLEANS = ("true", "false")


@dataclass(frozen=True)
class PolicyCondition:
    """One condition key, and the patterns with which its values are compared."""

    key: str
    operator: Operator
    patterns: tuple[PolicyPattern, ...]
    set_operator: SetOperator | None = None
    if_exists: bool = False

    def holds(self, known: Values) -> bool:
        """Return whether the condition is true for the values of a request and its principal.

        Without a value, a condition is false, but a negated condition and a condition with IfExists are true.
        ForAllValues is then true, and ForAnyValue is false (IAM User Guide, "Condition operators" and "Multivalued
        context keys").
        """
        values = known.get(self.key, ())
        if self.set_operator == "ForAllValues":
            return all(self._fits(value, known) for value in values)
        if not values and self.if_exists:
            return True
        if self.set_operator == "ForAnyValue":
            return any(self._fits(value, known) for value in values)
        return self._fits(values[0], known) if values else self.operator.negated

    def _fits(self, value: str, known: Values) -> bool:
        ignore_case = self.operator.ignores_case
        is_match = any(pattern.matches(value, known, ignore_case=ignore_case) for pattern in self.patterns)
        return is_match != self.operator.negated


@dataclass(frozen=True)
class NullCondition:
    """A test whether a condition key has a value."""

    key: str
    wanted: frozenset[bool]
    """True if the policy requires that the key has no value."""

    def holds(self, known: Values) -> bool:
        """Return whether the key is absent or present, as the policy requires."""
        return (not known.get(self.key)) in self.wanted


AnyCondition = PolicyCondition | NullCondition


def parse_conditions(block: Any, place: str, *, has_variables: bool) -> tuple[AnyCondition, ...]:
    """Return the conditions of a Condition element, all of which must hold."""
    if not isinstance(block, Mapping):
        raise PolicyRefused(f"{place} must be an object of operators, got {block!r}")
    return tuple(each for name, tests in block.items() for each in _of_operator(name, tests, place, has_variables))


def _of_operator(name: str, tests: Any, place: str, has_variables: bool) -> Iterator[AnyCondition]:
    where = f"{place}.{name}"
    prefix, colon, rest = name.partition(":")
    set_operator = _SET_OPERATORS.get(prefix) if colon else None
    text = rest if set_operator is not None else name
    if_exists = text.endswith(_IF_EXISTS)
    base = text.removesuffix(_IF_EXISTS)
    is_null = name == _NULL
    if not is_null and base not in _OPERATORS:
        known = ", ".join((*_OPERATORS, _NULL))
        raise PolicyRefused(
            f"{where}: unknown condition operator {name!r}.\n  The engine supports {known}, with ForAllValues:, "
            "ForAnyValue: and ...IfExists."
        )
    if not isinstance(tests, Mapping) or not tests:
        raise PolicyRefused(f"{where} must be an object of condition keys, got {tests!r}")
    for key_name, given in tests.items():
        key = condition_key(key_name, where)
        texts = _texts(given, f"{where}.{key_name}")
        if is_null:
            yield NullCondition(key, frozenset(_boolean(text, f"{where}.{key_name}") for text in texts))
            continue
        if set_operator is None and key in SEVERAL_VALUES:
            raise PolicyRefused(
                f"{where}: {key_name} can have several values, so it needs a set operator: write ForAllValues:{name}"
            )
        yield PolicyCondition(
            key,
            _OPERATORS[base],
            tuple(_patterns(base, texts, f"{where}.{key_name}", has_variables)),
            set_operator,
            if_exists,
        )


def _patterns(base: str, texts: list[str], place: str, has_variables: bool) -> Iterator[PolicyPattern]:
    for text in texts:
        if base == "Bool":
            _boolean(text, place)
        yield parse_pattern(
            text, place, has_wildcards=_OPERATORS[base].has_wildcards, has_variables=has_variables and base != "Bool"
        )


def _texts(given: Any, place: str) -> list[str]:
    values = given if isinstance(given, list | tuple) else [given]
    texts = [str(value).lower() if isinstance(value, bool) else value for value in values]
    if not texts or not all(isinstance(text, str) for text in texts):
        raise PolicyRefused(f"{place} must be a string or a list of strings, got {given!r}")
    return texts


def _boolean(text: str, place: str) -> bool:
    if text.lower() not in _BOOLEANS:
        raise PolicyRefused(f'{place} must be "true" or "false", got {text!r}')
    return text.lower() == "true"
