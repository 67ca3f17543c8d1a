"""Reads of many items: a page with its cursor, all of them, their number, or a whole collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from singletable.client.answers import Item, read_page
from singletable.client.options import Options
from singletable.client.reading.by_keys import batch_get, identity
from singletable.client.reading.ranges import Position, Range
from singletable.client.reading.reader import Reader
from singletable.client.reading.straight import Straight
from singletable.client.reading.unreadable import UnreadableItems, read_items
from singletable.client.steps import Call, Steps
from singletable.errors import CollectionIncomplete, CursorRefused
from singletable.model.entity import Entity
from singletable.model.page import Page
from singletable.model.shape import Member
from singletable.planner.bind import read_requests
from singletable.planner.plan import Plan

Arguments = Mapping[str, Any]


def query_page(reader: Reader, plan: Plan, arguments: Arguments, options: Options) -> Steps[Page[Any]]:
    """One page: `limit` items, or what DynamoDB reads in one go, and the cursors behind and before them."""
    name, asked = plan.pattern.name, _question(arguments)
    requests = read_requests(reader.design, plan, arguments)
    positions: Sequence[Position] = [None] * len(requests)
    backwards, text = False, options.cursor or arguments.get("cursor")
    unreadable = reader.unreadable_items()
    if text is None and reader.is_straight(plan):
        straight = Straight(reader, plan, requests[0], options, unreadable)
        objects = yield from straight.take(_limit(plan, arguments, options))
        ahead = straight.positions
        cursor = None if ahead is None else reader.cursors.text(name, asked, ahead)
        return Page(objects, cursor) if unreadable is None else Page(objects, cursor, None, tuple(unreadable.listed))
    if text is not None:
        place = reader.cursors.place(name, asked, text)
        backwards, positions = place.backwards, place.positions
        if len(positions) != len(requests):
            raise CursorRefused(f"{name}: the cursor is of another number of Queries; ask for the first page again")
    found = Range(reader, plan, requests, positions, options, backwards=backwards, unreadable=unreadable)
    objects = yield from _taken(reader, plan, found, _limit(plan, arguments, options), options)
    if backwards:
        yield from found.look_ahead()
        objects.reverse()
    ahead = found.positions
    # What starts at the beginning, or from the end, has nothing behind it.
    behind = None if all(position is None for position in positions) else found.turned
    further = None if ahead is None else reader.cursors.text(name, asked, ahead, backwards=backwards)
    back = None if behind is None else reader.cursors.text(name, asked, behind, backwards=not backwards)
    listed = () if unreadable is None else tuple(unreadable.listed)
    return Page(objects, back, further, listed[::-1]) if backwards else Page(objects, further, back, listed)


def query_all(reader: Reader, plan: Plan, arguments: Arguments, options: Options) -> Range | Straight:
    """Everything that the pattern answers, to be taken piece by piece; warnings report unreadable items."""
    requests = read_requests(reader.design, plan, arguments)
    unreadable = reader.unreadable_items(warn_as=plan.pattern.name)
    if reader.is_straight(plan):
        return Straight(reader, plan, requests[0], options, unreadable)
    return Range(reader, plan, requests, [None] * len(requests), options, unreadable=unreadable)


def next_objects(reader: Reader, plan: Plan, found: Range | Straight, options: Options) -> Steps[list[Any] | None]:
    """Return the next objects of a range: an empty list if all items are unreadable, None at the end."""
    if isinstance(found, Straight):
        objects = yield from found.take(None)
        return None if not objects and found.is_over else objects
    items = yield from found.take(None)
    if not items:
        return None
    return (yield from _objects(reader, plan, items, options, found.unreadable))


@dataclass
class _Keys:
    """A view of no fields at all: an item by its keys alone."""


def count_all(reader: Reader, plan: Plan, arguments: Arguments, options: Options) -> Steps[int]:
    """How many items the pattern answers; they are counted where they are, unless they must be told apart here."""
    must_look = bool(plan.foreign) or reader.design.ttl_attribute is not None or plan.hydrate
    plan = replace(plan, view=_Keys if must_look else None)
    requests = read_requests(reader.design, plan, arguments)
    if must_look:
        found = Range(reader, plan, requests, [None] * len(requests), options)
        total = 0
        while items := (yield from found.take(None)):
            if plan.hydrate and not _tells_expiry(reader, plan):
                items = yield from hydrated(reader, plan, items, options)
            total += len(items)
        return total
    calls = [reader.call(request, plan, options, Select="COUNT") for request in requests]
    for call in calls:
        call.parameters.pop("Limit", None)
    total = 0
    while calls:
        bodies = yield calls
        following: list[Call] = []
        for call, body in zip(calls, bodies, strict=True):
            answer = read_page(body)
            reader.consumed(plan, answer.consumed_capacity)
            total += answer.count
            if answer.last_evaluated_key is not None:
                start = {"ExclusiveStartKey": answer.last_evaluated_key}
                following.append(call._replace(parameters={**call.parameters, **start}))
        calls = following
    return total


@dataclass
class _Found:
    """The objects of one member of a collection."""

    member: Member
    entity: Entity
    count: int = 0
    objects: list[Any] = field(default_factory=list)

    def add(self, reader: Reader, items: Sequence[Item], unreadable: UnreadableItems | None) -> None:
        """Decode and add the items of this member."""
        found = [item for item in items if reader.kinds.entity_of(item) is self.entity]
        self.count += len(found)
        if self.member.kind == "one":
            unreadable = None  # a required member has no substitute, so its error is raised
        self.objects += read_items(reader.kinds.decoder(self.entity), found, unreadable).objects

    def value(self, pattern: str, shape: type) -> Any:
        """Return the value for the shape; raises CollectionIncomplete for a wrong number of items."""
        if self.member.kind == "many":
            return self.objects
        if self.count > 1 or (self.member.kind == "one" and not self.count):
            raise CollectionIncomplete(
                f"{pattern} found {self.count} {self.member.entity.__name__} where {shape.__name__} has one"
            )
        return self.objects[0] if self.objects else None


def collect(reader: Reader, plan: Plan, arguments: Arguments, options: Options) -> Steps[Any]:
    """A whole item collection as its shape; None when nothing is there, an error when a required member is missing."""
    requests = read_requests(reader.design, plan, arguments)
    unreadable = reader.unreadable_items(warn_as=plan.pattern.name)
    found = Range(reader, plan, requests, [None] * len(requests), options, unreadable=unreadable)
    limit = _limit(plan, arguments, options)
    count = None if limit is None or plan.limit is None else limit + plan.limit.extra
    members = [_Found(member, entity) for member, entity in zip(plan.members, plan.wanted, strict=True)]
    is_there = False
    while items := (yield from found.take(count)):
        is_there = True
        for member in members:
            member.add(reader, items, unreadable)
        if count is not None:
            break
    if not is_there:
        return None
    shape = getattr(plan.pattern.intent, "shape")  # noqa: B009  # a collection's intent has one
    return shape(**{each.member.name: each.value(plan.pattern.name, shape) for each in members})


def _taken(reader: Reader, plan: Plan, found: Range, limit: int | None, options: Options) -> Steps[list[Any]]:
    """The objects of a page; for those that an index still holds, and that are gone or have expired, others follow."""
    objects: list[Any] = []
    read, enough = 0, 1 if limit is None else limit
    while items := (yield from found.take(None if limit is None else limit - read)):
        objects += yield from _objects(reader, plan, items, options, found.unreadable)
        read = len(objects) + (0 if found.unreadable is None else found.unreadable.count)
        if not plan.hydrate or read >= enough or found.positions is None:
            break
    return objects


def _objects(
    reader: Reader, plan: Plan, items: list[Item], options: Options, unreadable: UnreadableItems | None
) -> Steps[list[Any]]:
    """The objects of items that a range gave, whole where the index holds only a part of them."""
    if plan.hydrate:
        items = yield from hydrated(reader, plan, items, options)
    return reader.decoded(items, plan, unreadable)


def hydrated(reader: Reader, plan: Plan, items: list[Item], options: Options) -> Steps[list[Item]]:
    """The whole items from the table, in the same order; one that is gone by now is left out."""
    names = reader.design.table.key_attributes
    keys = {identity(item, names): {name: item[name] for name in names} for item in items}
    whole = yield from batch_get(reader, keys.values(), plan.pattern.name)
    found = [whole[identity(item, names)] for item in items if identity(item, names) in whole]
    return [item for item in found if reader.is_alive(item, options)]


def _tells_expiry(reader: Reader, plan: Plan) -> bool:
    """Whether what the index holds of an item says when it expires, if any does."""
    ttl, index = reader.design.ttl_attribute, plan.index
    return ttl is None or index.projection.kind == "ALL" or ttl in {*index.projection.attributes, *index.key_attributes}


def _limit(plan: Plan, arguments: Arguments, options: Options) -> int | None:
    if options.limit is not None:
        return options.limit
    if plan.limit is None:
        return None
    count = plan.limit.count
    limit: int = count if isinstance(count, int) else arguments[count.name]
    return limit


def _question(arguments: Arguments) -> dict[str, Any]:
    """What a cursor is bound to: everything but how much is asked for, and from where."""
    return {name: value for name, value in arguments.items() if name not in ("limit", "cursor")}
