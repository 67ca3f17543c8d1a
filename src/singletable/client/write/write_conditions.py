"""Conditions of writes: the requirements of the caller and the design, and the error if a requirement fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from singletable.client.items.item_types import ItemTypes
from singletable.client.responses import Item
from singletable.client.write.item_actions import Requirement
from singletable.client.write.stored_expressions import (
    absent_or_expired,
    all_of,
    attribute_equals,
    exists,
    missing,
    stored_condition,
)
from singletable.client.write.write_intents import WriteIntent
from singletable.errors import AlreadyExists, ConditionFailed, ItemRefused, NotFound, VersionConflict
from singletable.expressions.tree import Condition, Or
from singletable.model.design import Design

ErrorOf = Callable[[Item | None], Exception]


class ConditionInputs(NamedTuple):
    """The values in conditions, or placeholders for the values."""

    arguments: Mapping[str, Any]
    """The values of parameters, by name."""
    version: Any
    """The stored form of the version that the caller read."""
    now: Any
    """The stored form of the current time."""
    times: Mapping[str, Any]
    """The stored forms of the times that the key contains only to a unit."""


class Requirements:
    """Creates the requirements of one table's writes."""

    def __init__(self, design: Design, item_types: ItemTypes) -> None:
        self._design, self._item_types = design, item_types
        self._partition = design.table.partition[0].name

    def of(self, intent: WriteIntent, number: int, inputs: ConditionInputs) -> Iterator[Requirement]:
        """Yield the requirements of an intent."""
        if intent.kind == "create" or intent.absent:
            yield Requirement(
                absent_or_expired(self._design, intent.entity, inputs.now), self._already_exists(intent), number
            )
        elif intent.kind in ("update", "check"):
            yield Requirement(exists(self._partition), not_found(intent), number)
        if intent.exact_times:
            yield Requirement(self._time_condition(intent, inputs), not_found(intent), number)
        if intent.where is not None:
            condition = stored_condition(intent.entity, intent.where, inputs.arguments)
            yield Requirement(condition, self._condition_failed(intent, "the condition does not hold for"), number)
        if intent.version is not None and intent.kind not in ("create", "upsert", "check"):
            yield Requirement(self._version_condition(intent, inputs), self._version_conflict(intent), number)
        if intent.unchanged is not None:
            yield Requirement(
                intent.unchanged, self._condition_failed(intent, "another writer changed", "after it was read"), number
            )

    def _time_condition(self, intent: WriteIntent, inputs: ConditionInputs) -> Condition:
        """Return the condition that the item has the exact times of its key. Deleting a missing item does nothing."""
        attributes = intent.entity.attributes
        same = all_of(*(attribute_equals(attributes[name], inputs.times[name]) for name in intent.exact_times))
        assert same is not None, "only called for a key with truncated times"
        return Or((missing(self._partition), same)) if intent.kind == "delete" else same

    def _version_condition(self, intent: WriteIntent, inputs: ConditionInputs) -> Condition:
        """Return the condition that the stored version is the version that the caller read.

        Version 0 also matches an item without a version, which was stored before the entity declared a version.
        """
        entity = intent.entity
        attribute = entity.attributes[str(entity.declaration.version)]
        accepted = [attribute_equals(attribute, inputs.version)]
        if not intent.version:
            accepted.append(missing(attribute))
            if intent.kind == "put":
                accepted.append(absent_or_expired(self._design, entity, inputs.now))
        if intent.kind == "delete":  # deleting a missing item is not a conflict
            accepted.append(missing(self._partition))
        return Or(tuple(accepted)) if len(accepted) > 1 else accepted[0]

    def _version_conflict(self, intent: WriteIntent) -> ErrorOf:
        version = str(intent.entity.declaration.version)

        def error(item: Item | None) -> Exception:
            found = self._object_if_readable(intent, item)
            state = "no longer exists" if item is None else f"now has version {getattr(found, version, None)}"
            return VersionConflict(f"{intent.label} was read with version {intent.version}, but {state}", found)

        return error

    def _already_exists(self, intent: WriteIntent) -> ErrorOf:
        def error(item: Item | None) -> Exception:
            is_same_entity = item is not None and self._item_types.entity_of(item) is intent.entity
            return AlreadyExists(
                f"{intent.label} already exists", self._object_if_readable(intent, item) if is_same_entity else None
            )

        return error

    def _condition_failed(self, intent: WriteIntent, before: str, after: str = "") -> ErrorOf:
        def error(item: Item | None) -> Exception:
            if item is None:
                return NotFound(f"{intent.label} does not exist")
            return ConditionFailed(f"{before} {intent.label} {after}".rstrip(), self._object_if_readable(intent, item))

        return error

    def _object_if_readable(self, intent: WriteIntent, item: Item | None) -> Any:
        """Return the object of an item for an error.

        Return None if there is no item, or if the model cannot read it.
        """
        if item is None:
            return None
        with suppress(ItemRefused):
            return self._item_types.decoder(intent.entity).read(item)
        return None


def not_found(intent: WriteIntent) -> ErrorOf:
    """Return the error for an item that is missing, or that has another time in the unit that its key contains."""
    names = " and ".join(intent.exact_times)
    return lambda item: NotFound(
        f"{intent.label} does not exist" + (f"; the item with this key has another {names}" if item is not None else "")
    )
