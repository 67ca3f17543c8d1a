"""ListStreams: the streams of tables, including tables deleted within the last day."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from singletable.engine.storage import change_log_rows
from singletable.engine.streams.stream_reading import check_stream_arn, stream_of
from singletable.wire.stream_requests import ListStreams, ListStreamsResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

PAGE_STREAMS = 100


def list_streams(engine: Engine, request: ListStreams) -> ListStreamsResult:
    """List one page of streams, ordered by ARN."""
    with engine.store.reading() as connection:
        rows = change_log_rows.list_streams(connection, request.table_name)
    streams = [stream_of(row, engine.arn(row.table_name)) for row in rows]
    start = request.exclusive_start_stream_arn
    if start is not None:
        check_stream_arn(start)
        streams = [stream for stream in streams if stream.arn > start]
    page = streams[: min(request.limit or PAGE_STREAMS, PAGE_STREAMS)]
    return ListStreamsResult(
        streams=[
            {"StreamArn": stream.arn, "TableName": stream.row.table_name, "StreamLabel": stream.row.label}
            for stream in page
        ],
        last_evaluated_stream_arn=page[-1].arn if len(page) < len(streams) else UNSET,
    )
