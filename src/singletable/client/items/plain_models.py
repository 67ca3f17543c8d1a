"""Plain models: classes of pydantic whose validation cannot change or refuse what the decoder reads, and their source.

Validation costs more than all the rest of a read. Where a class says no more of a field than its type, and the value is
of just that type, there is nothing for it to do; then the object gets the same members that validation would give it.
What is not known to be so, such as a constraint, a validator or a type of one's own, is left to pydantic.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from singletable.model.fields import strip

# Everything that an object of a model has; with another version of pydantic, which may have more, none is plain.
_MEMBERS = ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
# What the schema of a value may say beside its type: nothing that an object of the type could fail, or be changed by.
_VALUES: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("str", "int", "float", "bool", "bytes", "decimal", "date", "uuid"), frozenset()),
    "datetime": frozenset(("microseconds_precision",)),  # of text, of which there is none
    "literal": frozenset(("expected",)),
    "list": frozenset(("items_schema",)),
    "nullable": frozenset(("schema",)),
    "default": frozenset(("schema", "default")),
}
# What the decoder reads where the schema says this. An annotation can have a schema that is not its own.
_TYPES: Mapping[str, type] = {
    **{each.__name__: each for each in (str, int, float, bool, bytes, date, datetime)},
    "decimal": Decimal,
    "uuid": UUID,
}
_MODEL = frozenset(("type", "cls", "schema", "custom_init", "root_model", "config", "ref", "metadata", "frozen"))
_CONFIG = frozenset(("title", "extra_fields_behavior"))
_FIELDS = frozenset(("type", "fields", "model_name", "computed_fields"))
_FIELD = frozenset(("type", "schema", "metadata", "frozen", "serialization_exclude", "serialization_alias"))
# Others are copied for each object, by rules of pydantic's own.
_DEFAULTS = (type(None), str, int, float, bool, bytes, Decimal, datetime, date, UUID)

Schema = Mapping[str, Any]


def plain_fields(cls: Any) -> dict[str, Any] | None:
    """The fields in their order, each with its default or Ellipsis; None when validation may do something."""
    schema = getattr(cls, "__pydantic_core_schema__", None)
    if not isinstance(schema, Mapping) or _members_of(cls) is None or not _is_plain_model(schema):
        return None
    fields: dict[str, Any] = {}
    for name, field in schema["schema"]["fields"].items():
        if not _says_only(field, _FIELD) or not _is_plain_value(field["schema"], cls.model_fields[name].annotation):
            return None
        fields[name] = field["schema"].get("default", ...)
    return fields


def members_of(cls: Any) -> tuple[Any, ...]:
    """What gives an object of a plain model its members: the dict, the set of given fields, and two that are None."""
    base = _members_of(cls)
    assert base is not None, "asked for plain models alone"
    return tuple(vars(base)[name] for name in _MEMBERS)


def _members_of(cls: Any) -> type | None:
    """The class that has the members, if they are those that are known."""
    found: type | None = next((base for base in cls.__mro__ if "__pydantic_fields_set__" in vars(base)), None)
    return found if found is not None and vars(found).get("__slots__") == _MEMBERS else None


def _is_plain_model(schema: Schema) -> bool:
    if schema.get("type") != "model" or not _says_only(schema, _MODEL):
        return False
    if schema.get("custom_init") or schema.get("root_model"):
        return False
    config = schema.get("config") or {}
    if not _says_only(config, _CONFIG) or config.get("extra_fields_behavior") == "allow":
        return False
    inner = schema["schema"]
    return inner.get("type") == "model-fields" and _says_only(inner, _FIELDS)


def _is_plain_value(schema: Schema, annotation: Any) -> bool:
    kind = schema["type"]
    if not _says_only(schema, _VALUES.get(kind, frozenset()) | {"type"}):
        return False
    if kind == "default":
        return type(schema.get("default", ...)) in _DEFAULTS and _is_plain_value(schema["schema"], annotation)
    declared, optional = strip(annotation)
    if optional:
        return kind == "nullable" and _is_plain_value(schema["schema"], declared)
    if kind == "literal":
        options = get_args(declared) if get_origin(declared) is Literal else ()
        return all(type(each) is str for each in options) and set(options) == set(schema["expected"])
    if kind == "list":
        (element,) = get_args(declared) if get_origin(declared) is list else (Any,)
        is_list = list in (declared, get_origin(declared))
        return is_list and ("items_schema" not in schema or _is_plain_value(schema["items_schema"], element))
    return kind in _TYPES and declared is _TYPES[kind]


def _says_only(schema: Schema, known: frozenset[str]) -> bool:
    return known.issuperset(schema)
