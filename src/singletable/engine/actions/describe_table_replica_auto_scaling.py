"""DescribeTableReplicaAutoScaling: how the units of a table's replicas follow its use; no table has replicas here."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from singletable.errors import RequestRefused
from singletable.wire.surroundings import DescribeTableReplicaAutoScaling

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def describe_table_replica_auto_scaling(engine: Engine, request: DescribeTableReplicaAutoScaling) -> NoReturn:
    """Refuses as the service does for a table of one region, and for one that is not there."""
    raise RequestRefused("ResourceNotFoundException", f"Global table with name: '{request.table_name}' does not exist.")
