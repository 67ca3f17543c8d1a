"""Compare the cost of a single table with the tables of a recorded catalogue, as the application uses them.

A pattern of the model is compared with the recorded pattern of the same name. The recorded side is what the requests
consumed, and the other side is the estimate for the same reads and writes in the single table. Both sides use the rate
that the model declares, or else the recorded rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from singletable.catalogue.access_patterns import AccessPattern
from singletable.catalogue.pattern_steps import PatternStep, pattern_steps
from singletable.catalogue.recorded_catalogue import RecordedCatalogue
from singletable.cost.call_costs import CallCost
from singletable.cost.design_comparison import DesignComparison
from singletable.cost.prices import Prices
from singletable.values.item_size import TRANSACTION_WRITE_FACTOR


@dataclass(frozen=True)
class CallUnits:
    """The units and requests of one call of a pattern, in the model or in the recorded tables."""

    reads: float
    writes: float
    requests: float
    is_guessed: bool


@dataclass(frozen=True)
class RecordedPatternComparison:
    """One call of a pattern with one table and with the recorded tables."""

    name: str
    together: CallUnits
    recorded: CallUnits
    calls_per_second: float | None
    left_out: tuple[str, ...] = ()
    """The recorded reads and writes for which the model has no pattern. The estimate does not include them."""


@dataclass(frozen=True)
class RecordedComparison:
    """The patterns in both designs, and their sums."""

    patterns: tuple[RecordedPatternComparison, ...]
    total: DesignComparison
    only_recorded: tuple[str, ...]
    only_in_model: tuple[str, ...]


def compare_recorded(
    catalogue: RecordedCatalogue, calls: Sequence[CallCost], prices: Prices, table_class: str
) -> RecordedComparison:
    """Compare the patterns of a model with the recorded patterns of the same names."""
    # A pattern cannot have the name of a table method. So the import of a worksheet changes the name `open` to
    # `open_pattern`.
    by_name = {call.name.removesuffix("_pattern"): call for call in calls} | {call.name: call for call in calls}
    steps = pattern_steps(catalogue)
    compared, only_recorded = [], []
    for pattern in catalogue.patterns:
        own = [step for step in steps if step.pattern is pattern]
        if any(step.name in by_name for step in own):
            compared.append(_compared(catalogue, pattern, own, by_name))
        else:
            only_recorded.append(pattern.name)
    known = {by_name[step.name].name for step in steps if step.name in by_name}
    members = sum(len(call.plan.members) > 1 for call in calls)
    return RecordedComparison(
        tuple(compared),
        _total(compared, prices, table_class, len(catalogue.tables), members),
        tuple(only_recorded),
        tuple(call.name for call in calls if call.name not in known),
    )


def _compared(
    catalogue: RecordedCatalogue, pattern: AccessPattern, steps: Sequence[PatternStep], by_name: dict[str, CallCost]
) -> RecordedPatternComparison:
    known = [(step, by_name[step.name]) for step in steps if step.name in by_name]
    main = by_name.get(pattern.name)
    declared = main.calls_per_second if main is not None else None
    recorded = CallUnits(
        pattern.read_units / pattern.calls,
        pattern.write_units / pattern.calls,
        pattern.requests / pattern.calls,
        pattern.is_estimated,
    )
    return RecordedPatternComparison(
        pattern.name,
        _together(pattern, known),
        recorded,
        declared if declared is not None else catalogue.rate(pattern.calls),
        tuple(step.name for step in steps if step.name not in by_name),
    )


def _together(pattern: AccessPattern, known: Sequence[tuple[PatternStep, CallCost]]) -> CallUnits:
    """Return the estimate for the same reads and writes in one table, in the same batches and transactions.

    A write whose condition failed counts as one unit (two in a transaction), because it changes no index entry.
    """
    reads = writes = requests = 0.0
    joined: set[int] = set()
    for step, call in known:
        share, cost = step.count / pattern.calls, call.estimate
        units = cost.transactional if step.is_transaction and cost.transactional is not None else cost.units
        if cost.kind == "read":
            reads += share * units
        else:
            failed = step.group.failed_share
            bound = TRANSACTION_WRITE_FACTOR if step.is_transaction else 1
            reads += share * cost.reads
            writes += share * ((1 - failed) * units + failed * bound)
        if not step.group.shape.parts:
            requests += share * call.requests
            continue
        groups = {id(group): group for group in (step.group, *step.same_groups) if id(group) not in joined}
        requests += sum(group.requests for group in groups.values()) / pattern.calls
        joined |= groups.keys()
    return CallUnits(reads, writes, requests, any(call.estimate.guessed for _, call in known))


def _total(
    compared: Sequence[RecordedPatternComparison], prices: Prices, table_class: str, tables: int, collections: int
) -> DesignComparison:
    rated = [(each, each.calls_per_second) for each in compared if each.calls_per_second is not None]
    sums = {"together": [0.0, 0.0, 0.0], "recorded": [0.0, 0.0, 0.0]}
    for each, rate in rated:
        for name, units in (("together", each.together), ("recorded", each.recorded)):
            added = (units.reads, units.writes, units.requests)
            sums[name] = [total + rate * one for total, one in zip(sums[name], added, strict=True)]
    return DesignComparison(
        (),
        prices.requests(table_class, *sums["together"][:2]),
        prices.requests(table_class, *sums["recorded"][:2]),
        sums["together"][2],
        sums["recorded"][2],
        tables,
        collections,
        guesses_bill=any(each.together.is_guessed or each.recorded.is_guessed for each, _ in rated),
    )
