"""Write intents: one write or condition check of one item, as the caller requested it, before it is planned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Any, Literal

from singletable.client.key import Key, TableEntities
from singletable.errors import ArgumentRefused, NotFound
from singletable.expressions.tree import Change, Condition, Constant, Parameter
from singletable.lazy_dataclass import dataclass, replace
from singletable.model.condition_recorder import record_condition
from singletable.model.derived_data import DerivedDataRules
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.update_changes import FieldChange
from singletable.model.validation.value_rules import Validation
from singletable.planner.stored_items import field_value
from singletable.values.attribute_value import AttributeValue

Where = Callable[[Any], bool]
IntentKind = Literal["put", "create", "upsert", "update", "delete", "check"]


@dataclass(frozen=True)
class WriteIntent:
    """One write or condition check of one item, described by its entity and fields."""

    kind: IntentKind
    entity: Entity
    values: Mapping[str, Any]
    """Every field of the object, or only its key fields."""
    target: Any = None
    """The object or the key that the caller passed."""
    changes: tuple[Change, ...] = ()
    where: Condition | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """The values of the parameters in `changes` and `where`."""
    version: int | None = None
    """The version of the object that the caller passed."""
    unchanged: Condition | None = None
    """For a move: the condition that the object has not changed since the caller read it."""
    unknown: Mapping[str, Any] = field(default_factory=dict)
    """Attributes that the model does not declare; a write of the whole item stores them unchanged."""
    absent: bool = False
    """For a check: whether the item must not exist."""
    validation: Validation = "whole"
    """For an update: `fields` makes the client skip validation rules that need the whole object."""
    is_trusted: bool = False
    """For a whole object: whether to skip validation."""
    is_raw: bool = False
    """For a delete: whether to delete an item that the model cannot read."""

    @property
    def changed(self) -> frozenset[str]:
        """Return the fields of which an update changes the whole value or a part."""
        return frozenset(str(change.path.steps[0]) for change in self.changes)

    def with_arguments(self, values: Mapping[str, Any], arguments: Mapping[str, Any]) -> WriteIntent:
        """Return the same write for another item, with additional arguments."""
        return replace(self, values=values, arguments={**self.arguments, **arguments})

    @property
    def exact_times(self) -> list[str]:
        """Return the times that the item must have, sorted: its key contains only their units.

        A write of a whole object replaces the item with its key, so it has no such times.
        """
        if self.kind in ("update", "delete", "check") and not self.is_raw and not self.absent:
            return sorted(self.entity.base.truncated_fields)
        return []

    @property
    def times(self) -> dict[str, AttributeValue | None]:
        """Return the stored form of these times, by field."""
        return {name: field_value(self.entity, name, self.values[name]) for name in self.exact_times}

    def names_missing_item(self, problem: Exception) -> bool:
        """Return whether a delete failed only because the item with its key has another time in the same unit."""
        is_plain_delete = self.kind == "delete" and self.where is None
        return is_plain_delete and bool(self.exact_times) and isinstance(problem, NotFound)

    @property
    def label(self) -> str:
        """Return the item's name for messages: `Order with id='o1'`."""
        return item_label(self.entity, self.values)


def item_label(entity: Entity, values: Mapping[str, Any]) -> str:
    """Return the name of an item for messages, with the fields of its key."""
    return f"{entity.label} with " + ", ".join(f"{name}={values.get(name)!r}" for name in sorted(entity.base.fields))


class Intents:
    """Creates the write intents of one table."""

    def __init__(
        self,
        design: Design,
        derived_data_of: Callable[[Entity], DerivedDataRules],
        validated_fields: Callable[[Entity, Any], tuple[Mapping[str, Any], Any]],
        values_of: Callable[[Entity, Any], Mapping[str, Any]],
    ) -> None:
        """Store the callbacks.

        `validated_fields` returns the fields of an object, and the object, in their stored form.
        """
        self.entities = TableEntities(design)
        self._derived_data_of, self._validated_fields, self._values_of = derived_data_of, validated_fields, values_of

    def whole(self, kind: IntentKind, value: Any, *, trusted: bool = False) -> WriteIntent:
        """Return the intent to write a whole object. `trusted` skips validation."""
        entity = self.entities.of(value)
        version = _version_of(entity, value) if kind == "put" else None
        values, target = (self._values_of(entity, value), value) if trusted else self._validated_fields(entity, value)
        return self.checked(WriteIntent(kind, entity, values, target, version=version, is_trusted=trusted))

    def update(
        self,
        target: Any,
        changes: Iterable[FieldChange[Any]],
        where: Where | None,
        validation: Validation = "whole",
    ) -> WriteIntent:
        """Return the intent to change some fields of an item. If `target` is an object, its version must be current."""
        entity, values = self.entities.named(target)
        if validation not in ("whole", "fields"):
            raise ArgumentRefused(f'validate must be "whole" or "fields", not {validation!r}')
        recorded = _record_changes(entity, changes)
        lifted, arguments = lift_constants(recorded, _record_where(entity, where))
        version = _version_of(entity, target)
        return self.checked(
            WriteIntent(
                "update", entity, values, target, *lifted, arguments=arguments, version=version, validation=validation
            )
        )

    def delete(self, target: Any, where: Where | None, *, raw: bool = False) -> WriteIntent:
        """Return the intent to delete an item. If `target` is an object, its version must be current."""
        entity, values = self.entities.named(target)
        (_, condition), arguments = lift_constants((), _record_where(entity, where))
        version = _version_of(entity, target)
        return self.checked(
            WriteIntent("delete", entity, values, target, (), condition, arguments, version, is_raw=raw)
        )

    def check(self, target: Any, where: Where | None, *, absent: bool) -> WriteIntent:
        """Return the intent to check that an item exists, meets a condition, or does not exist."""
        if absent and where is not None:
            raise ArgumentRefused("check: pass where= or absent=True, not both; a missing item cannot meet a condition")
        entity, values = self.entities.named(target)
        (_, condition), arguments = lift_constants((), _record_where(entity, where))
        return WriteIntent("check", entity, values, target, (), condition, arguments, absent=absent)

    def checked(self, intent: WriteIntent) -> WriteIntent:
        """Return the intent. Raise ArgumentRefused if it changes keys, versions or derived data directly."""
        reject_misuse(intent, self._derived_data_of(intent.entity))
        return intent


def reject_misuse(intent: WriteIntent, derived_data: DerivedDataRules) -> None:
    """Raise ArgumentRefused if an intent changes keys, versions or derived data directly."""
    label = intent.entity.label
    if derived_data.mirror_of is not None and intent.kind != "check":
        mirrored = derived_data.mirror_of.label
        raise ArgumentRefused(
            f"{label} mirrors {mirrored} and cannot be written directly; write the {mirrored} instead"
        )
    if not intent.changes:
        return
    changed = intent.changed
    if moved := sorted(changed & intent.entity.base.fields):
        raise ArgumentRefused(
            f"the key of {label} contains {', '.join(moved)}, and the key of an item cannot change.\n"
            "  Use move(old, new), which writes the new item and deletes the old one in one transaction."
        )
    if (version := intent.entity.declaration.version) in changed:
        raise ArgumentRefused(f"{label}.{version} is the version, which every write increments; do not set it")
    if counters := sorted(changed & derived_data.counters):
        raise ArgumentRefused(
            f"{label} counts other items in {', '.join(counters)}; only writes of those items change the count"
        )
    for copy, source in derived_data.copies:
        for theirs, ours in copy.fields.items():
            if ours in changed:
                raise ArgumentRefused(f"{label}.{ours} is a copy of {source.label}.{theirs}; change the source instead")


def lift_constants(
    changes: Iterable[Change], where: Condition | None
) -> tuple[tuple[tuple[Change, ...], Condition | None], dict[str, Any]]:
    """Replace the constants in changes and a condition with parameters. Return the result, and the constants by name.

    Updates that change the same fields then compare equal and share a plan.
    """
    arguments: dict[str, Any] = {}

    def lifted(node: Any) -> Any:
        if type(node) is Constant:
            name = f"={len(arguments)}"  # a declared parameter never has such a name
            arguments[name] = node.value
            return Parameter(name)
        if type(node) is tuple:
            return tuple(lifted(part) for part in node)
        members = getattr(type(node), "__match_args__", ())
        if members and type(node).__module__ == Constant.__module__:
            return type(node)(*(lifted(getattr(node, member)) for member in members))
        return node

    shape = tuple(lifted(change) for change in changes), None if where is None else lifted(where)
    return shape, arguments


def _record_changes(entity: Entity, changes: Iterable[FieldChange[Any]]) -> list[Change]:
    recorded: list[Change] = []
    for each in changes:
        if not isinstance(each, FieldChange):  # pyright: ignore[reportUnnecessaryIsInstance]  # the argument comes from the user
            raise ArgumentRefused(f"{each!r} is not a change; write field({entity.label}, lambda o: o.status).set(...)")
        if each.entity is not entity.cls:
            raise ArgumentRefused(f"{each.change.path} is a field of {each.entity.__name__}, not of {entity.label}")
        for other in recorded:
            if other.path == each.change.path:
                raise ArgumentRefused(f"the update changes {other.path} twice; pass only one change for it")
        recorded.append(each.change)
    if not recorded:
        raise ArgumentRefused(
            f"the update of {entity.label} changes nothing; pass field(...).set(...) or another change"
        )
    return recorded


def _record_where(entity: Entity, where: Where | None) -> Condition | None:
    if where is None:
        return None
    if not callable(where):
        raise ArgumentRefused(
            f'where={where!r} is not a condition; pass a function, such as where=lambda o: o.status == "OPEN"'
        )
    return record_condition(entity.cls, where)


def _version_of(entity: Entity, target: Any) -> int | None:
    """Return the version of an object, or None for a key."""
    name = entity.declaration.version
    return None if name is None or isinstance(target, Key) else getattr(target, name) or 0
