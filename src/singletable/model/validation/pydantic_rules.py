"""Validation rules of pydantic models and dataclasses, read from their core schemas."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from singletable.lazy_dataclass import replace
from singletable.model.fields import NUMBER_TYPES, container_of, element_of
from singletable.model.validation.dataclass_rules import is_constructed_by_init
from singletable.model.validation.value_rules import LENGTHS, LIMITS, SCALARS, ValueRules, limited, type_rules

Schema = Mapping[str, Any]

# Schema settings that do not reject any value of the declared type.
_FREE = frozenset(("type", "cls", "strict", "ref", "metadata", "serialization", "allow_inf_nan", "fail_fast"))
_FREE_SCALAR = _FREE | {"microseconds_precision"}
_FREE_CONTAINER = _FREE | LENGTHS | {"items_schema", "keys_schema", "values_schema", "variadic_item_index"}
_FREE_CONFIG = frozenset(("title", "extra_fields_behavior", "strict"))
_NOT_SCHEMAS = frozenset(("metadata", "serialization", "default", "expected", "members", "config"))


class _Model(NamedTuple):
    """The relevant parts of the pydantic schema of a class."""

    whole: str | None
    fields: Mapping[str, Schema]
    definitions: Mapping[str, Schema]
    config: Schema
    has_free_text: bool
    """Whether the model has no settings that change or reject text, such as `str_strip_whitespace`."""


def is_pydantic(cls: Any) -> bool:
    """Return whether a class is a pydantic model or dataclass."""
    return "__pydantic_core_schema__" in vars(cls) or hasattr(cls, "model_validate")


def whole_model_rule(cls: Any) -> str | None:
    """Return a description of the first rule that needs the whole object.

    Return None if each rule concerns a single field.
    """
    return _model_of(cls).whole


def model_field_rules(cls: Any, name: str, annotation: Any) -> ValueRules:
    """Return the rules of a field of a pydantic class."""
    model = _model_of(cls)
    known = model.fields.get(name)
    return type_rules(annotation) if known is None else _schema_rules(known["schema"], annotation, model)


@cache
def _model_of(cls: Any) -> _Model:
    try:
        top: Schema = cls.__pydantic_core_schema__
        definitions = {each["ref"]: each for each in top["definitions"]} if top["type"] == "definitions" else {}
    except Exception:  # pydantic raises this for annotations that it cannot resolve yet
        return _Model(f"pydantic has not completed {cls.__name__}", {}, {}, {}, has_free_text=True)
    layers = list(_layers(top, definitions))
    listed = layers[-1].get("fields", {})
    fields: Mapping[str, Schema] = listed if isinstance(listed, Mapping) else {each["name"]: each for each in listed}
    rules = (*(_layer_rule(cls, each) for each in layers), _construction_rule(cls))
    rules_of_fields = (_rule_of_field(f"{cls.__name__}.{name}", each, definitions) for name, each in fields.items())
    whole = next((rule for rule in (*rules, *rules_of_fields) if rule is not None), None)
    config: Schema = next((each["config"] for each in layers if each.get("config")), {})
    return _Model(whole, fields, definitions, config, _FREE_CONFIG.issuperset(config))


def _layers(schema: Schema | None, definitions: Mapping[str, Schema]) -> Iterator[Schema]:
    """Yield a schema and the schemas nested in it, from the outermost to the innermost."""
    while schema is not None:
        yield schema
        is_reference = schema["type"] == "definition-ref"
        schema = definitions.get(schema["schema_ref"]) if is_reference else schema.get("schema")


def _layer_rule(cls: Any, layer: Schema) -> str | None:
    """Return a description of a rule about the whole object in one layer of a schema, or None."""
    name, kind = cls.__name__, layer["type"]
    if kind in ("definitions", "definition-ref", "model-fields"):
        return None
    if kind == "dataclass-args":
        init_only = [each["name"] for each in layer["fields"] if each.get("init_only")]
        return f"{name} has an InitVar ({init_only[0]})" if init_only else None
    if kind.startswith("function-"):
        return f"{name} has a model_validator ({_function_name(layer['function'])})"
    if kind not in ("model", "dataclass") or layer["cls"] is not cls:
        return f"{name} has a custom schema"
    if layer.get("root_model"):
        return f"{name} is a RootModel"
    hook = "__post_init__" if kind == "dataclass" else "model_post_init"
    # pydantic generates this function for a model with private attributes
    is_free = not layer.get("post_init") or getattr(cls, hook).__name__ == "init_private_attributes"
    return None if is_free else f"{name} has a {hook} method"


def _construction_rule(cls: Any) -> str | None:
    is_generated = cls.__init__.__module__ == "pydantic._internal._dataclasses"
    if not is_generated and not getattr(cls.__init__, "__pydantic_base_init__", False):
        return f"{cls.__name__} has a custom __init__ method"
    return None if is_constructed_by_init(cls) else f"{cls.__name__} has a __new__ method or a custom metaclass"


def _rule_of_field(path: str, field: Schema, definitions: Mapping[str, Schema]) -> str | None:
    """Return a description of a rule of one field that depends on other fields, or None."""
    if any(each.get("default_factory_takes_data") for each in _layers(field["schema"], definitions)):
        return f"the default of {path} depends on other fields"
    name = _validator_with_info(field["schema"], definitions, set())
    return None if name is None else f"the validator of {path} ({name}) may depend on other fields"


def _validator_with_info(schema: Any, definitions: Mapping[str, Schema], seen: set[str]) -> str | None:
    """Return the name of a validator that takes `info`, which contains the other fields, or None.

    Nested models are skipped, because their validators get the fields of the nested model.
    """
    if isinstance(schema, list | tuple):
        inner = list(schema)
    elif not isinstance(schema, Mapping) or schema.get("type") in ("model", "dataclass"):
        return None
    elif schema.get("type") == "with-info":
        return _function_name(schema)
    elif schema.get("type") == "definition-ref":
        inner = [] if schema["schema_ref"] in seen else [definitions.get(schema["schema_ref"])]
        seen.add(schema["schema_ref"])
    else:
        inner = [each for key, each in schema.items() if key not in _NOT_SCHEMAS]
    names = (_validator_with_info(each, definitions, seen) for each in inner)
    return next((name for name in names if name is not None), None)


def _function_name(function: Schema) -> str:
    return str(getattr(function["function"], "__name__", type(function["function"]).__name__))


def _schema_rules(schema: Schema, annotation: Any, model: _Model) -> ValueRules:
    rules = _narrowed_by_schema(schema, annotation, model)
    is_limited = (rules.bounds, rules.min_length, rules.max_length) != (None, None, None)
    has_free_element = rules.element is None or rules.element.validate is None
    if rules.is_exhaustive and not is_limited and has_free_element and model.has_free_text:
        return rules
    definitions = [*model.definitions.values()]
    complete = {"type": "definitions", "schema": schema, "definitions": definitions} if definitions else schema
    try:
        validator = sys.modules["pydantic_core"].SchemaValidator(complete, dict(model.config))
    except Exception:  # pydantic raises this for a schema that depends on its position in the model
        return replace(rules, is_exhaustive=False, whole="pydantic can validate the value only inside its model")
    return replace(rules, validate=validator.validate_python)


def _narrowed_by_schema(schema: Schema, annotation: Any, model: _Model) -> ValueRules:
    """Return the rules of a value from its type and its schema."""
    rules = type_rules(annotation)
    core = _core_schema(schema, rules.optional, model.definitions)
    unknown = replace(rules, is_exhaustive=False, element=None)
    if core is None or not rules.is_exhaustive:
        return unknown
    kind = core["type"]
    if kind == "any":
        return rules
    if kind in ("model", "dataclass", "is-instance"):
        settings = (core, core.get("config") or {}, model.config)
        accepts_instances = all(each.get("revalidate_instances", "never") == "never" for each in settings)
        return rules if core["cls"] is rules.type and accepts_instances else unknown
    if SCALARS.get(kind) is rules.type:
        limits = LIMITS if rules.type in NUMBER_TYPES else frozenset[str]()
        within = limited(rules, {name: core.get(name) for name in limits})
        return replace(within, is_exhaustive=(_FREE_SCALAR | limits).issuperset(core))
    if getattr(container_of(rules.type), "__name__", None) != kind or not _FREE_CONTAINER.issuperset(core):
        return unknown
    inner, keys = core.get("values_schema", core.get("items_schema")), core.get("keys_schema")
    if kind == "tuple" and (core.get("variadic_item_index") != 0 or len(inner) != 1):  # not `tuple[X, ...]`
        return unknown
    inner = inner[0] if kind == "tuple" else inner
    element = rules.element if inner is None else _schema_rules(inner, element_of(rules.type), model)
    is_text = keys is None or (keys["type"] == "str" and _FREE.issuperset(keys) and model.has_free_text)
    return replace(limited(rules, core), element=element, is_exhaustive=is_text)


def _core_schema(schema: Schema, optional: bool, definitions: Mapping[str, Schema]) -> Schema | None:
    """Return the schema inside default, reference and nullable schemas.

    Return None if the field is optional, but the schema rejects None.
    """
    while True:
        kind = schema["type"]
        if kind == "default" and schema.get("on_error", "raise") == "raise":
            schema = schema["schema"]
        elif kind == "definition-ref":
            schema = definitions[schema["schema_ref"]]
        elif kind == "nullable" and optional:
            schema, optional = schema["schema"], False
        else:
            return None if optional and kind != "any" else schema
