"""Rows: items as msgspec structs with only the attributes that a read needs, and their compiled fast path.

The decoders skip all other attributes, such as the keys of other indexes. The fast path reads items that have exactly
the declared columns; msgspec reads all other items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import msgspec

from singletable.lazy_dataclass import dataclass
from singletable.model.entity import Entity
from singletable.values.fast_path import FastPath, compiled_module

if TYPE_CHECKING:
    from singletable.client.items._fast_rows import RowReader


class Row(msgspec.Struct, gc=False, omit_defaults=True):
    """An item whose attributes are struct fields; it also has the access methods of a dict."""

    members: ClassVar[Mapping[str, str]] = {}
    """The struct field name of each attribute name."""
    entity: ClassVar[Entity | None] = None
    """The entity of the item, according to its type attribute."""

    def get(self, attribute: str) -> Any:
        """Return an attribute value as DynamoDB JSON, or None if the attribute is missing or was not read."""
        value = getattr(self, self.members.get(attribute, ""), None)
        return None if value is None else msgspec.to_builtins(value)

    def __getitem__(self, attribute: str) -> Any:
        value = self.get(attribute)
        if value is None:
            raise KeyError(attribute)
        return value

    def item(self) -> dict[str, Any]:
        """Return the item as DynamoDB JSON, with the attributes that were read."""
        item: dict[str, Any] = msgspec.to_builtins(self)
        return item


@dataclass(frozen=True)
class Column:
    """One attribute of a row: its name in the table, its name in the row, and its msgspec type."""

    attribute: str
    member: str
    type: Any
    optional: bool = False
    """Whether the attribute may be missing."""


def row_type(label: str, columns: Iterable[Column], entity: Entity | None = None) -> type[Row] | None:
    """Return the row type with these columns. Decoding is fastest if items have their attributes in this order.

    Return None if an attribute name needs escapes in JSON, because msgspec does not support such names.
    """
    members: dict[str, str] = {}
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = []
    for column in columns:
        members[column.attribute] = column.member
        required = (column.member, column.type)
        fields.append((column.member, column.type | None, None) if column.optional else required)
    if any(character in '"\\' or character < " " for character in "".join(members)):
        return None
    made: Any = msgspec.defstruct(
        label,
        fields,
        bases=(Row,),
        namespace={"members": members, "entity": entity},
        rename={member: attribute for attribute, member in members.items()},
        kw_only=True,
        gc=False,
        omit_defaults=True,
    )
    rows: type[Row] = made
    return rows


FAST_ROWS = FastPath("compiled rows")
"""The compiled reader of pages; its counters count pages and chunks of pages, not single items."""
FAST_OBJECTS = FastPath("objects of rows")
"""Creates objects from msgspec rows without checking each item. Its counters count pages, not single items."""
FAST_ITEMS = FastPath("single items")
"""Creates the object of a single item from a msgspec row. The slow path decodes it field by field."""

Kind = Literal["constant", "key", "text", "choice", "moment", "int", "float", "decimal", "bool", "raw"]

ABSENT = object()
"""The value of a column that an item does not have."""


@dataclass(frozen=True)
class FastType:
    """The fast path's rule for a value: its kind, or for a list the kind of its elements."""

    kind: Kind
    known: Mapping[str, Any] | bytes | Callable[[bytes], Any] | None = None
    """For a choice, a dict of its values. For a constant, its bytes. For a key, its delimiter and outline.
    For a raw value, the function that reads it."""
    is_list: bool = False

    @classmethod
    def read_by(cls, reader: Callable[[bytes], Any]) -> FastType:
        """Return the fast type of values that `reader` reads from their bytes."""
        return cls("raw", reader)

    def listed(self) -> FastType | None:
        """Return the type of a list of such values. Return None for a list of lists, which has no fast path."""
        return None if self.is_list else FastType(self.kind, self.known, is_list=True)


@dataclass(frozen=True)
class FastColumn:
    """An attribute on the fast path: its name, the rule for its value, and whether it can be missing or NULL."""

    name: str
    how: FastType
    optional: bool = False
    nullable: bool = False
    keeps_null: bool = False


class UnvalidatedModel(NamedTuple):
    """A pydantic model whose objects can be created without validation; see `unvalidated_fields`."""

    cls: type
    names: tuple[str, ...]
    """The constructor arguments, in the order of the columns."""
    fields: dict[str, Any]
    """All fields in the order of the class, each with its default."""
    always: frozenset[str]
    """The fields that always count as given."""
    members: tuple[Any, ...]
    """The descriptors of four slots: `__dict__`, the set of given fields, and two slots that are None."""


def row_reader(columns: Iterable[FastColumn], model: UnvalidatedModel | None = None) -> RowReader | None:
    """Return the compiled reader of rows with these columns; None if the C extension was not compiled.

    The reader yields tuples or, with `model`, objects of the model.
    """
    module = compiled_module("singletable.client.items._fast_rows")
    if module is None:
        return None
    described = tuple(
        (
            each.name,
            "list" if each.how.is_list else each.how.kind,
            each.how.kind,
            each.how.known,
            each.optional,
            each.nullable,
            each.keeps_null,
        )
        for each in columns
    )
    reader: RowReader = module.RowReader(described, ABSENT, Decimal, model)
    return reader
