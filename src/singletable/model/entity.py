"""Entities: a user's own class, with the keys under which its items are stored."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, cast

from singletable.errors import DesignError, Location, Problem
from singletable.model import source
from singletable.model.cardinality import Cardinality, cardinalities, unknown_fields
from singletable.model.copies import Copy
from singletable.model.counts import Count
from singletable.model.derived.derived import Derived
from singletable.model.fields import Field, fields_of
from singletable.model.index import TABLE, Index
from singletable.model.positions import Keys
from singletable.model.upgrades import Upgrade, upgrades_of

if TYPE_CHECKING:
    from singletable.model.keys import Placement  # the codecs behind it are loaded when a table is made

C = TypeVar("C", bound=type)

MARK = "__singletable_entity__"
"""The class attribute that holds an entity's declaration; the class is otherwise left as it is."""

Accepted = Mapping[str, str]
"""Findings accepted with a reason, by code: `{"ST107": "handles are checked at sign-up"}`."""


def accept_problem(accept: Any) -> str | None:
    """Why findings cannot be accepted in this way, or None."""
    if accept is None or (isinstance(accept, Mapping) and all(isinstance(r, str) and r for r in accept.values())):
        return None
    return f"accept={accept!r} does not give each finding its reason"


ACCEPT_REMEDY = 'Give each code a reason: accept={"ST107": "handles are checked at sign-up"}.'


@dataclass(frozen=True)
class EntityDeclaration:
    """What `@entity` was given, before a table says how keys are named and delimited."""

    cls: type
    name: str
    location: Location
    fields: Mapping[str, Field]
    keys: Mapping[str, Any]
    attributes: Mapping[str, str]
    derived: Mapping[str, Derived]
    identity: tuple[str, ...] | None
    schema_version: int | None
    version: str | None
    ttl: str | None
    copies: tuple[Copy, ...]
    counted: tuple[Count, ...]
    unique: tuple[tuple[str, ...], ...]
    mirror_of: type | None
    expected_bytes: int | None
    expected_items: int | None
    expected_per_partition: Mapping[str, int]
    cardinality: Mapping[str, Cardinality]
    access: str | None
    accept: Accepted


@dataclass(frozen=True)
class Entity:
    """An entity as a table compiled it."""

    declaration: EntityDeclaration
    placements: Mapping[str, Placement]
    attributes: Mapping[str, str] = field(default_factory=dict)
    uniques: tuple[Placement, ...] = ()
    """Where the markers lie that keep values unique."""

    @property
    def cls(self) -> type:
        """The user's class."""
        return self.declaration.cls

    @property
    def name(self) -> str:
        """The value of the entity type attribute."""
        return self.declaration.name

    @property
    def label(self) -> str:
        """The class's name, by which messages speak of the entity."""
        return self.declaration.cls.__name__

    @property
    def fields(self) -> Mapping[str, Field]:
        """The class's fields by name."""
        return self.declaration.fields

    @property
    def location(self) -> Location:
        """Where the entity is declared."""
        return self.declaration.location

    @property
    def base(self) -> Placement:
        """The entity's place in the table itself."""
        return self.placements[TABLE]

    @property
    def upgrades(self) -> Mapping[int, Upgrade]:
        """What takes stored items of older schema versions further, by the version that each begins with."""
        return upgrades_of(self.declaration.cls)

    def expected_in(self, index: Index) -> int | None:
        """How many items are expected in one partition of the table or an index; a local index has the table's."""
        alias = TABLE if index.kind == "LSI" else index.alias
        return self.declaration.expected_per_partition.get(alias)

    @property
    def identity(self) -> tuple[str, ...] | None:
        """The fields that tell two items apart: declared, or the field called `id` or like the entity."""
        if self.declaration.identity is not None:
            return self.declaration.identity
        own = ("id", f"{_snake(self.label)}_id")
        return next(((name,) for name in own if name in self.fields), None)

    def __str__(self) -> str:
        return self.label


def entity(
    *,
    key: Keys,
    name: str | None = None,
    attributes: Mapping[str, str] | Callable[[str], str] | None = None,
    derived: Mapping[str, Derived] | None = None,
    identity: Iterable[str] | None = None,
    schema_version: int | None = None,
    version: str | None = None,
    ttl: str | None = None,
    copies: Iterable[Copy] = (),
    counted: Iterable[Count] = (),
    unique: Iterable[str | tuple[str, ...]] = (),
    mirror_of: type | None = None,
    expected_bytes: int | None = None,
    expected_items: int | None = None,
    expected_per_partition: int | Mapping[str, int] | None = None,
    cardinality: Mapping[str, int | Cardinality] | None = None,
    access: str | None = None,
    accept: Accepted | None = None,
    **indexes: Keys,
) -> Callable[[C], C]:
    """Give a class its keys; the class stays the user's own.

    `key` is the partition and the sort template of the table, and every further keyword is an index of that alias
    (`gsi1=("CUST#{customer_id}", "ORDER#{created_at}")`). A position is a template, `native(field)`, or a tuple of
    these for a multi-attribute index key; a local index is given its sort position alone.
    `name` is what the type attribute says; `attributes` are stored names that differ from the fields'; `derived` are
    computed values for templates; `identity` names the fields that tell two items apart, if none is called `id`.
    `version` names an int field for optimistic locking, `ttl` the one with the second of expiry. `schema_version` is
    stored with every item; `@upgrade` takes older ones to it. Writes keep right, in one transaction, what is `unique`,
    `copies` of others' fields, counters that it is `counted` by, and an edge's second item, a `mirror_of` the first.
    `expected_bytes`, `expected_items`, `expected_per_partition` (`{"key": 8, "gsi1": 300}`; a number is that of `key`)
    and `cardinality` (`{"kind": skewed(12, hottest=0.6)}`) are for cost and heat, `access` says who may see it.
    """
    location = source.caller()

    def declare(cls: C) -> C:
        fields = _fields(cls, location, accept)
        declaration = EntityDeclaration(
            *(cls, name or cls.__name__, location, fields),
            {TABLE: key, **indexes},
            _stored_names(fields, attributes),
            dict(derived or {}),
            _identity(identity),
            *(schema_version, version, ttl),
            copies=tuple(copies),
            counted=tuple(counted),
            unique=_unique(unique),
            mirror_of=mirror_of,
            expected_bytes=expected_bytes,
            expected_items=expected_items,
            expected_per_partition=_per_partition(expected_per_partition),
            cardinality=_cardinality(cls, cardinality, location),
            access=access,
            accept=dict(accept or {}),
        )
        return _marked(cls, declaration, attributes)

    return declare


def _identity(given: Iterable[str] | None) -> tuple[str, ...] | None:
    return (given,) if isinstance(given, str) else None if given is None else tuple(given)


def _cardinality(
    cls: type, declared: Mapping[str, int | Cardinality] | None, location: Location
) -> dict[str, Cardinality]:
    try:
        return cardinalities(declared)
    except (ValueError, TypeError) as problem:
        raise DesignError(Problem(f"{cls.__qualname__}: cardinality: {problem}", location)) from problem


def _fields(cls: type, location: Location, accept: Accepted | None) -> Mapping[str, Field]:
    if unreasoned := accept_problem(accept):
        raise DesignError(Problem(f"{cls.__qualname__}: {unreasoned}", location, ACCEPT_REMEDY))
    try:
        return fields_of(cls)
    except Exception as problem:
        raise DesignError(Problem(f"@entity on {cls.__qualname__}: {problem}", location)) from problem


def _marked(cls: C, declaration: EntityDeclaration, attributes: Mapping[str, str] | Callable[[str], str] | None) -> C:
    problems = list(_problems(declaration, attributes))
    if problems:
        raise DesignError(problems)
    setattr(cls, MARK, declaration)
    return cls


def declaration_of(cls: Any) -> EntityDeclaration | None:
    """The declaration on this very class (a subclass is not its parent's entity)."""
    found = getattr(cls, "__dict__", {}).get(MARK)
    return found if isinstance(found, EntityDeclaration) else None


def _unique(unique: Iterable[str | tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    given = (unique,) if isinstance(unique, str) else unique
    return tuple((fields,) if isinstance(fields, str) else tuple(fields) for fields in given)


def _per_partition(expected: int | Mapping[str, int] | None) -> dict[str, int]:
    if expected is None:
        return {}
    return dict(expected) if isinstance(expected, Mapping) else {TABLE: expected}


def _stored_names(
    fields: Mapping[str, Field], attributes: Mapping[str, str] | Callable[[str], str] | None
) -> dict[str, str]:
    if callable(attributes):
        return {name: attributes(name) for name in fields}
    return {name: (attributes or {}).get(name, name) for name in fields}


def _problems(
    declaration: EntityDeclaration, attributes: Mapping[str, str] | Callable[[str], str] | None
) -> Iterable[Problem]:
    label, fields, location = declaration.cls.__qualname__, declaration.fields, declaration.location
    for each in fields.values():
        if not isinstance(each.type, Hashable):
            message = f"{label}: the annotation of {each.name!r} is {each.type!r}, which is not a type"
            yield Problem(message, location, "Annotate it with a type, such as list[str].")
    named: list[tuple[str, str]] = [("ttl", declaration.ttl or ""), ("version", declaration.version or "")]
    named += [("identity", name) for name in declaration.identity or ()]
    named += [("cardinality", name) for name in unknown_fields(declaration.cardinality, fields)]
    named += [("unique", name) for fields in declaration.unique for name in fields]
    named += [("attributes", name) for name in (attributes if isinstance(attributes, Mapping) else ())]
    given = cast(Mapping[str, object], declaration.derived)
    derived = {key: value for key, value in given.items() if isinstance(value, Derived)}
    for key in given.keys() - derived.keys():
        message = f"{label}: derived {key} is {given[key]!r}, which is no derived value"
        yield Problem(message, location, "Make it with shard(...), bucket(...), derive(...) and their like.")
    named += [(f"derived {key}", name) for key, value in derived.items() for name in value.fields]
    for option, name in named:
        if name and name not in fields:
            yield Problem(f"{label}: {option} names {name!r}, which is no field; it has {', '.join(fields)}", location)
    for key, value in derived.items():
        if key in fields:
            yield Problem(f"{label}: the derived value {key!r} has the name of a field; call it otherwise", location)
        elif all(name in fields for name in value.fields):
            problem = value.problem_with({name: fields[name].type for name in value.fields})
            if problem:
                yield Problem(f"{label}: derived {key} = {value.label}: {problem}", location)
    if dict(getattr(declaration.cls, "model_config", None) or {}).get("extra") == "allow":
        message = f"{label} takes values that it does not declare (extra='allow'), and only declared fields are stored"
        yield Problem(message, location, "Declare a field for them, such as more: dict[str, Any] = {}.")
    yield from _wrong_amounts(declaration)
    yield from _wrong_versions(declaration)
    yield from _stored_twice(declaration)


def _wrong_amounts(declaration: EntityDeclaration) -> Iterable[Problem]:
    for option in ("expected_bytes", "expected_items"):
        amount: Any = getattr(declaration, option)
        if amount is not None and (type(amount) is not int or amount < 0):
            message = f"{declaration.cls.__qualname__}: {option}={amount!r} is no whole number from zero up"
            yield Problem(message, declaration.location)


def _wrong_versions(declaration: EntityDeclaration) -> Iterable[Problem]:
    label, fields = declaration.cls.__qualname__, declaration.fields
    if declaration.version in fields and fields[declaration.version or ""].type is not int:
        yield Problem(f"{label}: the version field {declaration.version!r} must be an int", declaration.location)
    given: Any = declaration.schema_version
    if given is not None and (type(given) is not int or given < 1):
        yield Problem(f"{label}: schema_version={given!r} is no whole number from 1 on", declaration.location)


def _stored_twice(declaration: EntityDeclaration) -> Iterable[Problem]:
    seen: dict[str, str] = {}
    for name, stored in declaration.attributes.items():
        if stored in seen:
            message = f"{declaration.cls.__qualname__}: {seen[stored]!r} and {name!r} are both stored as {stored!r}"
            yield Problem(message, declaration.location, "Give one of them another name in attributes=.")
        seen[stored] = name


def _snake(name: str) -> str:
    return "".join(f"_{character.lower()}" if character.isupper() else character for character in name).lstrip("_")
