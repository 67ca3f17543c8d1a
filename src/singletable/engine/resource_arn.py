"""Tables by their resource names (ARNs), refused in DynamoDB's words: those of tags and those of policies."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from singletable.errors import RequestRefused, invalid

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

NOBODY = "000000000000"
_INVALID = "One or more parameter values were invalid: "
_TABLE_PREFIX = "table/"


class ResourceArn(NamedTuple):
    """The parts of `arn:aws:dynamodb:us-east-1:000000000000:table/shop` that say which table it is, and whose."""

    text: str
    region: str
    account: str
    table: str


def tagged_table(engine: Engine, arn: str | None, action: str) -> str:
    """The name of the table whose tags an action is about; it may not exist."""
    if arn is None:
        raise invalid("Invalid TableArn")
    parsed = _parsed(arn)
    if parsed.account != engine.account:
        raise _denied(engine, action, arn)
    if parsed.region != engine.region:
        raise invalid(f"Invalid TableArn: Invalid ResourceArn provided as input {arn}")
    return parsed.table


def no_tagged_table(engine: Engine, arn: str, action: str) -> RequestRefused:
    """The refusal when there is no such table.

    Captured: of a table in the account that nobody has (000000000000, ours unless another is given) the service says
    that its tags are not the caller's to see.
    """
    if engine.account == NOBODY and action == "ListTagsOfResource":
        return _denied(engine, action, arn)
    return RequestRefused("ResourceNotFoundException", f"Requested resource not found: ResourceArn: {arn} not found")


def table_with_policy(engine: Engine, arn: str) -> str:
    """The name of the table whose policy an action is about; it may not exist."""
    parsed = _parsed(arn)
    if parsed.account != engine.account:
        raise invalid("This action is only supported by accounts that match the resource owner\u2019s account.")
    if parsed.region != engine.region:
        raise invalid(f"{_INVALID}Invalid resource Arn: {arn}")
    return parsed.table


def _parsed(arn: str) -> ResourceArn:
    if not arn.startswith("arn:"):
        raise invalid(f"{_INVALID}ARNs must start with 'arn:': {arn}")
    parts = arn.split(":", 5)
    if len(parts) < 6 or parts[2] != "dynamodb" or not parts[5].startswith(_TABLE_PREFIX):
        raise invalid(f"{_INVALID}Provided Arn is not a DynamoDB resource arn: {arn}")
    table, slash, _ = parts[5].removeprefix(_TABLE_PREFIX).partition("/")
    if slash:
        raise invalid(
            f"{_INVALID}Invalid resource arn provided, only table or stream is accepted. Provided resource arn: {arn}"
        )
    if len(table) < 3:
        raise invalid(f"Invalid TableArn: Invalid ResourceArn provided as input {arn}")
    return ResourceArn(arn, parts[3], parts[4], table)


def _denied(engine: Engine, action: str, arn: str) -> RequestRefused:
    return RequestRefused(
        "AccessDeniedException",
        f"User: arn:aws:iam::{engine.account}:root is not authorized to perform: dynamodb:{action} on resource: {arn}",
    )
