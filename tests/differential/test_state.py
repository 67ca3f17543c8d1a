"""Both sides are synchronised after a difference. The name of an unfinished table is no longer used."""

from __future__ import annotations

from contextlib import closing

from tests.differential.exchange import exchange
from tests.differential.sides import InProcess, Request, Response
from tests.differential.state import BothSides
from tests.differential.test_run import Altered
from tests.engine.oracle.seeded_choices import SeededChoices
from tests.engine.table_requests import index


def creation(name: str) -> Request:
    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": each, "AttributeType": "S"} for each in ("pk", "i1")],
        "GlobalSecondaryIndexes": [index("gsi", "i1")],
    }


def never_done(action: str, request: Request, response: Response) -> Response:
    """Return a side on which the index of one table is never created."""
    if action != "DescribeTable" or request["TableName"] != "temporary1" or response.is_error:
        return response
    (gsi,) = response.document["Table"]["GlobalSecondaryIndexes"]
    return Response(
        response.status,
        {"Table": {**response.document["Table"], "GlobalSecondaryIndexes": [{**gsi, "IndexStatus": "CREATING"}]}},
    )


def test_the_differential_state_does_not_reuse_the_name_of_an_unfinished_table() -> None:
    with closing(InProcess()) as ours, closing(InProcess()) as theirs:
        both = BothSides(ours, Altered(theirs, never_done), SeededChoices(1))
        for name in ("temporary1", "temporary2"):
            both.learn(exchange(both.sides, both.world, "CreateTable", creation(name)))
        assert both.world.names == ["temporary4", "temporary2", "temporary3"]
        assert [given.table.name for given in both.world.temporary] == ["temporary2"]
        assert all(response.is_error for response in both.send_to_both("DescribeTable", {"TableName": "temporary1"}))
