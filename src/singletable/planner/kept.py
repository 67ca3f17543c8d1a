"""What a write keeps right beside its own item, as far as it shows in a plan: in words, in items and in requests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import Write
from singletable.model.keeping import Keeping, keeping_of


@dataclass(frozen=True)
class Kept:
    """The other items of a write's transaction, and the reads that it begins and ends with."""

    what: tuple[str, ...]
    items: int
    reads: int


def kept_by(design: Design, entity: Entity, intent: Write) -> Kept | None:
    """What a write keeps right beside its item; None when there is nothing."""
    keeping = keeping_of(design.entities, entity)
    changed = frozenset(str(change.path.steps[0]) for change in intent.changes)
    if intent.kind == "update" and not changed & keeping.decisive:
        return None
    what = tuple(_what(keeping, intent, changed))
    if not what:
        return None
    is_source = any(not changed or changed & set(copy.fields) for copy, _ in keeping.given) and intent.kind != "delete"
    looks_first = intent.kind != "create" and bool(keeping.follows_existence or keeping.given or keeping.counters)
    reads_back = intent.kind == "update"  # a transaction does not return what it has made of an item
    return Kept(what, len(what), looks_first + 2 * len(keeping.given) * is_source + reads_back)


def _what(keeping: Keeping, intent: Write, changed: frozenset[str]) -> Iterator[str]:
    for unique in keeping.uniques:
        if not changed or changed & unique.fields:
            yield f"the marker of {' and '.join(sorted(unique.fields))}"
    for count, owner in keeping.counted:
        if not changed or changed & set(count.by.values()):
            yield f"{count.field} of its {owner.label}"
    for mirror in keeping.mirrors:
        if not changed or changed & mirror.fields.keys():
            yield f"its mirror {mirror.label}"
    if intent.kind == "delete":
        return
    for copy, source in keeping.held:
        if not changed or changed & set(copy.by.values()):
            yield f"a look at the {source.label} that it repeats"
    for copy, holder in keeping.given:
        if not changed or changed & set(copy.fields):
            yield f"every {holder.label} that repeats it"
