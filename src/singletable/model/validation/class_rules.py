"""Validation rules of an entity's values. They show whether a value can be validated without the rest of its item.

A value is valid if a read can decode the item that contains it. The decoder checks types. Classes add other rules:
constraints and validators of pydantic, `Meta` of msgspec, validators and converters of attrs. A rule that this package
does not recognise counts as a rule about the whole object.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any, get_args

from singletable.lazy_dataclass import replace
from singletable.model.fields import container_of, element_of, fields_of, has_fields, hints_of
from singletable.model.validation.attrs_rules import attrs_field_rules, whole_attrs_rule
from singletable.model.validation.dataclass_rules import is_constructed_by_init, whole_dataclass_rule
from singletable.model.validation.msgspec_rules import struct_field_rules
from singletable.model.validation.pydantic_rules import is_pydantic, model_field_rules, whole_model_rule
from singletable.model.validation.value_rules import ValueRules, type_rules


def rules_of(cls: type, steps: tuple[str | int, ...]) -> ValueRules:
    """Return the rules of the value at a path: fields by name, list elements by index, dict values by key.

    Raise KeyError if the class does not have the field.
    """
    rules, path, whole = ValueRules(cls), cls.__name__, None
    for step in steps:
        whole = whole or _whole_value_rule(rules, path)
        path = f"{rules.type.__name__}.{step}" if has_fields(rules.type) else f"{path}[{step!r}]"
        rules = _inner(rules, step)
        whole = whole or rules.whole
    return replace(rules, whole=whole)


@cache
def whole_object_rule(cls: type) -> str | None:
    """Return a description of the first rule that needs the whole object.

    Return None if each rule concerns a single field.
    """
    if is_pydantic(cls):
        return whole_model_rule(cls)
    is_struct = hasattr(cls, "__struct_fields__")
    call = type(sys.modules["msgspec"].Struct).__call__ if is_struct else type.__call__
    if type(cls).__call__ is not call or not (is_struct or is_constructed_by_init(cls)):
        return f"{cls.__name__} has a __new__ method or a custom metaclass"
    for hook in ("__post_init__", "__attrs_pre_init__", "__attrs_post_init__"):
        if hasattr(cls, hook):
            return f"{cls.__name__} has a {hook} method"
    if is_struct:
        return None
    return whole_attrs_rule(cls) if hasattr(cls, "__attrs_attrs__") else whole_dataclass_rule(cls)


def _whole_value_rule(rules: ValueRules, path: str) -> str | None:
    """Return why a change inside a value can be validated only together with the whole value, or None."""
    if has_fields(rules.type) and (found := whole_object_rule(rules.type)) is not None:
        return found
    return None if rules.is_exhaustive else f"{path} has rules that need its whole value"


def _inner(rules: ValueRules, step: str | int) -> ValueRules:
    declared = rules.type
    if has_fields(declared):
        return _field_rules(declared, str(step))
    if rules.element is not None:
        return rules.element
    if container_of(declared) is tuple and isinstance(step, int) and step < len(get_args(declared)):
        return type_rules(get_args(declared)[step])
    return type_rules(element_of(declared) or Any)


# caches per field, not per path, because a path can contain any dict keys and the cache would grow without limit
@cache
def _field_rules(cls: Any, name: str) -> ValueRules:
    field, annotation = fields_of(cls)[name], hints_of(cls)[name]
    if not field.initialised:  # the decoder assigns this field after the constructor, so no rule of the class applies
        return type_rules(annotation)
    if is_pydantic(cls):
        return model_field_rules(cls, name, annotation)
    if hasattr(cls, "__struct_fields__"):
        return struct_field_rules(annotation, f"$.{name}")
    if hasattr(cls, "__attrs_attrs__"):
        return attrs_field_rules(cls, name, annotation)
    return type_rules(annotation)
