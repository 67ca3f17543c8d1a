"""The refusal of a request that is too much for now, with the reason in the service's form."""

from __future__ import annotations

from typing import Literal

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


class Throttled(RequestRefused):
    """A request, or an action of one, that is not let through now; `cancellation_code` is what a transaction says."""

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
            words = _CEILING if limit == "MaxOnDemandThroughputExceeded" else _HOT_KEY
            # The service's own model spells this exception's member with a small letter.
            super().__init__("ThrottlingException", words, throttlingReasons=reasons)
