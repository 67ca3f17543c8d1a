"""Modes of patterns while several tables become one: which implementation serves a pattern, and how they compare."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import msgspec

from singletable.client.design_state import CONTENT
from singletable.client.request_steps import Call, Steps, run
from singletable.client.responses import Item, read_get
from singletable.client.table import Table
from singletable.consolidation.answer_differences import KINDS, DifferenceKind
from singletable.consolidation.mode_statistics import (
    ROUND,
    Latency,
    PatternCounts,
    Side,
    StoredStatistics,
    addition,
    first_item,
    round_condition,
    statistics_from,
)
from singletable.errors import ArgumentRefused, ConsolidationRefused, RequestRefused, TableDiffers
from singletable.model.design import Design
from singletable.model.reserved_place import NO_PLACE, reserved_place
from singletable.model.table_schema import CONSOLIDATION, RESERVED_TYPE
from singletable.streams.reserved_items import CONDITION_FAILED, ReservedItems
from singletable.wire.api_types import decoder_of

Mode = Literal["old", "shadow", "new", "done"]
MODES: tuple[Mode, ...] = get_args(Mode)
SERVES: Mapping[Mode, Side] = {"old": "old", "shadow": "old", "new": "new", "done": "new"}
COMPARES: Mapping[Mode, bool] = {"old": False, "shadow": True, "new": True, "done": False}
SOURCE = "consolidation"
"""The source of the requests for these items, in metrics and logs."""
CALLS_MIN = 100
ERROR_RATE_MAX = 0.01
"""The highest error rate of the new implementation with which it may serve a pattern."""
RECORDS_MAX = 20
"""The number of differences of a pattern that the table stores."""
_MODES, _STATISTICS, _DIFFERENCES = "modes", "statistics", "differences"
_ATTEMPTS, _PATTERNS_PER_TRANSACTION = 10, 30


@dataclass(frozen=True)
class PatternMode:
    """The mode of a pattern, and the round in which its calls are counted."""

    mode: Mode
    since: float
    """When the mode was set, in seconds since 1970."""
    round: int
    """Every switch that discards the statistics starts a new round."""
    reason: str = ""
    """Why the library switched the mode itself."""


class DifferenceRecord(msgspec.Struct, frozen=True):
    """A difference between the old and the new answer, as text for people."""

    at: float
    call: str
    kind: DifferenceKind
    key: str
    field: str
    old: str
    new: str


@dataclass(frozen=True)
class PatternState:
    """The mode of a pattern with the statistics of all processes since its round began."""

    mode: Mode
    since: float
    clean_since: float
    """When the round began, or when a process last reported a mismatch."""
    calls: int
    """The calls of the application."""
    clean_calls: int
    """The calls that were compared since `clean_since`."""
    compared: int
    mismatches: int
    """The compared calls with a difference that another read did not resolve."""
    errors: int
    """The errors of the new implementation for calls that the old one can answer."""
    dropped: int
    """The comparisons that were not made, because too many were waiting."""
    kinds: Mapping[DifferenceKind, int]
    """The compared calls with a difference of each kind. A difference that disappears counts as timing only."""
    old: Latency
    new: Latency
    reason: str = ""
    differences: tuple[DifferenceRecord, ...] = ()
    """The last differences, the newest first."""

    @property
    def mismatch_rate(self) -> float:
        """The mismatches per compared call."""
        return self.mismatches / self.compared if self.compared else 0.0

    @property
    def error_rate(self) -> float:
        """The errors per call of the new implementation."""
        calls = max(self.compared + self.errors, sum(self.new.buckets.values()))
        return self.errors / calls if calls else 0.0


Modes = Mapping[str, PatternMode]


@dataclass(frozen=True)
class ModeItems:
    """Reads and writes the reserved items with the modes and statistics of the patterns of one table."""

    items: ReservedItems

    def read(self) -> Steps[dict[str, PatternMode]]:
        """Read the modes of all patterns."""
        return self._modes((yield from self.items.content(_MODES)))

    def register(self, names: Collection[str], now: float) -> Steps[dict[str, PatternMode]]:
        """Read the modes. Add the patterns that have none, with the mode `old`."""
        modes: dict[str, PatternMode] = {}
        for _ in range(_ATTEMPTS):
            content = yield from self.items.content(_MODES)
            modes = self._modes(content)
            missing = [name for name in names if name not in modes][:_PATTERNS_PER_TRANSACTION]
            if not missing:
                return modes
            added = {name: PatternMode("old", now, 1) for name in missing}
            yield from self._store(content, {**modes, **added}, added, now)
        return modes

    def switch(self, name: str, before: PatternMode, mode: Mode, now: float, reason: str = "") -> Steps[bool]:
        """Set the mode of a pattern, unless another process has switched it meanwhile. Return whether it was set."""
        for _ in range(_ATTEMPTS):
            content = yield from self.items.content(_MODES)
            modes = self._modes(content)
            if modes.get(name) != before:
                return False
            keeps_statistics = mode == "done"
            changed = PatternMode(mode, now, before.round + (not keeps_statistics), reason)
            restarted = {} if keeps_statistics else {name: changed}
            if (yield from self._store(content, {**modes, name: changed}, restarted, now)):
                return True
        return False

    def add(self, name: str, counts: PatternCounts, round_number: int, now: float) -> Steps[bool]:
        """Add counts to the statistics of a pattern. Return False if the round is over."""
        update = {"TableName": self.items.table, "Key": self.items.key(_STATISTICS, name)}
        return (yield from self._update(update | addition(counts, round_number, now)))

    def add_records(self, name: str, records: Mapping[int, DifferenceRecord], round_number: int) -> Steps[bool]:
        """Store differences of a pattern in the given places. Return False if the round is over."""
        condition, names, values = round_condition(round_number)
        names |= {f"#r{place}": f"{RESERVED_TYPE}:{place}" for place in records}
        values |= {f":r{place}": {"S": _encode(record).decode()} for place, record in records.items()}
        update = {
            "TableName": self.items.table,
            "Key": self.items.key(_DIFFERENCES, name),
            "UpdateExpression": "SET " + ", ".join(f"#r{place} = :r{place}" for place in records),
            "ConditionExpression": condition,
            "ExpressionAttributeNames": names,
            "ExpressionAttributeValues": values,
        }
        return (yield from self._update(update))

    def states(self) -> Steps[dict[str, PatternState]]:
        """Read the modes and the statistics of all patterns."""
        modes = yield from self.read()
        keys = [self.items.key(kind, name) for name in modes for kind in (_STATISTICS, _DIFFERENCES)]
        parameters = {"TableName": self.items.table, "ConsistentRead": True}
        calls = tuple(Call("GetItem", {**parameters, "Key": key}, source=self.items.source) for key in keys)
        bodies: Sequence[bytes] = (yield calls) if calls else ()
        items = [read_get(body).item for body in bodies]
        return {
            name: _state(mode, statistics_from(items[2 * number]), _records(items[2 * number + 1]))
            for number, (name, mode) in enumerate(modes.items())
        }

    def _update(self, update: dict[str, Any]) -> Steps[bool]:
        try:
            yield (Call("UpdateItem", update, source=self.items.source),)
        except RequestRefused as problem:
            if problem.code != CONDITION_FAILED:
                raise
            return False
        return True

    def _store(self, before: Item | None, modes: Modes, restarted: Modes, now: float) -> Steps[bool]:
        """Replace the modes, and start a new round of these patterns, in one transaction."""
        content = {name: {"M": _members(each)} for name, each in modes.items()}
        actions = [("Put", self.items.put(content, _MODES) | self.items.replaces(before))]
        for name, each in restarted.items():
            for kind in (_STATISTICS, _DIFFERENCES):
                item = first_item(self.items.key(kind, name), self.items.type_attribute, each.round, now)
                actions.append(("Put", {"TableName": self.items.table, "Item": item}))
        return (yield from self.items.commit(*actions))

    def _modes(self, content: Item | None) -> dict[str, PatternMode]:
        try:
            return {name: _mode(each["M"]) for name, each in sorted((content or {}).items())}
        except (KeyError, TypeError, ValueError) as problem:
            raise TableDiffers(
                f"table {self.items.table!r}: the item {CONSOLIDATION}#{_MODES} is not readable ({problem!r}); a newer "
                "release of singletable may have written it.\n  Install that release."
            ) from None


def mode_items(design: Design, table: str) -> ModeItems:
    """Return the reserved items of a table. Raise ConsolidationRefused if its keys are not strings."""
    place = reserved_place(design, table)
    if place is None:
        raise ConsolidationRefused(
            f"{design.name}: the keys of the table are not strings, so it cannot contain the modes of patterns; "
            f"{NO_PLACE}"
        )
    return ModeItems(ReservedItems(place, prefix=CONSOLIDATION, source=SOURCE))


def read_pattern_states(table: Table) -> dict[str, PatternState]:
    """Return the state of each pattern that a process has read through `ShadowReads`, by the name of the pattern."""
    opened = table._opened()
    return run(mode_items(opened.reader.design, opened.reader.name).states(), opened.session)


def switch_mode(table: Table, pattern: str, mode: Mode, *, calls_min: int = CALLS_MIN) -> None:
    """Set the mode of a pattern for all processes, which notice it within 30 seconds.

    The modes `new` and `done` need the mode before them, at least `calls_min` compared calls without a mismatch, and an
    error rate of at most 1 %. Otherwise raise ConsolidationRefused. Every switch except the one to `done` starts new
    statistics: after you have fixed a fault, switch to the same mode again.
    """
    opened = table._opened()
    items = mode_items(opened.reader.design, opened.reader.name)
    if mode not in MODES:
        raise ArgumentRefused(f"mode must be {', '.join(MODES)}, got {mode!r}")
    modes = run(items.read(), opened.session)
    if pattern not in modes:
        known = ", ".join(modes) or "none; no process has read through ShadowReads yet"
        raise ArgumentRefused(
            f"the table {opened.reader.name!r} has no mode for {pattern!r}; it has modes for: {known}"
        )
    states = run(items.states(), opened.session)
    _reject_early(f"{opened.reader.design.name}.{pattern}", states[pattern], mode, calls_min)
    if not run(items.switch(pattern, modes[pattern], mode, opened.reader.now()), opened.session):
        raise ConsolidationRefused(
            f"{pattern}: the mode was switched at the same time by another command or process.\n"
            "  Look at the status, and repeat the command."
        )


def _reject_early(label: str, state: PatternState, mode: Mode, calls_min: int) -> None:
    """Raise ConsolidationRefused if the statistics do not allow the next mode."""
    before: Mode | None = {"new": "shadow", "done": "new"}.get(mode)  # type: ignore[assignment]  # two modes
    if before is None or state.mode == mode:
        return
    if state.mode not in (before, "done"):
        raise ConsolidationRefused(
            f"{label} is in the mode {state.mode!r}, so it cannot be switched to {mode!r}.\n  Switch it to {before!r} "
            "first, so that both implementations are compared."
        )
    if state.mode == "done":
        return
    restart = f"Fix the cause, and switch the pattern to {before!r} again, which starts new statistics."
    if state.mismatches:
        raise ConsolidationRefused(
            f"{label}: {state.mismatches:,} of {state.compared:,} compared calls differ, so it cannot be switched to "
            f"{mode!r}.\n{_shown(state)}  {restart}"
        )
    if state.error_rate > ERROR_RATE_MAX:
        raise ConsolidationRefused(
            f"{label}: the new implementation fails in {state.error_rate:.1%} of the calls, more than "
            f"{ERROR_RATE_MAX:.0%}, so it cannot be switched to {mode!r}.\n  The log of the application names the "
            f"errors. {restart}"
        )
    if state.clean_calls < calls_min:
        raise ConsolidationRefused(
            f"{label}: {state.clean_calls:,} calls were compared, but {mode!r} needs {calls_min:,}.\n  Wait for more "
            "calls, or let ShadowReads compare a higher share of them."
        )


def _shown(state: PatternState) -> str:
    lines = dict.fromkeys(f"  {difference_text(each)}\n" for each in state.differences[:3])
    return "".join(lines)


def difference_text(record: DifferenceRecord) -> str:
    """Return one line of text for a difference."""
    where = f"{record.key}: {record.field}" if record.key and record.field else record.key or record.field
    return f"{record.kind}: {record.call}: {where}: old {record.old}, new {record.new}"


def _mode(members: Item) -> PatternMode:
    text = members["mode"]["S"]
    mode: Mode | None = next((each for each in MODES if each == text), None)
    if mode is None:
        raise ValueError(f"unknown mode {text!r}")
    reason = members.get("reason", {}).get("S", "")
    return PatternMode(mode, float(members["since"]["N"]), int(members[ROUND]["N"]), reason)


def _members(mode: PatternMode) -> Item:
    members: Item = {
        "mode": {"S": mode.mode},
        "since": {"N": repr(mode.since)},
        ROUND: {"N": str(mode.round)},
    }
    return members | ({"reason": {"S": mode.reason}} if mode.reason else {})


def _state(mode: PatternMode, found: StoredStatistics, records: tuple[DifferenceRecord, ...]) -> PatternState:
    return PatternState(
        mode.mode,
        mode.since,
        mode.since if found.clean_since is None else found.clean_since,
        found.counts["calls"],
        found.clean_calls,
        found.counts["compared"],
        found.counts["mismatches"],
        found.counts["errors"],
        found.counts["dropped"],
        {kind: found.counts[kind] for kind in KINDS},
        found.old,
        found.new,
        mode.reason,
        records,
    )


def _records(item: Item | None) -> tuple[DifferenceRecord, ...]:
    texts = (
        [item[f"{RESERVED_TYPE}:{n}"]["S"] for n in range(RECORDS_MAX) if f"{RESERVED_TYPE}:{n}" in item]
        if item
        else []
    )
    return tuple(sorted((_decode(text) for text in texts), key=lambda each: -each.at))


_encode = msgspec.json.Encoder().encode
_decode = decoder_of(DifferenceRecord).decode
assert CONTENT == RESERVED_TYPE
