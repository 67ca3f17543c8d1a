"""DescribeTableReplicaAutoScaling: tables have no replicas here."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from singletable.errors import RequestRefused
from singletable.wire.account_requests import DescribeTableReplicaAutoScaling

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def describe_table_replica_auto_scaling(engine: Engine, request: DescribeTableReplicaAutoScaling) -> NoReturn:
    """Raise DynamoDB's error for a table without replicas; a missing table has the same error."""
    raise RequestRefused("ResourceNotFoundException", f"Global table with name: '{request.table_name}' does not exist.")
