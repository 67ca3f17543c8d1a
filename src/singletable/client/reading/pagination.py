"""Pagination: pages of a query with cursors, iteration over all items, and counts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from singletable.client.items.decoder import key_identity
from singletable.client.reading.both_keys import accepted_forms, position_count, queries_of
from singletable.client.reading.key_reads import batch_get
from singletable.client.reading.query_execution import MergedQueries, Position, SingleQuery
from singletable.client.reading.table_reader import ReadOptions, TableReader
from singletable.client.reading.unreadable_items import UnreadableItems
from singletable.client.request_steps import Call, Steps
from singletable.client.responses import Item, read_page
from singletable.errors import CursorRefused, RequestRefused
from singletable.lazy_dataclass import dataclass, replace
from singletable.model.intents import Page
from singletable.planner.plan import Plan
from singletable.planner.planned_requests import read_requests
from singletable.planner.trims import trimmed_attributes

Arguments = Mapping[str, Any]
_START_KEY = re.compile(r"exclusive start key|starting key|cannot be restarted", re.IGNORECASE)
"""The words with which DynamoDB rejects a position outside the range of a Query."""


def query_page(reader: TableReader, plan: Plan, arguments: Arguments, options: ReadOptions) -> Steps[Page[Any]]:
    """Return one page of `limit` items, or of one DynamoDB page, with cursors to the next and previous pages."""
    name, bound = plan.pattern.name, _bound_arguments(arguments)
    requests = read_requests(reader.design, plan, arguments)
    options = options.trimming(plan, arguments)
    positions: Sequence[Position] = [None] * len(requests)
    backwards, text, form = False, options.cursor or arguments.get("cursor"), reader.key_form(plan)
    unreadable = reader.unreadable_items()
    if text is None and reader.has_fast_path(plan):
        single = SingleQuery(reader, plan, requests[0], options, unreadable)
        objects = yield from single.take(limit_of(plan, arguments, options))
        ahead = single.positions
        cursor = None if ahead is None else reader.cursors.encode(name, bound, ahead, key_form=form)
        return Page(objects, cursor) if unreadable is None else Page(objects, cursor, None, tuple(unreadable.listed))
    if text is not None:
        position = reader.cursors.decode(name, bound, text)
        backwards, positions = position.backwards, position.positions
        if len(positions) != position_count(reader, plan, requests):
            raise CursorRefused(f"{name}: the cursor has a different number of Queries; request the first page again")
        known = {*plan.index.key_attributes, *reader.design.table.key_attributes}
        if any(isinstance(each, dict) and not each.keys() <= known for each in positions):
            raise CursorRefused(f"{name}: the cursor was issued for another index; request the first page again")
        if position.key_form not in accepted_forms(reader, plan):
            raise _of_other_keys(name)
    found = queries_of(
        reader, plan, arguments, requests, positions, options, backwards=backwards, unreadable=unreadable
    )
    try:
        objects = yield from _page_objects(reader, plan, found, limit_of(plan, arguments, options), options)
        if backwards:
            yield from found.look_ahead()
    except RequestRefused as problem:
        if text is not None and _START_KEY.search(problem.message) is not None:
            raise _of_other_keys(name) from None
        raise
    if backwards:
        objects.reverse()
    ahead = found.positions
    # A read that starts at the first or last item has no page before it.
    behind = None if all(position is None for position in positions) else found.reversed_positions
    further = None if ahead is None else reader.cursors.encode(name, bound, ahead, key_form=form, backwards=backwards)
    back = (
        None if behind is None else reader.cursors.encode(name, bound, behind, key_form=form, backwards=not backwards)
    )
    listed = () if unreadable is None else tuple(unreadable.listed)
    return Page(objects, back, further, listed[::-1]) if backwards else Page(objects, further, back, listed)


def _of_other_keys(name: str) -> CursorRefused:
    return CursorRefused(
        f"{name}: the keys of the items have changed since the cursor was issued; request the first page again"
    )


def start_query(
    reader: TableReader, plan: Plan, arguments: Arguments, options: ReadOptions
) -> MergedQueries | SingleQuery:
    """Return the query that iterates over all items of a pattern. The query warns of each unreadable item."""
    requests = read_requests(reader.design, plan, arguments)
    unreadable = reader.unreadable_items(warn_as=plan.pattern.name)
    if reader.has_fast_path(plan):
        return SingleQuery(reader, plan, requests[0], options, unreadable)
    options = options.trimming(plan, arguments)
    return queries_of(reader, plan, arguments, requests, [None] * len(requests), options, unreadable=unreadable)


def next_objects(reader: TableReader, plan: Plan, found: MergedQueries | SingleQuery) -> Steps[list[Any] | None]:
    """Return the next objects of a query: an empty list if all items are unreadable, None at the end of the query."""
    if isinstance(found, SingleQuery):
        objects = yield from found.take(None)
        return None if not objects and found.is_over else objects
    items = yield from found.take(None)
    if not items:
        return None
    return (yield from _objects(reader, plan, items, found.options, found.unreadable))


@dataclass
class _KeysOnly:
    """A view without fields, for reads that need only the keys."""


def count_all(reader: TableReader, plan: Plan, arguments: Arguments, options: ReadOptions) -> Steps[int]:
    """Return the number of items that a pattern finds. DynamoDB counts them unless the client must check each item."""
    has_others = bool(plan.other_entities) or bool(plan.trims)
    merges = reader.both_keys is not None and reader.both_keys.merges(plan)
    must_check = merges or has_others or reader.design.ttl_attribute is not None or plan.hydrate
    plan = replace(plan, view=_KeysOnly if must_check else None)
    requests = read_requests(reader.design, plan, arguments)
    if must_check:
        options = options.trimming(plan, arguments)
        found = queries_of(reader, plan, arguments, requests, [None] * len(requests), options)
        total = 0
        while items := (yield from found.take(None)):
            if plan.hydrate and not _has_checked_attributes(reader, plan):
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
            response = read_page(body)
            reader.count_capacity(plan, response.consumed_capacity)
            total += response.count
            if response.last_evaluated_key is not None:
                start = {"ExclusiveStartKey": response.last_evaluated_key}
                following.append(call._replace(parameters={**call.parameters, **start}))
        calls = following
    return total


def _page_objects(
    reader: TableReader, plan: Plan, found: MergedQueries, limit: int | None, options: ReadOptions
) -> Steps[list[Any]]:
    """Return the objects of a page. If an index still lists deleted or expired items, later items fill the page."""
    objects: list[Any] = []
    read, enough = 0, 1 if limit is None else limit
    while items := (yield from found.take(None if limit is None else limit - read)):
        objects += yield from _objects(reader, plan, items, options, found.unreadable)
        read = len(objects) + (0 if found.unreadable is None else found.unreadable.count)
        if not plan.hydrate or read >= enough or found.positions is None:
            break
    return objects


def _objects(
    reader: TableReader, plan: Plan, items: list[Item], options: ReadOptions, unreadable: UnreadableItems | None
) -> Steps[list[Any]]:
    """Return the objects of items. If the index contains only some attributes, read the whole items from the table."""
    if plan.hydrate:
        items = yield from hydrated(reader, plan, items, options)
    return reader.decoded(items, plan, unreadable)


def hydrated(reader: TableReader, plan: Plan, items: list[Item], options: ReadOptions) -> Steps[list[Item]]:
    """Return the whole items from the table in the same order, without deleted and expired items."""
    names = reader.design.table.key_attributes
    keys = {key_identity(item, names): {name: item[name] for name in names} for item in items}
    whole = yield from batch_get(reader, keys.values(), plan.pattern.name)
    found = [whole[key_identity(item, names)] for item in items if key_identity(item, names) in whole]
    return reader.trimmed([item for item in found if reader.is_alive(item, options)], plan, options)


def _has_checked_attributes(reader: TableReader, plan: Plan) -> bool:
    """Return whether the index contains the time-to-live attribute and the times that the client checks."""
    ttl, index = reader.design.ttl_attribute, plan.index
    trimmed = set(trimmed_attributes(plan))
    checked = trimmed if ttl is None else {*trimmed, ttl}
    return index.projection.kind == "ALL" or checked <= {*index.projection.attributes, *index.key_attributes}


def limit_of(plan: Plan, arguments: Arguments, options: ReadOptions) -> int | None:
    """Return the number of items to read, from the options or the plan; None if there is no limit."""
    if options.limit is not None:
        return options.limit
    if plan.limit is None:
        return None
    count = plan.limit.count
    limit: int = count if isinstance(count, int) else arguments[count.name]
    return limit


def _bound_arguments(arguments: Arguments) -> dict[str, Any]:
    """Return the arguments to which a cursor is bound: all except `limit` and `cursor`."""
    return {name: value for name, value in arguments.items() if name not in ("limit", "cursor")}
