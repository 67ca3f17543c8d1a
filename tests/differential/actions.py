"""The actions for which requests are generated, in groups that can be selected."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tests.differential import item_requests as items
from tests.differential import legacy_requests as legacy
from tests.differential import metadata_requests as metadata
from tests.differential import statement_requests as statements
from tests.differential import table_requests as tables
from tests.differential.sides import Request, Side
from tests.differential.world import World
from tests.engine.oracle.seeded_choices import SeededChoices

CORE = "core"


@dataclass(frozen=True)
class Generated:
    """An action, the function that generates its requests, and its relative frequency."""

    action: str
    make: Callable[[SeededChoices, World], Request]
    weight: int
    group: str = CORE


ACTIONS = (
    Generated("PutItem", items.put, 12),
    Generated("UpdateItem", items.update, 16),
    Generated("DeleteItem", items.delete, 6),
    Generated("GetItem", items.get, 6),
    Generated("Query", items.query, 16),
    Generated("Scan", items.scan, 8),
    Generated("BatchWriteItem", items.batch_write, 6),
    Generated("BatchGetItem", items.batch_get, 5),
    Generated("TransactWriteItems", items.transact_write, 9),
    Generated("TransactGetItems", items.transact_get, 4),
    Generated("CreateTable", tables.create, 4),
    Generated("DescribeTable", tables.describe, 1),
    Generated("UpdateTable", tables.update, 4),
    Generated("ListTables", tables.list_tables, 1),
    Generated("DeleteTable", tables.delete, 2),
    Generated("GetItem", legacy.get, 3, "legacy"),
    Generated("PutItem", legacy.put, 5, "legacy"),
    Generated("UpdateItem", legacy.update, 8, "legacy"),
    Generated("DeleteItem", legacy.delete, 4, "legacy"),
    Generated("Query", legacy.query, 8, "legacy"),
    Generated("Scan", legacy.scan, 5, "legacy"),
    Generated("BatchGetItem", legacy.batch_get, 2, "legacy"),
    Generated("ExecuteStatement", statements.execute, 14, "partiql"),
    Generated("BatchExecuteStatement", statements.batch_execute, 4, "partiql"),
    Generated("ExecuteTransaction", statements.execute_transaction, 4, "partiql"),
    Generated("TagResource", metadata.tag, 2, "tags"),
    Generated("UntagResource", metadata.untag, 1, "tags"),
    Generated("ListTagsOfResource", metadata.list_tags, 2, "tags"),
    Generated("UpdateTimeToLive", metadata.update_time_to_live, 2, "ttl"),
    Generated("DescribeTimeToLive", metadata.describe_time_to_live, 1, "ttl"),
    Generated("CreateTable", tables.create_with_stream, 1, "streams"),
    Generated("UpdateTable", tables.update_stream, 1, "streams"),
)

# One request for each group that an engine may not support. It is for a table that always exists.
PROBES: dict[str, tuple[str, Request]] = {
    "legacy": ("Scan", {"TableName": "no-index", "AttributesToGet": ["pk"]}),
    "partiql": ("ExecuteStatement", {"Statement": 'SELECT pk FROM "no-index"'}),
    "tags": ("ListTagsOfResource", {"ResourceArn": metadata.arn("no-index")}),
    "ttl": ("DescribeTimeToLive", {"TableName": "no-index"}),
    "streams": (
        "UpdateTable",
        {"TableName": "no-such-table", "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}},
    ),
}
GROUPS = (CORE, *PROBES)


def served(*sides: Side) -> list[str]:
    """Return the groups that all sides support: the core, and the groups whose probe no side rejects as unknown."""
    return [CORE, *(group for group, probe in PROBES.items() if all(_is_served(side, *probe) for side in sides))]


def _is_served(side: Side, action: str, request: Request) -> bool:
    response = side.send(action, request)
    return response.code != "UnknownOperationException" and "is not supported by this engine" not in response.message


def of_groups(groups: Iterable[str]) -> list[Generated]:
    """Return the actions of some groups, each repeated by its weight."""
    selected = set(groups)
    return [each for each in ACTIONS if each.group in selected for _ in range(each.weight)]
