"""The nodes on the way from the root of a tree down to a path: keys that are all computed, read in batches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from singletable.client.options import Options
from singletable.client.reading.by_keys import batch_get, identity
from singletable.client.reading.reader import Reader
from singletable.client.steps import Steps
from singletable.planner.bind import keys_above
from singletable.planner.plan import Plan


def on_the_way_down(reader: Reader, plan: Plan, arguments: Mapping[str, Any], options: Options) -> Steps[list[Any]]:
    """The objects, the root's first; what is not there, or has expired, is left out."""
    names = reader.design.table.key_attributes
    keys = keys_above(plan, arguments)
    consistent = plan.consistent if options.consistent is None else options.consistent
    found = yield from batch_get(reader, keys, plan.pattern.name, {"ConsistentRead": True} if consistent else {})
    items = [found[place] for place in (identity(key, names) for key in keys) if place in found]
    unreadable = reader.unreadable_items(warn_as=plan.pattern.name)
    return reader.decoded(reader.wanted(items, plan, options), plan, unreadable)
