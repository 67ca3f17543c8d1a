"""DescribeKinesisStreamingDestination: returns an empty list, because Kinesis streaming is not supported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.wire.account_requests import (
    DescribeKinesisStreamingDestination,
    DescribeKinesisStreamingDestinationResult,
)

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def describe_kinesis_streaming_destination(
    engine: Engine, request: DescribeKinesisStreamingDestination
) -> DescribeKinesisStreamingDestinationResult:
    """Return an empty list of destinations, so that tools that describe tables do not fail."""
    table = engine.catalog.require_fresh(request.table_name)
    return DescribeKinesisStreamingDestinationResult(table_name=table.name, kinesis_data_stream_destinations=[])
