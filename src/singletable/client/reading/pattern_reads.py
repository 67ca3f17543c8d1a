"""Pattern reads that return no page: one item, an item collection, the ancestors in a tree, or an area."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from singletable.client.items.decoder import key_identity, key_value
from singletable.client.items.rows import Row
from singletable.client.reading.both_keys import queries_of
from singletable.client.reading.key_reads import batch_get
from singletable.client.reading.pagination import Arguments, limit_of
from singletable.client.reading.query_execution import MergedQueries
from singletable.client.reading.table_reader import ReadOptions, TableReader
from singletable.client.reading.unreadable_items import UnreadableItems, read_items
from singletable.client.request_steps import Steps
from singletable.client.responses import Item
from singletable.errors import ArgumentRefused, CollectionIncomplete, DesignBroken
from singletable.lazy_dataclass import dataclass, replace
from singletable.model.collection_shape import ShapeMember
from singletable.model.derived.geohash_cell import GeohashCell
from singletable.model.entity import Entity
from singletable.model.geohash import cell_size_m, eastward
from singletable.model.parameter_types import AREA_TYPES, Area, Box, Nearest, contains, distance_from
from singletable.planner.plan import Plan
from singletable.planner.planned_requests import Request, ancestor_keys, check_fanout, read_requests, remaining_requests


def get_one(reader: TableReader, plan: Plan, arguments: Arguments, options: ReadOptions) -> Steps[Any]:
    """Read one object with GetItem, or with a Query that finds at most one item.

    Return None if it is missing or expired.
    """
    requests = read_requests(reader.design, plan, arguments)
    if plan.operation == "GetItem":
        (body,) = yield (reader.call(requests[0], plan, options),)
        item = reader.get_item(body, plan, options)
        return None if item is None else reader.decoded((item,), plan)[0]
    items = yield from _query_all(reader, plan, requests, options.trimming(plan, arguments))
    if len(items) > 1:
        raise DesignBroken(
            f"{plan.pattern.name} found {len(items)} items, but its key must identify one; "
            f"several items of {plan.entities[0].label} have the same identity"
        )
    return reader.decoded(items, plan)[0] if items else None


def _query_all(reader: TableReader, plan: Plan, requests: Any, options: ReadOptions) -> Steps[list[Item]]:
    """Return all items of a few Queries, from all pages."""
    calls = [reader.call(request, plan, options) for request in requests]
    items: list[Item] = []
    while calls:
        bodies = yield calls
        following = []
        for call, body in zip(calls, bodies, strict=True):
            response = reader.page(body, plan, options)
            items += response.items
            if response.last_evaluated_key is not None and plan.limit is None:
                following.append(
                    call._replace(parameters={**call.parameters, "ExclusiveStartKey": response.last_evaluated_key})
                )
        calls = following
    return items


@dataclass
class _MemberObjects:
    """The objects of one member of a collection."""

    member: ShapeMember
    entity: Entity
    plan: Plan
    count: int = 0
    objects: list[Any] = field(default_factory=list)

    def add(self, reader: TableReader, items: Sequence[Item], unreadable: UnreadableItems | None) -> None:
        """Decode and add the items of this member."""
        found = [item for item in items if reader.item_types.entity_of(item) is self.entity]
        self.count += len(found)
        if self.member.kind == "one":
            unreadable = None  # a required member has no substitute, so the read raises its error
        self.objects += read_items(reader.decoder(self.entity, self.plan), found, unreadable).objects

    def value(self, pattern: str, shape: type) -> Any:
        """Return the value of this member for the collection class.

        Raise CollectionIncomplete for a wrong number of items.
        """
        if self.member.kind == "many":
            return self.objects
        if self.count > 1 or (self.member.kind == "one" and not self.count):
            raise CollectionIncomplete(
                f"{pattern} found {self.count} {self.member.entity.__name__} items, but {shape.__name__} takes one"
            )
        return self.objects[0] if self.objects else None


def read_collection(reader: TableReader, plan: Plan, arguments: Arguments, options: ReadOptions) -> Steps[Any]:
    """Read a whole item collection into its class.

    Return None if it is empty; raise CollectionIncomplete if items are missing.
    """
    requests = read_requests(reader.design, plan, arguments)
    options = options.trimming(plan, arguments)
    unreadable = reader.unreadable_items(warn_as=plan.pattern.name)
    found = queries_of(reader, plan, arguments, requests, [None] * len(requests), options, unreadable=unreadable)
    limit = limit_of(plan, arguments, options)
    count = None if limit is None or plan.limit is None else limit + plan.limit.extra
    members = [_MemberObjects(member, entity, plan) for member, entity in zip(plan.members, plan.entities, strict=True)]
    is_empty = True
    while items := (yield from found.take(count)):
        is_empty = False
        for member in members:
            member.add(reader, items, unreadable)
        if count is not None:
            break
    if is_empty:
        return None
    shape = getattr(plan.pattern.intent, "shape")  # noqa: B009  # the intent of a collection has a shape
    return shape(**{each.member.name: each.value(plan.pattern.name, shape) for each in members})


def read_ancestors(reader: TableReader, plan: Plan, arguments: Arguments, options: ReadOptions) -> Steps[list[Any]]:
    """Read the nodes from the root of a tree down to a path, the root first. Omit missing and expired nodes."""
    names = reader.design.table.key_attributes
    keys = ancestor_keys(plan, arguments)
    consistent = plan.consistent if options.consistent is None else options.consistent
    found = yield from batch_get(reader, keys, plan.pattern.name, {"ConsistentRead": True} if consistent else {})
    items = [found[identity] for identity in (key_identity(key, names) for key in keys) if identity in found]
    unreadable = reader.unreadable_items(warn_as=plan.pattern.name)
    return reader.decoded(reader.matching(items, plan, options), plan, unreadable)


def read_area(reader: TableReader, plan: Plan, arguments: Arguments, options: ReadOptions) -> Steps[list[Any]]:
    """Read the objects inside an area, from all cells that overlap the area or from rings of cells around a point."""
    if options.limit is not None or options.cursor is not None:
        raise ArgumentRefused(
            f"{plan.pattern.name} returns a whole area and takes no limit or cursor; "
            "use Nearest(..., count, meters=...) to limit the number of items"
        )
    options = options.trimming(plan, arguments)
    cells = next(spread.source for spread in plan.fan_outs if isinstance(spread.source, GeohashCell))
    name, area = next((name, value) for name, value in arguments.items() if isinstance(value, AREA_TYPES))
    places = _Places(area, cells, reader.design.table.key_attributes)
    if isinstance(area, Nearest):
        yield from _read_rings(reader, plan, arguments, options, name, places)
        return places.in_order[: area.count]
    yield from _read(reader, plan, read_requests(reader.design, plan, arguments), options, places)
    return places.in_order


@dataclass
class _Places:
    """The objects found in an area, each with its sort key."""

    area: Any
    cells: GeohashCell
    key_names: tuple[str, ...]
    found: list[tuple[tuple[Any, ...], Any]] = field(default_factory=list)

    def add(self, item: Mapping[str, Any] | Row, each: Any) -> None:
        """Add an object if it is inside the area."""
        latitude, longitude = (float(getattr(each, name)) for name in self.cells.fields)
        if contains(self.area, latitude, longitude):
            key = tuple(_in_key_order(key_value(item[name])) for name in self.key_names)
            self.found.append(((*_rank(self.area, latitude, longitude), *key), each))

    @property
    def in_order(self) -> list[Any]:
        """The objects in the order that the area defines, then by key."""
        return [each for _, each in sorted(self.found, key=lambda pair: pair[0])]

    def distance_of(self, count: int) -> float | None:
        """Return the distance of the `count`-th nearest object, or None if there are fewer objects."""
        distances = sorted(rank[0] for rank, _ in self.found)
        return distances[count - 1] if len(distances) >= count else None


def _rank(area: Area, latitude: float, longitude: float) -> tuple[float, ...]:
    if isinstance(area, Box):
        return latitude, *eastward(area.west, longitude)
    return (distance_from(area, latitude, longitude),)


def _in_key_order(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value


def _read_rings(
    reader: TableReader, plan: Plan, arguments: Arguments, options: ReadOptions, name: str, places: _Places
) -> Steps[None]:
    """Read rings of cells outwards, until no unread object can be nearer than the nearest objects found.

    All objects within `covered` metres were read, so objects that are nearer than this distance are final. When enough
    objects were found, the farthest of them bounds the search: one more ring contains every object that could be
    nearer.
    """
    area: Nearest = places.area
    check_fanout(plan, arguments)  # rejects an area that could exceed the declared fan-out, even if the area is empty
    step = cell_size_m(places.cells.precision, 0)[0]
    cells_read: set[tuple[str, ...]] = set()
    covered = 0.0
    while True:
        ring = {**arguments, name: replace(area, meters=covered)}
        requests = remaining_requests(reader.design, plan, ring, cells_read)
        if requests:
            yield from _read(reader, plan, requests, options, places)
        last = places.distance_of(area.count)
        if covered >= area.meters or (last is not None and last <= covered):
            return
        covered = min(covered + step, area.meters) if last is None else last


def _read(
    reader: TableReader, plan: Plan, requests: Sequence[Request], options: ReadOptions, places: _Places
) -> Steps[None]:
    """Read all items of the Queries, and add the items inside the area."""
    unreadable = reader.unreadable_items(warn_as=plan.pattern.name)
    found = MergedQueries(reader, plan, requests, [None] * len(requests), options, unreadable=unreadable)
    while items := (yield from found.take(None)):
        for item, each in zip(*reader.readable(items, plan, unreadable), strict=True):
            places.add(item, each)
