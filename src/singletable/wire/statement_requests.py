"""Requests and results of PartiQL: ExecuteStatement, BatchExecuteStatement and ExecuteTransaction."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from singletable.wire.api_types import (
    AttributeValue,
    Item,
    Result,
    ReturnConsumedCapacity,
    ReturnValuesOnFailure,
    Shape,
)

StatementText = Annotated[str, Meta(min_length=1, max_length=8192)]
Parameters = Annotated[list[AttributeValue], Meta(min_length=1)]


class ExecuteStatement(Shape, kw_only=True, frozen=True):
    """Execute one statement."""

    statement: StatementText
    parameters: Parameters | None = None
    consistent_read: bool | None = None
    next_token: Annotated[str, Meta(min_length=1, max_length=32768)] | None = None
    return_consumed_capacity: ReturnConsumedCapacity | None = None
    limit: Annotated[int, Meta(ge=1)] | None = None
    return_values_on_condition_check_failure: ReturnValuesOnFailure | None = None


class ExecuteStatementResult(Result, kw_only=True, frozen=True):
    """The items that a statement selects or returns, and the token of the next page."""

    items: list[msgspec.Raw | Item]
    next_token: str | msgspec.UnsetType = msgspec.UNSET
    consumed_capacity: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    last_evaluated_key: Item | msgspec.UnsetType = msgspec.UNSET


class BatchStatementRequest(Shape, kw_only=True, frozen=True):
    """One statement of a batch."""

    statement: StatementText
    parameters: Parameters | None = None
    consistent_read: bool | None = None
    return_values_on_condition_check_failure: ReturnValuesOnFailure | None = None


class BatchExecuteStatement(Shape, kw_only=True, frozen=True):
    """Execute up to 25 independent statements."""

    statements: Annotated[list[BatchStatementRequest], Meta(min_length=1, max_length=25)]
    return_consumed_capacity: ReturnConsumedCapacity | None = None


class BatchStatementError(Result, kw_only=True, frozen=True):
    """The error of one statement of a batch."""

    code: str
    message: str | msgspec.UnsetType = msgspec.UNSET
    item: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class BatchStatementResponse(Result, kw_only=True, frozen=True):
    """The result or the error of one statement of a batch."""

    error: BatchStatementError | msgspec.UnsetType = msgspec.UNSET
    table_name: str | msgspec.UnsetType = msgspec.UNSET
    item: msgspec.Raw | Item | msgspec.UnsetType = msgspec.UNSET


class BatchExecuteStatementResult(Result, kw_only=True, frozen=True):
    """The result or the error of each statement, in the order of the statements."""

    responses: list[BatchStatementResponse]
    consumed_capacity: list[dict[str, Any]] | msgspec.UnsetType = msgspec.UNSET


class ParameterizedStatement(Shape, kw_only=True, frozen=True):
    """One statement of a transaction."""

    statement: StatementText
    parameters: Parameters | None = None
    return_values_on_condition_check_failure: ReturnValuesOnFailure | None = None


class ExecuteTransaction(Shape, kw_only=True, frozen=True):
    """Execute up to 100 statements atomically."""

    transact_statements: Annotated[list[ParameterizedStatement], Meta(min_length=1, max_length=100)]
    client_request_token: Annotated[str, Meta(min_length=1, max_length=36)] | None = None
    return_consumed_capacity: ReturnConsumedCapacity | None = None


class TransactedItem(Result, kw_only=True, frozen=True):
    """The item that a statement of a transaction selected. Empty if it selected none."""

    item: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class ExecuteTransactionResult(Result, kw_only=True, frozen=True):
    """The selected items in the order of the statements."""

    responses: list[TransactedItem]
    consumed_capacity: list[dict[str, Any]] | msgspec.UnsetType = msgspec.UNSET
