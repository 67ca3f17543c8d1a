"""Both sides are brought together again after a disagreement, and a name that one of them cannot let go is given up."""

from __future__ import annotations

from contextlib import closing

from tests.differential.ask import exchange
from tests.differential.sides import InProcess, Request, Told
from tests.differential.state import BothSides
from tests.differential.test_run import Altered
from tests.engine.chance import Chance
from tests.engine.tables import index


def creation(name: str) -> Request:
    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": each, "AttributeType": "S"} for each in ("pk", "i1")],
        "GlobalSecondaryIndexes": [index("gsi", "i1")],
    }


def never_done(action: str, request: Request, told: Told) -> Told:
    """An index of one table that is never made."""
    if action != "DescribeTable" or request["TableName"] != "passing1" or told.is_refused:
        return told
    (gsi,) = told.document["Table"]["GlobalSecondaryIndexes"]
    return Told(
        told.status,
        {"Table": {**told.document["Table"], "GlobalSecondaryIndexes": [{**gsi, "IndexStatus": "CREATING"}]}},
    )


def test_the_name_of_a_table_that_is_never_done_is_not_used_again() -> None:
    with closing(InProcess()) as ours, closing(InProcess()) as theirs:
        both = BothSides(ours, Altered(theirs, never_done), Chance(1))
        for name in ("passing1", "passing2"):
            both.learn(exchange(both.sides, both.world, "CreateTable", creation(name)))
        assert both.world.names == ["passing4", "passing2", "passing3"]
        assert [given.table.name for given in both.world.passing] == ["passing2"]
        assert all(told.is_refused for told in both.ask_both("DescribeTable", {"TableName": "passing1"}))
