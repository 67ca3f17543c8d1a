"""GetResourcePolicy: the resource policy of a table, exactly as it was attached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.tables.arns import table_with_policy
from singletable.engine.tables.tags_and_policies import policy_not_found
from singletable.wire.table_requests import GetResourcePolicy, GetResourcePolicyResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def get_resource_policy(engine: Engine, request: GetResourcePolicy) -> GetResourcePolicyResult:
    """Return the current policy. In DynamoDB, a policy change can become visible later."""
    table = engine.catalog.require_fresh(table_with_policy(engine, request.resource_arn))
    policy = table.definition.policy
    if policy is None:
        raise policy_not_found(request.resource_arn)
    return GetResourcePolicyResult(policy=policy.document, revision_id=policy.revision)
