"""DeleteResourcePolicy: the end of a table's policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET

from singletable.engine.definition import TableDefinition
from singletable.engine.policy_rules import check_revision
from singletable.engine.resource_arn import table_with_policy
from singletable.wire.resources import DeleteResourcePolicy, RevisionResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def delete_resource_policy(engine: Engine, request: DeleteResourcePolicy) -> RevisionResult:
    """Deletes the policy; a table without one is no error, unless a revision of it was expected."""
    name = table_with_policy(engine, request.resource_arn)

    def change(definition: TableDefinition) -> TableDefinition:
        check_revision(definition, request.expected_revision_id)
        return msgspec.structs.replace(definition, policy=None)

    before, _ = engine.catalog.change(name, change)
    return RevisionResult(revision_id=UNSET if before.policy is None else before.policy.revision)
