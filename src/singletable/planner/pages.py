"""Count the pages (requests) that the whole result of a Query needs, and compute the limit that makes it one page."""

from __future__ import annotations

import math
from collections.abc import Sequence

from singletable.lazy_dataclass import dataclass
from singletable.model.design import Design
from singletable.model.intents import CollectionIntent, FeedIntent, QueryIntent
from singletable.planner.item_sizes import ItemSizes
from singletable.planner.items_read import (
    EntityCount,
    count_items_read,
    count_wasted_items,
    limit_of_call,
    query_count,
    share_kept,
)
from singletable.planner.plan import EXAMINED_MAX, EXAMINED_MIN, PageCount, Plan
from singletable.values.item_size import read_units
from singletable.values.limits import PAGE_BYTES_MAX


@dataclass(frozen=True)
class QueryRead:
    """The amounts that each Query of a call reads: pages, blocks of 4 KB, items and bytes."""

    pages: int
    blocks: int
    items: int
    bytes: int


def count_pages(design: Design, plan: Plan) -> PageCount:
    """Return the number of pages of each Query, computed from the sizes that the model declares."""
    if plan.operation != "Query" or plan.pattern.is_write:
        return PageCount()
    sizes, guessed = ItemSizes(design), dict[str, None]()
    found = count_items_read(sizes, plan, guessed, 1.0)
    unknown = tuple(each.entity.label for each in found if not each.is_known)
    read = read_of_query(sizes, plan, found, 1.0)
    return PageCount(
        None if unknown else read.pages,
        read.items,
        read.bytes,
        bool(guessed),
        bool(guessed) or any(sizes.guessed_entry(each.entity, plan.index.alias) for each in found),
        _one_page_limit(sizes, plan, found),
        unknown,
    )


def read_of_query(sizes: ItemSizes, plan: Plan, found: Sequence[EntityCount], scale: float) -> QueryRead:
    """Return the amounts that each Query of a call reads, if the call reads the items in `found`."""
    queries = query_count(plan)
    total = sum(each.items for each in found)
    total_bytes = sum(each.items * sizes.entry(each.entity, plan.index.alias) for each in found)
    items, read_bytes = math.ceil(total / queries), math.ceil(total_bytes / queries)
    pages, blocks = _pages_and_blocks(items, read_bytes)
    limit = limit_of_call(plan)
    if limit is not None and _hides_items(plan):
        returned = total - count_wasted_items(plan, found, scale)
        share = None if share_kept(plan) is None else returned / max(1, total)
        pages = max(pages, _requests_to_fill(limit, items, share))
    return QueryRead(pages, blocks, items, read_bytes)


def _pages_and_blocks(items: int, read_bytes: int) -> tuple[int, int]:
    """Return the number of pages and of 4 KB blocks of a Query. DynamoDB rounds up each page separately."""
    if read_bytes <= PAGE_BYTES_MAX or items <= 1:
        return 1, int(read_units(read_bytes, 1))
    size = read_bytes / items
    per_page = math.ceil(PAGE_BYTES_MAX / size)  # a page ends with the item that exceeds 1 MB
    full, rest = divmod(items, per_page)
    units = full * int(read_units(math.ceil(per_page * size), 1))
    return full + bool(rest), units + (int(read_units(math.ceil(rest * size), 1)) if rest else 0)


def _hides_items(plan: Plan) -> bool:
    """Return whether DynamoDB reads items that a call does not return.

    The client then continues to read to fill a page.
    """
    return plan.filter is not None or bool(plan.other_entities)


def _requests_to_fill(limit: int, items: int, share: float | None) -> int:
    """Return how many requests find `limit` matches among `items`, if a given share of the read items matches.

    If the share is unknown, assume the worst case: every request finds a match, but never enough matches.
    """
    if share is None:
        return max(1, math.ceil(items / max(limit, EXAMINED_MIN)))
    requests, left, missing, examined_min = 0, items, float(limit), EXAMINED_MIN
    while left > 0 and missing > 0:
        examined = min(left, math.ceil(max(missing, examined_min)))
        if missing <= examined_min and examined * share >= 1:  # all further requests examine the same number of items
            return requests + math.ceil(min(missing / share, left) / examined_min)
        requests, left, missing = requests + 1, left - examined, missing - examined * share
        if examined * share < 1:
            examined_min = min(2 * examined_min, EXAMINED_MAX)
    return max(1, requests)


def _one_page_limit(sizes: ItemSizes, plan: Plan, found: Sequence[EntityCount]) -> int | None:
    """Return the highest limit with which the Query is one page. Return None if the pattern cannot have a limit."""
    takes_limit = plan.takes_limit and isinstance(plan.pattern.intent, QueryIntent | CollectionIntent)
    if not takes_limit or plan.other_entities:
        return None
    share = share_kept(plan)
    if isinstance(plan.pattern.intent, FeedIntent):
        widest = max(sizes.entry(each.entity, plan.index.alias) for each in found)
        return max(1, PAGE_BYTES_MAX // max(1, widest))
    lists = [each for each, kind in zip(found, _kinds(plan), strict=True) if kind == "many"]
    if len(lists) != 1 or share is None:
        return None
    single_bytes = sum(sizes.entry(each.entity, plan.index.alias) for each in found if each not in lists)
    fitting = (PAGE_BYTES_MAX - single_bytes) // max(1, sizes.entry(lists[0].entity, plan.index.alias))
    if plan.filter is not None:
        fitting = math.floor(min(fitting, EXAMINED_MIN) * share)
    return fitting if fitting > 0 else None


def _kinds(plan: Plan) -> tuple[str, ...]:
    return tuple(member.kind for member in plan.members) or ("many",)
