"""Requests and results about limits, endpoints, replicas, global tables and Kinesis destinations."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from singletable.wire.api_types import Result, Shape
from singletable.wire.table_requests import NamedTable


class DescribeLimits(Shape, kw_only=True, frozen=True):
    """Request the capacity limits of the account."""


class DescribeLimitsResult(Result, kw_only=True, frozen=True):
    """The maximum provisioned units per second of the account and of one table."""

    account_max_read_capacity_units: int
    account_max_write_capacity_units: int
    table_max_read_capacity_units: int
    table_max_write_capacity_units: int


class DescribeEndpoints(Shape, kw_only=True, frozen=True):
    """Request the endpoints of the API."""


class DescribeEndpointsResult(Result, kw_only=True, frozen=True):
    """The addresses of the endpoints, and how long a client may cache them."""

    endpoints: list[dict[str, Any]]


class DescribeKinesisStreamingDestination(Shape, kw_only=True, frozen=True):
    """Request the Kinesis streams that receive a table's changes."""

    table_name: NamedTable


class DescribeKinesisStreamingDestinationResult(Result, kw_only=True, frozen=True):
    """The Kinesis streams of a table; the engine has none, so the list is empty."""

    table_name: str
    kinesis_data_stream_destinations: list[dict[str, Any]]


class DescribeTableReplicaAutoScaling(Shape, kw_only=True, frozen=True):
    """Request the auto scaling settings of a table's replicas."""

    table_name: NamedTable


class DescribeGlobalTable(Shape, kw_only=True, frozen=True):
    """Request the description of a global table of version 2017.11.29."""

    global_table_name: str


class DescribeGlobalTableSettings(Shape, kw_only=True, frozen=True):
    """Request the settings of a global table of version 2017.11.29."""

    global_table_name: str


class ListGlobalTables(Shape, kw_only=True, frozen=True):
    """Request the global tables of version 2017.11.29."""

    exclusive_start_global_table_name: str | None = None
    limit: Annotated[int, Meta(ge=1)] | None = None
    region_name: str | None = None


class ListGlobalTablesResult(Result, kw_only=True, frozen=True):
    """The global tables; the engine has none, so the list is empty."""

    global_tables: list[dict[str, Any]]


class UnservedAction(Shape, kw_only=True, frozen=True):
    """A request for an action that the engine does not support; it may have any parameters."""
