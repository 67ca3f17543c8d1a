"""Object construction: generated source code that creates the same object as the constructor of a class, but faster.

The constructor of a msgspec Struct does not enforce `Meta` constraints, so the reader runs `struct_checks` before it.

Pydantic validation costs more than the rest of a read. If a model declares only types for its fields, and the decoder
returns exactly these types, validation has no effect. The fast path then creates the object without validation. A model
with a constraint, a validator or a custom type goes through pydantic.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from types import FunctionType
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

import msgspec

from singletable.client.items.rows import UnvalidatedModel
from singletable.lazy_dataclass import dataclass
from singletable.model.fields import hints_of, strip
from singletable.model.validation.dataclass_rules import has_same_code, is_constructed_by_init
from singletable.model.validation.msgspec_rules import Check, meta_check

MADE = "made"
"""The name of the created object in the generated source code."""


@dataclass(frozen=True)
class ConstructorArgument:
    """An argument of the constructor, with the source code of its value."""

    name: str
    value: str
    given: str | None = None
    """Source code of a condition that is true if the argument has a value; None if it always has a value."""


@dataclass(frozen=True)
class ConstructorCode:
    """Source lines that create an object, and the objects that they refer to."""

    lines: list[str]
    names: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ConstructorParameter:
    """A parameter of a constructor, with its default."""

    name: str
    is_positional: bool
    default: Any
    is_factory: bool = False
    """Whether the default is a factory, which is called for each object."""


def construction(cls: type, arguments: Sequence[ConstructorArgument]) -> ConstructorCode:
    """Return the source that creates an object of the class from these arguments."""
    parameters = _struct_parameters(cls) or _function_parameters(cls)
    optional = {argument.name for argument in arguments if argument.given is not None}
    known = {parameter.name for parameter in parameters}
    has_defaults = all(p.default is not inspect.Parameter.empty for p in parameters if p.name in optional)
    if known == {argument.name for argument in arguments} and has_defaults:
        return _in_one_call(cls, arguments, parameters)
    model = unvalidated_model(cls, arguments)
    return _by_dict(cls, arguments) if model is None else _by_members(model, arguments)


def unvalidated_model(cls: Any, arguments: Sequence[ConstructorArgument]) -> UnvalidatedModel | None:
    """Return the parts that create objects of a pydantic model without validation.

    Return None if it needs validation.
    """
    fields = unvalidated_fields(cls) if _validator(cls) is not None else None
    optional = {argument.name for argument in arguments if argument.given is not None}
    if fields is None or fields.keys() != {argument.name for argument in arguments}:
        return None
    if any(fields[name] is ... for name in optional):
        return None
    defaults = {name: None if default is ... else default for name, default in fields.items()}
    names = tuple(argument.name for argument in arguments)
    return UnvalidatedModel(cls, names, defaults, frozenset(fields.keys() - optional), members_of(cls))


def _in_one_call(
    cls: type, arguments: Sequence[ConstructorArgument], parameters: Sequence[ConstructorParameter]
) -> ConstructorCode:
    by_name = {argument.name: argument for argument in arguments}
    names: dict[str, Any] = {"cls": cls}
    written = {}
    for place, parameter in enumerate(parameters):
        argument = by_name[parameter.name]
        value = argument.value
        if argument.given is not None:
            names[f"default{place}"] = parameter.default
            value = f"{value} if {argument.given} else default{place}{'()' if parameter.is_factory else ''}"
        written[parameter.name] = value
    if _only_stores(cls):
        names["new"] = object.__new__
        # Assign the values in the order of the fields, as the constructor does. The order of its parameters can differ.
        assignments = [f"{MADE}.{each.name} = {written[each.name]}" for each in dataclasses.fields(cls)]
        return ConstructorCode([f"{MADE} = new(cls)", *assignments], names)
    given = (written[each.name] if each.is_positional else f"{each.name}={written[each.name]}" for each in parameters)
    return ConstructorCode([f"{MADE} = cls({', '.join(given)})"], names)


def _by_members(model: UnvalidatedModel, arguments: Sequence[ConstructorArgument]) -> ConstructorCode:
    """Return source code that fills the slots of a pydantic model: its fields, and the set of given fields."""
    by_name = {argument.name: argument for argument in arguments}
    names: dict[str, Any] = {"cls": model.cls, "new": object.__new__}
    names |= {f"set{place}": member.__set__ for place, member in enumerate(model.members)}
    always = [name for name in model.fields if name in model.always]
    lines, written = [f"given = {{{', '.join(map(repr, always))}}}" if always else "given = set()"], []
    for place, (name, default) in enumerate(model.fields.items()):
        argument = by_name[name]
        if argument.given is None:
            written.append(f"{name!r}: {argument.value}")
            continue
        names[f"default{place}"] = default
        lines += [f"if {argument.given}:", f"    value{place} = {argument.value}", f"    given.add({name!r})"]
        lines += ["else:", f"    value{place} = default{place}"]
        written.append(f"{name!r}: value{place}")
    lines += [f"{MADE} = new(cls)", f"set0({MADE}, {{{', '.join(written)}}})", f"set1({MADE}, given)"]
    return ConstructorCode([*lines, f"set2({MADE}, None)", f"set3({MADE}, None)"], names)


def _by_dict(cls: type, arguments: Sequence[ConstructorArgument]) -> ConstructorCode:
    always = [f"{each.name!r}: {each.value}" for each in arguments if each.given is None]
    lines = [f"given = {{{', '.join(always)}}}"]
    for each in arguments:
        if each.given is not None:
            lines.append(f"if {each.given}: given[{each.name!r}] = {each.value}")
    validate = _validator(cls)
    if validate is not None:
        return ConstructorCode([*lines, f"{MADE} = validate(given)"], {"validate": validate})
    return ConstructorCode([*lines, f"{MADE} = cls(**given)"], {"cls": cls})


def _validator(cls: Any) -> Any:
    """Return the validation function of a pydantic model's constructor.

    Return None if the class is not such a model.
    """
    # The validator does not call a constructor that was assigned after the class was created.
    is_base = getattr(cls.__init__, "__pydantic_base_init__", False)
    is_model = is_base and hasattr(cls, "model_validate") and getattr(cls, "__pydantic_complete__", False)
    # pydantic validates a root model as one value, not as a map of fields
    if getattr(cls, "__pydantic_root_model__", False):
        return None
    return cls.__pydantic_validator__.validate_python if is_model and is_constructed_by_init(cls) else None


def _struct_parameters(cls: Any) -> list[ConstructorParameter]:
    """Return the constructor parameters of a msgspec Struct."""
    if not issubclass(cls, msgspec.Struct) or type(cls).__call__ is not type(msgspec.Struct).__call__:
        return []
    found = []
    for each in msgspec.structs.fields(cls):
        is_factory = each.default_factory is not msgspec.NODEFAULT
        default = each.default_factory if is_factory else each.default
        empty = inspect.Parameter.empty
        is_positional = each.name in cls.__match_args__
        found.append(
            ConstructorParameter(
                each.name, is_positional, empty if default is msgspec.NODEFAULT else default, is_factory
            )
        )
    return found


def _function_parameters(cls: Any) -> list[ConstructorParameter]:
    """Return the parameters of a constructor that is written in Python, such as the constructor of a dataclass.

    Passing the default value of a parameter has the same effect as omitting the argument.
    """
    construct = cls.__init__
    if not isinstance(construct, FunctionType) or not is_constructed_by_init(cls):
        return []
    _, *parameters = inspect.signature(construct, follow_wrapped=False).parameters.values()
    positional, keyword_only = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    if any(parameter.kind not in (positional, keyword_only) for parameter in parameters):
        return []
    return [ConstructorParameter(each.name, each.kind is positional, each.default) for each in parameters]


def _only_stores(cls: type) -> bool:
    """Return whether the constructor is generated by dataclasses and only assigns its arguments.

    If it does, assignments can replace the call. The check compares the code of the constructor with the constructor of
    an ordinary dataclass that has the same fields.
    """
    if not dataclasses.is_dataclass(cls) or not is_constructed_by_init(cls):
        return False
    fields = dataclasses.fields(cls)
    if not all(each.init and each.default_factory is dataclasses.MISSING for each in fields):
        return False
    # The code does not depend on the default values. The defaults of the class are not used here, because they can be
    # descriptors.
    same = [(each.name, Any, dataclasses.field(default=None, kw_only=each.kw_only)) for each in fields]
    ordinary = dataclasses.make_dataclass("Plain", same, namespace={"__doc__": ""}, eq=False, repr=False)
    classes: tuple[Any, Any] = (ordinary, cls)
    plain, own = (each.__init__ for each in classes)
    return has_same_code(own, plain)


def argument_name(cls: type, name: str) -> str:
    """Return the name of the constructor argument of a field.

    It can be pydantic's alias; attrs removes leading underscores.
    """
    info = getattr(cls, "model_fields", {}).get(name) if hasattr(cls, "model_validate") else None
    if info is not None:
        settings = getattr(cls, "model_config", {})
        if settings.get("populate_by_name") or settings.get("validate_by_name"):
            return name
        alias = info.validation_alias or info.alias
        return alias if isinstance(alias, str) else name
    for attribute in getattr(cls, "__attrs_attrs__", ()):
        if attribute.name == name:
            return str(getattr(attribute, "alias", None) or name.lstrip("_"))
    return name


@cache
def struct_checks(cls: Any) -> Mapping[str, Check]:
    """Return the checks of a Struct's `Meta` constraints, by field name. The result is empty for all other classes."""
    if not isinstance(cls, type) or not issubclass(cls, msgspec.Struct):
        return {}
    hints = hints_of(cls)
    found = {name: meta_check(hints[name], f"$.{name}") for name in cls.__struct_fields__}
    return {name: check for name, check in found.items() if check is not None}


def checked_constructor(cls: Any) -> Callable[..., Any]:
    """Return the constructor of a class.

    For a Struct with `Meta` constraints, the returned function checks them first.
    """
    checks = struct_checks(cls)
    if not checks:
        return cls  # type: ignore[no-any-return]  # a class is callable

    def construct(**given: Any) -> Any:
        for name, check in checks.items():
            if name in given:
                check(given[name])
        return cls(**given)

    return construct


# The slots of a pydantic model object. If the installed version of pydantic has other slots, every model is validated.
_MEMBERS = ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
# The schema keys that are allowed in addition to the type. None of them can reject or change an object of the type.
_VALUES: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("str", "int", "float", "bool", "bytes", "decimal", "date", "uuid"), frozenset()),
    "datetime": frozenset(("microseconds_precision",)),  # applies only to strings, and the decoder never passes strings
    "literal": frozenset(("expected",)),
    "list": frozenset(("items_schema",)),
    "nullable": frozenset(("schema",)),
    "default": frozenset(("schema", "default")),
}
# The Python type that the decoder returns for each pydantic schema type.
_TYPES: Mapping[str, type] = {
    **{each.__name__: each for each in (str, int, float, bool, bytes, date, datetime)},
    "decimal": Decimal,
    "uuid": UUID,
}
_MODEL = frozenset(("type", "cls", "schema", "custom_init", "root_model", "config", "ref", "metadata", "frozen"))
_CONFIG = frozenset(("title", "extra_fields_behavior"))
_FIELDS = frozenset(("type", "fields", "model_name", "computed_fields"))
_FIELD = frozenset(("type", "schema", "metadata", "frozen", "serialization_exclude", "serialization_alias"))
# The immutable types of default values. Pydantic copies a default value of any other type for each object.
_DEFAULTS = (type(None), str, int, float, bool, bytes, Decimal, datetime, date, UUID)

Schema = Mapping[str, Any]


def unvalidated_fields(cls: Any) -> dict[str, Any] | None:
    """Return the fields in order, each with its default or Ellipsis. Return None if validation could have an effect."""
    schema = getattr(cls, "__pydantic_core_schema__", None)
    if not isinstance(schema, Mapping) or _slots_owner(cls) is None or not _is_plain_model(schema):
        return None
    fields: dict[str, Any] = {}
    for name, described in schema["schema"]["fields"].items():
        annotation = cls.model_fields[name].annotation
        if not _has_only(described, _FIELD) or not _is_plain_value(described["schema"], annotation):
            return None
        fields[name] = described["schema"].get("default", ...)
    return fields


def members_of(cls: Any) -> tuple[Any, ...]:
    """Return the slot descriptors of a model: the dict, the set of given fields, and two slots that are None."""
    base = _slots_owner(cls)
    assert base is not None, "only called for models without validation"
    return tuple(vars(base)[name] for name in _MEMBERS)


def _slots_owner(cls: Any) -> type | None:
    """Return the base class that declares the slots of a model.

    Return None if this pydantic version has other slots.
    """
    found: type | None = next((base for base in cls.__mro__ if "__pydantic_fields_set__" in vars(base)), None)
    return found if found is not None and vars(found).get("__slots__") == _MEMBERS else None


def _is_plain_model(schema: Schema) -> bool:
    if schema.get("type") != "model" or not _has_only(schema, _MODEL):
        return False
    if schema.get("custom_init") or schema.get("root_model"):
        return False
    config = schema.get("config") or {}
    if not _has_only(config, _CONFIG) or config.get("extra_fields_behavior") == "allow":
        return False
    inner = schema["schema"]
    return inner.get("type") == "model-fields" and _has_only(inner, _FIELDS)


def _is_plain_value(schema: Schema, annotation: Any) -> bool:
    kind = schema["type"]
    if not _has_only(schema, _VALUES.get(kind, frozenset()) | {"type"}):
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


def _has_only(schema: Schema, known: frozenset[str]) -> bool:
    return known.issuperset(schema)
