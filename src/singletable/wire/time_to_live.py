"""UpdateTimeToLive and DescribeTimeToLive on the wire."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from singletable.wire.shape import Result, Shape
from singletable.wire.tables import NamedTable


class TimeToLiveSpecification(Shape, kw_only=True, frozen=True):
    """Whether items expire, and by which attribute."""

    enabled: bool
    attribute_name: Annotated[str, Meta(min_length=1, max_length=255)]


class UpdateTimeToLive(Shape, kw_only=True, frozen=True):
    """Has the items of a table expire, or no longer."""

    table_name: NamedTable
    time_to_live_specification: TimeToLiveSpecification


class DescribeTimeToLive(Shape, kw_only=True, frozen=True):
    """Whether the items of a table expire."""

    table_name: NamedTable


class UpdateTimeToLiveResult(Result, kw_only=True, frozen=True):
    """What was asked for."""

    time_to_live_specification: dict[str, Any]


class DescribeTimeToLiveResult(Result, kw_only=True, frozen=True):
    """How it is."""

    time_to_live_description: dict[str, Any]
