"""PutResourcePolicy: attaches a policy to a table. Policies are stored and returned, but not enforced."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from singletable.engine.tables.arns import table_with_policy
from singletable.engine.tables.table_definition import TableDefinition
from singletable.engine.tables.tags_and_policies import check_policy, check_revision, updated_policy
from singletable.wire.table_requests import PutResourcePolicy, RevisionResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def put_resource_policy(engine: Engine, request: PutResourcePolicy) -> RevisionResult:
    """Attach the policy. Attaching an identical document does not change the revision."""
    name = table_with_policy(engine, request.resource_arn)
    check_policy(request.policy)

    def change(definition: TableDefinition) -> TableDefinition:
        check_revision(definition, request.expected_revision_id)
        policy = updated_policy(definition.policy, request.policy, engine.now())
        return msgspec.structs.replace(definition, policy=policy)

    _, after = engine.catalog.change(name, change)
    assert after.policy is not None
    return RevisionResult(revision_id=after.policy.revision)
