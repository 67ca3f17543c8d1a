"""A draft of a model: tables, entities, keys and patterns as plain values, before they are Python."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from singletable.expressions.tree import Change, Condition, Path

FieldType = Literal[
    "str",
    "int",
    "Decimal",
    "float",
    "bool",
    "bytes",
    "datetime",
    "date",
    "list[Any]",
    "list[str]",
    "dict[str, Any]",
    "set[str]",
    "set[Decimal]",
    "set[bytes]",
    "tuple[str, ...]",
    "UUID",
    "Any",
]
"""The types that readers of other formats find; `DraftField.type` has all that `type_text` knows."""
RangeKind = Literal["Between", "Since", "Until", "Prefix", "Subtree", "Children", "Radius", "Box", "Nearest"]
ReadKind = Literal["get", "query", "collection", "within", "ancestors"]
WriteKind = Literal["put", "create", "update", "delete"]
DerivedKind = Literal["shard", "bucket", "first_letter", "depth", "parent", "geohash", "derive"]
EnumBase = Literal["Enum", "StrEnum", "IntEnum", "str, Enum", "int, Enum"]
ProjectionKind = Literal["ALL", "KEYS_ONLY", "INCLUDE"]


@dataclass(frozen=True)
class DraftField:
    """A field of an entity, and the attribute it is stored under where that has another name."""

    name: str
    type: str
    """As Python writes it: `str`, `list[Line]`, `dict[str, Decimal]`; classes are those of the table."""
    optional: bool = False
    """Whether it may be None, which it is unless it is given."""
    attribute: str | None = None
    choices: tuple[str, ...] = ()
    """The only texts that it can hold, when these are known."""
    must_be_given: bool = False
    """Whether it has to be given although it may be None."""
    has_default: bool = False
    default: Any = None
    """What it is unless it is given: a value that `constants` knows."""
    default_function: str | None = None
    """The function that makes it unless it is given."""

    @property
    def can_be_left_out(self) -> bool:
        """Whether an item can be made without giving it."""
        return self.has_default or self.default_function is not None or (self.optional and not self.must_be_given)


@dataclass(frozen=True)
class DraftClass:
    """A class that is no entity: what a field holds a map of, or a smaller view of an entity."""

    class_name: str
    fields: tuple[DraftField, ...]
    doc: str | None = None
    """What it says of itself, which may be nothing; None where that is not known, and its name has to do."""


@dataclass(frozen=True)
class DraftEnum:
    """An enumeration, with its members by name."""

    class_name: str
    members: Mapping[str, str | int]
    base: EnumBase = "Enum"
    doc: str | None = None


@dataclass(frozen=True)
class DraftMember:
    """A member of an enumeration, as a value."""

    enumeration: str
    name: str


@dataclass(frozen=True)
class DraftObject:
    """An object of a class of the table that is no entity, as a value."""

    class_name: str
    values: Mapping[str, Any]


@dataclass(frozen=True)
class NativeKey:
    """A key position that is a field's own attribute."""

    field: str
    format: str = ""


Position = str | NativeKey
"""A template such as `ORDER#{id}`, or a field's own attribute."""


@dataclass(frozen=True)
class DraftKeys:
    """An entity's key in the table or in an index; several positions are a multi-attribute key."""

    partition: tuple[Position, ...]
    sort: tuple[Position, ...] = ()
    sparse: bool = False


@dataclass(frozen=True)
class DraftDerived:
    """A value in keys that is computed from fields: `shard("id", of=8)`, `bucket("at", "day")`."""

    kind: DerivedKind
    fields: tuple[str, ...]
    argument: int | str | None = None
    """How many shards, the span of a bucket, or the precision of a cell."""
    function: str | None = None
    """The function that computes it, by its name."""
    values: tuple[str, ...] | None = None
    """Every text that the function can make, where it says them."""


@dataclass(frozen=True)
class DraftUpgrade:
    """A function that takes an item from one schema version to the next, by its name."""

    from_version: int
    function: str


@dataclass(frozen=True)
class DraftLink:
    """What an item shares with one of another class: fields that it copies, or the number that counts it."""

    class_name: str
    by: Mapping[str, str]
    """For each field of the other's key, the field here that holds the same value."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """The copied fields, by the other's names."""
    counter: str | None = None
    in_parts: bool = False
    where: Condition | None = None
    """The condition of a counter."""


@dataclass(frozen=True)
class DraftCardinality:
    """How many values a field has; and the share of the traffic that the most frequent draws, where it is uneven."""

    values: int
    hottest: float | None = None


@dataclass(frozen=True)
class DraftEntity:
    """An entity: its class, its fields, its keys by the alias of the index (`key` is the table's)."""

    class_name: str
    fields: tuple[DraftField, ...]
    keys: Mapping[str, DraftKeys]
    stored_name: str | None = None
    """The value of the type attribute, where it is not the class's name."""
    doc: str | None = None
    ttl: str | None = None
    accept: Mapping[str, str] = field(default_factory=dict)
    derived: Mapping[str, DraftDerived] = field(default_factory=dict)
    identity: tuple[str, ...] | None = None
    """The fields that tell two items apart, where that is not the field called `id` or like the class."""
    schema_version: int | None = None
    mirror_of: str | None = None
    """The class whose second item this one is."""
    version: str | None = None
    unique: tuple[tuple[str, ...], ...] = ()
    copies: tuple[DraftLink, ...] = ()
    counted: tuple[DraftLink, ...] = ()
    expected_bytes: int | None = None
    expected_per_partition: Mapping[str, int] = field(default_factory=dict)
    expected_items: int | None = None
    cardinality: Mapping[str, DraftCardinality] = field(default_factory=dict)
    access: str | None = None
    upgrades: tuple[DraftUpgrade, ...] = ()


@dataclass(frozen=True)
class DraftIndex:
    """An index, with the attributes of its keys."""

    alias: str
    name: str
    kind: Literal["GSI", "LSI"]
    partition: tuple[str, ...]
    sort: tuple[str, ...] = ()
    projection: ProjectionKind = "ALL"
    included: tuple[str, ...] = ()
    is_inverse: bool = False
    """Whether it is by the table's own keys, swapped, so that entities give none for it."""


@dataclass(frozen=True)
class DraftParameter:
    """A parameter that binds to the field of its name, by equality or by a range, or that the body speaks of."""

    name: str
    type: str
    range: RangeKind | None = None
    choices: tuple[str, ...] = ()
    optional: bool = False
    by_name: bool = False
    """Whether it is given by name alone."""
    has_default: bool = False
    default: Any = None


def paging(default: int = 20) -> tuple[DraftParameter, DraftParameter]:
    """The parameters of a pattern that is read in pages."""
    limit = DraftParameter("limit", "int", by_name=True, has_default=True, default=default)
    return limit, DraftParameter("cursor", "str", optional=True, by_name=True, has_default=True)


@dataclass(frozen=True)
class DraftPattern:
    """An access pattern of one entity, or of a collection of several."""

    name: str
    title: str
    kind: ReadKind | WriteKind
    entities: tuple[str, ...]
    """The classes' names; more than one for a collection, the first of which is its head."""
    parameters: tuple[DraftParameter, ...] = ()
    """What it is given; a put or a create that says nothing is given the whole item."""
    newest_first: bool = False
    changes: tuple[Change, ...] = ()
    where: Condition | None = None
    filter: Condition | None = None
    order_by: Path | None = None
    limit: int | str | None = None
    """How many items it reads, or the parameter that says so where that is not called `limit`."""
    view: str | None = None
    """The class that items are read into, or that a collection is, where it is not the usual."""
    view_doc: str | None = None
    """What the class of a collection says of itself; the pattern's title where that is not known."""
    hydrate: bool = False
    members: tuple[tuple[str, str], ...] = ()
    """The members of a collection by name, each with the class or `list[...]` of it, where they are not the usual."""
    consistent: bool = False
    entry: str | None = None
    entry_class: str | None = None
    expected_items: int | None = None
    expected_examined: int | None = None
    frequency: str | float | None = None
    rate: float | None = None
    budget_ms: float | None = None
    fanout: int | None = None
    accept: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class DraftTable:
    """A table of a draft; `notes` are said above it as comments: what could not be carried over, and why."""

    class_name: str
    name: str
    entities: tuple[DraftEntity, ...]
    keys: tuple[str, ...] = ("PK", "SK")
    indexes: tuple[DraftIndex, ...] = ()
    patterns: tuple[DraftPattern, ...] = ()
    type_attribute: str | None = "entity_type"
    ttl_attribute: str | None = None
    delimiter: str = "#"
    doc: str | None = None
    notes: tuple[str, ...] = ()
    accept: Mapping[str, str] = field(default_factory=dict)
    schema_version_attribute: str = "schema_v"
    enums: tuple[DraftEnum, ...] = ()
    classes: tuple[DraftClass, ...] = ()
    """Each after those that it is made of."""


@dataclass(frozen=True)
class Draft:
    """A whole model from elsewhere."""

    title: str
    tables: tuple[DraftTable, ...]
    functions_from: str | None = None
    """The module that has the functions which the tables name; its user says which, and no document does."""
    doc: str | None = None
    """What the file says of itself, where that is not the title."""


def class_name(text: str, taken: Iterable[str] = ()) -> str:
    """A Python class name out of any text: `user-address` becomes `UserAddress`; one that is taken gets a number."""
    words = re.findall(r"[A-Za-z0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text))
    name = "".join(word[:1].upper() + (word[1:].lower() if word.isupper() else word[1:]) for word in words) or "Thing"
    return _free(name if name[0].isalpha() else f"Thing{name}", set(taken))


def field_name(text: str, taken: Iterable[str] = ()) -> str:
    """A Python field or function name out of any text: `createdAt` becomes `created_at`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", text)
    name = re.sub(r"[^a-z0-9]+", "_", spaced.lower()).strip("_") or "value"
    return _free(name if name[0].isalpha() else f"value_{name}", set(taken))


# A field of such a name would stand before the type of the next one, or a parameter before what the body calls.
_TAKEN = frozenset(
    (
        *("self", "True", "False", "None", "str", "int", "float", "bool", "bytes", "list", "dict", "set", "tuple"),
        *("ancestors", "collection", "contains", "create", "delete", "exists", "field", "get", "put", "query"),
        *("update", "within"),
    )
)


def is_name(text: str) -> bool:
    """Whether the text is a name in Python wherever it stands; one that begins with `__` is another inside a class."""
    plain = unicodedata.normalize("NFKC", text)  # as Python compares names: another form could be a name twice
    return plain == text and text.isidentifier() and not keyword.iskeyword(text) and not text.startswith("__")


def variable_name(class_name: str, ending: str = "") -> str:
    """What something of a class is called: `order_item` for an OrderItem, `class_` for a Class."""
    return _free(re.sub(r"(?<!^)(?=[A-Z])", "_", class_name).lower() + ending, set())


def _free(name: str, taken: set[str]) -> str:
    if keyword.iskeyword(name) or name in _TAKEN:
        name += "_"
    found, number = name, 2
    while found in taken:
        found, number = f"{name}{number}" if name[0].isupper() else f"{name}_{number}", number + 1
    return found
