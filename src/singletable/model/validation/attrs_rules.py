"""Validation rules of attrs classes: validators and converters, and whether they can depend on other fields."""

from __future__ import annotations

from typing import Any

from singletable.lazy_dataclass import replace
from singletable.model.fields import NUMBER_TYPES, container_of
from singletable.model.validation.value_rules import Bounds, ValueRules, type_rules

# Validators of attrs that check only the value itself, and validators that contain other validators.
_SIMPLE = frozenset(("InstanceOf", "SubclassOf", "In", "MatchesRe", "IsCallable", "Number", "MinLength", "MaxLength"))
_COMPOSED = frozenset(("And", "Or", "Not", "Optional", "DeepIterable", "DeepMapping"))
_CONTAINED = tuple(f"{each}validator" for each in ("", "member_", "iterable_", "key_", "value_", "mapping_"))
_COMPARISONS = {">=": "ge", ">": "gt", "<=": "le", "<": "lt"}


def whole_attrs_rule(cls: Any) -> str | None:
    """Return a description of the first rule that needs the whole object.

    Return None if each rule concerns a single field.
    """
    code = getattr(cls.__init__, "__code__", None)
    if code is None or not code.co_filename.startswith("<attrs generated"):
        return f"{cls.__name__} has a custom __init__ method"
    owner = next(each for each in cls.__mro__ if "__setattr__" in vars(each))
    is_generated = (
        vars(owner).get("__attrs_own_setattr__") or getattr(cls.__setattr__, "__module__", "") == "attr._make"
    )
    if cls.__setattr__ is not object.__setattr__ and not is_generated:
        return f"{cls.__name__} has a custom __setattr__ method"
    for attribute in cls.__attrs_attrs__:
        path = f"{cls.__name__}.{attribute.name}"
        if getattr(attribute.default, "takes_self", False):
            return f"the default of {path} depends on other fields"
        if getattr(attribute.converter, "takes_self", False):
            return f"the converter of {path} may depend on other fields"
        if (name := _custom_validator(attribute.validator)) is not None:
            return f"the validator of {path} ({name}) may depend on other fields"
    return None


def _custom_validator(validator: Any) -> str | None:
    """Return the name of the first validator that is not part of attrs, or None."""
    if validator is None:
        return None
    if _kind_of(validator) is None:
        return str(getattr(validator, "__name__", type(validator).__name__))
    several = (*getattr(validator, "_validators", ()), *getattr(validator, "validators", ()))
    inner = (*several, *(getattr(validator, name, None) for name in _CONTAINED))
    return next((found for each in inner if (found := _custom_validator(each)) is not None), None)


def _kind_of(validator: Any) -> str | None:
    """Return the kind of a validator of attrs, such as `Number`, or None for a custom validator."""
    kind = type(validator)
    name = kind.__name__.removeprefix("_").removesuffix("Validator")
    return name if name in _SIMPLE | _COMPOSED and kind.__module__ in ("attr.validators", "attr._make") else None


def attrs_field_rules(cls: Any, name: str, annotation: Any) -> ValueRules:
    """Return the rules of a field of an attrs class."""
    attribute, rules = next(each for each in cls.__attrs_attrs__ if each.name == name), type_rules(annotation)
    if (converter := attribute.converter) is not None:
        convert = getattr(converter, "converter", converter)
        added = (attribute,) if getattr(converter, "takes_field", False) else ()
        rules = replace(rules, validate=lambda value: convert(value, *added), is_exhaustive=False, element=None)
    return rules if attribute.validator is None else _validated_by(attribute.validator, rules, attribute)


def _validated_by(validator: Any, rules: ValueRules, attribute: Any) -> ValueRules:
    earlier = rules.validate

    def validate(value: Any) -> Any:
        found = value if earlier is None else earlier(value)
        validator(None, attribute, found)
        return found

    return replace(_narrowed(rules, validator, attribute), validate=validate)


def _narrowed(rules: ValueRules, validator: Any, attribute: Any) -> ValueRules:
    """Return the rules, narrowed by the constraints of an attrs validator."""
    kind, container = _kind_of(validator), container_of(rules.type)
    if kind == "And":
        for each in validator._validators:
            rules = _narrowed(rules, each, attribute)
        return rules
    if kind == "Optional":
        return _narrowed(rules, validator.validator, attribute)
    if kind == "Number" and rules.type in NUMBER_TYPES and isinstance(validator.bound, NUMBER_TYPES):
        bounds = rules.bounds or Bounds()
        return replace(rules, bounds=bounds.tightened(_COMPARISONS[validator.compare_op], validator.bound))
    if kind == "MinLength" and container is not None:
        return replace(rules, min_length=max(validator.min_length, rules.min_length or 0))
    if kind == "MaxLength" and container is not None:
        known = validator.max_length if rules.max_length is None else rules.max_length
        return replace(rules, max_length=min(validator.max_length, known))
    if kind == "InstanceOf" and isinstance(declared := container or rules.type, type):
        return rules if issubclass(declared, validator.type) else replace(rules, is_exhaustive=False)
    if kind == "DeepIterable" and container is not dict:
        return _with_elements(rules, validator.iterable_validator, validator.member_validator, attribute)
    if kind == "DeepMapping" and container is dict and validator.value_validator is not None:
        keys = validator.key_validator
        is_text = keys is None or _narrowed(ValueRules(str), keys, attribute).is_exhaustive
        rules = replace(rules, is_exhaustive=rules.is_exhaustive and is_text)
        return _with_elements(rules, validator.mapping_validator, validator.value_validator, attribute)
    return replace(rules, is_exhaustive=False)


def _with_elements(rules: ValueRules, own: Any, elements: Any, attribute: Any) -> ValueRules:
    rules = rules if own is None else _narrowed(rules, own, attribute)
    if rules.element is None:
        return replace(rules, is_exhaustive=False)
    return replace(rules, element=_validated_by(elements, rules.element, attribute))
