"""DescribeTableReplicaAutoScaling: tables of this engine have no replicas."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from singletable.errors import RequestRefused
from singletable.wire.account_requests import DescribeTableReplicaAutoScaling

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def describe_table_replica_auto_scaling(engine: Engine, request: DescribeTableReplicaAutoScaling) -> NoReturn:
    """Raise the error that DynamoDB returns for a table without replicas and for a missing table."""
    raise RequestRefused("ResourceNotFoundException", f"Global table with name: '{request.table_name}' does not exist.")
