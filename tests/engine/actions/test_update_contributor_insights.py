"""The actions of Contributor Insights: state, mode and time of the last change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import (
    Document,
    Refused,
    assert_refused,
    create,
    create_hash,
    create_indexed,
    definitions,
    index,
    refusals,
    refused,
)

BOTH = "ACCESSED_AND_THROTTLED_KEYS"


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine(now=lambda: 1_700_000_000.25) as made:
        create_indexed(made)
        create_hash(made)
        yield made


def update(engine: Engine, action: str, table: str = "table", **more: Any) -> Document:
    request = {"TableName": table, "ContributorInsightsAction": action, **more}
    return engine.call("UpdateContributorInsights", request)


def described(engine: Engine, table: str = "table", **more: Any) -> Document:
    return engine.call("DescribeContributorInsights", {"TableName": table, **more})


def listed(engine: Engine, **request: Any) -> list[tuple[str, str | None]]:
    summaries = engine.call("ListContributorInsights", request)["ContributorInsightsSummaries"]
    return [(each["TableName"], each.get("IndexName")) for each in summaries]


def test_contributor_insights_are_disabled_and_not_listed_by_default(engine: Engine) -> None:
    assert described(engine) == {"TableName": "table", "ContributorInsightsStatus": "DISABLED"}
    assert listed(engine) == []
    assert update(engine, "DISABLE")["ContributorInsightsStatus"] == "DISABLED"


def test_update_contributor_insights_enables_and_disables_insights(engine: Engine) -> None:
    assert update(engine, "ENABLE") == {
        "TableName": "table",
        "ContributorInsightsStatus": "ENABLING",
        "ContributorInsightsMode": BOTH,
    }
    names = [f"DynamoDBContributorInsights-{kind}-table-1700000000250" for kind in ("PKC", "SKC", "PKT", "SKT")]
    state = {"TableName": "table", "ContributorInsightsMode": BOTH, "LastUpdateDateTime": 1_700_000_000.25}
    assert described(engine) == {
        **state,
        "ContributorInsightsStatus": "ENABLED",
        "ContributorInsightsRuleList": names,
    }
    assert update(engine, "DISABLE")["ContributorInsightsStatus"] == "DISABLING"
    assert described(engine) == {**state, "ContributorInsightsStatus": "DISABLED"}
    assert listed(engine) == []


def test_update_contributor_insights_uses_the_default_for_an_omitted_mode(engine: Engine) -> None:
    assert update(engine, "ENABLE", ContributorInsightsMode="THROTTLED_KEYS")["ContributorInsightsStatus"] == "ENABLING"
    same = update(engine, "ENABLE", ContributorInsightsMode="THROTTLED_KEYS")
    assert same["ContributorInsightsStatus"] == "ENABLED"
    rules = described(engine)["ContributorInsightsRuleList"]
    assert [rule.split("-")[1] for rule in rules] == ["PKT", "SKT"]
    assert update(engine, "ENABLE")["ContributorInsightsStatus"] == "ENABLING"
    assert described(engine)["ContributorInsightsMode"] == BOTH


def test_describe_contributor_insights_returns_half_the_rules_without_a_sort_key(engine: Engine) -> None:
    update(engine, "ENABLE", "hash")
    rules = described(engine, "hash")["ContributorInsightsRuleList"]
    assert [rule.split("-")[1] for rule in rules] == ["PKC", "PKT"]


def test_update_contributor_insights_enables_the_insights_of_an_index_separately(engine: Engine) -> None:
    assert update(engine, "ENABLE", IndexName="gsi")["IndexName"] == "gsi"
    assert described(engine)["ContributorInsightsStatus"] == "DISABLED"
    state = described(engine, IndexName="gsi")
    assert state["ContributorInsightsStatus"] == "ENABLED"
    assert state["ContributorInsightsRuleList"][0] == "DynamoDBContributorInsights-PKC-table-gsi-1700000000250"


def test_list_contributor_insights_returns_tables_before_their_indexes_in_pages(engine: Engine) -> None:
    update(engine, "ENABLE", IndexName="gsi")
    update(engine, "ENABLE")
    update(engine, "ENABLE", "hash")
    everything = [("hash", None), ("table", None), ("table", "gsi")]
    assert listed(engine) == everything
    assert listed(engine, TableName="table") == everything[1:]
    found, token = [], None
    for _ in range(3):
        more: Document = {} if token is None else {"NextToken": token}
        page = engine.call("ListContributorInsights", {"MaxResults": 1, **more})
        found += [(each["TableName"], each.get("IndexName")) for each in page["ContributorInsightsSummaries"]]
        token = page.get("NextToken")
    assert (found, token) == (everything, None)


def test_update_contributor_insights_rejects_an_index_in_backfill(engine: Engine) -> None:
    engine.backfill.stop()
    made = {"Create": index("late", "sk")}
    request = {"TableName": "hash", "AttributeDefinitions": definitions(sk="S"), "GlobalSecondaryIndexUpdates": [made]}
    engine.call("UpdateTable", request)
    update_request = {"TableName": "hash", "IndexName": "late", "ContributorInsightsAction": "ENABLE"}
    assert "IndexStatus must be ACTIVE" in refused(engine, "UpdateContributorInsights", update_request).message


@refusals(
    Refused(
        "a missing table",
        {"TableName": "missing"},
        "Requested resource not found: Table: missing not found",
        "ResourceNotFoundException",
    ),
    Refused(
        "a missing index",
        {"IndexName": "missing"},
        "Requested resource not found: Index: missing not found for table: table",
        "ResourceNotFoundException",
    ),
    Refused(
        "a local index",
        {"IndexName": "lsi"},
        "Requested resource not found: Index: lsi not found for table: table",
        "ResourceNotFoundException",
    ),
)
@pytest.mark.parametrize("action", ["UpdateContributorInsights", "DescribeContributorInsights"])
def test_update_and_describe_contributor_insights_reject_invalid_requests(
    engine: Engine, action: str, row: Refused
) -> None:
    assert_refused(engine, action, row, **{"TableName": "table", "ContributorInsightsAction": "ENABLE", **row.request})


def test_list_contributor_insights_rejects_a_missing_table(engine: Engine) -> None:
    create(engine, "there")
    refusal = refused(engine, "ListContributorInsights", {"TableName": "missing"})
    assert refusal.code == "ResourceNotFoundException"
