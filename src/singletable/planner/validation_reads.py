"""Validation reads: when an update must read the stored item to validate a change, and why.

A change is validated alone if every class on its path has only rules about single fields. Otherwise, the update reads
the item, changes it, validates the whole item, and writes it on condition that no other writer has changed it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args, get_origin

from singletable.expressions.tree import Change, Path
from singletable.model.fields import DefaultFactory, Field, container_of, element_of, fields_of, has_fields, strip
from singletable.model.validation.class_rules import rules_of
from singletable.model.validation.value_rules import ValueRules

ChangeKind = Literal["set", "remove", "add to number", "append to list", "change members of set"]


def read_reason(cls: type, change: Change, *, validates_whole: bool) -> str | None:
    """Return the reason why a change must read the item first, or None if it need not read the item.

    Without `validates_whole`, rules that need the whole object are skipped. Some changes need the item even then.
    """
    steps = change.path.steps
    rules, field = rules_of(cls, steps), field_at(cls, steps)
    kind = change_kind(change, rules.type)
    if not validates_whole:
        return _default_reason(kind, field)
    return _rule_reason(cls, change, kind, rules) or _default_reason(kind, field)


def waived_rules(cls: type, changes: Sequence[Change]) -> tuple[str, ...]:
    """Return the rules of classes that changes can break if only the changed fields are validated."""
    found: dict[str, None] = {}
    for change in changes:
        reason = read_reason(cls, change, validates_whole=True)
        if reason is not None and reason != read_reason(cls, change, validates_whole=False):
            found[reason] = None
    return tuple(found)


def change_kind(change: Change, declared: Any) -> ChangeKind:
    """Return the kind of change for a value of the declared type."""
    if change.action == "SET":
        return "set"
    if change.action == "APPEND":
        return "append to list"
    if change.action == "REMOVE":
        return "remove"
    is_set = (get_origin(declared) or declared) in (set, frozenset)
    return "change members of set" if is_set or change.action == "DELETE" else "add to number"


def field_at(cls: type, steps: Sequence[str | int]) -> Field | None:
    """Return the field at the end of a path, or None if the path ends in a list or map."""
    field: Field | None = None
    declared: Any = cls
    for step in steps:
        if has_fields(declared):
            field = fields_of(declared).get(str(step))
            declared = None if field is None else field.type
        else:
            field, declared = None, _inner_type(declared, step)
    return field


def _inner_type(declared: Any, step: str | int) -> Any:
    """Return the type of a list element or map member."""
    arguments = get_args(declared)
    if container_of(declared) is tuple and element_of(declared) is None and isinstance(step, int):
        return strip(arguments[step])[0] if step < len(arguments) else None
    return strip(element_of(declared))[0]


def missing_value(field: Field | None) -> Any:
    """Return the default of a field that is not stored. Return `DefaultFactory` if only the class can compute it."""
    if field is None or field.required:
        return None
    if not isinstance(field.default, DefaultFactory) or field.default.make is None:
        return field.default
    try:
        return field.default.make()
    except Exception:  # raised by the user's function, which may need an argument
        return field.default


def _rule_reason(cls: type, change: Change, kind: ChangeKind, rules: ValueRules) -> str | None:
    """Return the rule that cannot be checked without the item."""
    if rules.whole is not None:
        return rules.whole
    container = _container_reason(cls, change)
    if container is not None or kind in ("set", "remove"):
        return container
    # A missing set counts as empty, even if the set has a minimum length. So adding members can store a set that is too
    # short.
    is_added_to_short_set = change.action == "ADD" and rules.min_length is not None
    may_break_length = _length_limit(rules, change) is not None or is_added_to_short_set
    if not rules.is_exhaustive or (kind == "change members of set" and may_break_length):
        return f"the rules of {change.path} apply to its new value, which depends on the stored value"
    if kind == "append to list" and rules.element is None:
        return f"the rules of the elements of {change.path} apply to the whole list"
    return None


def _container_reason(cls: type, change: Change) -> str | None:
    """Return why a change of an element can break the rules of its list or map."""
    steps = change.path.steps
    if len(steps) == 1:
        return None
    container = rules_of(cls, steps[:-1])
    kind = get_origin(container.type) or container.type
    is_resized = kind is dict or (change.action == "REMOVE" and kind in (list, tuple))
    is_fixed = kind is tuple and get_args(container.type)[-1:] != (...,)
    if is_resized and (is_fixed or _length_limit(container, change) is not None):
        return f"the length of {Path(steps[:-1])} is limited"
    return None


def _length_limit(rules: ValueRules, change: Change) -> int | None:
    """Return the length limit that a change can break: the minimum if it removes elements, else the maximum."""
    return rules.min_length if change.action in ("REMOVE", "DELETE") else rules.max_length


def _default_reason(kind: ChangeKind, field: Field | None) -> str | None:
    """Return why a change needs the item even if it is not validated."""
    if field is None:
        return None
    if kind in ("add to number", "append to list") and isinstance(missing_value(field), DefaultFactory):
        return f"the default of {field.name} is computed by its class"
    if kind == "change members of set" and not field.is_empty_unless_stored:
        return f"a missing {field.name} is not an empty set"
    return None
