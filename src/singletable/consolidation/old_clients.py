"""`install()`: makes the boto3 clients of an application write the old tables and the new table together."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from singletable.client.request_steps import run
from singletable.client.table import Table
from singletable.consolidation.dual_table import opened_dual_table
from singletable.consolidation.dual_writer import DualWriter
from singletable.consolidation.write_requests import ITEM_WRITES, STATEMENTS
from singletable.errors import ArgumentRefused, RequestRefused
from singletable.partiql.statement_parser import parse_statement
from singletable.partiql.statements import ExistsStatement, SelectStatement
from singletable.wire.error_responses import error_body, error_status

ERROR_STATUS = 300
_IS_REPEATABLE = "singletable_is_repeatable"
_is_sending: ContextVar[bool] = ContextVar("is_sending", default=False)
"""Whether a dual write sends its own requests, perhaps through the same client."""


def install(table: Table, client: Any) -> None:
    """Send the writes of a boto3 client or resource on old tables through `table`, which a Consolidation has opened.

    The client keeps its interface: conditions, ReturnValues, batches and transactions work as before. Requests on other
    tables, and all reads, stay as they are.
    """
    opened = opened_dual_table(table)
    found = getattr(getattr(client, "meta", None), "client", client)  # the client of a resource
    meta: Any = getattr(found, "meta", None)
    if getattr(getattr(meta, "service_model", None), "service_name", None) != "dynamodb":
        raise ArgumentRefused(f"install: pass a DynamoDB client or resource of boto3, got {type(client).__name__}")
    if any(each.__module__.partition(".")[0] == "aiobotocore" for each in type(found).__mro__):
        raise ArgumentRefused("install: clients of aioboto3 are not supported; write with the new table instead")
    hook = _WriteHook(opened.writer_of_both, _response_parser())
    for operation in sorted(ITEM_WRITES | STATEMENTS):
        meta.events.register_first(f"before-call.dynamodb.{operation}", hook)
    meta.events.register_first("provide-client-params.dynamodb.TransactWriteItems", _note_token)


@dataclass(frozen=True)
class _Http:
    """The part of an HTTP response that botocore reads after the parser."""

    status_code: int


class _WriteHook:
    """Answers the write requests of a client on old tables."""

    def __init__(self, writer: DualWriter, parse: Callable[[Any, int, bytes], dict[str, Any]]) -> None:
        self._writer, self._parse = writer, parse

    def __call__(
        self, model: Any, params: Mapping[str, Any], context: Mapping[str, Any], **_: Any
    ) -> tuple[_Http, dict[str, Any]] | None:
        """Return the response of a dual write, or None for a request that botocore sends itself."""
        if _is_sending.get():
            return None
        operation, parameters = model.name, json.loads(params["body"])
        if operation in STATEMENTS:
            self._reject_statements(operation, parameters)
            return None
        if not self._writer.concerns(operation, parameters):
            return None
        if not context.get(_IS_REPEATABLE):
            parameters.pop("ClientRequestToken", None)
        before = _is_sending.set(True)
        try:
            answer = run(self._writer.write(operation, parameters), self._writer.table.session)
            status, body = 200, json.dumps(answer).encode()
        except RequestRefused as problem:
            status, body = error_status(problem), error_body(problem)
        finally:
            _is_sending.reset(before)
        return _Http(status), self._parse(model, status, body)

    def _reject_statements(self, operation: str, parameters: Mapping[str, Any]) -> None:
        """Raise ArgumentRefused for a PartiQL statement that writes an old table."""
        several = parameters.get("Statements") or parameters.get("TransactStatements") or ()
        for text in [each.get("Statement") for each in several] or [parameters.get("Statement")]:
            try:
                statement = parse_statement(text or "").statement
            except RequestRefused:  # the server reports the error
                continue
            if isinstance(statement, SelectStatement | ExistsStatement):
                continue
            table = statement.source.table
            if table in self._writer.keys:
                raise ArgumentRefused(
                    f"{operation} writes table {table!r} with PartiQL, which dual writes do not support; nothing was "
                    "written.\n  Use PutItem, UpdateItem, DeleteItem, BatchWriteItem or TransactWriteItems."
                )


def _note_token(params: Mapping[str, Any], context: dict[str, Any], **_: Any) -> None:
    """Note whether the application has passed a token, before botocore adds one that nobody can repeat."""
    context[_IS_REPEATABLE] = params.get("ClientRequestToken") is not None


def _response_parser() -> Callable[[Any, int, bytes], dict[str, Any]]:
    parser = importlib.import_module("botocore.parsers").create_parser("json")

    def parse(model: Any, status: int, body: bytes) -> dict[str, Any]:
        answer = {"status_code": status, "headers": {}, "body": body}
        found: dict[str, Any] = parser.parse(answer, model.output_shape)
        shape = None if status < ERROR_STATUS else model.service_model.shape_for_error_code(found["Error"]["Code"])
        if shape is not None:  # the members of the error, such as CancellationReasons
            found.update(parser.parse(answer, shape))
        return found

    return parse
