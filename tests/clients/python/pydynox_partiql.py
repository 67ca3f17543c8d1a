"""pydynox: PartiQL statements that return items and models."""

from __future__ import annotations

import os
import sys

from pydynox import DynamoDBClient, Model, ModelConfig
from pydynox.attributes import NumberAttribute, StringAttribute

from tests.clients.python.steps import run

TABLE = "pydynox-partiql"
client = DynamoDBClient()


class Count(Model):
    model_config = ModelConfig(table=TABLE, client=client)

    pk = StringAttribute(partition_key=True)
    n = NumberAttribute()


def a_statement_inserts_and_another_selects() -> None:
    Count.sync_create_table(wait=True)
    for number in range(3):
        client.sync_execute_statement(
            f"INSERT INTO \"{TABLE}\" VALUE {{'pk': ?, 'n': ?}}", parameters=[f"c{number}", number]
        )
    (found,) = Count.sync_execute_statement(f'SELECT * FROM "{TABLE}" WHERE pk = ?', parameters=["c2"])
    assert found.n == 2


async def statements_are_awaited() -> None:
    found = await client.execute_statement(f'SELECT n FROM "{TABLE}" WHERE n >= ?', parameters=[1])
    assert sorted(item["n"] for item in found) == [1, 2]
    Count.sync_delete_table()


if __name__ == "__main__":
    run(a_statement_inserts_and_another_selects, statements_are_awaited)
    # Its threads sometimes panic while Python shuts down, after all steps.
    sys.stdout.flush()
    os._exit(0)
