"""Items of older schema versions: taken through their entity's upgrades, version by version, when they are read."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, get_origin

from singletable.client.items.decoder import Decoder, Item, Made, decoded_keys, made_of
from singletable.client.items.rows import Row
from singletable.client.items.value_reader import plain_value
from singletable.errors import ArgumentRefused, ItemRefused, SingletableError
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.keys import TemplatePart
from singletable.model.upgrades import Upgrade
from singletable.planner.items import field_value, key_of, values_of
from singletable.planner.stored import stored_value

FIRST_VERSION = 1
"""The schema version of an item that says none."""


class Upgrader:
    """The schema versions of one entity's items."""

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
        self._own = _written_by_us(design, entity) | {*self._marks, self.attribute}

    @cached_property
    def _whole(self) -> Decoder:
        return Decoder(made_of(self._entity))

    def is_older(self, item: Item) -> bool:
        """Whether an item is of an older version than the model's; raises ItemRefused for one of a newer."""
        if item.get(self.attribute) == self.mark:
            return False
        version = self._version(item)
        if version > self._current:
            raise ItemRefused(
                f"the item {self._key(item)} has schema version {version} of {self._entity.label}, and this model "
                f"knows versions up to {self._current}; it was written by a newer release"
            )
        return version < self._current

    def upgraded(self, item: Item) -> Item:
        """The item as the model's version would have stored it, without keys of indexes; a current one as it is."""
        if not self.is_older(item):
            return item
        version = self._version(item)
        fields = self.seen_by_upgrades(item)
        for step in self._steps[version - FIRST_VERSION :]:
            fields = self._further(step, item, fields)
        keys = {name: item[name] for name in self._entity.base.index.key_attributes}
        made = {**fields, **keys, **self._marks, self.attribute: self.mark}
        self._check(made, keys, version)
        return made

    def seen_by_upgrades(self, item: Item) -> Item:
        """The attributes of an item that are the user's: all but keys that templates make, type and version."""
        return {name: value for name, value in item.items() if name not in self._own}

    def _further(self, step: Upgrade, item: Item, fields: Item) -> Item:
        """One version further; what a function returned is what the next would have found stored."""
        in_key = decoded_keys(self._entity, item, base_only=True)
        given = {name: plain_value(stored_value(value)) for name, value in in_key.items()}
        given |= {self._names.get(name, name): self._plain(name, value) for name, value in fields.items()}
        try:
            result = step.function(given)
        except Exception as problem:
            raise self._refused(item, step, f"{type(problem).__name__}: {problem}") from problem
        if not isinstance(result, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]  # the user's own function
            raise self._refused(item, step, f"it returned {result!r}, not the dict of the next version's fields")
        stored: Item = {}
        for name, value in result.items():
            attribute = self._entity.attributes.get(name, name)
            if attribute in self._own or attribute in stored:
                why = f"it returned {name!r}, which is stored as {attribute!r}"
                raise self._refused(item, step, f"{why}: a key, a mark of the table, or another field's name")
            if (kept := self._stored(item, step, name, value)) is not None:
                stored[attribute] = kept
        return stored

    def _plain(self, attribute: str, value: dict[str, Any]) -> Any:
        """What an upgrade is given; an empty list that stands for a set without members is one."""
        of = self._entity.fields.get(self._names.get(attribute, attribute))
        if value == {"L": []} and of is not None and (get_origin(of.type) or of.type) in (set, frozenset):
            return set()
        return plain_value(value)

    def _stored(self, item: Item, step: Upgrade, name: str, value: Any) -> dict[str, Any] | None:
        of = self._entity.fields.get(name)  # None for a field of an older version
        if value is None and (of is None or not of.may_be_none):
            return None
        if of is None and isinstance(value, set | frozenset) and not value:
            return None
        try:
            return field_value(self._entity, name, value)
        except ArgumentRefused as problem:
            raise self._refused(item, step, f"it returned {name}={value!r}: {problem}") from problem

    def _check(self, made: Item, keys: Item, version: int) -> None:
        """Refuses what is no item of the entity after all, or would belong under another key."""
        try:
            written = key_of(self._entity, values_of(self._entity, self._whole.read(made)))
        except SingletableError as problem:
            raise ItemRefused(f"{problem} (upgraded from schema version {version})") from problem
        if written != keys:
            raise ItemRefused(
                f"the item {keys} of {self._entity.label} would have the key {written} once upgraded from schema "
                f"version {version}; an upgrade leaves the table's key as it is"
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
                f"the item {self._key(item)} of {self._entity.label} has the schema version {stored!r}, which is none"
            )
        return version

    def _refused(self, item: Item, step: Upgrade, why: str) -> ItemRefused:
        return ItemRefused(
            f"the item {self._key(item)} of {self._entity.label} cannot be upgraded from schema version "
            f"{step.from_version} by {step.label}: {why}"
        )

    def _key(self, item: Item) -> Item:
        return {name: item.get(name, {}) for name in self._entity.base.index.key_attributes}


class UpgradingDecoder(Decoder):
    """Reads the items of an entity with a schema version; a current one costs a look at its version more."""

    def __init__(self, made: Made, upgrader: Upgrader) -> None:
        super().__init__(made)
        self._upgrader = upgrader
        self._attribute, self._mark = upgrader.attribute, upgrader.mark

    def read(self, item: Item | Row) -> Any:
        """The object; raises ItemRefused for an item of a newer version, or that no upgrade takes to this one."""
        if not isinstance(item, Row) and item.get(self._attribute) != self._mark:  # a row is of the model's version
            item = self._upgrader.upgraded(item)
        return super().read(item)


def _written_by_us(design: Design, entity: Entity) -> set[str]:
    """The key attributes that templates write, of any entity: an older version may have been in other indexes."""
    made = {
        part.attribute
        for other in design.entities
        for placement in other.placements.values()
        for part in placement.parts
        if isinstance(part, TemplatePart)
    }
    return (made | {*design.table.key_attributes}) - {*entity.attributes.values()}
