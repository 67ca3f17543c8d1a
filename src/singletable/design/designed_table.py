"""Designed tables: chosen keys, compiled and proved by the planner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from singletable.design.chosen_templates import TemplateWriter
from singletable.design.model_workload import ModelWorkload, SkippedPattern, model_workload
from singletable.errors import DesignError, Problem
from singletable.key_solver.key_search import NoTableKey, Solution, solve
from singletable.model.design import Design, compile_declarations
from singletable.planner.key_source import keys_edits
from singletable.planner.plan import Outcome, UnsupportedPattern
from singletable.planner.planner import plan
from singletable.planner.remedy import Edit


@dataclass(frozen=True)
class DesignedTable:
    """A design with keys for all entities, the solution from which they come, and the plan of every pattern."""

    before: Design
    after: Design
    model: ModelWorkload
    solution: Solution
    keys: Mapping[str, Mapping[str, tuple[str, str]]]
    """The new templates by entity and alias."""
    outcomes: tuple[Outcome, ...]

    @property
    def not_served(self) -> tuple[SkippedPattern, ...]:
        """The patterns without a request, each with the reason and a remedy."""
        known = {each.name: each.problem for each in self.solution.rejected}
        skipped = {each.pattern: each for each in self.model.skipped}
        found = []
        for outcome in self.outcomes:
            if isinstance(outcome, UnsupportedPattern):
                name = outcome.pattern.name
                problem = known.get(name)
                by_search = None if problem is None else SkippedPattern(name, problem.reason, problem.remedy)
                found.append(by_search or skipped.get(name) or SkippedPattern(name, outcome.reason))
        return tuple(found)

    def edits(self) -> tuple[Edit, ...]:
        """Return the edits of the model's source that declare the keys."""
        return tuple(
            edit
            for label, keys in self.keys.items()
            for alias, templates in keys.items()
            for edit in keys_edits(self.model.entity(label), alias, templates)
        )


def design_table(design: Design, *, indexes_max: int) -> DesignedTable:
    """Choose keys for the entities of a design that have none.

    Raise DesignError if no key is possible for an entity.
    """
    _check_table(design)
    model = model_workload(design)
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
    try:
        solution = solve(model.workload, indexes_max=indexes_max)
    except NoTableKey as found:
        entity = model.entity(found.entity)
        raise DesignError(Problem(str(found), entity.location, found.problem.remedy or None)) from found
    keys = TemplateWriter(design, model, solution).keys()
    after = _with_keys(design, keys)
    return DesignedTable(design, after, model, solution, keys, tuple(plan(after, each) for each in after.patterns))


def _check_table(design: Design) -> None:
    """Raise DesignError if the keys of the table cannot contain the templates of several entities."""
    attributes = (*design.table.partition, *design.table.sort)
    if not design.table.sort or any(each.type != "S" for each in attributes):
        message = f"{design.name}: chosen keys need a table with a partition key and a sort key, both of type text"
        raise DesignError(Problem(message, design.settings.location, 'Declare keys=("PK", "SK") of the table.'))


def _with_keys(design: Design, keys: Mapping[str, Mapping[str, tuple[str, str]]]) -> Design:
    declarations = [
        replace(each.declaration, keys=keys[each.label]) if each.label in keys else each.declaration
        for each in design.all_entities
    ]
    return compile_declarations(design.settings, declarations, design.patterns)
