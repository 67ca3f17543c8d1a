"""Answers to PartiQL that differ from DynamoDB Local's by intent; Local has words of its own for nearly all faults."""

from __future__ import annotations

import re

from tests.differential.ask import Exchange
from tests.differential.compare import ABSENT, REFUSAL, Difference
from tests.differential.justification import Justified, at, both_refuse, overlooked
from tests.differential.state import STATEMENTS


def _is_in_other_words(exchange: Exchange, difference: Difference) -> bool:
    if exchange.action not in STATEMENTS:
        return False
    if re.search(r"(Error|CancellationReasons\[\])\.Message$", difference.path):
        return ABSENT not in (difference.ours, difference.theirs)
    return both_refuse(exchange, difference)


def _fails_alone(exchange: Exchange, difference: Difference) -> bool:
    """A statement of a batch that has an error here, where Local refuses the batch or does the statement otherwise."""
    if exchange.action != "BatchExecuteStatement" or exchange.ours.is_refused:
        return False
    has_error = any("Error" in each for each in exchange.ours.document.get("Responses", ()))
    return has_error and re.match(f"{REFUSAL}$|stored|Responses", difference.path) is not None


def _scans_an_index(exchange: Exchange, difference: Difference) -> bool:
    """What a statement finds in an index whose partition it does not name; Local holds it to the types of keys, too."""
    if exchange.action != "ExecuteStatement" or re.search(r'FROM "[\w-]+"\."', str(exchange.request)) is None:
        return False
    if difference.path == REFUSAL:
        return not exchange.ours.is_refused and "does not match schema type" in exchange.theirs.message
    return re.match(r"Items\b", difference.path) is not None


STATEMENT_ANSWERS: tuple[Justified, ...] = (
    Justified(
        "the words about a statement",
        "are the service's own (live-validated suite; published captures); Local has others",
        _is_in_other_words,
    ),
    Justified(
        "statements of a batch",
        'fail one by one, each with its Error ("BatchExecuteStatement"); Local refuses the batch for some faults',
        _fails_alone,
    ),
    Justified(
        "an item that is there already",
        'is a DuplicateItemException ("ExecuteStatement", Errors); Local calls it DuplicateItem, and a fault of the '
        "statement in a transaction",
        lambda exchange, difference: exchange.action in STATEMENTS and "Duplicate" in str(exchange.ours.document),
    ),
    Justified(
        "answers to the writes of a transaction",
        "are empty, one for each statement (live-validated suite); Local leaves them out",
        at("^ExecuteTransaction: Responses$", theirs=[]),
    ),
    Justified(
        "names of selected elements",
        "are those of the path, such as l[0] (published captures); Local returns the list",
        at(r"^\w*Execute\w+: \w+\[\](\.Item)?\.\w+(\[\d+\])?$"),
    ),
    Justified(
        "filters of statements by what an index lacks",
        "are refused when the statement names the index's partition (published captures); Local overlooks it",
        overlooked("does not project one or more filter attributes", "ExecuteStatement"),
    ),
    Justified(
        "attributes that an index lacks, in statements",
        "are not there for a statement that scans the index (published captures); Local looks into the table",
        _scans_an_index,
    ),
    Justified(
        "two reads of one item",
        'are not allowed in a transaction ("ExecuteTransaction"); Local overlooks it in statements',
        overlooked("cannot include multiple operations on one item", "ExecuteTransaction"),
    ),
)
