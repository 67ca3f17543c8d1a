"""Requirements: the conditions that a write's caller and its design depend on, and the errors when they do not hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from singletable.client.answers import Item
from singletable.client.items.kinds import Kinds
from singletable.client.write.actions import Requirement
from singletable.client.write.conditions import absent, attribute_equals, exists, missing, stored_condition
from singletable.client.write.intent import WriteIntent
from singletable.errors import AlreadyExists, ConditionFailed, ItemRefused, NotFound, VersionConflict
from singletable.expressions.tree import Condition, Or
from singletable.model.design import Design

ErrorOf = Callable[[Item | None], Exception]


class Inputs(NamedTuple):
    """The values that conditions are filled with, or slots for them."""

    arguments: Mapping[str, Any]
    """The values of parameters."""
    version: Any
    """The stored form of the version that the caller knows."""
    now: Any
    """The stored form of the time."""


class Requirements:
    """Makes the requirements of one table's writes."""

    def __init__(self, design: Design, kinds: Kinds) -> None:
        self._design, self._kinds = design, kinds
        self._partition = design.table.partition[0].name

    def of(self, intent: WriteIntent, number: int, inputs: Inputs) -> Iterator[Requirement]:
        """What must hold for an intent."""
        if intent.kind == "create" or intent.absent:
            yield Requirement(absent(self._design, intent.entity, inputs.now), self._already_exists(intent), number)
        elif intent.kind in ("update", "check"):
            yield Requirement(exists(self._partition), _not_found(intent), number)
        if intent.where is not None:
            condition = stored_condition(intent.entity, intent.where, inputs.arguments)
            yield Requirement(condition, self._not_met(intent, "the condition does not hold for"), number)
        if intent.version is not None and intent.kind not in ("create", "upsert", "check"):
            yield Requirement(self._of_version(intent, inputs), self._version_conflict(intent), number)
        if intent.unchanged is not None:
            yield Requirement(
                intent.unchanged, self._not_met(intent, "somebody has changed", "since it was read"), number
            )

    def _of_version(self, intent: WriteIntent, inputs: Inputs) -> Condition:
        """The stored version is the caller's; an item without one was never written, or before there were versions."""
        entity = intent.entity
        attribute = entity.attributes[str(entity.declaration.version)]
        fitting = [attribute_equals(attribute, inputs.version)]
        if not intent.version:
            fitting.append(missing(attribute))
            if intent.kind == "put":
                fitting.append(absent(self._design, entity, inputs.now))
        if intent.kind == "delete":  # deleting an item that does not exist any more is not a conflict
            fitting.append(missing(self._partition))
        return Or(tuple(fitting)) if len(fitting) > 1 else fitting[0]

    def _version_conflict(self, intent: WriteIntent) -> ErrorOf:
        version = str(intent.entity.declaration.version)

        def error(item: Item | None) -> Exception:
            found = self._readable(intent, item)
            state = "is gone" if item is None else f"has version {getattr(found, version, None)}"
            return VersionConflict(f"{intent.shown} was read with version {intent.version} and {state} by now", found)

        return error

    def _already_exists(self, intent: WriteIntent) -> ErrorOf:
        def error(item: Item | None) -> Exception:
            is_own = item is not None and self._kinds.entity_of(item) is intent.entity
            return AlreadyExists(f"{intent.shown} already exists", self._readable(intent, item) if is_own else None)

        return error

    def _not_met(self, intent: WriteIntent, before: str, after: str = "") -> ErrorOf:
        def error(item: Item | None) -> Exception:
            if item is None:
                return NotFound(f"{intent.shown} does not exist")
            return ConditionFailed(f"{before} {intent.shown} {after}".rstrip(), self._readable(intent, item))

        return error

    def _readable(self, intent: WriteIntent, item: Item | None) -> Any:
        """The object of an item for an error; None where the model cannot read it, which is another error."""
        if item is None:
            return None
        with suppress(ItemRefused):
            return self._kinds.decoder(intent.entity).read(item)
        return None


def _not_found(intent: WriteIntent) -> ErrorOf:
    return lambda item: NotFound(f"{intent.shown} does not exist")
