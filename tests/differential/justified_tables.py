"""Settings of tables that differ from DynamoDB Local's by intent: what may change, how often, in which words."""

from __future__ import annotations

import re

from tests.differential.ask import Exchange
from tests.differential.compare import REFUSAL, Difference
from tests.differential.justification import Applies, Justified, at


def refused_by_us(words: str, *actions: str) -> Applies:
    """We refuse in these words, whatever Local says."""
    compiled = re.compile(words)

    def applies(exchange: Exchange, difference: Difference) -> bool:
        is_ours = difference.path == REFUSAL and exchange.ours.is_refused and exchange.action in actions
        return is_ours and compiled.search(exchange.ours.message) is not None

    return applies


TABLE_SETTINGS = (
    Justified(
        "time to live",
        'is changed once an hour at most ("UpdateTimeToLive"); Local takes every change, so that the settings part',
        refused_by_us(r"^(Time to live has been modified|TimeToLive is )", "UpdateTimeToLive"),
    ),
    Justified(
        "time to live as it is told",
        'follows from the hour between two changes ("UpdateTimeToLive"), which Local does not wait for',
        at(r"^(DescribeTimeToLive: TimeToLiveDescription|UpdateTimeToLive: )"),
    ),
    Justified(
        "indexes that are not there",
        "are named with their table; still to be judged, since no source was checked; Local names neither",
        refused_by_us(r"^Requested resource not found: Index ", "UpdateTable"),
    ),
    Justified(
        "indexes of a table that pays per request",
        'have no units ("ProvisionedThroughputDescription"); Local keeps those that were bought before',
        at(r"GlobalSecondaryIndexes\[\]\.ProvisionedThroughput\.(Read|Write)CapacityUnits$", ours=0),
    ),
    Justified(
        "changes that go alone",
        "are refused beside others; still to be judged, since no source was checked; Local does them all",
        refused_by_us(
            r"must be the only operation in the request|cannot create or delete index while updating table IOPS",
            "UpdateTable",
        ),
    ),
    Justified(
        "old parameters that are empty",
        "count as given beside expressions; still to be judged, since no source was checked; Local overlooks them",
        refused_by_us(r"^Can not use both expression and non-expression parameters", "Query", "Scan"),
    ),
    Justified(
        "table classes that are none",
        "are refused in words of their own; still to be judged, since no source was checked; Local takes any",
        refused_by_us(r"^Invalid table-class parameter", "CreateTable", "UpdateTable"),
    ),
    Justified(
        "units for a table that pays per request",
        "are refused before indexes are looked at; still to be judged, since no source was checked",
        refused_by_us(r"can be specified when BillingMode is", "CreateTable", "UpdateTable"),
    ),
)
