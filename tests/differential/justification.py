"""A difference that is meant: how it is recognised, and the sentence that says why."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.differential.ask import Exchange
from tests.differential.compare import REFUSAL, Difference

Applies = Callable[[Exchange, Difference], bool]

WRITES = ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems")


@dataclass(frozen=True)
class Justified:
    """A difference by intent; the reason names a page of the documentation, or who asked the service itself.

    Those are the conformance suite that was validated against the live service, the tests of dynalite and Alternator,
    which are run against the service as well, and published captures, many of them those of a Kubernetes controller.
    """

    name: str
    reason: str
    applies: Applies


def at(pattern: str, *, ours: Any = None, theirs: Any = None) -> Applies:
    """An action and a field of its answer (`Query: Count`), and what it is on either side, if that matters."""
    compiled = re.compile(pattern)

    def applies(exchange: Exchange, difference: Difference) -> bool:
        fits = compiled.search(f"{exchange.action}: {difference.path}") is not None
        return fits and (ours is None or difference.ours == ours) and (theirs is None or difference.theirs == theirs)

    return applies


def overlooked(words: str, *actions: str) -> Applies:
    """We refuse in these words, and Local accepts."""
    compiled = re.compile(words)

    def applies(exchange: Exchange, difference: Difference) -> bool:
        is_refused_by_us = difference.path == REFUSAL and not exchange.theirs.is_refused
        is_of_action = not actions or exchange.action in actions
        return is_refused_by_us and is_of_action and compiled.search(str(exchange.ours.document)) is not None

    return applies


def both_refuse(exchange: Exchange, difference: Difference) -> bool:
    return difference.path == REFUSAL and exchange.ours.is_refused and exchange.theirs.is_refused
