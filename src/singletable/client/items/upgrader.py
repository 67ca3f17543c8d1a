"""Schema upgrades on read: items of older schema versions pass through the entity's upgrade functions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, get_origin

from singletable.client.items.decoder import DecodedClass, Decoder, Item, decoded_class, decoded_keys
from singletable.client.items.rows import Row
from singletable.client.items.value_reader import plain_value
from singletable.errors import ArgumentRefused, ItemRefused, SingletableError
from singletable.model.derived_data import MARK
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.keys import TemplatePart
from singletable.model.schema_upgrades import Upgrade
from singletable.planner.stored_items import field_value, key_of, stored_value, values_of

FIRST_VERSION = 1
"""The schema version of an item without a version attribute."""


class Upgrader:
    """Upgrades the items of one entity to its current schema version."""

    def __init__(self, design: Design, entity: Entity) -> None:
        self._entity = entity
        self._current = entity.declaration.schema_version or FIRST_VERSION
        self._steps = [entity.upgrades[version] for version in range(FIRST_VERSION, self._current)]
        self._names = {attribute: name for name, attribute in entity.attributes.items()}
        self._marks: Item = {}
        if design.settings.type_attribute is not None:
            self._marks[design.settings.type_attribute] = {"S": entity.name}
        self.attribute = design.settings.schema_version_attribute
        self.mark = {"N": str(self._current)}
        self._internal = _template_attributes(design, entity) | {*self._marks, self.attribute}

    @cached_property
    def _whole(self) -> Decoder:
        return Decoder(decoded_class(self._entity))

    def decoder(self, target: DecodedClass) -> UpgradingDecoder:
        """Return a decoder that upgrades older items first."""
        return UpgradingDecoder(target, self)

    def is_older(self, item: Item) -> bool:
        """Return whether an item has an older schema version; raise ItemRefused if it is newer than the model's."""
        if item.get(self.attribute) == self.mark:
            return False
        version = self._version(item)
        if version > self._current:
            raise ItemRefused(
                f"the item {self._key(item)} has schema version {version} of {self._entity.label}, but this model "
                f"supports versions up to {self._current}. A newer version of the model wrote the item; deploy that "
                "version"
            )
        return version < self._current

    def upgraded(self, item: Item) -> Item:
        """Upgrade an item to the current schema version and remove its index keys. Return a current item unchanged."""
        if not self.is_older(item):
            return item
        version = self._version(item)
        fields = self.seen_by_upgrades(item)
        for step in self._steps[version - FIRST_VERSION :]:
            fields = self._apply(step, item, fields)
        keys = {name: item[name] for name in self._entity.base.index.key_attributes}
        made = {**fields, **keys, **self._marks, self.attribute: self.mark}
        self._check(made, keys, version)
        return made

    def seen_by_upgrades(self, item: Item) -> Item:
        """Return the attributes that upgrade functions receive, without generated keys, type and schema version."""
        return {name: value for name, value in item.items() if name not in self._internal and not name.startswith(MARK)}

    def _apply(self, step: Upgrade, item: Item, fields: Item) -> Item:
        """Apply one upgrade and return its result as DynamoDB JSON, for the next upgrade."""
        in_key = decoded_keys(self._entity, item, base_only=True)
        given = {
            name: plain_value(stored_value(value, self._entity.declaration.codecs)) for name, value in in_key.items()
        }
        given |= {self._names.get(name, name): self._plain(name, value) for name, value in fields.items()}
        try:
            result = step.function(given)
        except Exception as problem:
            raise self._error(item, step, f"{type(problem).__name__}: {problem}") from problem
        if not isinstance(result, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]  # a function of the user
            raise self._error(item, step, f"it must return a dict of the next version's fields, got {result!r}")
        stored: Item = {}
        for name, value in result.items():
            attribute = self._entity.attributes.get(name, name)
            if attribute in self._internal or attribute in stored:
                why = (
                    f"it returned {name!r}, but the attribute {attribute!r} is a key, an internal attribute, or an "
                    "attribute of another field"
                )
                raise self._error(item, step, why)
            if (encoded := self._stored(item, step, name, value)) is not None:
                stored[attribute] = encoded
        return stored

    def _plain(self, attribute: str, value: dict[str, Any]) -> Any:
        """Return the Python value that an upgrade function receives. For a set field, an empty list becomes a set."""
        of = self._entity.fields.get(self._names.get(attribute, attribute))
        if value == {"L": []} and of is not None and (get_origin(of.type) or of.type) in (set, frozenset):
            return set()
        return plain_value(value)

    def _stored(self, item: Item, step: Upgrade, name: str, value: Any) -> dict[str, Any] | None:
        of = self._entity.fields.get(name)  # None for a field that only an older version has
        if value is None and (of is None or not of.may_be_none):
            return None
        if of is None and isinstance(value, set | frozenset) and not value:
            return None
        try:
            return field_value(self._entity, name, value)
        except ArgumentRefused as problem:
            raise self._error(item, step, f"it returned {name}={value!r}: {problem}") from problem

    def _check(self, made: Item, keys: Item, version: int) -> None:
        """Raise ItemRefused if an upgraded item does not match the entity, or if the upgrade changes its key."""
        try:
            written = key_of(self._entity, values_of(self._entity, self._whole.read(made)))
        except SingletableError as problem:
            raise ItemRefused(f"{problem} (upgraded from schema version {version})") from problem
        if written != keys:
            raise ItemRefused(
                f"the item {keys} of {self._entity.label} would have the key {written} after the upgrade from schema "
                f"version {version}; an upgrade must not change the key of an item"
            )

    def _version(self, item: Item) -> int:
        stored = item.get(self.attribute)
        if stored is None:
            return FIRST_VERSION
        try:
            version = int(stored["N"])
        except (KeyError, ValueError):
            version = 0
        if version < FIRST_VERSION:
            raise ItemRefused(
                f"the item {self._key(item)} of {self._entity.label} has the invalid schema version {stored!r}"
            )
        return version

    def _error(self, item: Item, step: Upgrade, why: str) -> ItemRefused:
        return ItemRefused(
            f"the item {self._key(item)} of {self._entity.label} cannot be upgraded from schema version "
            f"{step.from_version} by {step.label}: {why}"
        )

    def _key(self, item: Item) -> Item:
        return {name: item.get(name, {}) for name in self._entity.base.index.key_attributes}


class UpgradingDecoder(Decoder):
    """Decodes the items of an entity that has a schema version. Upgrades older items first."""

    def __init__(self, target: DecodedClass, upgrader: Upgrader) -> None:
        super().__init__(target)
        self._upgrader = upgrader
        self._attribute, self._mark = upgrader.attribute, upgrader.mark

    def read(self, item: Item | Row) -> Any:
        """Decode an item. Raise ItemRefused if its schema version is newer than the model's, or if an upgrade fails."""
        return super().read(self._upgraded(item))

    def field(self, item: Item | Row, name: str) -> Any:
        """Return one field of an item, after the item is upgraded."""
        return super().field(self._upgraded(item), name)

    def _upgraded(self, item: Item | Row) -> Item | Row:
        if isinstance(item, Row) or item.get(self._attribute) == self._mark:  # a row always has the current version
            return item
        return self._upgrader.upgraded(item)


def _template_attributes(design: Design, entity: Entity) -> set[str]:
    """Return the generated key attributes of all entities. An older version may have used other indexes."""
    made = {
        part.attribute
        for other in design.entities
        for placement in other.placements.values()
        for part in placement.parts
        if isinstance(part, TemplatePart)
    }
    return (made | {*design.table.key_attributes}) - {*entity.attributes.values()}
