"""Settings of tables that differ from DynamoDB Local's by intent: what may change, how often, in which words."""

from __future__ import annotations

import re

from tests.differential.ask import Exchange
from tests.differential.compare import REFUSAL, Difference
from tests.differential.justification import Applies, Justified, at, both_refuse, overlooked

OLD_NAMED = re.compile(r"^Can not use both .* Non-expression parameters: {(.*)} Expression parameters: ")


def _refused_in(ours: str, theirs: str) -> Applies:
    """UpdateTable, which both refuse: we in the one way, Local in the other."""

    def applies(exchange: Exchange, difference: Difference) -> bool:
        is_both = exchange.action == "UpdateTable" and both_refuse(exchange, difference)
        told = (exchange.ours.message, exchange.theirs.message)
        return is_both and re.search(ours, told[0]) is not None and re.search(theirs, told[1]) is not None

    return applies


def _has_no_such_class(exchange: Exchange, difference: Difference) -> bool:
    """We refuse the class, whatever Local says: it takes any, and looks at the table alone."""
    asked = exchange.request.get("TableClass")
    is_refused = difference.path == REFUSAL and exchange.ours.message.startswith("Invalid table-class parameter")
    return is_refused and asked not in ("STANDARD", "STANDARD_INFREQUENT_ACCESS")


def _has_empty_old_parameters(exchange: Exchange, difference: Difference) -> bool:
    """We refuse old parameters beside expressions, and those that we name are empty."""
    named = OLD_NAMED.match(exchange.ours.message) if exchange.ours.is_refused else None
    if difference.path != REFUSAL or named is None:
        return False
    return all(exchange.request.get(name) == {} for name in named[1].split(", "))


TABLE_SETTINGS = (
    Justified(
        "time to live",
        'is changed once an hour at most ("UpdateTimeToLive"); Local takes every change',
        overlooked("Time to live has been modified multiple times within a fixed interval", "UpdateTimeToLive"),
    ),
    Justified(
        "indexes that are not there",
        "are named with their table (controller's captures, DDB-TABLE-161); Local names neither, or calls it "
        "an invalid name",
        _refused_in(
            "^Requested resource not found: Index ",
            "^Requested resource not found$|^Invalid global secondary index name$",
        ),
    ),
    Justified(
        "indexes of a table that pays per request",
        'have no units ("ProvisionedThroughputDescription"); Local keeps those that were bought before',
        at(r"GlobalSecondaryIndexes\[\]\.ProvisionedThroughput\.(Read|Write)CapacityUnits$", ours=0),
    ),
    Justified(
        "changes that go alone",
        "are refused beside others, nearly every pair of them (controller's captures, DDB-TABLE-174, 382 and 433); "
        "Local does them all",
        overlooked(
            "must be the only operation in the request|can only be combined with BillingMode|cannot be specified when "
            "updating WarmThroughput|You cannot (create or delete index|modify stream status) while",
            "UpdateTable",
        ),
    ),
    Justified(
        "old parameters that are empty",
        "count as given beside expressions: an empty AttributeUpdates does (dynalite's tests of UpdateItem), and an "
        "empty Expected (issue 142 of amazonka); Local overlooks them",
        _has_empty_old_parameters,
    ),
    Justified(
        "table classes that are none",
        "are refused in words of their own (Alternator's tests; controller's captures, DDB-TABLE-442); Local takes any",
        _has_no_such_class,
    ),
)
