"""Designed tables: chosen keys, compiled and proved by the planner."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from singletable.cost.call_costs import CallCost, call_cost
from singletable.design.chosen_templates import Templates, TemplateWriter, shard_name
from singletable.design.index_projections import chosen_projections, projection_edits, with_projections
from singletable.design.mirror_remedies import mirror_remedy
from singletable.design.model_workload import DesignOptions, ModelWorkload, model_workload
from singletable.errors import DesignError, Problem
from singletable.key_solver.common_keys import NoCommonKey
from singletable.key_solver.entity_slots import TABLE_SLOT
from singletable.key_solver.key_search import NoTableKey, RejectedRead, Solution, solve
from singletable.key_solver.read_columns import SkippedPattern
from singletable.key_solver.slot_search import SearchTooLarge
from singletable.model.derived.derived_value import DerivedValue
from singletable.model.derived.shard import Shard
from singletable.model.design import Design, compile_declarations
from singletable.model.entity import Entity, EntityDeclaration
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.model.table_schema import TABLE, IndexProjection, Keys, Sparse, is_local
from singletable.planner.formatting import format_list
from singletable.planner.item_sizes import ItemSizes
from singletable.planner.key_proposals import derived_edits
from singletable.planner.key_source import keys_edits, quoted
from singletable.planner.key_texts import index_keys
from singletable.planner.plan import Outcome, Plan, UnsupportedPattern
from singletable.planner.planner import plan
from singletable.planner.remedy import Edit, SetKeyword, pattern_place

FAN_OUT_OF_RANGE = 12
"""The requests to declare for an area or a range of time buckets, if the pattern declares no number."""


@dataclass(frozen=True)
class AddedValue:
    """A derived value that the design adds to an entity."""

    name: str
    value: DerivedValue
    source: str


@dataclass(frozen=True)
class DesignedTable:
    """A design with keys for all entities, the solution from which they come, and the plan of every pattern."""

    before: Design
    after: Design
    model: ModelWorkload
    solution: Solution
    keys: Mapping[str, Mapping[str, Templates]]
    """The new templates by entity and alias."""
    outcomes: tuple[Outcome, ...]
    added: Mapping[str, tuple[AddedValue, ...]]
    """The new derived values by entity."""
    fanouts: Mapping[str, int]
    """The number of requests that patterns must declare."""
    counts: Mapping[str, Mapping[frozenset[str], int]]
    """The known numbers of items per partition."""
    projections: Mapping[str, IndexProjection]
    """The projections of the new indexes that do not project all attributes."""

    @property
    def new_indexes(self) -> tuple[str, ...]:
        """The aliases of the indexes that the design adds."""
        return new_indexes(self.before, self.after)

    @cached_property
    def calls(self) -> tuple[CallCost, ...]:
        """The cost of one call of each served pattern."""
        sizes = ItemSizes(self.after)
        return tuple(call_cost(self.after, each, sizes) for each in self.outcomes if isinstance(each, Plan))

    @property
    def not_served(self) -> tuple[SkippedPattern, ...]:
        """The patterns without a request, each with the reason and a remedy."""
        known = {each.name: self._with_mirror(each) for each in self.solution.rejected}
        skipped = {each.pattern: each for each in self.model.skipped}
        found = []
        for outcome in self.outcomes:
            if isinstance(outcome, UnsupportedPattern):
                name = outcome.pattern.name
                problem = known.get(name)
                by_search = None if problem is None else _skipped(name, problem)
                by_key = self._key_parameters(outcome)
                found.append(by_search or skipped.get(name) or by_key or SkippedPattern(name, outcome.reason))
        patterns = {each.pattern.name for each in self.outcomes}
        internal = (each for each in self.solution.rejected if each.name not in patterns)
        found += [_skipped(each.name, each.problem) for each in internal]
        return tuple(found)

    def _with_mirror(self, rejected: RejectedRead) -> NoCommonKey:
        """Return the problem of a read. The remedy can be a mirrored item, which the search itself never adds."""
        entity, needs = self.model.entity(rejected.entity), self.model.needs(rejected.entity)
        mirror = mirror_remedy(self.before, entity, needs, rejected)
        problem = rejected.problem
        if not mirror:
            return problem
        first = problem.remedy or "allow more indexes with --max-gsis"
        return replace(problem, remedy=f"{first}, {mirror}")

    def _key_parameters(self, outcome: UnsupportedPattern) -> SkippedPattern | None:
        """Return why a write has parameters that its table key does not contain, or None if there are none."""
        name = outcome.pattern.name
        for needs in self.model.workload.entities:
            key = self.solution.keys_of(needs.name).keys[TABLE_SLOT]
            for write in needs.writes:
                extra = needs.sorted(write.in_key - key.columns)
                if write.name == name and extra:
                    tests = [f"(item.{each} == {each})" for each in extra]
                    condition = " & ".join(tests) if len(tests) > 1 else tests[0][1:-1]
                    reason = f"the key of the table does not contain the parameter {format_list(extra)}"
                    return SkippedPattern(name, reason, f"Test it in the write: where=lambda item: {condition}.")
        return None

    def edits(self) -> tuple[Edit, ...]:
        """Return the edits of the model's source that declare the keys."""
        found = [
            edit
            for label, keys in self.keys.items()
            for alias, templates in keys.items()
            for edit in keys_edits(
                self.model.entity(label), alias, placed_keys(self.model.entity(label), alias, templates)
            )
        ]
        for label, values in self.added.items():
            entity = self.model.entity(label)
            declared = {**entity.declaration.derived}
            for each in values:
                changed = replace(entity, declaration=replace(entity.declaration, derived=declared))
                found += derived_edits(changed, each.name, each.source)
                declared[each.name] = each.value
        for pattern in self.before.patterns:
            if pattern.name in self.fanouts:
                found.append(SetKeyword(pattern_place(pattern), "fanout", str(self.fanouts[pattern.name])))
        return (*found, *projection_edits(self.before, self.projections))


def new_indexes(before: Design, after: Design) -> tuple[str, ...]:
    """Return the aliases of the indexes that only the second design has."""
    return tuple(alias for alias in after.indexes if alias != TABLE and alias not in before.indexes)


def placed_keys(entity: Entity, alias: str, templates: Templates) -> Keys:
    """Return the keys of an entity in the table, or in an index, which omits items without an optional field.

    A local index has only a sort key of its own.
    """
    if alias == TABLE:
        return templates
    if not is_local(alias):
        return index_keys(entity, templates)
    keys = index_keys(entity, templates[1:])
    return keys if isinstance(keys, Sparse) else templates[1]


def _skipped(name: str, problem: NoCommonKey) -> SkippedPattern:
    remedy = f"{problem.remedy[0].upper()}{problem.remedy[1:]}." if problem.remedy else ""
    return SkippedPattern(name, problem.reason, remedy)


def design_table(
    design: Design,
    options: DesignOptions | None = None,
    counts: Mapping[str, Mapping[frozenset[str], int]] | None = None,
) -> DesignedTable:
    """Choose keys for the entities of a design that have none.

    `counts` are known numbers of items per partition, by entity and by the fields of the partition key. Raise
    DesignError if no key is possible for an entity.
    """
    options = options or DesignOptions()
    _check_table(design)
    model, solution = _solved(design, options)
    writer = TemplateWriter(design, model, solution)
    keys, added = writer.keys(), _added_values(model, writer.shards())
    expected = _expected(model, solution, keys, counts or {})
    after = _with_keys(design, keys, added, {}, expected)
    outcomes = tuple(plan(after, each) for each in after.patterns)
    fanouts = dict(_fanouts(outcomes, options))
    if fanouts:
        after = _with_keys(design, keys, added, fanouts, expected)
        outcomes = tuple(plan(after, each) for each in after.patterns)
    projections = chosen_projections(after, new_indexes(design, after), outcomes)
    if projections:
        after = with_projections(after, projections)
        outcomes = tuple(plan(after, each) for each in after.patterns)
    return DesignedTable(design, after, model, solution, keys, outcomes, added, fanouts, counts or {}, projections)


def _solved(design: Design, options: DesignOptions) -> tuple[ModelWorkload, Solution]:
    """Return the solution. If the table cannot serve the reads of some copies, an index may serve them."""
    model = model_workload(design, options)
    _require_identities(model)
    solution = _solve(design, model, options)
    reads = {read.name for each in model.workload.entities for read in each.reads if read.finds_copies}
    weak = frozenset(each.name for each in solution.rejected if each.name in reads)
    if weak:
        model = model_workload(design, options, weak)
        solution = _solve(design, model, options)
    return model, solution


def _solve(design: Design, model: ModelWorkload, options: DesignOptions) -> Solution:
    try:
        return solve(model.workload, indexes_min=options.indexes_min, indexes_max=options.indexes_max)
    except NoTableKey as found:
        entity = model.entity(found.entity)
        raise DesignError(Problem(str(found), entity.location, found.problem.remedy or None)) from found
    except SearchTooLarge as problem:
        remedy = "Declare key= of some of their entities, or split the table class."
        raise DesignError(Problem(f"{design.name}: {problem}", design.settings.location, remedy)) from problem


def _require_identities(model: ModelWorkload) -> None:
    if model.unknown_identity:
        raise DesignError(
            [
                Problem(
                    f"{each.label}: no declaration says which fields identify an item",
                    each.location,
                    'Add identity=("...",) to @entity, or a pattern that gets one item.',
                )
                for each in model.unknown_identity
            ]
        )


def _added_values(model: ModelWorkload, shards: Mapping[str, int]) -> dict[str, tuple[AddedValue, ...]]:
    found: dict[str, tuple[AddedValue, ...]] = {}
    for entity in model.entities:
        derived = model.derived[entity.label]
        values = [AddedValue(name, derived.values[name], source) for name, source in derived.added.items()]
        if entity.label in shards:
            of, name = shards[entity.label], model.needs(entity.label).identity[-1]
            source = f"shard({quoted(name)}, of={of})"
            values.append(AddedValue(shard_name(entity), Shard((name,), of), source))
        if values:
            found[entity.label] = tuple(values)
    return found


def _expected(
    model: ModelWorkload,
    solution: Solution,
    keys: Mapping[str, Mapping[str, Templates]],
    counts: Mapping[str, Mapping[frozenset[str], int]],
) -> dict[str, dict[str, int]]:
    """Return the known numbers of items per partition by entity and alias."""
    found: dict[str, dict[str, int]] = {}
    for label, aliases in keys.items():
        derived = model.derived[label].values
        known = counts.get(label, {})
        for alias, key in zip(aliases, solution.keys_of(label).keys.values(), strict=True):
            fields = frozenset(
                name for each in key.partition for name in (derived[each].fields if each in derived else (each,))
            )
            if fields in known and not is_local(alias):
                found.setdefault(label, {})[alias] = known[fields]
    return found


def _fanouts(outcomes: Sequence[Outcome], options: DesignOptions) -> list[tuple[str, int]]:
    """Return the requests of the patterns that send more requests than they declare.

    No key makes a write one request that reads the item for another reason, such as a rule of its class.
    """
    found = []
    for outcome in outcomes:
        if not isinstance(outcome, Plan) or outcome.verdict.is_served:
            continue
        if options.fan_out or outcome.requests is None or outcome.pattern.is_write:
            found.append((outcome.pattern.name, outcome.requests or _fan_out_of_ranges(outcome)))
    return found


def _fan_out_of_ranges(outcome: Plan) -> int:
    """Return the requests to declare for an area or a range of times, whose size only the caller knows."""
    return math.prod((FAN_OUT_OF_RANGE, *(each.count for each in outcome.fan_outs if each.count is not None)))


def _check_table(design: Design) -> None:
    """Raise DesignError if the keys of the table cannot contain the templates of several entities."""
    attributes = (*design.table.partition, *design.table.sort)
    if not design.table.sort or any(each.type != "S" for each in attributes):
        message = f"{design.name}: chosen keys need a table with a partition key and a sort key, both of type text"
        raise DesignError(Problem(message, design.settings.location, 'Declare keys=("PK", "SK") of the table.'))


def _with_keys(
    design: Design,
    keys: Mapping[str, Mapping[str, Templates]],
    added: Mapping[str, tuple[AddedValue, ...]],
    fanouts: Mapping[str, int],
    expected: Mapping[str, Mapping[str, int]],
) -> Design:
    def declaration(label: str, declared: EntityDeclaration) -> EntityDeclaration:
        if label not in keys:
            return declared
        derived = {**declared.derived, **{each.name: each.value for each in added.get(label, ())}}
        counts = {**declared.expected_per_partition, **expected.get(label, {})}
        own = Entity(declared, {}, {})
        placed = {alias: placed_keys(own, alias, each) for alias, each in keys[label].items()}
        return replace(declared, keys=placed, derived=derived, expected_per_partition=counts)

    def pattern(declared: PatternDeclaration) -> PatternDeclaration:
        if declared.name not in fanouts:
            return declared
        return replace(declared, options=replace(declared.options, fanout=fanouts[declared.name]))

    declarations = [declaration(each.label, each.declaration) for each in design.all_entities]
    return compile_declarations(design.settings, declarations, [pattern(each) for each in design.patterns])
