"""Random entity classes of pydantic, dataclasses, msgspec and attrs, with random fields, defaults and validators."""

from __future__ import annotations

import copy
import dataclasses
import enum
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from random import Random
from typing import Annotated, Any, Literal, Optional, get_args
from uuid import UUID

import attrs
import msgspec
import pydantic

from singletable import Table, entity, native

Kind = Literal["pydantic", "pydantic dataclass", "dataclass", "msgspec", "attrs"]
KINDS: tuple[Kind, ...] = ("pydantic", "pydantic dataclass", "dataclass", "msgspec", "attrs")
IDS = ("a", "b", "c")
NESTING_MAX = 2


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.Enum):
    LOW = 1
    HIGH = 2


class Size(enum.StrEnum):
    SMALL = "s"
    LARGE = "l"


class Shouted(str):
    """A text of a subclass of str. DynamoDB stores it like any other text."""


@dataclass
class Other:
    """An object of a class that no model contains. Some models have fields with the same names."""

    f0: int = 5
    low: int = 3


MOMENT = datetime(2024, 2, 29, 12, 30, 15, 250_000, UTC)
ELSEWHERE = timezone(timedelta(hours=5, minutes=30))
NOBODY = object()
"""A value for which DynamoDB has no type."""


@dataclass(frozen=True)
class ValueType:
    """A type for one kind of class: its annotation, valid values, and attrs' validator and converter."""

    annotation: Any
    valid: Callable[[Random], Any]
    shape: Literal["scalar", "number", "list", "set", "dict", "object"] = "scalar"
    validator: Any = None
    converter: Any = None
    element: ValueType | None = None
    """The type of the elements of a list or a set, and of the values of a dict."""
    model: Model | None = None
    """The class of a nested object."""

    def __repr__(self) -> str:
        return repr(self.annotation)


@dataclass(frozen=True)
class Default:
    """A field's default: a value, a function that returns a value, or a function of the object's other fields."""

    how: Literal["value", "factory", "from id"]
    value: Any

    def __repr__(self) -> str:
        return f"{self.how} {self.value!r}"


@dataclass(frozen=True)
class FieldSpec:
    """A field of a random class."""

    name: str
    type: ValueType
    default: Default | None = None
    """None for a required field."""
    is_optional: bool = False
    argument: str = ""
    """The name of its constructor argument. Empty if the constructor does not take it."""
    is_compared: bool = True
    """Whether `==` compares it."""

    def __str__(self) -> str:
        default = "" if self.default is None else f" = {self.default!r}"
        others = {"argument": self.argument, "compared": self.is_compared}
        shown = "" if self.argument == self.name and self.is_compared else f" {others}"
        return f"{self.name}: {self.type!r}{default}{shown}"

    @property
    def is_none_without(self) -> bool:
        """Return whether the field is None in an object whose item does not contain it."""
        return self.is_optional if self.default is None else self.default.value is None

    @property
    def is_empty_without(self) -> bool:
        """Return whether the field is an empty set in an object whose item does not contain it."""
        if self.default is None:
            return not self.is_optional and self.type.shape == "set"
        return isinstance(self.default.value, set | frozenset) and not self.default.value


@dataclass(frozen=True)
class Model:
    """A random class, and the fields from which it was created."""

    cls: Any
    kind: Kind
    fields: Mapping[str, FieldSpec]
    parts: ClassParts

    def valid(self, random: Random, **known: Any) -> Any:
        """Return an object with valid fields. Some of them have their default values."""
        given = dict(known)
        for name, spec in self.fields.items():
            if name in given or (spec.default is not None and random.random() < 0.4):
                continue
            given[name] = None if spec.is_optional and random.random() < 0.3 else spec.type.valid(random)
        if self.parts.rule is not None and {"low", "high"} <= given.keys():
            given["low"], given["high"] = sorted((given["low"], given["high"]))
        arguments = {self.fields[name].argument: value for name, value in given.items() if self.fields[name].argument}
        made = self.cls(**arguments)
        for name, value in given.items():
            if not self.fields[name].argument:
                assign(made, name, value)
        return made

    def __repr__(self) -> str:
        fields = "; ".join(map(str, self.fields.values()))
        shown = {name: value for name, value in vars(self.parts).items() if name not in ("name", "fields") and value}
        return f"<{self.kind} {self.parts.name} {shown}: {fields}>"


def assign(value: Any, name: str, new: Any) -> None:
    """Set a field of an object of any class, without validation, frozen or not."""
    if isinstance(value, msgspec.Struct):
        msgspec.structs.force_setattr(value, name, new)
    else:
        object.__setattr__(value, name, new)


# Types


def _annotated(kind: Kind, base: Any, limits: Mapping[str, Any]) -> Any:
    """Return a type with constraints for the class kind. Dataclasses and attrs have no constraints in annotations."""
    if not limits or kind in ("dataclass", "attrs"):
        return base
    extra = msgspec.Meta(**limits) if kind == "msgspec" else pydantic.Field(**limits)
    return Annotated[base, extra]


_ATTRS_LIMITS: Mapping[str, Callable[[Any], Any]] = {
    "ge": attrs.validators.ge,
    "gt": attrs.validators.gt,
    "le": attrs.validators.le,
    "lt": attrs.validators.lt,
    "min_length": attrs.validators.min_len,
    "max_length": attrs.validators.max_len,
    "pattern": attrs.validators.matches_re,
}


def _attrs_validator(kind: Kind, limits: Mapping[str, Any]) -> Any:
    if kind != "attrs" or not limits:
        return None
    found = [_ATTRS_LIMITS[name](limit) for name, limit in limits.items()]
    return found[0] if len(found) == 1 else attrs.validators.and_(*found)


def _fits(limits: Mapping[str, Any], number: Any) -> bool:
    return (
        number >= limits.get("ge", number)
        and number <= limits.get("le", number)
        and not ("gt" in limits and number <= limits["gt"])
        and not ("lt" in limits and number >= limits["lt"])
        and not ("multiple_of" in limits and number % limits["multiple_of"] != 0)
    )


def _number(
    random: Random, kind: Kind, base: Any, numbers: Sequence[Any], choices: Sequence[Mapping[str, Any]]
) -> ValueType:
    limits = random.choice(choices)
    if kind in ("attrs", "dataclass"):
        limits = {name: limit for name, limit in limits.items() if name in _ATTRS_LIMITS}
    fitting = [each for each in numbers if kind == "dataclass" or _fits(limits, each)]
    annotation = _annotated(kind, base, limits)
    return ValueType(annotation, lambda r: r.choice(fitting), "number", _attrs_validator(kind, limits))


def _integer(random: Random, kind: Kind) -> ValueType:
    choices: list[Mapping[str, Any]] = [
        {},
        {"ge": 0},
        {"ge": 0, "le": 10},
        {"gt": -5, "lt": 20},
        {"multiple_of": 5},
        {"ge": 0, "multiple_of": 3},
    ]
    return _number(random, kind, int, range(-6, 25), choices)


def _decimal(random: Random, kind: Kind) -> ValueType:
    numbers = [Decimal(each) for each in ("-2.5", "-1", "0", "0.1", "1.50", "3", "9.5", "12")]
    choices: list[Mapping[str, Any]] = [{}, {"ge": 0}, {"le": 10}, {"gt": 0, "lt": 10}]
    if kind.startswith("pydantic"):
        choices += [{"max_digits": 4, "decimal_places": 2}]
    return _number(random, kind, Decimal, numbers, choices)


def _float(random: Random, kind: Kind) -> ValueType:
    choices: list[Mapping[str, Any]] = [{}, {"le": 1.5}, {"ge": 0.1}, {"gt": -1.0, "lt": 2.5}]
    return _number(random, kind, float, [-0.5, 0.1, 0.25, 1.0, 1.5], choices[:3] if random.random() < 0.7 else choices)


def _text(random: Random, kind: Kind) -> ValueType:
    choices: list[Mapping[str, Any]] = [{}, {"max_length": 4}, {"pattern": r"^[a-zA-Z]*$"}, {"min_length": 1}]
    limits = random.choice(choices)
    valid = ["a", "ab", "Abc", "", "x y", "toolong", "é"]
    if kind != "dataclass":
        shortest, longest = limits.get("min_length", 0), limits.get("max_length", 9)
        valid = [each for each in valid if shortest <= len(each) <= longest]
        if "pattern" in limits:
            valid = [each for each in valid if each.isascii() and (each.isalpha() or not each)]
    annotation = _annotated(kind, str, limits)
    return ValueType(annotation, lambda r: r.choice(valid), validator=_attrs_validator(kind, limits))


def shout(text: str) -> str:
    """Change a text once, as an idempotent validator does."""
    return text.upper()


def exclaim(text: str) -> str:
    """Change a text each time, as an invalid validator does."""
    return f"{text}!"


def next_number(number: int) -> int:
    """Change a number each time, as an invalid validator does."""
    return number + 1


def even(number: int) -> int:
    """Change a number once, as an idempotent validator does."""
    return number - number % 2


def _transformed(random: Random, kind: Kind) -> ValueType:
    """Return a text or number type that its own validator changes, if the class kind has such validators."""
    base, change = random.choice([(str, shout), (str, shout), (str, exclaim), (int, even), (int, next_number)])
    valid = ["A", "CD"] if base is str else [-4, 0, 6]  # default values stay as they are, unless all values change
    shape: Literal["scalar", "number"] = "scalar" if base is str else "number"
    annotation: Any = base
    if kind.startswith("pydantic"):
        when = random.choice([pydantic.AfterValidator, pydantic.BeforeValidator])
        annotation = Annotated[base, when(change)]
    converter = change if kind == "attrs" else None
    return ValueType(annotation, lambda r: r.choice(valid), shape, converter=converter)


def _plain(random: Random, kind: Kind) -> ValueType:
    """Return a type without constraints."""
    found: list[tuple[Any, list[Any]]] = [
        (bool, [True, False]),
        (Literal["free", "paid"], ["free", "paid"]),
        (Literal[1, 2], [1, 2]),
        (Colour, list(Colour)),
        (Level, list(Level)),
        (Size, list(Size)),
        (datetime, [MOMENT, MOMENT.astimezone(ELSEWHERE), MOMENT.replace(microsecond=0)]),
        (date, [date(2024, 2, 29), date(1999, 12, 31)]),
        (UUID, [UUID(int=5), UUID(int=2**127)]),
        (bytes, [b"", b"\x00\xff"]),
        (int | str, [5, "five"]),
        (tuple[int, str], [(1, "a"), (-2, "")]),
        (Any, [5, "five", [1, "x"], {"a": None}, True]),
    ]
    annotation, values = random.choice(found)
    return ValueType(annotation, lambda r: r.choice(values))


def _lengths(random: Random) -> Mapping[str, int]:
    choices: list[Mapping[str, int]] = [
        {},
        {},
        {"max_length": 3},
        {"min_length": 1},
        {"min_length": 2, "max_length": 3},
    ]
    return random.choice(choices)


def _some(random: Random, element: ValueType, limits: Mapping[str, int]) -> list[Any]:
    count = random.randint(limits.get("min_length", 0), limits.get("max_length", 3))
    return [element.valid(random) for _ in range(count)]


def _members_validator(kind: Kind, element: ValueType, limits: Mapping[str, int]) -> Any:
    own = _attrs_validator(kind, limits)
    if element.validator is None:
        return own
    return attrs.validators.deep_iterable(element.validator, own)


def _list(random: Random, kind: Kind, depth: int) -> ValueType:
    element = _element(random, kind, depth)
    limits = _lengths(random)
    container: Any = random.choice([list, list, list, tuple])
    base = tuple[element.annotation, ...] if container is tuple else list[element.annotation]  # type: ignore[name-defined]  # the type is a value here
    return ValueType(
        _annotated(kind, base, limits),
        lambda r: container(_some(r, element, limits)),
        "list" if container is list else "scalar",
        _members_validator(kind, element, limits),
        element=element,
    )


def _set(random: Random, kind: Kind) -> ValueType:
    texts = ValueType(str, lambda r: r.choice(["a", "b", "c", "d"]))
    element = random.choice([texts, texts, _integer(random, kind), _shouted(kind)])
    limits = _lengths(random)
    container: Any = random.choice([set, set, frozenset])
    return ValueType(
        _annotated(kind, container[element.annotation], limits),
        lambda r: _some_members(r, container, element, limits),
        "set",
        _members_validator(kind, element, limits),
        element=element,
    )


def _shouted(kind: Kind) -> ValueType:
    annotation: Any = Annotated[str, pydantic.AfterValidator(shout)] if kind.startswith("pydantic") else str
    return ValueType(annotation, lambda r: r.choice(["A", "B", "C"]))


def _some_members(random: Random, container: Any, element: ValueType, limits: Mapping[str, int]) -> Any:
    members = {element.valid(random) for _ in range(random.randint(0, 4))}
    for _ in range(50):
        if len(members) < limits.get("min_length", 0):
            members.add(element.valid(random))
    return container(sorted(members)[: limits.get("max_length", 4)])


def _dict(random: Random, kind: Kind, depth: int) -> ValueType:
    element = _element(random, kind, depth)
    limits = _lengths(random)
    validator = _attrs_validator(kind, limits)
    if element.validator is not None:
        validator = attrs.validators.deep_mapping(
            value_validator=element.validator, **({} if validator is None else {"mapping_validator": validator})
        )
    return ValueType(
        _annotated(kind, dict[str, element.annotation], limits),  # type: ignore[name-defined]  # the type is a value here
        lambda r: dict(zip("xyz", _some(r, element, limits), strict=False)),
        "dict",
        validator,
        element=element,
    )


def _element(random: Random, kind: Kind, depth: int) -> ValueType:
    makers = [_text, _integer, _integer, _decimal, _plain]
    if kind.startswith("pydantic"):
        makers.append(_transformed)
    if depth < NESTING_MAX and random.random() < 0.3:
        return _object(random, kind, depth)
    return random.choice(makers)(random, kind)


def _object(random: Random, kind: Kind, depth: int) -> ValueType:
    """Return a nested class. In a pydantic class, it is a pydantic class too, because pydantic validates no others."""
    kinds: tuple[Kind, ...] = ("pydantic", "pydantic dataclass") if kind.startswith("pydantic") else KINDS
    model = random_model(random, random.choice((kind, kind, *kinds)), depth + 1)
    return ValueType(model.cls, model.valid, "object", model=model)


def _type(random: Random, kind: Kind, depth: int) -> ValueType:
    match random.randrange(14):
        case 0 | 1 | 2:
            return _integer(random, kind)
        case 3:
            return _decimal(random, kind)
        case 4:
            return _float(random, kind)
        case 5:
            return _text(random, kind)
        case 6:
            return _transformed(random, kind)
        case 7:
            return _plain(random, kind)
        case 8 | 9:
            return _list(random, kind, depth)
        case 10:
            return _set(random, kind)
        case 11:
            return _dict(random, kind, depth)
        case _ if depth < NESTING_MAX:
            return _object(random, kind, depth)
        case _:
            return _plain(random, kind)


# Fields and classes


def _field(random: Random, kind: Kind, name: str, depth: int) -> FieldSpec:
    declared = _type(random, kind, depth)
    is_optional = random.random() < 0.3
    if is_optional:
        validator = None if declared.validator is None else attrs.validators.optional(declared.validator)
        converter = None if declared.converter is None else attrs.converters.optional(declared.converter)
        declared = dataclasses.replace(
            declared,
            annotation=Optional[declared.annotation],  # noqa: UP045  # of any annotation
            validator=validator,
            converter=converter,
        )
    default = _default(random, kind, declared, depth, is_optional=is_optional)
    is_compared, argument = True, name
    if random.random() < 0.1:
        if kind == "pydantic":
            argument = f"{name}Alias"
        elif kind == "attrs":
            name = f"_{name}"
        elif default is not None and kind == "dataclass":
            argument = ""
    elif kind in ("dataclass", "attrs") and random.random() < 0.1:
        is_compared = False
    return FieldSpec(name, declared, default, is_optional, argument, is_compared)


def _default(random: Random, kind: Kind, declared: ValueType, depth: int, *, is_optional: bool) -> Default | None:
    chance = random.random()
    if chance < 0.4:
        return None
    if is_optional and chance < 0.75:
        return Default("value", None)
    value = declared.valid(random)
    if depth == 0 and declared.shape == "number" and kind != "attrs" and type(value) is int and random.random() < 0.05:
        value = -50  # only attrs classes validate this value
    can_see_id = kind in ("pydantic", "attrs") and depth == 0
    if can_see_id and declared.shape == "number" and chance > 0.9:
        return Default("from id", value)
    needs_factory = declared.shape in ("list", "set", "dict", "object") or value.__hash__ is None
    return Default("factory" if needs_factory or chance > 0.85 else "value", value)


RuleName = Literal["ordered", "total", "shouted", "growing"]
RuleWay = Literal["hook", "validator", "validator of a field"]
RULE_NAMES: tuple[RuleName, ...] = ("ordered", "ordered", "total", "shouted", "growing")
RULE_WAYS: tuple[RuleWay, ...] = ("hook", "validator", "validator of a field")


@dataclass(frozen=True)
class Rule:
    """A rule about a whole object. It checks the object or changes it."""

    name: RuleName
    way: RuleWay
    """The way in which the class applies the rule, if there is a choice."""

    @property
    def is_of_field(self) -> bool:
        """Return whether a validator of one field reads another field."""
        return self.name == "ordered" and self.way == "validator of a field"

    def apply(self, value: Any) -> None:
        """Raise ValueError for an object that breaks the rule. Some rules change a field instead."""
        if self.name == "ordered" and value.low > value.high:
            raise ValueError(f"low={value.low} is above high={value.high}")
        if self.name == "total":
            assign(value, "total", value.low + value.high)
        elif self.name == "shouted" and value.low > 3:
            assign(value, "label", value.label.upper())
        elif self.name == "growing":
            assign(value, "high", value.high + 1)

    def fields(self) -> list[FieldSpec]:
        """Return the fields that the rule reads or changes."""
        number = ValueType(int, lambda r: r.randint(0, 9), "number")
        text = ValueType(str, lambda r: r.choice(["a", "Bc"]))
        found: list[tuple[str, ValueType, Any]] = [("low", number, 0), ("high", number, 9)]
        if self.name == "total":
            found.append(("total", number, 9))
        if self.name == "shouted":
            found.append(("label", text, "x"))
        return [FieldSpec(name, declared, Default("value", value), argument=name) for name, declared, value in found]


def _rule(random: Random) -> Rule | None:
    return Rule(random.choice(RULE_NAMES), random.choice(RULE_WAYS)) if random.random() < 0.3 else None


@dataclass(frozen=True)
class ClassParts:
    """The parts of a random class."""

    name: str
    fields: Sequence[FieldSpec]
    rule: Rule | None
    frozen: bool
    slots: bool
    config: Mapping[str, Any]
    """Settings of a pydantic model."""

    @property
    def post_init(self) -> Callable[[Any], None]:
        """Return the method that applies the rule after the constructor."""

        def apply(value: Any) -> None:
            assert self.rule is not None
            self.rule.apply(value)

        return apply


def random_model(random: Random, kind: Kind, depth: int = 0) -> Model:
    """Return a random class: the class of an entity at depth 0, a nested class below it."""
    specs = [FieldSpec("id", ValueType(str, lambda r: r.choice(IDS)), argument="id")] if depth == 0 else []
    specs += [_field(random, kind, f"f{number}", depth) for number in range(random.randint(1, 4 - depth))]
    rule = _rule(random)
    if rule is not None:
        specs += rule.fields()
    parts = ClassParts(
        name="Thing" if depth == 0 else f"Part{depth}",
        fields=specs,
        rule=rule,
        frozen=random.random() < 0.3,
        slots=random.random() < 0.3,
        config=random.choice(_PYDANTIC_CONFIGS),
    )
    return Model(_MAKERS[kind](parts), kind, {each.name: each for each in specs}, parts)


_PYDANTIC_CONFIGS: tuple[Mapping[str, Any], ...] = (
    {},
    {},
    {},
    {"str_strip_whitespace": True},
    # pydantic needs the name to validate the object again
    {"revalidate_instances": "always", "populate_by_name": True},
    {"validate_assignment": True},
)


def _by_default(default: Default) -> Callable[[], Any]:
    """Return a function that returns a new object each time, because lists and nested objects are mutable."""
    return lambda: copy.deepcopy(default.value)


def _by_default_from_others(default: Default) -> Callable[[Any], Any]:
    """Return such a function that takes the other fields or the object."""
    return lambda others: copy.deepcopy(default.value)


def _pydantic(parts: ClassParts) -> Any:
    fields: dict[str, Any] = {each.name: (each.type.annotation, _pydantic_field(each)) for each in parts.fields}
    members: dict[str, Any] = {"model_config": {**parts.config, "frozen": parts.frozen}}
    rule, validators = parts.rule, dict[str, Any]()
    if rule is not None and rule.is_of_field:
        validators["rule"] = pydantic.field_validator("high")(_high_above_low)
    elif rule is not None and rule.way == "hook":
        members["model_post_init"] = lambda self, context: rule.apply(self)
    elif rule is not None:
        validators["rule"] = pydantic.model_validator(mode="after")(_returning(rule.apply))
    base: Any = type("Base", (pydantic.BaseModel,), members)
    return pydantic.create_model(parts.name, __base__=base, __validators__=validators, **fields)


def _pydantic_field(spec: FieldSpec) -> Any:
    options: dict[str, Any] = {} if spec.argument == spec.name else {"alias": spec.argument}
    match spec.default:
        case None:
            pass
        case Default("value", value):
            options["default"] = value
        case Default("factory"):
            options["default_factory"] = _by_default(spec.default)
        case _:
            options["default_factory"] = _by_default_from_others(spec.default)
    return pydantic.Field(**options)


def _returning(check: Callable[[Any], None]) -> Callable[[Any], Any]:
    """Return a check as a pydantic validator, which returns the object."""

    def validated(self: Any) -> Any:
        check(self)
        return self

    return validated


def _high_above_low(cls: Any, value: int, info: pydantic.ValidationInfo) -> int:
    if value < info.data.get("low", 0):
        raise ValueError("high is below low")
    return value


def _dataclass_fields(specs: Sequence[FieldSpec]) -> list[tuple[str, Any, Any]]:
    found = []
    for spec in specs:
        is_argument = bool(spec.argument)
        options: dict[str, Any] = {"kw_only": is_argument, "init": is_argument, "compare": spec.is_compared}
        if spec.default is not None and spec.default.how == "factory":
            options["default_factory"] = _by_default(spec.default)
        elif spec.default is not None:
            options["default"] = spec.default.value
        found.append((spec.name, spec.type.annotation, dataclasses.field(**options)))
    return found


def _dataclass(parts: ClassParts) -> Any:
    namespace = {} if parts.rule is None else {"__post_init__": parts.post_init}
    return dataclasses.make_dataclass(
        parts.name, _dataclass_fields(parts.fields), namespace=namespace, frozen=parts.frozen, slots=parts.slots
    )


def _pydantic_dataclass(parts: ClassParts) -> Any:
    fields = _dataclass_fields(parts.fields)
    namespace: dict[str, Any] = {"__annotations__": {name: annotation for name, annotation, _ in fields}}
    namespace |= {name: made for name, _, made in fields}
    if parts.rule is not None:
        namespace["__post_init__"] = parts.post_init
    cls = types.new_class(parts.name, (), {}, lambda body: body.update(namespace))
    return pydantic.dataclasses.dataclass(cls, frozen=parts.frozen)


def _msgspec(parts: ClassParts) -> Any:
    fields: list[Any] = []
    for spec in parts.fields:
        if spec.default is None:
            fields.append((spec.name, spec.type.annotation))
            continue
        is_made = spec.default.how == "factory"
        default = msgspec.field(default_factory=_by_default(spec.default)) if is_made else spec.default.value
        fields.append((spec.name, spec.type.annotation, default))
    namespace = {} if parts.rule is None else {"__post_init__": parts.post_init}
    return msgspec.defstruct(parts.name, fields, namespace=namespace, frozen=parts.frozen, kw_only=True)


def _attrs(parts: ClassParts) -> Any:
    is_rule_of_field = parts.rule is not None and parts.rule.is_of_field
    attributes = {
        each.name: attrs.field(
            default=_attrs_default(each.default),
            validator=_high_above_low_of if is_rule_of_field and each.name == "high" else each.type.validator,
            converter=each.type.converter,
            type=each.type.annotation,
            kw_only=True,
            eq=each.is_compared,
        )
        for each in parts.fields
    }
    has_hook = parts.rule is not None and not is_rule_of_field
    body = {"__attrs_post_init__": parts.post_init} if has_hook else {}
    return attrs.make_class(parts.name, attributes, class_body=body, frozen=parts.frozen, slots=parts.slots, eq=True)


def _attrs_default(default: Default | None) -> Any:
    match default:
        case None:
            return attrs.NOTHING
        case Default("value", value):
            return value
        case Default("factory"):
            return attrs.Factory(_by_default(default))
        case _:
            return attrs.Factory(_by_default_from_others(default), takes_self=True)


def _high_above_low_of(value: Any, attribute: Any, high: int) -> None:
    if high < value.low:
        raise ValueError("high is below low")


_MAKERS: Mapping[Kind, Callable[[ClassParts], Any]] = {
    "pydantic": _pydantic,
    "pydantic dataclass": _pydantic_dataclass,
    "dataclass": _dataclass,
    "msgspec": _msgspec,
    "attrs": _attrs,
}


@dataclass(frozen=True)
class RandomTable:
    """A table of one random entity."""

    model: Model
    table: type[Table]
    indexed: str | None = None
    """The field that the key of the entity's index contains."""
    unique: str | None = None


_INDEXABLE = (str, int, Decimal, date, UUID, Colour, Size, Literal["free", "paid"])


def random_table(random: Random, *, has_unique: bool = True) -> RandomTable:
    """Return a table of one random entity, sometimes with an index, renamed attributes or a unique field."""
    model = random_model(random, random.choice(KINDS))
    types_of = {name: _base_of(spec.type.annotation) for name, spec in model.fields.items() if name != "id"}
    names = [name for name, declared in types_of.items() if declared in _INDEXABLE]
    indexed = random.choice(names) if names and random.random() < 0.5 else None
    is_native = indexed is not None and types_of[indexed] in (int, Decimal) and random.random() < 0.3
    options: dict[str, Any] = {"key": ("THING#{id}", "META")}
    if indexed is not None:
        options["gsi1"] = (native(indexed) if is_native else f"FIELD#{{{indexed}}}", "{id}")
    renamed = [name for name in model.fields if random.random() < 0.15 and not (is_native and name == indexed)]
    options["attributes"] = {name: f"{name}Stored" for name in renamed}
    unique = random.choice(names) if names and has_unique and random.random() < 0.15 else None
    if unique is not None:
        options["unique"] = [unique]
    cls = entity(**options)(model.cls)
    table = types.new_class("Things", (Table,), {"entities": [cls]})
    return RandomTable(dataclasses.replace(model, cls=cls), table, indexed, unique)


def _base_of(annotation: Any) -> Any:
    """Return a type without `None` and constraints."""
    if hasattr(annotation, "__metadata__"):
        return _base_of(annotation.__origin__)
    members = [each for each in get_args(annotation) if each is not type(None)]
    return _base_of(members[0]) if len(members) == 1 and type(None) in get_args(annotation) else annotation


# Invalid values


def junk(random: Random) -> Any:
    """Return a value of any type, valid or invalid."""
    return random.choice(_JUNK)()


_JUNK: tuple[Callable[[], Any], ...] = (
    lambda: None,
    lambda: "",
    lambda: "abc",
    lambda: "5",
    lambda: "red",
    lambda: "longer than most",
    lambda: Shouted("quiet"),
    lambda: "half \ud800",
    lambda: " a ",
    lambda: 10**19,
    lambda: 1e300,
    lambda: Decimal("1E+3"),
    Other,
    lambda: 0,
    lambda: 5,
    lambda: -4,
    lambda: 100,
    lambda: 10**40,
    lambda: 10**38 + 1,
    lambda: 2.5,
    lambda: 1.0,
    lambda: float("nan"),
    lambda: float("inf"),
    lambda: Decimal("1.5"),
    lambda: Decimal("0.10"),
    lambda: Decimal("NaN"),
    lambda: True,
    lambda: b"x",
    list,
    lambda: ["a"],
    lambda: ["a", 5],
    lambda: [1, 2, 3, 4],
    lambda: (1, "a"),
    lambda: [None],
    dict,
    lambda: {"x": 1},
    lambda: {"x": "a", "y": None},
    lambda: {5: 1},
    set,
    lambda: {"a"},
    lambda: {"a", "e", "f", "g"},
    lambda: {1, 2},
    lambda: {"a", 1},
    lambda: frozenset({"z"}),
    lambda: MOMENT,
    lambda: MOMENT.replace(tzinfo=None),
    lambda: date(2024, 2, 29),
    lambda: UUID(int=7),
    lambda: Colour.RED,
    lambda: Size.LARGE,
    lambda: Level.HIGH,
    lambda: NOBODY,
)


def tamper(random: Random, value: Any, model: Model) -> None:
    """Change an object after its creation, at any depth, without validation."""
    spec = random.choice(list(model.fields.values()))
    _tamper_field(random, value, spec)


def _tamper_field(random: Random, value: Any, spec: FieldSpec) -> None:
    found = getattr(value, spec.name)
    new = spec.type.valid(random) if random.random() < 0.3 else junk(random)
    if random.random() < 0.5 and _tamper_inside(random, found, spec.type, new):
        return
    if spec.name == "id" and random.random() < 0.8:
        return
    assign(value, spec.name, new)


def _tamper_inside(random: Random, found: Any, declared: ValueType, new: Any) -> bool:
    """Change the inside of a nested object or a container. Return whether it was possible."""
    if declared.model is not None and type(found) is declared.model.cls:
        tamper(random, found, declared.model)
        return True
    element = declared.element
    if element is None or not found:
        return False
    if element.model is not None and isinstance(found, list) and type(found[0]) is element.model.cls:
        tamper(random, found[0], element.model)
        return True
    if isinstance(found, list):
        random.choice([lambda: found.append(new), lambda: found.__setitem__(0, new), found.clear])()
    elif isinstance(found, dict):
        found[random.choice(["x", "w"])] = new
    elif isinstance(found, set) and getattr(type(new), "__hash__", None) is not None and new != "":
        found.add(new) if not isinstance(new, tuple) else found.clear()
    else:
        return False
    return True
