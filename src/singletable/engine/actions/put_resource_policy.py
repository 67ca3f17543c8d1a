"""PutResourcePolicy: a policy for a table, which is kept and shown and not enforced."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from singletable.engine.definition import TableDefinition
from singletable.engine.policy_rules import check_policy, check_revision, replaced
from singletable.engine.resource_arn import table_with_policy
from singletable.wire.resources import PutResourcePolicy, RevisionResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def put_resource_policy(engine: Engine, request: PutResourcePolicy) -> RevisionResult:
    """Attaches the policy; the same document again is no change and has the same revision."""
    name = table_with_policy(engine, request.resource_arn)
    check_policy(request.policy)

    def change(definition: TableDefinition) -> TableDefinition:
        check_revision(definition, request.expected_revision_id)
        policy = replaced(definition.policy, request.policy, engine.now())
        return msgspec.structs.replace(definition, policy=policy)

    _, after = engine.catalog.change(name, change)
    assert after.policy is not None
    return RevisionResult(revision_id=after.policy.revision)
