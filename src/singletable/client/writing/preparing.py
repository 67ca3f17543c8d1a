"""The one item that a write is about: what is written, on which conditions, with every index key brought in line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from singletable.client.answers import Item
from singletable.client.items.kinds import Kinds
from singletable.client.writing import upgrading
from singletable.client.writing.action import Action, Kind, Requirement
from singletable.client.writing.stored_tree import Stored, absent, attribute_equals, exists, missing
from singletable.client.writing.wanted import Wanted
from singletable.errors import AlreadyExists, ConditionFailed, ItemRefused, NotFound, VersionConflict
from singletable.expressions.apply import Update
from singletable.expressions.tree import Change, Condition, Constant, Function, Or, Parameter, Path
from singletable.model.binding import held_values
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.keeping import Keeping
from singletable.planner.bind import key_attribute_value
from singletable.planner.items import field_value, item_of, key_of, values_of
from singletable.planner.key_rewrites import KeyRewrite, key_rewrites

Values = dict[str, Any]


@dataclass(frozen=True)
class Prepared:
    """A write with its action, and what it makes of the item as far as that is known."""

    wanted: Wanted
    action: Action
    old: Values | None = None
    new: Values | None = None
    is_known: bool = False
    """Whether old and new are the fields before and after; otherwise nothing that others depend on changes."""


@dataclass(frozen=True)
class Preparing:
    """What the making of actions needs: the design, how items are read, and what each entity's writes keep right."""

    design: Design
    kinds: Kinds
    keepings: Mapping[type, Keeping]
    now: Callable[[], float]

    @property
    def partition(self) -> str:
        """The attribute that every item has."""
        return self.design.table.partition[0].name

    def needs_old(self, wanted: Wanted) -> bool:
        """Whether the item must be known as it is before it is written."""
        keeping = self.keepings[wanted.entity.cls]
        match wanted.kind:
            case "put":
                return keeping.follows_existence or bool(keeping.given) or bool(keeping.counters)
            case "upsert":
                return keeping.follows_existence or bool(keeping.given)
            case "delete":
                return keeping.follows_existence
            case "update":
                return bool(wanted.changed & keeping.decisive) or self._needs_other_fields(wanted)
            case _:
                return False

    def prepared(self, wanted: Wanted, asked: int, old: Item | None, repeated: Mapping[str, Any]) -> Prepared:
        """The action of a write; `old` is the item as it is, where it is needed, `repeated` the values to repeat."""
        if old is not None and self.is_older(wanted, old):
            return self._written_back(wanted, asked, old, repeated)
        return self._prepared(wanted, asked, old, repeated)

    def is_older(self, wanted: Wanted, item: Item | None) -> bool:
        """Whether an item is of an older schema version, which what is wanted of it would leave half changed."""
        if item is None or wanted.kind == "create" or wanted.absent:
            return False
        upgrader = self.kinds.upgrader(wanted.entity)
        return upgrader is not None and upgrader.is_older(item)

    def _written_back(self, wanted: Wanted, asked: int, older: Item, repeated: Mapping[str, Any]) -> Prepared:
        """A write of an item that is stored in an older schema version: on its upgraded form, and written whole."""
        entity, upgrader = wanted.entity, self.kinds.upgrader(wanted.entity)
        assert upgrader is not None, "an item is older than a version"
        whole = upgrader.upgraded(older)
        made = self._prepared(wanted, asked, whole, repeated, is_upgraded=True)
        upgrading.judged(made.action, whole)
        after: Item = Update(made.action.changes).apply(whole, {}) if made.action.changes else whole
        values = self._read(entity, after) if made.action.kind == "Update" else None
        action = upgrading.written_back(self.design, upgrader, entity, made.action, older, (after, values or {}))
        return replace(made, action=action)

    def _prepared(
        self,
        wanted: Wanted,
        asked: int,
        old: Item | None,
        repeated: Mapping[str, Any],
        *,
        is_upgraded: bool = False,
    ) -> Prepared:
        match wanted.kind:
            case "put" | "create" | "upsert":
                return self._whole(wanted, asked, old, repeated)
            case "update":
                return self._update(wanted, asked, old, repeated, is_upgraded=is_upgraded)
            case "delete":
                return self._delete(wanted, asked, old)
            case _:
                return self._check(wanted, asked)

    def _whole(self, wanted: Wanted, asked: int, old: Item | None, repeated: Mapping[str, Any]) -> Prepared:
        entity, keeping = wanted.entity, self.keepings[wanted.entity.cls]
        self.kinds.decoder(entity)  # refuses a class that could not be read back, before anything is written
        version, needs_old = entity.declaration.version, self.needs_old(wanted)
        values = {**wanted.values, **repeated}
        if version is not None:
            values[version] = values[version] or 0  # None is what was never written
        requirements: list[Requirement] = []
        if wanted.kind == "create":
            requirements.append(Requirement(self._absent(entity), self._already_exists(wanted), asked))
        elif wanted.kind == "put" and version is not None:
            requirements.append(self._version_requirement(wanted, asked, values[version]))
        if version is not None and wanted.kind != "upsert":
            values[version] = 1 if wanted.kind == "create" else values[version] + 1
        old_values = self._read(entity, old)
        for name in keeping.counters:
            values[name] = 0 if old_values is None else old_values[name] or 0
        guards = self._guards(entity, keeping.decisive | keeping.counters, old) if needs_old else ()
        if wanted.kind == "upsert" or (wanted.kind == "put" and requirements):
            guards += upgrading.is_current_or_missing(self.design, entity)
        item, key = {**wanted.beside, **item_of(self.design, entity, values)}, key_of(entity, values)
        if wanted.kind == "upsert":
            changes = tuple(self._upsert_changes(entity, keeping, item, key))
            action = _main("Update", wanted, asked, requirements, guards, changes=changes)
        else:
            action = _main("Put", wanted, asked, requirements, guards, item=item)
        return Prepared(wanted, action, old_values, values, needs_old or wanted.kind == "create")

    def _upsert_changes(self, entity: Entity, keeping: Keeping, item: Item, key: Item) -> Iterable[Change]:
        left = {entity.attributes[name]: name for name in keeping.counters}
        version = entity.declaration.version
        raised = None if version is None else entity.attributes[version]
        for name, value in item.items():
            path = Path((name,))
            if name in left:
                yield Change("SET", path, Function("if_not_exists", (path, Constant({"N": "0"}))))
            elif name == raised:
                yield Change("ADD", path, Constant({"N": "1"}))
            elif name not in key:
                yield Change("SET", path, Constant(value))
        placed = {part.attribute for placement in entity.placements.values() for part in placement.parts}
        for name in sorted({*entity.attributes.values(), *placed} - item.keys()):
            yield Change("REMOVE", Path((name,)))

    def _update(
        self, wanted: Wanted, asked: int, old: Item | None, repeated: Mapping[str, Any], *, is_upgraded: bool
    ) -> Prepared:
        entity, keeping = wanted.entity, self.keepings[wanted.entity.cls]
        stored = Stored(entity, wanted.arguments)
        changes = tuple(stored.change(change) for change in wanted.changes)
        changes += tuple(_set(entity, name, value) for name, value in repeated.items())
        requirements = [Requirement(exists(self.partition), _not_found(wanted), asked)]
        if wanted.where is not None:
            requirements.append(self._where(wanted, stored, asked))
        if (version := entity.declaration.version) is not None:
            changes += (Change("ADD", Path((entity.attributes[version],)), Constant({"N": "1"})),)
            if wanted.version is not None:
                requirements.append(self._version_requirement(wanted, asked, wanted.version))
        changed = wanted.changed | set(repeated)
        known = {**_known(wanted, stored), **repeated}
        rewrites = tuple(key_rewrites(entity, changed, _lost(changed, known)))
        current = upgrading.is_current(self.design, entity)
        needs_old = self.needs_old(wanted) or is_upgraded or bool(repeated)
        if old is None and needs_old:
            # There is nothing to change, which the requirement will find; what comes meanwhile is to be known first.
            guards = (missing(self.partition), *current)
            return Prepared(wanted, _main("Update", wanted, asked, requirements, guards, changes=changes))
        if old is None or not needs_old:
            changes += tuple(_key_changes(entity, rewrites, known))
            return Prepared(wanted, _main("Update", wanted, asked, requirements, current, changes=changes))
        rewrites = tuple(_whole_where_new(rewrite, old) for rewrite in rewrites)
        old_values = self._read(entity, old)
        after: Item = Update(changes).apply(old, {})
        new_values = self._read(entity, _without_old_keys(entity, after, rewrites, changed, old_values or {}))
        assert new_values is not None, "an item that is changed is there"
        decisive = keeping.decisive if repeated or changed & keeping.decisive else frozenset()
        needed = decisive.union(*(rewrite.needed for rewrite in rewrites))
        changes += tuple(_key_changes(entity, rewrites, new_values))
        guards = (*self._guards(entity, needed, old), *current)
        action = _main("Update", wanted, asked, requirements, guards, changes=changes)
        return Prepared(wanted, action, old_values, new_values, is_known=bool(decisive))

    def _delete(self, wanted: Wanted, asked: int, old: Item | None) -> Prepared:
        entity, keeping = wanted.entity, self.keepings[wanted.entity.cls]
        requirements: list[Requirement] = []
        if wanted.where is not None:
            requirements.append(self._where(wanted, Stored(entity, wanted.arguments), asked))
        if wanted.version is not None:
            requirements.append(self._version_requirement(wanted, asked, wanted.version))
        if wanted.unchanged is not None:
            failed = self._changed_since(wanted)
            requirements.append(Requirement(wanted.unchanged, failed, asked))
        needs_old = self.needs_old(wanted)
        guards = self._guards(entity, keeping.decisive, old) if needs_old else ()
        if requirements:
            guards += upgrading.is_current_or_missing(self.design, entity)
        counted = dict.fromkeys((entity.attributes[name] for name in sorted(keeping.counters)), 0)
        action = _main("Delete", wanted, asked, requirements, guards, counted=counted or None)
        return Prepared(wanted, action, self._read(entity, old), None, needs_old)

    def _check(self, wanted: Wanted, asked: int) -> Prepared:
        stored = Stored(wanted.entity, wanted.arguments)
        if wanted.absent:
            requirements = [Requirement(self._absent(wanted.entity), self._already_exists(wanted), asked)]
        else:
            requirements = [Requirement(exists(self.partition), _not_found(wanted), asked)]
            if wanted.where is not None:
                requirements.append(self._where(wanted, stored, asked))
        judges = wanted.where is not None
        guards = upgrading.is_current_or_missing(self.design, wanted.entity) if judges else ()
        return Prepared(wanted, _main("ConditionCheck", wanted, asked, requirements, guards))

    def _needs_other_fields(self, wanted: Wanted) -> bool:
        """Whether keys of indexes change, and cannot be written without a look at the item."""
        known = _known(wanted, Stored(wanted.entity, wanted.arguments))
        rewrites = key_rewrites(wanted.entity, wanted.changed, _lost(wanted.changed, known))
        return any(rewrite.needed - known.keys() for rewrite in rewrites)

    def _guards(self, entity: Entity, fields: Iterable[str], old: Item | None) -> tuple[Condition, ...]:
        """That an item is still as it was read, in these fields."""
        if old is None:
            return (missing(self.partition),)
        attributes = sorted(entity.attributes[name] for name in fields if name not in entity.base.fields)
        return (exists(self.partition), *(attribute_equals(name, old.get(name)) for name in attributes))

    def unchanged(self, entity: Entity, values: Mapping[str, Any], fields: Iterable[str]) -> tuple[Condition, ...]:
        """That an item is there and still has these values in these fields."""
        names = sorted(name for name in fields if name not in entity.base.fields)
        return (exists(self.partition), *(_is_still(entity, name, values[name]) for name in names))

    def fields(self, entity: Entity, item: Item) -> Values:
        """The fields of an item."""
        return values_of(entity, self.kinds.decoder(entity).read(item))

    def _read(self, entity: Entity, item: Item | None) -> Values | None:
        return None if item is None else self.fields(entity, item)

    def _where(self, wanted: Wanted, stored: Stored, asked: int) -> Requirement:
        assert wanted.where is not None, "asked for with a condition alone"

        def failed(item: Item | None) -> Exception:
            if item is None:
                return NotFound(f"there is no {wanted.shown}")
            found = self.kinds.decoder(wanted.entity).read(item)
            return ConditionFailed(f"the condition does not hold for {wanted.shown}", found)

        return Requirement(stored.condition(wanted.where), failed, asked)

    def _version_requirement(self, wanted: Wanted, asked: int, known: int) -> Requirement:
        entity = wanted.entity
        version = str(entity.declaration.version)

        def failed(item: Item | None) -> Exception:
            found = None if item is None else self.kinds.decoder(entity).read(item)
            there = "is gone" if found is None else f"has version {getattr(found, version)}"
            return VersionConflict(f"{wanted.shown} was read with version {known} and {there} by now", found)

        attribute = entity.attributes[version]
        fitting = [attribute_equals(attribute, {"N": str(known)})]
        if not known:  # without a version is what was never written, and what was written before the entity had one
            fitting.append(missing(attribute))
            if wanted.kind == "put":
                fitting.append(self._absent(entity))
        if wanted.kind == "delete":  # what is gone already may be deleted again
            fitting.append(missing(self.partition))
        return Requirement(Or(tuple(fitting)) if len(fitting) > 1 else fitting[0], failed, asked)

    def _absent(self, entity: Entity) -> Condition:
        return absent(self.design, entity, self.now())

    def _already_exists(self, wanted: Wanted) -> Any:
        def failed(item: Item | None) -> Exception:
            found = None
            if item is not None and self.kinds.entity_of(item) is wanted.entity:
                with suppress(
                    ItemRefused
                ):  # that it is there is the news; what is wrong with it is told when it is read
                    found = self.kinds.decoder(wanted.entity).read(item)
            return AlreadyExists(f"{wanted.shown} is there already", found)

        return failed

    def _changed_since(self, wanted: Wanted) -> Any:
        def failed(item: Item | None) -> Exception:
            if item is None:
                return NotFound(f"there is no {wanted.shown}")
            found = self.kinds.decoder(wanted.entity).read(item)
            return ConditionFailed(f"{wanted.shown} was changed since it was read", found)

        return failed


def _main(
    kind: Kind,
    wanted: Wanted,
    asked: int,
    requirements: Iterable[Requirement],
    guards: tuple[Condition, ...] = (),
    *,
    item: Item | None = None,
    changes: tuple[Change, ...] = (),
    counted: Mapping[str, int] | None = None,
) -> Action:
    """The action that was asked for."""
    key, required = key_of(wanted.entity, wanted.values), tuple(requirements)
    return Action(kind, key, asked, item, changes, required, guards, wanted.shown, is_main=True, counted=counted)


def _not_found(wanted: Wanted) -> Any:
    return lambda item: NotFound(f"there is no {wanted.shown}")


def stored_or_none(entity: Entity, name: str, value: Any) -> Any:
    """A field's value as it is stored; None when it is not, or is none of the field's."""
    return None if value is None and not entity.fields[name].may_be_none else field_value(entity, name, value)


def _is_still(entity: Entity, name: str, value: Any) -> Condition:
    """That an item has a value in a field, or, where that is what the class gives the field by itself, nothing."""
    attribute, of = entity.attributes[name], entity.fields[name]
    same = attribute_equals(attribute, stored_or_none(entity, name, value))
    return Or((same, missing(attribute))) if value is not None and of.is_default(value) else same


def _set(entity: Entity, name: str, value: Any) -> Change:
    path = Path((entity.attributes[name],))
    stored = stored_or_none(entity, name, value)
    return Change("REMOVE", path) if stored is None else Change("SET", path, Constant(stored))


def changes_to(entity: Entity, old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Change, ...]:
    """What takes an item from some values to others, index keys included."""
    changed = frozenset(name for name in new if new[name] != old[name])
    fields = (_set(entity, name, new[name]) for name in sorted(changed))
    return (*fields, *_key_changes(entity, key_rewrites(entity, changed, frozenset()), new))


def _known(wanted: Wanted, stored: Stored) -> Values:
    """The values of fields after the update, as far as they are known without reading the item."""
    held = {name: stored.plain(value) for name, value in held_values(wanted.where).items()}
    known = {name: value for name, value in held.items() if name not in wanted.changed} | dict(wanted.values)
    fields = wanted.entity.fields
    for change in wanted.changes:
        name, value = str(change.path.steps[0]), change.value
        if len(change.path.steps) == 1 and change.action == "REMOVE" and fields[name].is_none_unless_stored:
            known[name] = None
        elif len(change.path.steps) == 1 and change.action == "SET" and isinstance(value, Constant | Parameter):
            known[name] = stored.plain(value)
        else:
            known.pop(name, None)
    return known


def _lost(changed: Iterable[str], known: Mapping[str, Any]) -> frozenset[str]:
    """The fields that an update takes away."""
    return frozenset(name for name in changed if name in known and known[name] is None)


def _whole_where_new(rewrite: KeyRewrite, old: Item) -> KeyRewrite:
    """All keys of an index that an item is not in yet, since it was stored before the index was declared."""
    if rewrite.is_left or all(part.attribute in old for part in rewrite.placement.parts):
        return rewrite
    return replace(rewrite, parts=rewrite.placement.parts, needed=rewrite.placement.fields)


def _without_old_keys(
    entity: Entity, item: Item, rewrites: Iterable[KeyRewrite], changed: Iterable[str], old: Mapping[str, Any]
) -> Item:
    """A changed item without the index keys that are yet to be written, which still say what was before.

    Fields that did not change, and that only those keys may have said, are stored beside them.
    """
    kept = {*entity.attributes.values(), *(part.attribute for part in entity.base.parts)}
    stale = {part.attribute for rewrite in rewrites for part in rewrite.parts} - kept
    names = frozenset().union(*(rewrite.placement.fields for rewrite in rewrites)).difference(changed)
    stored = {entity.attributes[name]: stored_or_none(entity, name, old[name]) for name in names}
    whole = {**{name: value for name, value in stored.items() if value is not None}, **item}
    return {name: value for name, value in whole.items() if name not in stale}


def _key_changes(entity: Entity, rewrites: Iterable[KeyRewrite], values: Mapping[str, Any]) -> Iterable[Change]:
    """What brings the index keys in line with the fields; an item without one of them leaves the index."""
    done = {*entity.attributes.values(), *(part.attribute for part in entity.base.parts)}
    for rewrite in rewrites:
        keys = None if rewrite.is_left else rewrite.placement.encode(values, rewrite.parts)
        for part in rewrite.parts:
            if part.attribute in done:
                continue
            done.add(part.attribute)
            path = Path((part.attribute,))
            if keys is None:
                yield Change("REMOVE", path)
            else:
                yield Change("SET", path, Constant(key_attribute_value(keys[part.attribute])))
