"""Construction: the source of the quickest call that makes an object just as its class does with keywords.

The constructor of a msgspec Struct does not enforce `Meta` constraints, so the reader runs `struct_checks` before it.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import FunctionType
from typing import Any

import msgspec

from singletable.client.items.plain_models import members_of, plain_fields
from singletable.client.items.quick_rows import PlainModel
from singletable.model.fields import hints_of
from singletable.model.rules.constructors import has_same_code, is_constructed_by_init
from singletable.model.rules.meta_rules import Check, meta_check

MADE = "made"
"""What the source calls the object."""


@dataclass(frozen=True)
class Argument:
    """A value for the constructor: the name it goes by, its source, and when it is left to the class's own default."""

    name: str
    value: str
    given: str | None = None
    """The condition, as source, under which there is a value; None for always."""


@dataclass(frozen=True)
class Source:
    """Lines that make an object, and the objects that they speak of."""

    lines: list[str]
    names: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a constructor: whether it can be given by its place, and what stands for its default."""

    name: str
    by_place: bool
    default: Any
    is_factory: bool = False
    """Whether the default is called for each object."""


def construction(cls: type, arguments: Sequence[Argument]) -> Source:
    """How an object of the class is made out of these arguments."""
    parameters = _struct_parameters(cls) or _function_parameters(cls)
    optional = {argument.name for argument in arguments if argument.given is not None}
    known = {parameter.name for parameter in parameters}
    has_defaults = all(p.default is not inspect.Parameter.empty for p in parameters if p.name in optional)
    if known == {argument.name for argument in arguments} and has_defaults:
        return _in_one_call(cls, arguments, parameters)
    model = plain_model(cls, arguments)
    return _by_a_dict(cls, arguments) if model is None else _by_members(model, arguments)


def plain_model(cls: Any, arguments: Sequence[Argument]) -> PlainModel | None:
    """How objects of a class of pydantic are made that need not be validated; None where they have to be."""
    fields = plain_fields(cls) if _validator(cls) is not None else None
    optional = {argument.name for argument in arguments if argument.given is not None}
    if fields is None or fields.keys() != {argument.name for argument in arguments}:
        return None
    if any(fields[name] is ... for name in optional):
        return None
    defaults = {name: None if default is ... else default for name, default in fields.items()}
    names = tuple(argument.name for argument in arguments)
    return PlainModel(cls, names, defaults, frozenset(fields.keys() - optional), members_of(cls))


def _in_one_call(cls: type, arguments: Sequence[Argument], parameters: Sequence[Parameter]) -> Source:
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
        # In the order of the fields, as the constructor has it; it takes those that go by name alone after all others.
        kept = [f"{MADE}.{each.name} = {written[each.name]}" for each in dataclasses.fields(cls)]
        return Source([f"{MADE} = new(cls)", *kept], names)
    given = (written[each.name] if each.by_place else f"{each.name}={written[each.name]}" for each in parameters)
    return Source([f"{MADE} = cls({', '.join(given)})"], names)


def _by_members(model: PlainModel, arguments: Sequence[Argument]) -> Source:
    """A model that need not be validated: its fields, and which of them were given, as pydantic keeps them."""
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
    return Source([*lines, f"set2({MADE}, None)", f"set3({MADE}, None)"], names)


def _by_a_dict(cls: type, arguments: Sequence[Argument]) -> Source:
    always = [f"{each.name!r}: {each.value}" for each in arguments if each.given is None]
    lines = [f"given = {{{', '.join(always)}}}"]
    for each in arguments:
        if each.given is not None:
            lines.append(f"if {each.given}: given[{each.name!r}] = {each.value}")
    validate = _validator(cls)
    if validate is not None:
        return Source([*lines, f"{MADE} = validate(given)"], {"validate": validate})
    return Source([*lines, f"{MADE} = cls(**given)"], {"cls": cls})


def _validator(cls: Any) -> Any:
    """What pydantic's constructor itself calls with the keywords it is given; None for other classes."""
    # A constructor of the user's own can be set after the validator was made, which then does not know of it.
    is_base = getattr(cls.__init__, "__pydantic_base_init__", False)
    is_model = is_base and hasattr(cls, "model_validate") and getattr(cls, "__pydantic_complete__", False)
    if getattr(cls, "__pydantic_root_model__", False):  # it is validated as its one value, not as a map with it
        return None
    return cls.__pydantic_validator__.validate_python if is_model and is_constructed_by_init(cls) else None


def _struct_parameters(cls: Any) -> list[Parameter]:
    """The parameters of a class of msgspec, which has no constructor but msgspec's."""
    if not issubclass(cls, msgspec.Struct) or type(cls).__call__ is not type(msgspec.Struct).__call__:
        return []
    found = []
    for each in msgspec.structs.fields(cls):
        is_factory = each.default_factory is not msgspec.NODEFAULT
        default = each.default_factory if is_factory else each.default
        empty = inspect.Parameter.empty
        by_place = each.name in cls.__match_args__
        found.append(Parameter(each.name, by_place, empty if default is msgspec.NODEFAULT else default, is_factory))
    return found


def _function_parameters(cls: Any) -> list[Parameter]:
    """The parameters of a constructor written in Python, such as those that dataclasses and attrs write.

    Python itself passes the default object of a parameter that is not given, so giving that object is the same.
    """
    construct = cls.__init__
    if not isinstance(construct, FunctionType) or not is_constructed_by_init(cls):
        return []
    _, *parameters = inspect.signature(construct, follow_wrapped=False).parameters.values()
    by_place, by_name = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    if any(parameter.kind not in (by_place, by_name) for parameter in parameters):
        return []
    return [Parameter(each.name, each.kind is by_place, each.default) for each in parameters]


def _only_stores(cls: type) -> bool:
    """Whether the constructor is what dataclasses write for fields that are kept as they are given, and nothing else.

    Then its assignments can stand in place of its call: it is the same code as that of a class with just these fields.
    """
    if not dataclasses.is_dataclass(cls) or not is_constructed_by_init(cls):
        return False
    fields = dataclasses.fields(cls)
    if not all(each.init and each.default_factory is dataclasses.MISSING for each in fields):
        return False
    # The code is the same for all defaults; those of the class may be descriptors, which look at whose they are.
    same = [(each.name, Any, dataclasses.field(default=None, kw_only=each.kw_only)) for each in fields]
    classes: tuple[Any, Any] = (dataclasses.make_dataclass("Plain", same), cls)
    plain, own = (each.__init__ for each in classes)
    return has_same_code(own, plain)


def argument_name(cls: type, name: str) -> str:
    """What the class calls a field when it is given a value: pydantic's alias, attrs' name without underscores."""
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
    """The checks of those fields of a Struct that have `Meta` constraints, by name; none for other classes."""
    if not isinstance(cls, type) or not issubclass(cls, msgspec.Struct):
        return {}
    hints = hints_of(cls)
    found = {name: meta_check(hints[name], f"$.{name}") for name in cls.__struct_fields__}
    return {name: check for name, check in found.items() if check is not None}


def checked_constructor(cls: Any) -> Callable[..., Any]:
    """The class itself, or for a Struct with `Meta` constraints, a function that checks the arguments first."""
    checks = struct_checks(cls)
    if not checks:
        return cls  # type: ignore[no-any-return]  # a class is what makes its objects

    def construct(**given: Any) -> Any:
        for name, check in checks.items():
            if name in given:
                check(given[name])
        return cls(**given)

    return construct
