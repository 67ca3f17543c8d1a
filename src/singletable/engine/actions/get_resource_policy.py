"""GetResourcePolicy: the policy of a table, as it was attached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.policy_rules import no_policy
from singletable.engine.resource_arn import table_with_policy
from singletable.wire.resources import GetResourcePolicy, GetResourcePolicyResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def get_resource_policy(engine: Engine, request: GetResourcePolicy) -> GetResourcePolicyResult:
    """Shows the policy at once, where the service needs a moment."""
    table = engine.catalog.require_fresh(table_with_policy(engine, request.resource_arn))
    policy = table.definition.policy
    if policy is None:
        raise no_policy(request.resource_arn)
    return GetResourcePolicyResult(policy=policy.document, revision_id=policy.revision)
