"""Refusals that differ from DynamoDB Local's by intent: what is refused, in which words, and for which fault first."""

from __future__ import annotations

import re

from tests.differential.api_model import breaks_model
from tests.differential.ask import Exchange
from tests.differential.compare import REFUSAL, Difference, refusal
from tests.differential.justification import WRITES, Justified, both_refuse, overlooked
from tests.differential.words import INDEXES, ITEM, TABLE, VALUES, is_same_fault, only_local_says_of_tables, stage

OF_SHAPE = re.compile(r"\d+ validation errors? detected|The parameter '")
OLD_PARAMETERS = frozenset(
    ("Expected", "AttributeUpdates", "KeyConditions", "QueryFilter", "ScanFilter", "AttributesToGet")
)
OF_EXPRESSION = re.compile(r"Invalid (\w+)Expression: ")


def _breaks_the_model(exchange: Exchange, difference: Difference) -> bool:
    told = exchange.ours
    is_of_shape = told.code == "SerializationException" or OF_SHAPE.match(told.message) is not None
    return difference.path == REFUSAL and is_of_shape and breaks_model(exchange.action, exchange.request)


def _is_same_fault(exchange: Exchange, difference: Difference) -> bool:
    if difference.path == "CancellationReasons[].Message":
        return is_same_fault(difference.ours, difference.theirs)
    is_alike = both_refuse(exchange, difference) and exchange.ours.code == exchange.theirs.code
    is_of_table = exchange.action in ("CreateTable", "UpdateTable")
    told = exchange.ours.message, exchange.theirs.message
    return is_alike and (is_same_fault(*told) or (is_of_table and only_local_says_of_tables(told[1])))


def _is_found_earlier(exchange: Exchange, difference: Difference) -> bool:
    """Both refuse, we for a fault of an earlier stage."""
    if not both_refuse(exchange, difference):
        return False
    if "KeyConditionExpression parameter must be specified" in exchange.ours.message:
        return True  # without a key condition no expression is looked at
    ours, theirs = stage(refusal(exchange.ours)), stage(refusal(exchange.theirs))
    return ours is not None and theirs is not None and ours < theirs


def _has_two_faults(exchange: Exchange, difference: Difference) -> bool:
    """An update and an item, expressions of one request, index keys of one item, what is asked of one index."""
    if not both_refuse(exchange, difference):
        return False
    told = (exchange.ours.message, exchange.theirs.message)
    expressions = [found[1] for each in told if (found := OF_EXPRESSION.match(each)) is not None]
    stages = [stage(refusal(each)) for each in (exchange.ours, exchange.theirs)]
    return (
        stages == [ITEM, ITEM]
        or (stages == [VALUES, VALUES] and not OLD_PARAMETERS.isdisjoint(exchange.request))
        or len(set(expressions)) == 2
        or all("does not project" in each or "is not supported for global" in each for each in told)
        or (exchange.action in WRITES and stages == [INDEXES, INDEXES])
    )


def _is_batch_of_several(exchange: Exchange, difference: Difference) -> bool:
    """Both refuse, each for another element: for what does not fit a table, or for one that is there twice."""
    if not both_refuse(exchange, difference):
        return False
    if exchange.action == "TransactWriteItems":
        found = stage(refusal(exchange.ours))
        return len(exchange.request["TransactItems"]) > 1 and found is not None and found >= TABLE
    elements = [each for of in exchange.request.get("RequestItems", {}).values() for each in of]
    told = [refusal(each) for each in (exchange.ours, exchange.theirs)]
    is_named_twice = any("list of item keys contains duplicates" in each for each in told)
    is_of_table = all((found := stage(each)) is not None and found >= TABLE for each in told)
    return exchange.action.startswith("Batch") and len(elements) > 1 and (is_named_twice or is_of_table)


def _has_unfit_action(exchange: Exchange) -> bool:
    if exchange.ours.code != "TransactionCanceledException":
        return False
    return any(reason["Code"] == "ValidationError" for reason in exchange.ours.document["CancellationReasons"])


REFUSALS: tuple[Justified, ...] = (
    Justified(
        "the shape of a request",
        "is declared by the API model: members, types, lengths, ranges and words; what breaks it is refused before "
        "anything else (live-validated suite); Local converts or accepts much of it",
        _breaks_the_model,
    ),
    Justified(
        "the words of a refusal",
        "are the service's own (live-validated suite; dynalite's tests); Local has others for the same fault",
        _is_same_fault,
    ),
    Justified(
        "the order of checks",
        "is shape, values, expressions, table, keys, indexes, item, and the first fault is named (live-validated "
        "suite; dynalite's tests); Local has an order of its own",
        _is_found_earlier,
    ),
    Justified(
        "two faults of one stage",
        "which of them is named is nowhere specified",
        _has_two_faults,
    ),
    Justified(
        "which of several elements is named",
        "a batch names its tables in a map, which has no order, and of a transaction it is nowhere specified",
        _is_batch_of_several,
    ),
    Justified(
        "actions that do not fit their table",
        'cancel a transaction and are told as CancellationReasons, one for each action ("TransactWriteItems", Errors; '
        "live-validated suite); Local refuses the request for the first of them",
        lambda exchange, difference: both_refuse(exchange, difference) and _has_unfit_action(exchange),
    ),
    Justified(
        "reasons of a cancelled transaction",
        "an action that does not fit its table is found before any item is looked at; Local stops at the first reason",
        lambda exchange, difference: difference.path.startswith("CancellationReasons") and _has_unfit_action(exchange),
    ),
    Justified(
        "an error of Local's own",
        "Local fails with status 500",
        lambda exchange, difference: difference.path == REFUSAL and exchange.theirs.status >= 500,
    ),
    Justified(
        "an empty starting key",
        "is a key that does not match (dynalite's tests); Local takes it for none",
        lambda exchange, difference: difference.path == REFUSAL and exchange.request.get("ExclusiveStartKey") == {},
    ),
    Justified(
        "Base64",
        "what is no Base64 cannot be read (live-validated suite); Local reads it in part",
        lambda exchange, difference: difference.path == REFUSAL and "Base64" in exchange.ours.message,
    ),
    Justified(
        "quotas of an account",
        'can be raised, so 40,000 units are no limit of the engine\'s ("Service, account, and table quotas")',
        lambda exchange, difference: "to more than 40,000 units" in exchange.theirs.message,
    ),
    Justified(
        "sizes of key values",
        "more than 2048 or 1024 bytes are no key, of an index or in a Query either (dynalite's tests); Local does not "
        "look there",
        overlooked("size limit of"),
    ),
    Justified(
        "definitions for a new index",
        "stand in the request that makes it, all of them (published captures); Local asks for those that are new",
        overlooked("index key attributes are not defined in AttributeDefinitions", "UpdateTable"),
    ),
    Justified(
        "items with entries in local indexes",
        'have 400 KB together with them ("Local secondary indexes", item collections); Local counts the item alone',
        overlooked("Item size .*has exceeded the maximum", *WRITES),
    ),
    Justified(
        "depth of values",
        'is 32 levels ("Service, account, and table quotas"), in placeholders too (published captures); Local allows '
        "one more there",
        overlooked("Nesting Levels"),
    ),
    Justified(
        "segments",
        "which segment an item is in is nowhere specified",
        lambda exchange, difference: (
            difference.path == REFUSAL
            and exchange.action == "Scan"
            and "egment" in exchange.ours.message + exchange.theirs.message
        ),
    ),
    Justified(
        "types of index keys",
        'are those that were defined, or the write is refused ("Using global secondary indexes", data '
        "synchronization); Local overlooks it in ADD, and where two indexes share a key",
        overlooked("Type mismatch for Index Key", *WRITES),
    ),
    Justified(
        "billing and indexes of a table",
        "units and paying per request exclude each other, a list of indexes is not empty, and definitions are used "
        "(live-validated suite; dynalite's tests); Local lets it be",
        overlooked("BillingMode is P|SecondaryIndexes is empty|AttributeDefinitions are not used"),
    ),
    Justified(
        "placeholders without expressions",
        "are refused (live-validated suite); Local overlooks empty ones",
        overlooked("can only be specified when using expressions"),
    ),
    Justified(
        "one number in two spellings",
        "is one key, so that a batch or transaction with both names it twice; Local compares the texts",
        overlooked("Provided list of item keys contains duplicates|multiple operations on one item"),
    ),
    Justified(
        "reserved words",
        'SIZE is one ("Reserved words in DynamoDB"); Local takes it for a name',
        lambda exchange, difference: difference.path == REFUSAL and "reserved keyword: size" in exchange.ours.message,
    ),
    Justified(
        "protection that Local forgets",
        "another billing mode takes nothing away from the protection of a table",
        overlooked("protected against deletion", "DeleteTable"),
    ),
    Justified(
        "table classes that Local does not know",
        'are changed by UpdateTable ("UpdateTable", TableClass)',
        lambda exchange, difference: (
            exchange.theirs.message == "Nothing to update" and "TableClass" in exchange.request
        ),
    ),
)
