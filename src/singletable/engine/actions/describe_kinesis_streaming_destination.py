"""DescribeKinesisStreamingDestination: the Kinesis streams that a table's changes go to, of which there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.wire.surroundings import (
    DescribeKinesisStreamingDestination,
    DescribeKinesisStreamingDestinationResult,
)

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def describe_kinesis_streaming_destination(
    engine: Engine, request: DescribeKinesisStreamingDestination
) -> DescribeKinesisStreamingDestinationResult:
    """Tells tools that look, and do not ask for one, that there is none."""
    table = engine.catalog.require_fresh(request.table_name)
    return DescribeKinesisStreamingDestinationResult(table_name=table.name, kinesis_data_stream_destinations=[])
