"""Intended differences of PartiQL results from DynamoDB Local. Local has other messages for nearly all errors."""

from __future__ import annotations

import re

from tests.differential.compare import ABSENT, ERROR, Difference
from tests.differential.difference_matchers import IntendedDifference, at, both_reject, only_we_reject
from tests.differential.exchange import Exchange
from tests.differential.state import STATEMENTS


def _is_in_other_words(exchange: Exchange, difference: Difference) -> bool:
    if exchange.action not in STATEMENTS:
        return False
    if re.search(r"(Error|CancellationReasons\[\])\.Message$", difference.path):
        return ABSENT not in (difference.ours, difference.theirs)
    return both_reject(exchange, difference)


def _fails_alone(exchange: Exchange, difference: Difference) -> bool:
    """Match a statement of a batch that fails here, but for which Local rejects the batch or executes the statement."""
    if exchange.action != "BatchExecuteStatement" or exchange.ours.is_error:
        return False
    has_error = any("Error" in each for each in exchange.ours.document.get("Responses", ()))
    return has_error and re.match(f"{ERROR}$|stored|Responses", difference.path) is not None


def _scans_an_index(exchange: Exchange, difference: Difference) -> bool:
    """Match a statement that scans an index. Local also checks the types of its keys."""
    if exchange.action != "ExecuteStatement" or re.search(r'FROM "[\w-]+"\."', str(exchange.request)) is None:
        return False
    if difference.path == ERROR:
        return not exchange.ours.is_error and "does not match schema type" in exchange.theirs.message
    return re.match(r"Items\b", difference.path) is not None


STATEMENT_RESULTS: tuple[IntendedDifference, ...] = (
    IntendedDifference(
        "error messages of statements",
        "The engine uses DynamoDB's messages (live-validated suite; published captures). Local has other messages",
        _is_in_other_words,
    ),
    IntendedDifference(
        "statements of a batch",
        "If a statement of a batch fails, DynamoDB returns its Error and executes the other statements "
        '("BatchExecuteStatement"). For some errors, Local rejects the whole batch',
        _fails_alone,
    ),
    IntendedDifference(
        "INSERT of an existing item",
        'An INSERT of an existing item fails with DuplicateItemException ("ExecuteStatement", Errors). Local '
        "returns DuplicateItem; in a transaction, Local returns an error of the statement",
        lambda exchange, difference: exchange.action in STATEMENTS and "Duplicate" in str(exchange.ours.document),
    ),
    IntendedDifference(
        "responses of writes in a transaction",
        "The response contains one empty entry per write statement (live-validated suite). Local omits these entries",
        at("^ExecuteTransaction: Responses$", theirs=[]),
    ),
    IntendedDifference(
        "names of selected elements",
        "If a statement selects a list element, the name in the result is the path of the element, such as "
        "l[0] (published captures). Local returns the whole list",
        at(r"^\w*Execute\w+: \w+\[\](\.Item)?\.\w+(\[\d+\])?$"),
    ),
    IntendedDifference(
        "filters of statements on attributes that an index does not project",
        "If a statement names a partition of an index, DynamoDB rejects a filter on an attribute that the "
        "index does not project (published captures). Local accepts such filters",
        only_we_reject("does not project one or more filter attributes", "ExecuteStatement"),
    ),
    IntendedDifference(
        "attributes that an index does not project, in statements",
        "A statement that scans an index does not see attributes that the index does not project (published "
        "captures). Local reads these attributes from the table",
        _scans_an_index,
    ),
    IntendedDifference(
        "two reads of one item",
        'A transaction cannot read the same item twice ("ExecuteTransaction"). Local accepts two such reads '
        "in PartiQL statements",
        only_we_reject("cannot include multiple operations on one item", "ExecuteTransaction"),
    ),
)
