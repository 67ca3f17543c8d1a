"""Strategies for values and constraints, and checks that rules accept the same values as the class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from hypothesis import strategies as st

from singletable.model.validation.class_rules import rules_of, whole_object_rule
from singletable.model.validation.value_rules import Bounds, ValueRules

NUMBERS = st.integers(-20, 20)
TEXTS = st.text("ab", max_size=6)
LIMITS = st.fixed_dictionaries(
    {},
    optional={
        "lower": st.tuples(st.sampled_from(["ge", "gt"]), NUMBERS),
        "upper": st.tuples(st.sampled_from(["le", "lt"]), NUMBERS),
    },
).map(lambda found: dict(found.values()))
LENGTHS = st.fixed_dictionaries({}, optional={"min_length": st.integers(0, 4), "max_length": st.integers(0, 4)})
STEPS = st.fixed_dictionaries({}, optional={"multiple_of": st.integers(1, 5)})
PATTERNS = st.fixed_dictionaries({}, optional={"pattern": st.sampled_from(["^a", "b$", "ab"])})


def accepts(rules: ValueRules, value: Any) -> bool:
    """Return whether a value of the declared type is valid."""
    if rules.validate is None:
        return True
    try:
        rules.validate(value)
    except Exception:  # raised by the user's library
        return False
    return True


def rejected_by(call: Callable[[], Any]) -> bool:
    try:
        call()
    except Exception:  # raised by the user's library
        return True
    return False


@st.composite
def fields(draw: st.DrawFn) -> tuple[Any, dict[str, Any], dict[str, Any], Any]:
    """A type, its own constraints, those of its elements, and a value of the type."""
    number: Any = draw(st.sampled_from([int, float]))
    numbers = NUMBERS.map(number)
    match draw(st.sampled_from(["number", "text", "list", "set", "dict"])):
        case "number":
            return number, {**draw(LIMITS), **draw(STEPS)}, {}, draw(numbers)
        case "text":
            return str, {**draw(LENGTHS), **draw(PATTERNS)}, {}, draw(TEXTS)
        case "list":
            return list[number], draw(LENGTHS), draw(LIMITS), draw(st.lists(numbers, max_size=5))
        case "set":
            return set[str], draw(LENGTHS), draw(PATTERNS), draw(st.sets(TEXTS, max_size=5))
        case _:
            return dict[str, number], draw(LENGTHS), draw(LIMITS), draw(st.dictionaries(TEXTS, numbers, max_size=5))


def annotated(declared: Any, constraint: Any, of_elements: Any) -> Any:
    """The type with constraints of itself and of its elements."""
    arguments = getattr(declared, "__args__", ())
    if arguments:
        declared = declared.__origin__[(*arguments[:-1], Annotated[arguments[-1], of_elements])]
    return Annotated[declared, constraint]


def is_within(rules: ValueRules, value: Any) -> bool:
    """Return whether a value satisfies the bounds, lengths and element rules."""
    bounds = rules.bounds or Bounds()
    if isinstance(value, int | float):
        return (
            (bounds.ge is None or value >= bounds.ge)
            and (bounds.gt is None or value > bounds.gt)
            and (bounds.le is None or value <= bounds.le)
            and (bounds.lt is None or value < bounds.lt)
        )
    if isinstance(value, str):
        return True
    elements = list(value.values()) if isinstance(value, dict) else list(value)
    is_sized = (rules.min_length or 0) <= len(elements) and len(elements) <= (
        len(elements) if rules.max_length is None else rules.max_length
    )
    assert rules.element is not None
    return is_sized and all(accepts(rules.element, each) for each in elements)


def check_alone(cls: Any, value: Any, is_accepted: bool) -> None:
    rules = rules_of(cls, ("value",))
    assert whole_object_rule(cls) is None
    assert accepts(rules, value) == is_accepted
    if rules.is_exhaustive:
        assert is_within(rules, value) == is_accepted
