"""Intended differences of table settings from DynamoDB Local: allowed changes, their frequency, and messages."""

from __future__ import annotations

import re

from tests.differential.compare import ERROR, Difference
from tests.differential.difference_matchers import Applies, IntendedDifference, at, both_reject, only_we_reject
from tests.differential.exchange import Exchange

OLD_NAMED = re.compile(r"^Can not use both .* Non-expression parameters: {(.*)} Expression parameters: ")


def _errors_in(ours: str, theirs: str) -> Applies:
    """Match an UpdateTable that both sides reject with these messages."""

    def applies(exchange: Exchange, difference: Difference) -> bool:
        is_both = exchange.action == "UpdateTable" and both_reject(exchange, difference)
        messages = (exchange.ours.message, exchange.theirs.message)
        return is_both and re.search(ours, messages[0]) is not None and re.search(theirs, messages[1]) is not None

    return applies


def _has_no_such_class(exchange: Exchange, difference: Difference) -> bool:
    """Match a table class that we reject, but Local accepts."""
    table_class = exchange.request.get("TableClass")
    is_error = difference.path == ERROR and exchange.ours.message.startswith("Invalid table-class parameter")
    return is_error and table_class not in ("STANDARD", "STANDARD_INFREQUENT_ACCESS")


def _has_empty_old_parameters(exchange: Exchange, difference: Difference) -> bool:
    """Match legacy parameters that we reject in combination with expressions, if those in the message are empty."""
    named = OLD_NAMED.match(exchange.ours.message) if exchange.ours.is_error else None
    if difference.path != ERROR or named is None:
        return False
    return all(exchange.request.get(name) == {} for name in named[1].split(", "))


TABLE_SETTINGS = (
    IntendedDifference(
        "time to live",
        'You can change the time to live setting once per hour ("UpdateTimeToLive"). Local accepts every change',
        only_we_reject("Time to live has been modified multiple times within a fixed interval", "UpdateTimeToLive"),
    ),
    IntendedDifference(
        "missing indexes",
        "The error message names the index and its table (controller's captures, DDB-TABLE-161). The message "
        "of Local names neither, or reports an invalid name",
        _errors_in(
            "^Requested resource not found: Index ",
            "^Requested resource not found$|^Invalid global secondary index name$",
        ),
    ),
    IntendedDifference(
        "throughput of indexes with on-demand billing",
        'Indexes with on-demand billing have no provisioned throughput ("ProvisionedThroughputDescription"). '
        "Local keeps the previous throughput",
        at(r"GlobalSecondaryIndexes\[\]\.ProvisionedThroughput\.(Read|Write)CapacityUnits$", ours=0),
    ),
    IntendedDifference(
        "changes that must be made separately",
        "DynamoDB rejects nearly every pair of changes in one UpdateTable (controller's captures, "
        "DDB-TABLE-174, 382 and 433). Local makes all changes at once",
        only_we_reject(
            "must be the only operation in the request|can only be combined with BillingMode|cannot be specified when "
            "updating WarmThroughput|You cannot (create or delete index|modify stream status) while",
            "UpdateTable",
        ),
    ),
    IntendedDifference(
        "empty legacy parameters",
        "A request cannot combine a legacy parameter with expressions, even if the parameter is empty: an "
        "empty AttributeUpdates (dynalite's tests of UpdateItem) or an empty Expected (issue 142 of "
        "amazonka). Local ignores empty legacy parameters",
        _has_empty_old_parameters,
    ),
    IntendedDifference(
        "invalid table classes",
        "For an invalid table class, DynamoDB has a specific error message (Alternator's tests; controller's "
        "captures, DDB-TABLE-442). Local accepts any table class",
        _has_no_such_class,
    ),
)
