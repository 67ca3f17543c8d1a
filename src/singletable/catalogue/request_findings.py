"""Findings about recorded requests: Scans, N+1 sequences, and filters that discard most of what DynamoDB reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from singletable.catalogue.access_patterns import AccessPattern
from singletable.catalogue.request_groups import RequestGroup
from singletable.lazy_dataclass import dataclass

DISCARDED_MIN = 0.5
"""A filter that discards at least this share of the items is a finding."""
FOLLOWING_MIN = 2
"""The minimum number of requests that follow one result, for a loop."""
FOLLOWED_SHARE_MIN = 0.5
"""A loop is a finding if it follows at least this share of the results that have several items."""
UNNAMED_SHARE_MIN = 0.1
UNNAMED_LOOPS_MIN = 3
"""The limits for requests without a caller, because functions without a loop can send the same requests."""

FindingKind = Literal["scan", "n+1", "filter", "statement"]


@dataclass(frozen=True)
class RequestFinding:
    """A problem of an access pattern."""

    pattern: str
    kind: FindingKind
    text: str

    def __str__(self) -> str:
        return f"{self.pattern}: {self.text}"


def findings_of(patterns: Sequence[AccessPattern]) -> Iterator[RequestFinding]:
    """Yield the findings of each pattern, in order."""
    groups = {id(group): (pattern, group) for pattern in patterns for group in pattern.groups}
    for pattern in patterns:
        for group in pattern.groups:
            if group.shape.operation == "Scan":
                yield RequestFinding(pattern.name, "scan", _scan(group))
            if (discarded := _discarded(group)) >= DISCARDED_MIN:
                text = f"the filter {group.shape.filter} discards {discarded:.0%} of the items that DynamoDB reads."
                yield RequestFinding(pattern.name, "filter", text)
            if group.shape.statement is not None:
                text = f"a PartiQL statement, which is not in the worksheet: {group.shape.statement}"
                yield RequestFinding(pattern.name, "statement", text)
            for number in group.sequences:
                other, following = groups[number]
                if (length := _loop_length(group, number)) is not None:
                    yield RequestFinding(other.name, "n+1", _sequence(pattern, group, other, following, length))


def _scan(group: RequestGroup) -> str:
    place = group.shape.table if group.shape.index is None else f"{group.shape.table}, index {group.shape.index}"
    condition = f" with the filter {group.shape.filter}" if group.shape.filter else ""
    return f"a Scan reads every item of {place}{condition}."


def _discarded(group: RequestGroup) -> float:
    if group.shape.filter is None or not group.examined:
        return 0.0
    return 1 - group.returned / group.examined


def _loop_length(group: RequestGroup, number: int) -> float | None:
    """Return the mean number of requests of a loop over the results of a group. Return None if there is no loop."""
    lengths = group.sequences[number]
    loops = lengths.count_at_least(FOLLOWING_MIN)
    share, least = (FOLLOWED_SHARE_MIN, 1) if group.caller is not None else (UNNAMED_SHARE_MIN, UNNAMED_LOOPS_MIN)
    if loops < max(least, share * group.long_results):
        return None
    return lengths.mean


def _sequence(
    pattern: AccessPattern, group: RequestGroup, other: AccessPattern, following: RequestGroup, length: float
) -> str:
    of = "" if pattern is other else f" ({pattern.name})"
    which = "each" if group.caller is not None else "a"
    where = following.shape.table if following.shape.index is None else following.shape.index
    return (
        f"N+1 requests: after {which} {group.shape.operation} of {group.shape.table}{of}, {length:.1f} "
        f"{following.shape.operation} requests to {where} on average, one for each item."
    )
