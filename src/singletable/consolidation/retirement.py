"""Retirement: checks that every pattern was clean, ends the dual writes, and backs up and protects the old tables."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Protocol

from singletable.client.request_steps import Call, Steps, pause
from singletable.consolidation.consolidation import CleanPeriod
from singletable.consolidation.consolidation_run import MESSAGES, ConsolidationRun
from singletable.consolidation.consolidation_state import ConsolidationState, Stage
from singletable.errors import ConsolidationRefused
from singletable.model.intents import ItemWriteIntent

_NEVER_COMPARED = "it was never compared with the old implementation"
BACKUP_SECONDS, BACKUP_POLLS = 2.0, 300


class PatternStanding(Protocol):
    """The mode and the comparisons of one pattern."""

    @property
    def mode(self) -> str:
        """The mode: old, shadow, new or done."""
        ...

    @property
    def since(self) -> float:
        """When the mode was set, in seconds since 1970."""
        ...

    @property
    def clean_since(self) -> float:
        """Since when no comparison has found a difference, in seconds since 1970."""
        ...

    @property
    def clean_calls(self) -> int:
        """The number of comparisons since then."""
        ...


Standings = Mapping[str, PatternStanding]


@dataclass(frozen=True)
class RetiredTable:
    """An old table that is backed up and protected, so that you can delete it."""

    name: str
    backup: str
    """The ARN of the backup."""


def obstacles(run: ConsolidationRun, standings: Standings, now: float) -> list[str]:
    """Return why the old tables cannot be retired yet, one line for each pattern."""
    clean = run.consolidation.clean
    found: list[str] = []
    for pattern in run.table.reader.design.patterns:
        if isinstance(pattern.intent, ItemWriteIntent) or pattern.name in run.consolidation.new_patterns:
            continue
        state = standings.get(pattern.name)
        if state is None:
            found.append(f"{pattern.name}: {_NEVER_COMPARED}")
            continue
        short = _shortfalls(state, clean, min(now, state.since) if state.mode == "done" else now)
        if state.mode == "done":
            again = "; switch it to 'new' until then" if short else ""
            found += [f"{pattern.name}: {each}{again}" for each in short]
        elif state.mode == "new" and short:
            found += [f"{pattern.name}: {each}; leave it in the mode 'new' until then" for each in short]
        else:
            following = "done" if state.mode == "new" else "new"
            found.append(f"{pattern.name}: it is in the mode {state.mode!r}; switch it to {following!r}")
    return found


def _shortfalls(state: PatternStanding, clean: CleanPeriod, until: float) -> list[str]:
    """Return what a pattern lacks of the time and the calls without a difference."""
    seconds = timedelta(seconds=max(0.0, until - state.clean_since))
    found = []
    if seconds < clean.time:
        found.append(f"it was clean for {_text(seconds)}, the plan says {_text(clean.time)}")
    if state.clean_calls < clean.calls:
        found.append(f"it was clean for {state.clean_calls:,} calls, the plan says {clean.calls:,}")
    return found


def check_ready(run: ConsolidationRun, standings: Standings, now: Callable[[], float] = time.time) -> Steps[None]:
    """Raise ConsolidationRefused if the old tables cannot be retired yet."""
    state = yield from run.items.state()
    if state is None or state.stage in (Stage.BACKFILL, Stage.VERIFY):
        stage = "not started" if state is None else f"in the stage {state.stage.value!r}"
        raise ConsolidationRefused(
            f"table {run.items.table!r}: the consolidation is {stage}; nothing was changed.\n  Finish it with "
            "`singletable consolidate run`."
        )
    if state.stage is Stage.DUAL and (reasons := obstacles(run, standings, now())):
        if any(each.endswith(_NEVER_COMPARED) for each in reasons):
            reasons.append(
                "If a pattern has no old implementation, name it in new_patterns=[...] of the Consolidation."
            )
        lines = "\n  ".join(reasons)
        raise ConsolidationRefused(
            f"table {run.items.table!r}: the old tables cannot be retired yet; nothing was changed:\n  {lines}"
        )


def retire(
    run: ConsolidationRun, standings: Standings, now: Callable[[], float] = time.time
) -> Steps[list[RetiredTable]]:
    """End the dual writes, and back up and protect the old tables. Return them; this function deletes no table.

    Raise ConsolidationRefused if a pattern was not clean for the time and the calls that the consolidation states.
    """
    yield from check_ready(run, standings, now)
    state = yield from run.items.take_over((yield from run.items.state()))
    if state.stage is Stage.DUAL:
        state = yield from _enter(run, state, Stage.CLOSING)
    if state.stage is Stage.CLOSING:
        yield from pause(run.settings.wait_seconds)  # until no client writes through the old tables
        state = yield from _enter(run, state, Stage.RETIRED)
        yield from pause(run.settings.wait_seconds)  # until no client writes the old tables
    backups = dict(each.split(" ", 1) for each in state.retired)
    for mapping in run.consolidation.dynamodb_mappings:
        if mapping.name not in backups:
            yield from _protect(mapping.name)
            backups[mapping.name] = yield from _back_up(mapping.name, now())
            run.settings.report(f"{mapping.name}: backed up and protected")
            texts = tuple(f"{name} {backup}" for name, backup in backups.items())
            state = yield from run.items.change(state, replace(state, retired=texts))
    return [RetiredTable(name, backup) for name, backup in backups.items()]


def _enter(run: ConsolidationRun, state: ConsolidationState, stage: Stage) -> Steps[ConsolidationState]:
    run.settings.report(MESSAGES[stage])
    return (yield from run.items.change(state, replace(state, stage=stage)))


def _protect(table: str) -> Steps[None]:
    yield (Call("UpdateTable", {"TableName": table, "DeletionProtectionEnabled": True}),)


def _back_up(table: str, now: float) -> Steps[str]:
    """Create a backup of a table, and wait until DynamoDB can restore it."""
    when = datetime.fromtimestamp(now, UTC).strftime("%Y%m%d-%H%M%S")
    (body,) = yield (Call("CreateBackup", {"TableName": table, "BackupName": f"{table[:200]}-retired-{when}"}),)
    arn = str(json.loads(body)["BackupDetails"]["BackupArn"])
    for _ in range(BACKUP_POLLS):
        (body,) = yield (Call("DescribeBackup", {"BackupArn": arn}),)
        if json.loads(body)["BackupDescription"]["BackupDetails"]["BackupStatus"] == "AVAILABLE":
            return arn
        yield from pause(BACKUP_SECONDS)
    raise ConsolidationRefused(f"the backup {arn} of table {table!r} is not available yet; repeat the command")


def _text(time_span: timedelta) -> str:
    days, seconds = time_span.days, time_span.seconds
    hours, minutes = seconds // 3600, seconds // 60 % 60
    parts = [f"{days} days"] * bool(days) + [f"{hours} hours"] * bool(hours) + [f"{minutes} minutes"] * bool(minutes)
    return " ".join(parts) or f"{time_span.total_seconds():.0f} seconds"
