"""Intended differences of errors from DynamoDB Local: which requests are rejected, the messages, and their order."""

from __future__ import annotations

import re

from tests.differential.api_model import breaks_model
from tests.differential.compare import ERROR, Difference, error_text
from tests.differential.difference_matchers import WRITES, IntendedDifference, both_reject, only_we_reject
from tests.differential.error_messages import (
    INDEXES,
    ITEM,
    TABLE,
    VALUES,
    is_local_table_message,
    is_same_error,
    stage,
)
from tests.differential.exchange import Exchange

OF_SHAPE = re.compile(r"\d+ validation errors? detected|The parameter '")
OLD_PARAMETERS = frozenset(
    ("Expected", "AttributeUpdates", "KeyConditions", "QueryFilter", "ScanFilter", "AttributesToGet")
)
OF_EXPRESSION = re.compile(r"Invalid (\w+)Expression: ")


def _breaks_the_model(exchange: Exchange, difference: Difference) -> bool:
    ours = exchange.ours
    is_of_shape = ours.code == "SerializationException" or OF_SHAPE.match(ours.message) is not None
    return difference.path == ERROR and is_of_shape and breaks_model(exchange.action, exchange.request)


def _is_same_error(exchange: Exchange, difference: Difference) -> bool:
    if difference.path == "CancellationReasons[].Message":
        return is_same_error(difference.ours, difference.theirs)
    has_same_code = both_reject(exchange, difference) and exchange.ours.code == exchange.theirs.code
    is_of_table = exchange.action in ("CreateTable", "UpdateTable")
    messages = exchange.ours.message, exchange.theirs.message
    return has_same_code and (is_same_error(*messages) or (is_of_table and is_local_table_message(messages[1])))


def _is_found_earlier(exchange: Exchange, difference: Difference) -> bool:
    """Match requests that both sides reject, if our error belongs to an earlier stage."""
    if not both_reject(exchange, difference):
        return False
    if "KeyConditionExpression parameter must be specified" in exchange.ours.message:
        return True  # without a key condition, no expression is checked
    ours, theirs = stage(error_text(exchange.ours)), stage(error_text(exchange.theirs))
    return ours is not None and theirs is not None and ours < theirs


def _has_two_errors(exchange: Exchange, difference: Difference) -> bool:
    """Match two errors in one stage: in expressions, in index keys, or in the parameters of one index."""
    if not both_reject(exchange, difference):
        return False
    messages = (exchange.ours.message, exchange.theirs.message)
    expressions = [found[1] for each in messages if (found := OF_EXPRESSION.match(each)) is not None]
    stages = [stage(error_text(each)) for each in (exchange.ours, exchange.theirs)]
    return (
        stages == [ITEM, ITEM]
        or (stages == [VALUES, VALUES] and not OLD_PARAMETERS.isdisjoint(exchange.request))
        or len(set(expressions)) == 2
        or all("does not project" in each or "is not supported for global" in each for each in messages)
        or (exchange.action in WRITES and stages == [INDEXES, INDEXES])
    )


def _is_batch_of_several(exchange: Exchange, difference: Difference) -> bool:
    """Match batches that both sides reject for different elements: one that does not fit its table, or a duplicate."""
    if not both_reject(exchange, difference):
        return False
    if exchange.action == "TransactWriteItems":
        found = stage(error_text(exchange.ours))
        return len(exchange.request["TransactItems"]) > 1 and found is not None and found >= TABLE
    elements = [each for of in exchange.request.get("RequestItems", {}).values() for each in of]
    errors = [error_text(each) for each in (exchange.ours, exchange.theirs)]
    is_named_twice = any("list of item keys contains duplicates" in each for each in errors)
    is_of_table = all((found := stage(each)) is not None and found >= TABLE for each in errors)
    return exchange.action.startswith("Batch") and len(elements) > 1 and (is_named_twice or is_of_table)


def _has_unfit_action(exchange: Exchange) -> bool:
    if exchange.ours.code != "TransactionCanceledException":
        return False
    return any(reason["Code"] == "ValidationError" for reason in exchange.ours.document["CancellationReasons"])


ERRORS: tuple[IntendedDifference, ...] = (
    IntendedDifference(
        "start keys in tables without a sort key",
        "A Query of a table without a sort key rejects an ExclusiveStartKey, because a partition has only one item "
        "(Alternator's tests, run on DynamoDB). Local returns an empty page",
        only_we_reject("The provided exclusive start key is invalid: ExclusiveStartKey: ", "Query"),
    ),
    IntendedDifference(
        "request shape",
        "Before any other check, DynamoDB checks members, types, lengths, ranges and enums against the API "
        "model (live-validated suite). Local converts or accepts many invalid requests",
        _breaks_the_model,
    ),
    IntendedDifference(
        "error messages",
        "The engine uses DynamoDB's messages (live-validated suite; dynalite's tests). Local reports the same"
        " errors with other messages",
        _is_same_error,
    ),
    IntendedDifference(
        "order of checks",
        "DynamoDB checks the shape, values, expressions, table, keys, indexes and item, in this order, and "
        "reports the first error (live-validated suite; dynalite's tests). Local checks in another order",
        _is_found_earlier,
    ),
    IntendedDifference(
        "two errors in one stage",
        "If a request has two errors in the same stage of the checks, DynamoDB does not specify which of them"
        " it reports",
        _has_two_errors,
    ),
    IntendedDifference(
        "which of several elements is named",
        "If several elements of a batch or transaction are invalid, DynamoDB does not specify which of them "
        "the error message names",
        _is_batch_of_several,
    ),
    IntendedDifference(
        "invalid actions in a transaction",
        "If an action of a transaction is invalid, DynamoDB cancels the transaction, with CancellationReasons"
        ' for each action ("TransactWriteItems", Errors; live-validated suite). Local rejects the request '
        "because of the first invalid action",
        lambda exchange, difference: both_reject(exchange, difference) and _has_unfit_action(exchange),
    ),
    IntendedDifference(
        "reasons of a cancelled transaction",
        "DynamoDB checks every action against its table before it reads an item. Local stops at the first reason",
        lambda exchange, difference: difference.path.startswith("CancellationReasons") and _has_unfit_action(exchange),
    ),
    IntendedDifference(
        "internal errors of Local",
        "For some requests, Local fails with status 500",
        lambda exchange, difference: difference.path == ERROR and exchange.theirs.status >= 500,
    ),
    IntendedDifference(
        "empty ExclusiveStartKey",
        "DynamoDB rejects an empty ExclusiveStartKey, because the key does not match the schema (dynalite's "
        "tests). Local ignores an empty ExclusiveStartKey",
        lambda exchange, difference: difference.path == ERROR and exchange.request.get("ExclusiveStartKey") == {},
    ),
    IntendedDifference(
        "Base64",
        "DynamoDB rejects invalid Base64 (live-validated suite). Local decodes a part of the invalid text",
        lambda exchange, difference: difference.path == ERROR and "Base64" in exchange.ours.message,
    ),
    IntendedDifference(
        "account quotas",
        'AWS can raise quotas, so the engine does not enforce the quota of 40,000 units ("Service, account, '
        'and table quotas")',
        lambda exchange, difference: "to more than 40,000 units" in exchange.theirs.message,
    ),
    IntendedDifference(
        "sizes of key values",
        "DynamoDB limits partition keys to 2048 bytes and sort keys to 1024 bytes, also in an index and in a "
        "Query (dynalite's tests). Local does not check these limits",
        only_we_reject("size limit of"),
    ),
    IntendedDifference(
        "attribute definitions of a new index",
        "The request that creates an index must contain the definitions of all key attributes of the index "
        "(published captures). Local requires only the definitions of new attributes",
        only_we_reject("index key attributes are not defined in AttributeDefinitions", "UpdateTable"),
    ),
    IntendedDifference(
        "items with local index entries",
        'The size limit of 400 KB applies to the sum of an item and its entries in local indexes ("Local '
        'secondary indexes", item collections). Local counts only the item',
        only_we_reject("Item size .*has exceeded the maximum", *WRITES),
    ),
    IntendedDifference(
        "nesting depth",
        'Values can have up to 32 levels ("Service, account, and table quotas"). This also applies to the '
        "values of placeholders (published captures). Local allows one more level in placeholders",
        only_we_reject("Nesting Levels"),
    ),
    IntendedDifference(
        "segments",
        "DynamoDB does not specify which segment of a parallel Scan contains an item",
        lambda exchange, difference: (
            difference.path == ERROR
            and exchange.action == "Scan"
            and "egment" in exchange.ours.message + exchange.theirs.message
        ),
    ),
    IntendedDifference(
        "types of index keys",
        'DynamoDB rejects a write if an index key attribute does not have the defined type ("Using global '
        'secondary indexes", data synchronization). Local does not check the type for ADD, or for two indexes'
        " with a common key attribute",
        only_we_reject("Type mismatch for Index Key", *WRITES),
    ),
    IntendedDifference(
        "billing mode and indexes of a table",
        "A request cannot combine provisioned throughput with on-demand billing. A list of indexes must not "
        "be empty, and a key must use each attribute definition (live-validated suite; dynalite's tests). "
        "Local accepts requests that break these rules",
        only_we_reject("BillingMode is P|SecondaryIndexes is empty|AttributeDefinitions are not used"),
    ),
    IntendedDifference(
        "placeholders without expressions",
        "DynamoDB rejects a request with placeholders but without an expression (live-validated suite). Local"
        " ignores empty maps of placeholders",
        only_we_reject("can only be specified when using expressions"),
    ),
    IntendedDifference(
        "one number in two notations",
        "If a batch or transaction contains the same number in two notations as keys, DynamoDB reports a "
        "duplicate key. Local compares the keys as strings",
        only_we_reject("Provided list of item keys contains duplicates|multiple operations on one item"),
    ),
    IntendedDifference(
        "reserved words",
        'SIZE is a reserved word ("Reserved words in DynamoDB"). Local accepts SIZE as an attribute name',
        lambda exchange, difference: difference.path == ERROR and "reserved keyword: size" in exchange.ours.message,
    ),
    IntendedDifference(
        "deletion protection after a change of billing mode",
        "After a change of the billing mode, a table still has its deletion protection. In Local, the table loses it",
        only_we_reject("protected against deletion", "DeleteTable"),
    ),
    IntendedDifference(
        "short table names in transactions",
        "A table name with less than three characters is invalid (Alternator's tests, run on DynamoDB). In "
        "TransactGetItems, Local reports that the table does not exist",
        lambda exchange, difference: (
            difference.path == ERROR
            and exchange.ours.message.startswith("Invalid table/index name.")
            and exchange.theirs.message == "Cannot do operations on a non-existent table"
        ),
    ),
    IntendedDifference(
        "changes of the table class",
        'UpdateTable changes the table class ("UpdateTable", TableClass). Local does not support table classes',
        lambda exchange, difference: (
            exchange.theirs.message == "Nothing to update" and "TableClass" in exchange.request
        ),
    ),
)
