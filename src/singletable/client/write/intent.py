"""Write intents: one write or check of one item, as the caller requested it, before it is planned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from singletable.client.key import Key, TableEntities
from singletable.errors import ArgumentRefused
from singletable.expressions.tree import Change, Condition, Constant, Parameter
from singletable.model.changes import FieldChange
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.keeping import Keeping
from singletable.model.recorder import record_condition
from singletable.model.rules.value_rules import Validation

Where = Callable[[Any], bool]
IntentKind = Literal["put", "create", "upsert", "update", "delete", "check"]


@dataclass(frozen=True)
class WriteIntent:
    """One write or check of one item, by its entity and fields."""

    kind: IntentKind
    entity: Entity
    values: Mapping[str, Any]
    """Every field of an object, or the fields of its key."""
    target: Any = None
    """The object or the key that the caller passed."""
    changes: tuple[Change, ...] = ()
    where: Condition | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """The values of the parameters in `changes` and `where`."""
    version: int | None = None
    """The version of the object that the caller passed."""
    unchanged: Condition | None = None
    """Of a move: the object is still as it was read."""
    unknown: Mapping[str, Any] = field(default_factory=dict)
    """Attributes that the model does not know, to be written with a whole item as they are stored."""
    absent: bool = False
    """Of a check: the item must not exist."""
    validation: Validation = "whole"
    """Of an update: `fields` waives rules that need the whole object."""
    is_trusted: bool = False
    """Of a whole object: it is not validated."""
    is_raw: bool = False
    """Of a delete: an item that the model cannot read is deleted too."""

    @property
    def changed(self) -> frozenset[str]:
        """The fields that an update changes, wholly or inside."""
        return frozenset(str(change.path.steps[0]) for change in self.changes)

    def with_arguments(self, values: Mapping[str, Any], arguments: Mapping[str, Any]) -> WriteIntent:
        """The same write of another item, with further arguments."""
        return replace(self, values=values, arguments={**self.arguments, **arguments})

    @property
    def shown(self) -> str:
        """The item for messages: `Order with id='o1'`."""
        return shown(self.entity, self.values)


def shown(entity: Entity, values: Mapping[str, Any]) -> str:
    """An item for messages, by the fields of its key."""
    return f"{entity.label} with " + ", ".join(f"{name}={values.get(name)!r}" for name in sorted(entity.base.fields))


class Intents:
    """Makes the intents of one table's writes."""

    def __init__(
        self,
        design: Design,
        keeping_of: Callable[[Entity], Keeping],
        validated: Callable[[Entity, Any], tuple[Mapping[str, Any], Any]],
        values_of: Callable[[Entity, Any], Mapping[str, Any]],
    ) -> None:
        """`validated` returns the fields of an object, and the object, as they will be stored."""
        self.entities = TableEntities(design)
        self._keeping_of, self._validated, self._values_of = keeping_of, validated, values_of

    def whole(self, kind: IntentKind, value: Any, *, trusted: bool = False) -> WriteIntent:
        """The write of a whole object; a trusted one is not validated."""
        entity = self.entities.of(value)
        version = _version_of(entity, value) if kind == "put" else None
        values, target = (self._values_of(entity, value), value) if trusted else self._validated(entity, value)
        return self.checked(WriteIntent(kind, entity, values, target, version=version, is_trusted=trusted))

    def update(
        self,
        target: Any,
        changes: Iterable[FieldChange[Any]],
        where: Where | None,
        validation: Validation = "whole",
    ) -> WriteIntent:
        """The change of some fields of an object or a key; an object's version must be the stored version."""
        entity, values = self.entities.named(target)
        if validation not in ("whole", "fields"):
            raise ArgumentRefused(f'validate={validation!r} is not supported; use "whole" or "fields"')
        recorded = _recorded_changes(entity, changes)
        lifted, arguments = lift(recorded, _recorded(entity, where))
        version = _version_of(entity, target)
        return self.checked(
            WriteIntent(
                "update", entity, values, target, *lifted, arguments=arguments, version=version, validation=validation
            )
        )

    def delete(self, target: Any, where: Where | None, *, raw: bool = False) -> WriteIntent:
        """The deletion of an object's or a key's item; an object's version must be the stored version."""
        entity, values = self.entities.named(target)
        (_, condition), arguments = lift((), _recorded(entity, where))
        version = _version_of(entity, target)
        return self.checked(
            WriteIntent("delete", entity, values, target, (), condition, arguments, version, is_raw=raw)
        )

    def check(self, target: Any, where: Where | None, *, absent: bool) -> WriteIntent:
        """A condition on an item: it exists, it meets a condition, or it does not exist."""
        if absent and where is not None:
            raise ArgumentRefused("check: an item that does not exist meets no condition; leave out where= or absent=")
        entity, values = self.entities.named(target)
        (_, condition), arguments = lift((), _recorded(entity, where))
        return WriteIntent("check", entity, values, target, (), condition, arguments, absent=absent)

    def checked(self, intent: WriteIntent) -> WriteIntent:
        """The intent, unless it changes what only other writes may change."""
        reject_misuse(intent, self._keeping_of(intent.entity))
        return intent


def reject_misuse(intent: WriteIntent, keeping: Keeping) -> None:
    """Rejects changes of keys, versions and derived data, which only other writes may change."""
    label = intent.entity.label
    if keeping.mirror_of is not None and intent.kind != "check":
        mirrored = keeping.mirror_of.label
        raise ArgumentRefused(f"{label} mirrors {mirrored}, and is written with it; write the {mirrored}")
    if not intent.changes:
        return
    changed = intent.changed
    if moved := sorted(changed & intent.entity.base.fields):
        raise ArgumentRefused(
            f"{', '.join(moved)} is part of {label}'s key, and an item cannot change its key.\n"
            "  Use move(old, new), which writes the new item and deletes the old one in one transaction."
        )
    if (version := intent.entity.declaration.version) in changed:
        raise ArgumentRefused(f"{label}.{version} is the item's version, which every write increments; leave it out")
    if counters := sorted(changed & keeping.counters):
        raise ArgumentRefused(f"{label}.{', '.join(counters)} counts other items; only their writes change it")
    for copy, source in keeping.held:
        for theirs, ours in copy.fields.items():
            if ours in changed:
                raise ArgumentRefused(f"{label}.{ours} is a copy of {source.label}.{theirs}; change it there")


def lift(
    changes: Iterable[Change], where: Condition | None
) -> tuple[tuple[tuple[Change, ...], Condition | None], dict[str, Any]]:
    """Changes and a condition with parameters in place of constants, and the constants by the parameters' names.

    All updates of one shape become equal in this way, and share a plan.
    """
    arguments: dict[str, Any] = {}

    def lifted(node: Any) -> Any:
        if type(node) is Constant:
            name = f"={len(arguments)}"  # not the name of a parameter that a caller declared
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


def _recorded_changes(entity: Entity, changes: Iterable[FieldChange[Any]]) -> list[Change]:
    recorded: list[Change] = []
    for each in changes:
        if not isinstance(each, FieldChange):  # pyright: ignore[reportUnnecessaryIsInstance]  # the user's own argument
            raise ArgumentRefused(f"{each!r} is not a change; write field({entity.label}, lambda o: o.status).set(...)")
        if each.entity is not entity.cls:
            raise ArgumentRefused(f"{each.change.path} is a field of {each.entity.__name__}, not of {entity.label}")
        for other in recorded:
            if other.path == each.change.path:
                raise ArgumentRefused(f"the update changes {other.path} twice; change it once")
        recorded.append(each.change)
    if not recorded:
        raise ArgumentRefused(
            f"the update of {entity.label} changes nothing; pass field(...).set(...) or another change"
        )
    return recorded


def _recorded(entity: Entity, where: Where | None) -> Condition | None:
    if where is None:
        return None
    if not callable(where):
        raise ArgumentRefused(
            f'where={where!r} is not a condition; write one as a function: where=lambda o: o.status == "OPEN"'
        )
    return record_condition(entity.cls, where)


def _version_of(entity: Entity, target: Any) -> int | None:
    """The version of an object; None for a key."""
    name = entity.declaration.version
    return None if name is None or isinstance(target, Key) else getattr(target, name) or 0
