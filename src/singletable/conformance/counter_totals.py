"""Totals of counters: compares a counter with the number of counted items, or with the sum of their counters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from singletable.client.items.decoder import Item
from singletable.conformance.entity_values import SeenItems, ValueFinding, value_finding
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.field_roles import is_time, own_identifier, words_of
from singletable.verify.item_rules import COUNTER_TOO_SMALL

PARENTS_MAX = 50_000
"""The maximum number of items whose counters are compared. It limits the memory."""
_COUNTERS = frozenset(
    {"wins", "losses", "draws", "points", "goals", "assists", "kills", "deaths", "likes", "dislikes", "votes"}
    | {"upvotes", "downvotes", "comments", "replies", "followers", "messages", "posts", "threads", "reviews"}
    | {"members", "appearances", "shots", "clicks", "downloads", "plays", "sold", "count"}
)
"""Words of fields that count events, so that a total is at least the sum of its parts."""
_PERIODS = frozenset({"season", "year", "quarter", "round", "game", "match", "tournament", "event", "session"})
_REMEDY = "Write the counter and what it counts in one transaction, and correct the counters that are stored now."


@dataclass
class _Relation:
    """A counter of a parent entity, and the child entity whose items it counts or whose counters it adds up."""

    parent: Entity
    own: str
    child: Entity
    reference: str
    counter: str
    of_rows: bool
    totals: dict[Any, tuple[Decimal, str]] = field(default_factory=dict)
    sums: dict[Any, Decimal] = field(default_factory=dict)


class CounterTotals:
    """Adds up the counters of a table, one item after another, in bounded memory."""

    def __init__(self, design: Design) -> None:
        self._base = design.table.key_attributes
        self._relations = [
            relation
            for parent in design.entities
            for child in design.entities
            if child is not parent
            for relation in _relations(parent, child)
        ]
        self._entities = {each.name for one in self._relations for each in (one.parent, one.child)}

    def add(self, entity: Entity | None, item: Item, values: Mapping[str, Any] | None) -> None:
        """Count an item, if a counter depends on it."""
        if entity is None or values is None or entity.name not in self._entities:
            return
        for each in self._relations:
            if entity is each.parent:
                self._add_total(each, item, values)
            elif entity is each.child and (key := values.get(each.reference)) is not None:
                amount = 1 if each.of_rows else values.get(each.counter)
                if isinstance(amount, int | Decimal) and (key in each.sums or len(each.sums) < PARENTS_MAX):
                    each.sums[key] = each.sums.get(key, Decimal(0)) + amount

    def _add_total(self, each: _Relation, item: Item, values: Mapping[str, Any]) -> None:
        key, total = values.get(each.own), values.get(each.counter)
        if key is not None and isinstance(total, int | Decimal) and len(each.totals) < PARENTS_MAX:
            shown = ", ".join(f"{name}={str(*item[name].values())}" for name in self._base if name in item)
            each.totals[key] = Decimal(total), shown

    def findings(self) -> Iterator[ValueFinding]:
        """Yield the counters that are too small. A large one is correct if the sample lacks counted items."""
        for each in self._relations:
            wrong = [
                (shown, total, each.sums[key])
                for key, (total, shown) in each.totals.items()
                if each.sums.get(key, 0) > total
            ]
            if wrong:
                shown, total, found = wrong[0]
                what = (
                    f"the number of its {each.child.label} items" if each.of_rows else f"the sum in {each.child.label}"
                )
                message = f"{each.counter} is less than {what}, so the counter is out of step"
                seen = SeenItems(len(wrong), shown, f"{total} instead of at least {found}")
                yield value_finding(COUNTER_TOO_SMALL, each.parent, message, _REMEDY, seen)


def _relations(parent: Entity, child: Entity) -> Iterator[_Relation]:
    own = own_identifier(parent.label, tuple(parent.fields.values()))
    in_key = {name for part in parent.base.parts for name in part.fields}
    if own is None or in_key != {own.name}:
        return
    reference = _reference(own.name, parent, child)
    of_child = {name for part in child.base.parts for name in part.fields}
    if reference is None or reference not in of_child or len(of_child) < 2:
        return
    for name, each in parent.fields.items():
        if each.type not in (int, Decimal) or name in in_key:
            continue
        is_same = name in child.fields and child.fields[name].type is each.type
        if is_same and _COUNTERS.intersection(words_of(name)) and _is_per_period(child, of_child - {reference}):
            yield _Relation(parent, own.name, child, reference, name, of_rows=False)
        elif _counts(name, child):
            yield _Relation(parent, own.name, child, reference, name, of_rows=True)


def _reference(own: str, parent: Entity, child: Entity) -> str | None:
    """Return the field of the child with the id of the parent."""
    stem = "_".join(words_of(parent.label))
    names = [f"{stem}_id"] if len(words_of(own)) == 1 else [own, f"{stem}_id"]
    return next((name for name in names if name in child.fields), None)


def _is_per_period(child: Entity, names: set[str]) -> bool:
    """Return whether there is one item per period, such as a season, so that their sum is the total."""
    fields = [child.fields[name] for name in names]
    return len(fields) == 1 and (is_time(fields[0]) or bool(_PERIODS.intersection(words_of(fields[0].name))))


def _counts(name: str, child: Entity) -> bool:
    """Return whether a field counts the items of an entity: `replies` or `reply_count`, and Reply."""
    words = [word for word in words_of(name) if word not in ("count", "number", "num", "of", "total", "nr")]
    if len(words) != 1 or not words_of(child.label):
        return False
    label = words_of(child.label)[-1]
    is_plural = words[0] in (f"{label}s", f"{label.removesuffix('y')}ies")
    return is_plural or (words[0] == label and len(words_of(name)) > 1)
