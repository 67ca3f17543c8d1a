"""Authorization: runs the requests of a principal only if the policies of the principal allow them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import msgspec

from singletable.engine.access.principal import Principal
from singletable.engine.access.requested_access import RequestedAccess
from singletable.engine.engine import RequestMethods
from singletable.errors import RequestRefused

if TYPE_CHECKING:
    from singletable.engine.dispatch import Action
    from singletable.engine.engine import Engine
    from singletable.wire.api_types import Result
    from singletable.wire.statement_requests import BatchExecuteStatement, BatchExecuteStatementResult


class PrincipalEngine(RequestMethods):
    """An engine that runs the requests of one principal if the policies of the principal allow them.

    `Engine.as_principal` returns this object. Close only the engine, not this object.
    """

    def __init__(self, engine: Engine, principal: Principal) -> None:
        self.store = engine.store
        self.now = engine.now
        self.principal = principal
        self._engine = engine
        self._run = partial(run_as, engine, principal)

    def perform(self, action: Action, request: Any) -> Result:
        """Run an action if the policies of the principal allow it."""
        return self._engine.perform(action, request, self._run)

    def close(self) -> None:
        """Do nothing; close the engine instead."""


def run_as(engine: Engine, principal: Principal, action: Action, request: Any) -> Result:
    """Run an action if the policies of the principal allow every access that the request needs."""
    if action.name == "BatchExecuteStatement":
        return _run_statements(engine, principal, action, request)
    authorize(principal, accesses_of(engine, action.name, request))
    return action.run(engine, request)


def authorize(principal: Principal, accesses: Iterable[RequestedAccess]) -> None:
    """Raise AccessDeniedException unless the policies of the principal allow every access.

    First, the check ignores the conditions of the policies: if no statement can allow the action on the resource, the
    request fails. Only then does the check compute the condition values of the request, which needs the key schema of
    the table and raises the errors of an invalid request.
    """
    several = list(accesses)
    for each in several:
        principal.reject_unnamed(each.action, each.resource)
    for each in several:
        principal.reject_denied(each.action, each.resource, each.facts())


def accesses_of(engine: Engine, action: str, request: Any) -> Iterable[RequestedAccess]:
    """Return the accesses that a request needs, such as GetItem on one table.

    An action that is missing in the lists of this package needs access to every resource (`*`).
    """
    access_of = _access_by_action().get(action)
    if access_of is None:
        return (RequestedAccess.of(action, "*"),)
    found: Iterable[RequestedAccess] = access_of(engine, request)
    return found


@cache
def _access_by_action() -> Mapping[str, Any]:
    """Return the functions that compute the access of a request, by action.

    The functions are imported only here, because the import is slow and only an engine with principals needs them.
    """
    from singletable.engine.access.item_access import ITEM_ACCESS
    from singletable.engine.access.statement_access import STATEMENT_ACCESS
    from singletable.engine.access.table_access import TABLE_ACCESS

    return {**ITEM_ACCESS, **STATEMENT_ACCESS, **TABLE_ACCESS}


def _run_statements(engine: Engine, principal: Principal, action: Action, request: BatchExecuteStatement) -> Result:
    """Run the allowed statements of a batch. The response to each other statement is its error.

    AccessDenied is one of the error codes of a statement (API reference, "BatchStatementError").
    """
    from singletable.engine.access.statement_access import statement_access
    from singletable.engine.actions.batch_execute_statement import statement_error
    from singletable.wire.statement_requests import BatchStatementResponse

    rejected: dict[int, BatchStatementResponse] = {}
    for number, statement in enumerate(request.statements):
        try:
            authorize(principal, [statement_access(engine, statement)])
        except RequestRefused as error:
            rejected[number] = BatchStatementResponse(error=statement_error(error))
    if not rejected:
        return action.run(engine, request)
    allowed = [statement for number, statement in enumerate(request.statements) if number not in rejected]
    result: Any = None
    if allowed:
        result = action.run(engine, msgspec.structs.replace(request, statements=allowed))
    return _merged(result, rejected, len(request.statements))


def _merged(
    result: BatchExecuteStatementResult | None, rejected: Mapping[int, Any], count: int
) -> BatchExecuteStatementResult:
    """Return the responses of all statements in the order of the request."""
    from singletable.wire.statement_requests import BatchExecuteStatementResult

    run = iter(() if result is None else result.responses)
    responses = [rejected[number] if number in rejected else next(run) for number in range(count)]
    if result is None:
        return BatchExecuteStatementResult(responses=responses)
    return BatchExecuteStatementResult(responses=responses, consumed_capacity=result.consumed_capacity)
