"""DeleteResourcePolicy: deletes the policy of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET

from singletable.engine.tables.arns import table_with_policy
from singletable.engine.tables.table_definition import TableDefinition
from singletable.engine.tables.tags_and_policies import check_revision
from singletable.wire.table_requests import DeleteResourcePolicy, RevisionResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def delete_resource_policy(engine: Engine, request: DeleteResourcePolicy) -> RevisionResult:
    """Delete the policy. If there is none, raise an error only if the request has an expected revision."""
    name = table_with_policy(engine, request.resource_arn)

    def change(definition: TableDefinition) -> TableDefinition:
        check_revision(definition, request.expected_revision_id)
        return msgspec.structs.replace(definition, policy=None)

    before, _ = engine.catalog.change(name, change)
    return RevisionResult(revision_id=UNSET if before.policy is None else before.policy.revision)
