"""Lambda function: delivers the records of an event of DynamoDB Streams to handlers, with partial batch responses."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from singletable.client.table import Table
from singletable.streams.event_delivery import ATTEMPTS, Delivery
from singletable.streams.stream_records import record_from


class LambdaFunction:
    """The handler of an AWS Lambda function. Call it with an event, or give its name to Lambda."""

    def __init__(self, table: Table | type[Table], url: str, name: str | None, attempts: int) -> None:
        self._table, self._url, self._name, self._attempts = table, url, name, attempts
        self._lock = threading.Lock()
        self._delivery: Delivery | None = None

    def __call__(self, event: Mapping[str, Any], context: object = None) -> dict[str, Any]:
        """Deliver the records of an event. Return the first record to deliver again, as a partial batch response."""
        with self._lock:
            delivery = self._delivery or self._open()
            delivery.refresh()
            failed = delivery.deliver([record_from(each) for each in event.get("Records") or ()])
        return {"batchItemFailures": [] if failed is None else [{"itemIdentifier": failed.sequence}]}

    def _open(self) -> Delivery:
        is_open = isinstance(self._table, Table)
        table = self._table if isinstance(self._table, Table) else self._table.open(self._url, name=self._name)
        try:
            self._delivery = Delivery(table, attempts=self._attempts)
        except BaseException:
            if not is_open:
                table.close()
            raise
        return self._delivery

    def close(self) -> None:
        """Close the table that the function opened. Lambda ends the process instead."""
        if self._delivery is not None:
            self._delivery.close()
            if not isinstance(self._table, Table):
                self._delivery.table.close()
            self._delivery = None


def lambda_handler(
    table: Table | type[Table], *, url: str = "dynamodb://", name: str | None = None, attempts: int = ATTEMPTS
) -> LambdaFunction:
    """Return the handler of an AWS Lambda function: `handler = lambda_handler(Shop)`.

    For a table class, the function opens the table at `url` when it receives its first event. The default is DynamoDB
    in the region of the function. You can also pass an open table.

    The event source mapping must report batch item failures; `singletable export` writes one. If a record fails, the
    function reports it, and Lambda delivers this record and the following records again. After `attempts` attempts, the
    function sets the record and later records of its item aside, and continues with other items.
    """
    return LambdaFunction(table, url, name, attempts)


def lambda_event(records: list[Mapping[str, Any]], stream_arn: str) -> dict[str, Any]:
    """Return the event that Lambda makes of the records of GetRecords, for tests of a Lambda function."""
    return {"Records": [_lambda_record(each, stream_arn) for each in records]}


def _lambda_record(record: Mapping[str, Any], stream_arn: str) -> dict[str, Any]:
    changed: dict[str, Any] = {**record, "eventSourceARN": stream_arn}
    identity = changed.pop("userIdentity", None)
    if identity is not None:
        changed["userIdentity"] = {name[0].lower() + name[1:]: value for name, value in identity.items()}
    details: dict[str, Any] = {**changed["dynamodb"]}
    details["ApproximateCreationDateTime"] = int(details["ApproximateCreationDateTime"])
    return changed | {"dynamodb": details}
