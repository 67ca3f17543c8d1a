"""The smallest range that holds several ranges of a sort key, where their fixed text says which comes first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cmp_to_key

from singletable.model.codecs.text import ORDERED_DELIMITER, range_end
from singletable.planner.operands import Atom, KeyTest, Text, TextOperand, same_atom


class NotComparable(Exception):  # a question without an answer, caught where it is asked
    """Two bounds whose order depends on the arguments."""


@dataclass(frozen=True)
class Span:
    """A range of sort keys from one operand to another."""

    low: tuple[Atom, ...]
    high: tuple[Atom, ...]

    def before(self, other: Span) -> bool:
        """Whether everything here sorts before everything there."""
        try:
            return _compare(self.high, other.low) < 0
        except NotComparable:
            return False


def span_of(tests: Sequence[KeyTest]) -> Span | None:
    """The range of a member's sort key; None when it is the whole partition or not made of text."""
    if len(tests) != 1 or not all(isinstance(operand, TextOperand) for operand in tests[0].operands):
        return None
    test = tests[0]
    atoms = [operand.atoms for operand in test.operands if isinstance(operand, TextOperand)]
    match test.operator:
        case "=":
            return Span(atoms[0], atoms[0])
        case "BETWEEN":
            return Span(atoms[0], atoms[1])
        case "begins_with":
            return _prefix_span(atoms[0])
        case _:
            return None


def _prefix_span(atoms: tuple[Atom, ...]) -> Span | None:
    """Everything behind a delimiter; a prefix that ends inside a segment has no end of its own."""
    tail = atoms[-1]
    if not isinstance(tail, Text) or not tail.text.endswith(ORDERED_DELIMITER):
        return None
    stem = tail.text.removesuffix(ORDERED_DELIMITER)
    return Span(atoms, (*atoms[:-1], Text(stem + range_end(ORDERED_DELIMITER))))


def hull(attribute: str, spans: Sequence[Span]) -> KeyTest | None:
    """The key test for everything from the first range to the last; None when arguments decide which is first."""
    try:
        low = min((span.low for span in spans), key=cmp_to_key(_compare))
        high = max((span.high for span in spans), key=cmp_to_key(_compare))
    except NotComparable:
        return None
    if low == high:
        return KeyTest(attribute, "=", (TextOperand(low),))
    prefix = _prefix_span(low)
    if prefix is not None and prefix.high == high:
        return KeyTest(attribute, "begins_with", (TextOperand(low),))
    return KeyTest(attribute, "BETWEEN", (TextOperand(low), TextOperand(high)))


def _compare(first: tuple[Atom, ...], second: tuple[Atom, ...]) -> int:
    ours, theirs = list(first), list(second)
    while ours and theirs and same_atom(ours[0], theirs[0]):
        del ours[0], theirs[0]
    if not ours or not theirs:
        return len(ours) - len(theirs)
    left, right = ours[0], theirs[0]
    if not (isinstance(left, Text) and isinstance(right, Text)):
        raise NotComparable
    if left.text.startswith(right.text) or right.text.startswith(left.text):
        return _compare_prefixes(left.text, right.text, len(ours) > 1, len(theirs) > 1)
    return -1 if left.text < right.text else 1


def _compare_prefixes(left: str, right: str, left_goes_on: bool, right_goes_on: bool) -> int:
    if len(left) < len(right) and not left_goes_on:
        return -1
    if len(right) < len(left) and not right_goes_on:
        return 1
    raise NotComparable
