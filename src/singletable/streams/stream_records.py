"""Stream records: parses the records of GetRecords and of Lambda events, and returns their changes of entities."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from singletable.client.items.item_types import ItemTypes
from singletable.client.responses import Item
from singletable.errors import RequestRefused, StreamRefused
from singletable.model.derived_data import derived_data_of
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.stream_handlers import ChangeKind
from singletable.model.table_schema import STREAM_VIEW
from singletable.values.item_validation import accept_item

TTL_PRINCIPAL = "dynamodb.amazonaws.com"


@dataclass(frozen=True)
class StreamRecord:
    """One record of a stream: the images of an item before and after a change."""

    sequence: str
    key: Item
    old: Item | None
    new: Item | None
    seconds: float
    is_expiry: bool

    @property
    def item_id(self) -> str:
        """A hash of the key of the item."""
        return hashlib.sha256(json.dumps(self.key, sort_keys=True).encode()).hexdigest()[:32]


def record_from(document: Mapping[str, Any]) -> StreamRecord:
    """Return a record from the JSON of GetRecords, or of a Lambda event, which spells the identity in lower case."""
    try:
        details = document["dynamodb"]
        identity = {name.lower(): value for name, value in (document.get("userIdentity") or {}).items()}
        view, old, new = details["StreamViewType"], details.get("OldImage"), details.get("NewImage")
        sequence, key = str(details["SequenceNumber"]), details["Keys"]
        seconds = float(details.get("ApproximateCreationDateTime") or 0)
        for each in (key, old, new):
            if each is not None:
                accept_item(each)
    except (KeyError, TypeError, AttributeError, ValueError, RequestRefused) as problem:
        raise StreamRefused(f"not a record of a DynamoDB stream ({problem!r}): {str(document)[:200]}") from None
    if view != STREAM_VIEW or (old is None and new is None):
        raise StreamRefused(
            f"the stream has the view type {view}, but stream handlers need {STREAM_VIEW}.\n"
            "  Disable the stream and enable it with this view type."
        )
    is_expiry = identity.get("type") == "Service" and identity.get("principalid") == TTL_PRINCIPAL
    return StreamRecord(sequence, key, old, new, seconds, is_expiry)


class RecordImage(NamedTuple):
    """One image of an item, and its entity. `entity` is None if the item belongs to no entity."""

    item: Item
    entity: Entity | None
    is_internal: bool


@dataclass(frozen=True)
class EntityChange:
    """The change of an item of one entity, with decoded objects."""

    entity: Entity
    kind: ChangeKind
    old: Any
    new: Any
    changed: frozenset[str]
    at: datetime


class RecordReader:
    """Reads the changes of entities from stream records."""

    def __init__(self, design: Design) -> None:
        self._types = ItemTypes(design)
        self._derived: dict[str, frozenset[str]] = {}
        for entity in design.entities:
            rules = derived_data_of(design.entities, entity)
            self._derived[entity.name] = rules.counters | rules.copied_fields

    def is_internal(self, record: StreamRecord) -> bool:
        """Return whether a record is of a reserved item or of a unique marker, which no handler receives."""
        return all(each.is_internal for each in self._images(record))

    def unknown(self, record: StreamRecord) -> Item | None:
        """Return the item of a record that belongs to no entity, or None."""
        images = self._images(record)
        return next((each.item for each in images if each.entity is None and not each.is_internal), None)

    def changes(self, record: StreamRecord) -> Iterator[EntityChange]:
        """Yield the changes of a record: one, none, or two if the item became an item of another entity.

        Raise ItemRefused if the model cannot read an image.
        """
        old, new = (None if each is None else self._image(each) for each in (record.old, record.new))
        at = datetime.fromtimestamp(int(record.seconds), UTC)
        if old is not None and new is not None and old.entity is new.entity:
            if old.entity is not None:
                yield from self._modified(old.entity, old.item, new.item, at)
            return
        if old is not None and old.entity is not None:
            value = self._types.decoder(old.entity).read(old.item)
            kind: ChangeKind = "expire" if record.is_expiry else "remove"
            yield EntityChange(old.entity, kind, value, None, _with_value(old.entity, value), at)
        if new is not None and new.entity is not None:
            value = self._types.decoder(new.entity).read(new.item)
            yield EntityChange(new.entity, "insert", None, value, _with_value(new.entity, value), at)

    def _modified(self, entity: Entity, before: Item, after: Item, at: datetime) -> Iterator[EntityChange]:
        decoder = self._types.decoder(entity)
        old, new = decoder.read(before), decoder.read(after)
        changed = frozenset(name for name in entity.fields if getattr(old, name, None) != getattr(new, name, None))
        if changed - self._derived[entity.name]:
            yield EntityChange(entity, "modify", old, new, changed, at)

    def _images(self, record: StreamRecord) -> list[RecordImage]:
        return [self._image(each) for each in (record.old, record.new) if each is not None]

    def _image(self, item: Item) -> RecordImage:
        entity = self._types.entity_of(item)
        return RecordImage(item, entity, entity is None and self._types.is_marker(item))


def _with_value(entity: Entity, value: Any) -> frozenset[str]:
    return frozenset(name for name in entity.fields if getattr(value, name, None) is not None)
