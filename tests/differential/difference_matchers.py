"""Intended differences, each with its reason, and the functions that match differences."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.differential.compare import ERROR, Difference
from tests.differential.exchange import Exchange

Applies = Callable[[Exchange, Difference], bool]

WRITES = ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems")


@dataclass(frozen=True)
class IntendedDifference:
    """An intended difference. Its reason names a page of the documentation, or tests that ran on the service.

    These tests are the conformance suite that was validated on the live service, the tests of dynalite and Alternator,
    and published captures, many of them from a Kubernetes controller.
    """

    name: str
    reason: str
    applies: Applies


def at(pattern: str, *, ours: Any = None, theirs: Any = None) -> Applies:
    """Match an action and a field of its response (`Query: Count`), and optionally the values of the sides."""
    compiled = re.compile(pattern)

    def applies(exchange: Exchange, difference: Difference) -> bool:
        fits = compiled.search(f"{exchange.action}: {difference.path}") is not None
        return fits and (ours is None or difference.ours == ours) and (theirs is None or difference.theirs == theirs)

    return applies


def only_we_reject(words: str, *actions: str) -> Applies:
    """Match a request that we reject with this message, but DynamoDB Local accepts."""
    compiled = re.compile(words)

    def applies(exchange: Exchange, difference: Difference) -> bool:
        we_reject = difference.path == ERROR and not exchange.theirs.is_error
        is_of_action = not actions or exchange.action in actions
        return we_reject and is_of_action and compiled.search(str(exchange.ours.document)) is not None

    return applies


def both_reject(exchange: Exchange, difference: Difference) -> bool:
    return difference.path == ERROR and exchange.ours.is_error and exchange.theirs.is_error
