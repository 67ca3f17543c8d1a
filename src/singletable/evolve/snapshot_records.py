"""Snapshots: a design as deterministic JSON with a format version, and its fingerprint."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

import msgspec

from singletable.errors import SnapshotRefused
from singletable.model.table_schema import AttributeType
from singletable.wire.api_types import decoder_of

FORMAT = 1
FINGERPRINT_DIGITS = 32
_SLOT = re.compile(r"\{(\w+)")
TypeDocument = str | dict[str, Any]
"""A field type as JSON: `"str"`, `{"list": "int"}`, `{"enum": ...}`."""


class SnapshotPart(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The base class of the records in a snapshot.

    They are immutable and compared by value, and omit default values.
    """


class KeyAttributeSnapshot(SnapshotPart, kw_only=True, frozen=True):
    """A key attribute of the table or an index."""

    name: str
    type: AttributeType = "S"


class IndexSnapshot(SnapshotPart, kw_only=True, frozen=True):
    """The table or an index as DynamoDB stores it: names, key attributes and projection."""

    alias: str
    name: str
    kind: Literal["table", "GSI", "LSI"] = "GSI"
    partition: tuple[KeyAttributeSnapshot, ...]
    sort: tuple[KeyAttributeSnapshot, ...] = ()
    projection: Literal["ALL", "KEYS_ONLY", "INCLUDE"] = "ALL"
    included: tuple[str, ...] = ()
    is_inverse: bool = False

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of the key attributes."""
        return tuple(each.name for each in (*self.partition, *self.sort))

    @property
    def stored_form(self) -> IndexSnapshot:
        """The record as DynamoDB sees it, without the alias and with included attributes in a fixed order."""
        return msgspec.structs.replace(self, alias="", is_inverse=False, included=tuple(sorted(self.included)))


class PositionSnapshot(SnapshotPart, kw_only=True, frozen=True):
    """One key attribute of an entity: a template, or a field that is stored directly."""

    template: str | None = None
    native: str | None = None
    format: str = ""

    def __str__(self) -> str:
        return self.template if self.template is not None else f"native({self.native})"


class DerivedSnapshot(SnapshotPart, kw_only=True, frozen=True):
    """A derived value that a key template contains."""

    kind: str
    fields: tuple[str, ...]
    options: Mapping[str, Any] = {}


class KeysSnapshot(SnapshotPart, kw_only=True, frozen=True):
    """The keys of an entity in the table or an index, with the derived values that they contain."""

    partition: tuple[PositionSnapshot, ...] = ()
    sort: tuple[PositionSnapshot, ...] = ()
    sparse: bool = False
    derived: Mapping[str, DerivedSnapshot] = {}

    @property
    def fields(self) -> frozenset[str]:
        """The fields from which the keys are computed."""
        positions = (*self.partition, *self.sort)
        named = {name for each in positions for name in _SLOT.findall(each.template or "")}
        named |= {each.native for each in positions if each.native is not None}
        computed = (name for each in self.derived.values() for name in each.fields)
        return frozenset((named - self.derived.keys()).union(computed))

    def __str__(self) -> str:
        return " / ".join(f'"{each}"' for each in (*self.partition, *self.sort))


class FieldSnapshot(SnapshotPart, kw_only=True, frozen=True):
    """A field: its type, its attribute, and the meaning of an item without the attribute."""

    name: str
    attribute: str
    type: TypeDocument
    optional: bool = False
    required: bool = True
    default: Any = None
    """The default in DynamoDB JSON, or `"computed"` if a function computes it. None for a required field."""


class CopySnapshot(SnapshotPart, kw_only=True, frozen=True):
    """Fields copied from another entity."""

    source: str
    by: Mapping[str, str]
    fields: Mapping[str, str]


class CountSnapshot(SnapshotPart, kw_only=True, frozen=True):
    """A counter of this entity's items in another entity."""

    owner: str
    by: Mapping[str, str]
    field: str
    condition: Any = None


class EntitySnapshot(SnapshotPart, kw_only=True, frozen=True):
    """An entity: its fields, its keys by index alias, and all other settings that affect how its items are stored."""

    name: str
    label: str
    fields: tuple[FieldSnapshot, ...]
    keys: Mapping[str, KeysSnapshot]
    identity: tuple[str, ...] | None = None
    schema_version: int | None = None
    version: str | None = None
    ttl: str | None = None
    unique: tuple[tuple[str, ...], ...] = ()
    copies: tuple[CopySnapshot, ...] = ()
    counted: tuple[CountSnapshot, ...] = ()
    mirror_of: str | None = None
    renamed_from: Mapping[str, str] = {}
    """The previous names of renamed fields. They are not part of the fingerprint."""
    split_from: Mapping[str, Mapping[str, str]] = {}
    """The entity from which a migration splits this one, with its field names. Not part of the fingerprint."""
    merged_from: Mapping[str, Mapping[str, str]] = {}
    """The entities that a migration merges into this one, with their field names. Not part of the fingerprint."""
    expected_items: int | None = None
    expected_bytes: int | None = None

    def field(self, name: str) -> FieldSnapshot | None:
        """Return a field by name, or None."""
        return next((each for each in self.fields if each.name == name), None)


class Snapshot(SnapshotPart, kw_only=True, frozen=True, dict=True):
    """A design as a value: everything that affects how items are stored, without patterns and prices."""

    format: int
    name: str
    indexes: Mapping[str, IndexSnapshot]
    """The table under the alias `key`, and the indexes."""
    entities: Mapping[str, EntitySnapshot]
    type_attribute: str | None = None
    schema_version_attribute: str
    ttl_attribute: str | None = None
    delimiter: str
    control_table: bool | str = False
    """The table with the reserved items. It is not part of the fingerprint."""

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that affects stored items.

        The names of the table and of the classes are not part of it.
        """
        unstored: dict[str, Any] = {"label": "", "renamed_from": {}, "split_from": {}, "merged_from": {}}
        unstored |= {"expected_items": None, "expected_bytes": None}
        stored = {name: msgspec.structs.replace(each, **unstored) for name, each in self.entities.items()}
        changed = msgspec.structs.replace(self, name="", entities=stored, control_table=False)
        document = msgspec.json.encode(changed, order="deterministic")
        return hashlib.sha256(document).hexdigest()[:FINGERPRINT_DIGITS]


_decoder = decoder_of(Snapshot)


def to_json(snapshot: Snapshot) -> str:
    """Return a snapshot as JSON text. The same design always has the same text."""
    document = msgspec.json.format(msgspec.json.encode(snapshot, order="deterministic"), indent=2)
    return f"{document.decode()}\n"


def to_bytes(snapshot: Snapshot) -> bytes:
    """Return a snapshot as compact JSON."""
    return msgspec.json.encode(snapshot, order="deterministic")


def read_snapshot(text: str | bytes, place: str) -> Snapshot:
    """Return the snapshot in a JSON text. Raise SnapshotRefused if it is malformed or has a newer format."""
    try:
        document = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise SnapshotRefused(f"{place} is not a snapshot: {problem}") from None
    found = document.get("format") if isinstance(document, dict) else None
    if type(found) is not int:
        raise SnapshotRefused(
            f"{place} is not a snapshot: it has no format number. Write one with `singletable snapshot`."
        )
    if found > FORMAT:
        raise SnapshotRefused(
            f"{place} has the snapshot format {found}, but this release reads formats up to {FORMAT}.\n  Install the "
            "release of singletable that wrote it, or a newer release."
        )
    try:
        return _decoder.decode(text)
    except msgspec.ValidationError as problem:
        raise SnapshotRefused(f"{place} is not a valid snapshot: {problem}") from None
