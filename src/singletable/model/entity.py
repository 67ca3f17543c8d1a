"""Entities: the `@entity` decorator, its options, and the compiled entity of a table."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, cast

from singletable.errors import DesignError, Location, Problem
from singletable.lazy_dataclass import dataclass, replace
from singletable.model import source_location
from singletable.model.derived.derived_value import DerivedValue
from singletable.model.derived_data import Copy, Count
from singletable.model.fields import Field, fields_of
from singletable.model.references import Reference, invalid_references
from singletable.model.schema_upgrades import Upgrade, upgrades_of
from singletable.model.table_schema import TABLE, Index, Keys
from singletable.model.type_codecs import BUILT_IN, TypeCodec, TypeCodecs, type_codecs
from singletable.model.unstorable_types import unstorable_types

if TYPE_CHECKING:
    from singletable.model.keys import Placement  # imports the codecs, which only a Table class needs


@dataclass(frozen=True)
class Cardinality:
    """The number of distinct values of a field, and the traffic share of its most frequent value."""

    values: int
    hottest: float

    def __post_init__(self) -> None:
        if type(self.values) is not int or self.values < 1:
            raise ValueError(f"the number of values must be an int, 1 or greater, not {self.values!r}")
        if not 1 / self.values <= self.hottest <= 1:
            raise ValueError(
                f"hottest must be between {1 / self.values:g} and 1 for {self.values} values, got {self.hottest!r}"
            )


def skewed(values: int, *, hottest: float) -> Cardinality:
    """Describe a field whose values are not equally frequent, for `cardinality=` of an entity.

    `cardinality={"kind": skewed(12, hottest=0.6)}` means 12 kinds, one of which receives 60 % of the traffic.
    """
    return Cardinality(values, hottest)


def cardinalities(declared: Mapping[str, int | Cardinality] | None) -> dict[str, Cardinality]:
    """Return the declared cardinalities. A plain number means a uniform distribution."""
    return {
        name: given if isinstance(given, Cardinality) else Cardinality(given, 1 / given if given > 0 else 1)
        for name, given in (declared or {}).items()
    }


C = TypeVar("C", bound=type)

MARK = "__singletable_entity__"
"""The class attribute that stores the declaration; `@entity` changes nothing else on the class."""

Accepted = Mapping[str, str]
"""Findings accepted with a reason, by code: `{"ST107": "handles are checked at sign-up"}`."""


def accept_problem(accept: Any) -> str | None:
    """Return why `accept` is invalid, or None."""
    if accept is None or (isinstance(accept, Mapping) and all(isinstance(r, str) and r for r in accept.values())):
        return None
    return f"accept must map the code of each finding to a reason, not {accept!r}"


ACCEPT_REMEDY = 'Give each code a reason: accept={"ST107": "handles are checked at sign-up"}.'


@dataclass(frozen=True)
class EntityDeclaration:
    """The arguments of `@entity`. The keys are not compiled yet, because they depend on the settings of the table."""

    cls: type
    name: str
    location: Location
    fields: Mapping[str, Field]
    keys: Mapping[str, Any]
    attributes: Mapping[str, str]
    derived: Mapping[str, DerivedValue]
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
    renamed_from: Mapping[str, str] = field(default_factory=dict)
    split_from: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    merged_from: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The old name of each renamed field."""
    references: Mapping[str, Reference] = field(default_factory=dict)
    """The declared reference of each field whose values identify items of another entity, by the name of the field."""
    former_names: tuple[str, ...] = ()
    """Other values of the entity type attribute, which items have while a migration renames the entity."""
    second_forms: Mapping[str, str] = field(default_factory=dict)
    """Additional attributes, with their fields.

    A migration that renames an attribute stores a field under both names.
    """

    @cached_property
    def codecs(self) -> TypeCodecs:
        """The type codecs of the fields."""
        return next((each.codecs for each in self.fields.values() if each.codecs is not None), BUILT_IN)


@dataclass(frozen=True)
class Entity:
    """An entity, compiled for one table."""

    declaration: EntityDeclaration
    placements: Mapping[str, Placement]
    attributes: Mapping[str, str] = field(default_factory=dict)
    uniques: tuple[Placement, ...] = ()
    """The keys of the entity's unique markers."""

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
        """The class name, as used in messages."""
        return self.declaration.cls.__name__

    @property
    def fields(self) -> Mapping[str, Field]:
        """The fields of the class, by name."""
        return self.declaration.fields

    @property
    def location(self) -> Location:
        """Where the entity is declared."""
        return self.declaration.location

    @property
    def base(self) -> Placement:
        """The keys in the base table."""
        return self.placements[TABLE]

    @property
    def upgrades(self) -> Mapping[int, Upgrade]:
        """The upgrade functions, by the schema version that each one starts from."""
        return upgrades_of(self.declaration.cls)

    def expected_in(self, index: Index) -> int | None:
        """Return the expected number of items per partition of the table or an index.

        If the partition key consists of one field, the mean of its `ref(...)` applies unless the entity declares a
        number. Return None if there is neither.
        """
        alias = TABLE if index.kind == "LSI" else index.alias
        declared = self.declaration.expected_per_partition.get(alias)
        if declared is not None or not self.declaration.references or alias not in self.placements:
            return declared
        names = self.placements[alias].partition_fields
        reference = self.declaration.references.get(next(iter(names))) if len(names) == 1 else None
        return None if reference is None or reference.mean is None else round(reference.mean) or 1

    @property
    def identity(self) -> tuple[str, ...] | None:
        """The fields that identify an item.

        If none are declared: `id`, or a field such as `order_id` for an `Order`.
        """
        if self.declaration.identity is not None:
            return self.declaration.identity
        own = ("id", f"{_snake(self.label)}_id")
        return next(((name,) for name in own if name in self.fields), None)

    def __str__(self) -> str:
        return self.label


def entity(
    *,
    key: Keys | None = None,
    name: str | None = None,
    attributes: Mapping[str, str] | Callable[[str], str] | None = None,
    codecs: Iterable[TypeCodec[Any, Any]] = (),
    derived: Mapping[str, DerivedValue] | None = None,
    identity: Iterable[str] | None = None,
    schema_version: int | None = None,
    version: str | None = None,
    ttl: str | None = None,
    copies: Iterable[Copy] = (),
    counted: Iterable[Count] = (),
    unique: Iterable[str | tuple[str, ...]] = (),
    mirror_of: type | None = None,
    renamed_from: Mapping[str, str] | None = None,
    split_from: Mapping[str, Mapping[str, str]] | None = None,
    merged_from: Mapping[str, Mapping[str, str]] | None = None,
    expected_bytes: int | None = None,
    expected_items: int | None = None,
    expected_per_partition: int | Mapping[str, int] | None = None,
    cardinality: Mapping[str, int | Cardinality] | None = None,
    references: Mapping[str, Reference] | None = None,
    access: str | None = None,
    accept: Accepted | None = None,
    **indexes: Keys,
) -> Callable[[C], C]:
    """Declare a pydantic model, dataclass, msgspec Struct or attrs class as an entity. The class itself is unchanged.

    - `key`: the table's key templates: `("CUST#{customer_id}", "ORDER#{id}")`. Without one, `check` proposes a key.
    - `**indexes`: the keys in each index, by alias: `gsi1=("STATUS#{status}", "{created_at}")`; only the sort key for a
      local index. A key is a template, `native(field)`, or a tuple of these.
    - `name`: the entity type in items. `attributes`: names that differ from fields. `renamed_from`: old field names.
    - `split_from`, `merged_from`: an entity that a migration splits or merges, and its names of fields.
    - `derived`: computed values for templates: `{"shard": shard("id", of=8)}`. `ttl`: the field with the expiry time.
    - `identity`: identifying fields. `version`: for locking. `schema_version`: for `@upgrade`. `codecs`: `codec(...)`.
    - `unique`: fields with unique values. `copies`: `copy(...)`. `counted`: `count(...)`. `mirror_of`: mirrored edge.
    - `expected_bytes`, `expected_items`, `expected_per_partition` (`{"gsi1": 300}`), `cardinality`: estimates.
    - `references`: `{"user_id": ref(User)}`. `access`: who may access items. `accept`: findings to accept.
    """
    location = source_location.caller()

    def declare(cls: C) -> C:
        fields = _fields(cls, location, accept, codecs)
        made = EntityDeclaration(
            *(cls, name or cls.__name__, location, fields, indexes if key is None else {TABLE: key, **indexes}),
            *(_stored_names(fields, attributes), dict(derived or {}), _identity(identity)),
            *(schema_version, version, ttl),
            **_derived_data(copies, counted, unique, mirror_of),
            expected_bytes=expected_bytes,
            expected_items=expected_items,
            expected_per_partition=_per_partition(expected_per_partition),
            cardinality=_cardinality(cls, cardinality, location),
            access=access,
            accept=dict(accept or {}),
        )
        made = _with_history(made, renamed_from, split_from, merged_from, references)
        return _store_declaration(cls, made, attributes)

    return declare


class _DerivedData(TypedDict):
    copies: tuple[Copy, ...]
    counted: tuple[Count, ...]
    unique: tuple[tuple[str, ...], ...]
    mirror_of: type | None


def _derived_data(
    copies: Iterable[Copy],
    counted: Iterable[Count],
    unique: Iterable[str | tuple[str, ...]],
    mirror_of: type | None,
) -> _DerivedData:
    made = tuple(copies), tuple(counted), _unique(unique)
    return {"copies": made[0], "counted": made[1], "unique": made[2], "mirror_of": mirror_of}


def _with_history(
    made: EntityDeclaration,
    renamed_from: Mapping[str, str] | None,
    split_from: Mapping[str, Mapping[str, str]] | None,
    merged_from: Mapping[str, Mapping[str, str]] | None,
    references: Mapping[str, Reference] | None,
) -> EntityDeclaration:
    split, merged = dict(split_from or {}), dict(merged_from or {})
    made = replace(made, renamed_from=dict(renamed_from or {}), references=dict(references or {}))
    return replace(made, split_from=split, merged_from=merged)


def _identity(given: Iterable[str] | None) -> tuple[str, ...] | None:
    return (given,) if isinstance(given, str) else None if given is None else tuple(given)


def _cardinality(
    cls: type, declared: Mapping[str, int | Cardinality] | None, location: Location
) -> dict[str, Cardinality]:
    try:
        return cardinalities(declared)
    except (ValueError, TypeError) as problem:
        raise DesignError(Problem(f"{cls.__qualname__}: cardinality: {problem}", location)) from problem


def _fields(
    cls: type, location: Location, accept: Accepted | None, declared: Iterable[TypeCodec[Any, Any]]
) -> Mapping[str, Field]:
    """Return the fields with their type codecs; raise DesignError if a field is invalid."""
    if problem := accept_problem(accept):
        raise DesignError(Problem(f"{cls.__qualname__}: {problem}", location, ACCEPT_REMEDY))
    try:
        fields, codecs = fields_of(cls), type_codecs(declared)
    except Exception as error:
        raise DesignError(Problem(f"@entity on {cls.__qualname__}: {error}", location)) from error
    if codecs.declared:
        return {name: replace(each, codecs=codecs) for name, each in fields.items()}
    return fields


def _store_declaration(
    cls: C, declaration: EntityDeclaration, attributes: Mapping[str, str] | Callable[[str], str] | None
) -> C:
    """Store the declaration on the class; raise DesignError if it has problems."""
    problems = list(_problems(declaration, attributes))
    if problems:
        raise DesignError(problems)
    setattr(cls, MARK, declaration)
    return cls


def declaration_of(cls: Any) -> EntityDeclaration | None:
    """Return the declaration of this class, or None. A subclass does not inherit the declaration."""
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
    for name, unstorable in unstorable_types(declaration.cls, declaration.codecs):
        yield Problem(f"{label}.{name}: {unstorable.reason}", location, unstorable.remedy)
    named: list[tuple[str, str]] = [("ttl", declaration.ttl or ""), ("version", declaration.version or "")]
    named += [("identity", name) for name in declaration.identity or ()]
    named += [("cardinality", name) for name in declaration.cardinality]
    named += [("references", name) for name in declaration.references]
    named += [("unique", name) for fields in declaration.unique for name in fields]
    named += [("renamed_from", name) for name in declaration.renamed_from]
    named += [("split_from", name) for fields in declaration.split_from.values() for name in fields]
    named += [("merged_from", name) for fields in declaration.merged_from.values() for name in fields]
    named += [("attributes", name) for name in (attributes if isinstance(attributes, Mapping) else ())]
    given = cast(Mapping[str, object], declaration.derived)
    derived = {key: value for key, value in given.items() if isinstance(value, DerivedValue)}
    for key in given.keys() - derived.keys():
        message = f"{label}: derived {key} is {given[key]!r}, which is not a derived value"
        yield Problem(
            message, location, "Use shard(...), bucket(...), derive(...) or another function for derived values."
        )
    named += [(f"derived {key}", name) for key, value in derived.items() for name in value.fields]
    for option, name in named:
        if name and name not in fields:
            yield Problem(
                f"{label}: {option} names {name!r}, which is not a field. The fields are {', '.join(fields)}", location
            )
    for key, value in derived.items():
        if key in fields:
            yield Problem(
                f"{label}: the derived value {key!r} has the same name as a field; rename the derived value", location
            )
        elif all(name in fields for name in value.fields):
            problem = value.problem_with({name: fields[name].type for name in value.fields})
            if problem:
                yield Problem(f"{label}: derived {key} = {value.label}: {problem}", location)
    if dict(getattr(declaration.cls, "model_config", None) or {}).get("extra") == "allow":
        message = f"{label} allows undeclared fields (extra='allow'), but only declared fields are stored"
        yield Problem(message, location, "Declare a field for these values, such as extra: dict[str, Any] = {}.")
    if declaration.keys and TABLE not in declaration.keys:
        message = f"{label}: {', '.join(declaration.keys)} is declared, but {TABLE}= is missing"
        remedy = f"Declare {TABLE}=(...) too, or remove the index keys until the entity has a key."
        yield Problem(message, location, remedy)
    yield from (Problem(message, location) for message in invalid_references(label, declaration.references))
    yield from _invalid_estimates(declaration)
    yield from _invalid_versions(declaration)
    yield from _duplicate_attributes(declaration)


def _invalid_estimates(declaration: EntityDeclaration) -> Iterable[Problem]:
    for option in ("expected_bytes", "expected_items"):
        amount: Any = getattr(declaration, option)
        if amount is not None and (type(amount) is not int or amount < 0):
            message = f"{declaration.cls.__qualname__}: {option} must be an int, 0 or greater, not {amount!r}"
            yield Problem(message, declaration.location)


def _invalid_versions(declaration: EntityDeclaration) -> Iterable[Problem]:
    label, fields = declaration.cls.__qualname__, declaration.fields
    if declaration.version in fields and fields[declaration.version or ""].type is not int:
        yield Problem(f"{label}: the version field {declaration.version!r} must be an int", declaration.location)
    given: Any = declaration.schema_version
    if given is not None and (type(given) is not int or given < 1):
        yield Problem(f"{label}: schema_version must be an int, 1 or greater, not {given!r}", declaration.location)


def _duplicate_attributes(declaration: EntityDeclaration) -> Iterable[Problem]:
    seen: dict[str, str] = {}
    for name, stored in declaration.attributes.items():
        if stored in seen:
            message = f"{declaration.cls.__qualname__}: {seen[stored]!r} and {name!r} are both stored as {stored!r}"
            yield Problem(
                message, declaration.location, "Set another attribute name for one of these fields in attributes=."
            )
        seen[stored] = name


def _snake(name: str) -> str:
    return "".join(f"_{character.lower()}" if character.isupper() else character for character in name).lstrip("_")
