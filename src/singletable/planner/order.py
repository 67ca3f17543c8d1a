"""Whether the order that a pattern asks for is the order of the sort key."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from singletable.model.codecs.codec import Order
from singletable.model.entity import Entity
from singletable.model.keys import NativePart
from singletable.model.template import sorted_order
from singletable.planner.key_condition import Varying
from singletable.planner.obstacles import Obstacle, Unordered, WrongOrder


@dataclass(frozen=True)
class Direction:
    """Which way the index is read, and the order of the answer in words."""

    forward: bool
    words: str
    obstacle: Obstacle | None = None


def direction(entity: Entity, varying: Varying | None, order_by: str | None, newest_first: bool) -> Direction:
    """The direction in which an index gives the order that was asked for, or the obstacle."""
    if varying is None:
        return Direction(not newest_first, "")
    asked = order_by is not None or newest_first
    fields = varying.fields
    is_time = len(fields) == 1 and entity.fields[fields[0]].type in (datetime, date)
    if order_by is not None and fields != (order_by,):
        return Direction(True, "", WrongOrder(f"the order of {order_by}", str(varying)))
    if newest_first and order_by is None and not is_time:
        return Direction(True, "", WrongOrder("newest first", f"{varying}, which is no date or datetime"))
    order, reason = _order_of(varying)
    if order is Order.NONE:
        return Direction(True, "key order", Unordered(str(varying), reason) if asked else None)
    forward = (order is Order.ASCENDING) != newest_first if asked else True
    return Direction(forward, _words(fields[0], is_time, forward == (order is Order.ASCENDING)))


def _order_of(varying: Varying) -> tuple[Order, str]:
    if isinstance(varying.part, NativePart):
        codec = varying.part.codec
        return varying.part.order, codec.unordered_reason if codec is not None else ""
    assert varying.slot is not None, "a template varies in a slot"
    return sorted_order(varying.part.template, varying.slot)


def _words(field: str, is_time: bool, ascending: bool) -> str:
    if is_time:
        return "oldest first" if ascending else "newest first"
    return f"by {field}" if ascending else f"by {field}, descending"
