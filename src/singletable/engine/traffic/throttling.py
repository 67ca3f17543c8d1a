"""Throttled requests: DynamoDB's throttling error with its reasons, and the unprocessed parts of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from singletable.errors import RequestRefused

Limit = Literal["ProvisionedThroughputExceeded", "MaxOnDemandThroughputExceeded", "KeyRangeThroughputExceeded"]

_TABLE = (
    "The level of configured provisioned throughput for the table was exceeded. "
    "Consider increasing your provisioning level with the UpdateTable API."
)
_INDEX = (
    "The level of configured provisioned throughput for one or more global secondary indexes of the table was "
    "exceeded. Consider increasing your provisioning level for the under-provisioned global secondary indexes with "
    "the UpdateTable API"
)
_CEILING = "Throughput exceeds the maximum OnDemandThroughput configured on table or index"
_HOT_KEY = (
    "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or "
    "index so please try again shortly. If exceptions persist, check if you have a hot key: "
    "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html"
)


class ThrottledRequest(RequestRefused):
    """The error for a throttled request or action. A transaction reports `cancellation_code` instead."""

    def __init__(self, limit: Limit, resource: str, *, is_index: bool, is_write: bool, is_provisioned: bool) -> None:
        reason = f"{'Index' if is_index else 'Table'}{'Write' if is_write else 'Read'}{limit}"
        reasons = [{"reason": reason, "resource": resource}]
        if is_provisioned:
            self.cancellation_code = "ProvisionedThroughputExceeded"
            super().__init__(
                "ProvisionedThroughputExceededException", _INDEX if is_index else _TABLE, ThrottlingReasons=reasons
            )
        else:
            self.cancellation_code = "ThrottlingError"
            message = _CEILING if limit == "MaxOnDemandThroughputExceeded" else _HOT_KEY
            # In AWS's service model, the name of this field begins with a lower-case letter.
            super().__init__("ThrottlingException", message, throttlingReasons=reasons)


class UnprocessedParts:
    """The parts of a batch that were not processed, in a form that the client can send again."""

    def __init__(self) -> None:
        self.by_table: dict[str, list[Any]] = {}
        self._throttled: list[ThrottledRequest] = []

    def add(self, table: str, part: Any, error: ThrottledRequest) -> None:
        """Add a throttled part."""
        self.by_table.setdefault(table, []).append(part)
        self._throttled.append(error)

    def add_all(self, table: str, parts: Sequence[Any]) -> None:
        """Add parts that did not fit into the response."""
        self.by_table.setdefault(table, []).extend(parts)

    def raise_if_all_throttled(self, count: int) -> None:
        """Raise the first throttling error if every part of a batch was throttled."""
        if self._throttled and len(self._throttled) == count:
            raise self._throttled[0]
