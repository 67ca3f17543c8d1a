"""The actions that requests are generated for, in groups that can be switched on; a new one is a line here."""

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
from tests.engine.chance import Chance

CORE = "core"


@dataclass(frozen=True)
class Generated:
    """An action, how its requests are made, and how often: in so many of all."""

    action: str
    make: Callable[[Chance, World], Request]
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

# One request for each group that an engine may not serve, to a table that stands.
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
    """The groups that all sides serve: the core, and those whose probe none of them refuses as unknown."""
    return [CORE, *(group for group, probe in PROBES.items() if all(_is_served(side, *probe) for side in sides))]


def _is_served(side: Side, action: str, request: Request) -> bool:
    told = side.ask(action, request)
    return told.code != "UnknownOperationException" and "is not served by this engine" not in told.message


def of_groups(groups: Iterable[str]) -> list[Generated]:
    """The actions of some groups, each as often as its weight."""
    wanted = set(groups)
    return [each for each in ACTIONS if each.group in wanted for _ in range(each.weight)]
