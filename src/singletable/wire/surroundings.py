"""What surrounds the tables, on the wire: limits, endpoints, and the replicas and destinations they have none of."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from singletable.wire.shape import Result, Shape
from singletable.wire.tables import NamedTable


class DescribeLimits(Shape, kw_only=True, frozen=True):
    """The most that an account may buy."""


class DescribeLimitsResult(Result, kw_only=True, frozen=True):
    """Units a second, for the account and for one table."""

    account_max_read_capacity_units: int
    account_max_write_capacity_units: int
    table_max_read_capacity_units: int
    table_max_write_capacity_units: int


class DescribeEndpoints(Shape, kw_only=True, frozen=True):
    """Where the API is reached."""


class DescribeEndpointsResult(Result, kw_only=True, frozen=True):
    """The addresses, and how long they may be remembered."""

    endpoints: list[dict[str, Any]]


class DescribeKinesisStreamingDestination(Shape, kw_only=True, frozen=True):
    """The streams of another service that a table's changes go to."""

    table_name: NamedTable


class DescribeKinesisStreamingDestinationResult(Result, kw_only=True, frozen=True):
    """None of them."""

    table_name: str
    kinesis_data_stream_destinations: list[dict[str, Any]]


class DescribeTableReplicaAutoScaling(Shape, kw_only=True, frozen=True):
    """How the units of a table's replicas follow its use."""

    table_name: NamedTable


class DescribeGlobalTable(Shape, kw_only=True, frozen=True):
    """What a global table of the first version is."""

    global_table_name: str


class DescribeGlobalTableSettings(Shape, kw_only=True, frozen=True):
    """The settings of a global table of the first version."""

    global_table_name: str


class ListGlobalTables(Shape, kw_only=True, frozen=True):
    """The global tables of the first version."""

    exclusive_start_global_table_name: str | None = None
    limit: Annotated[int, Meta(ge=1)] | None = None
    region_name: str | None = None


class ListGlobalTablesResult(Result, kw_only=True, frozen=True):
    """None of them."""

    global_tables: list[dict[str, Any]]


class UnservedAction(Shape, kw_only=True, frozen=True):
    """A request for what this engine does not do, whatever it says."""
