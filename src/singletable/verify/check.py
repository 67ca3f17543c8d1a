"""Runs every rule over a design and brings accepted findings together with their reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from singletable.model.design import Design
from singletable.planner.plan import Outcome, Verdict
from singletable.verify.facts import Facts, facts_of
from singletable.verify.finding import Finding
from singletable.verify.rules import (
    filter_discards,
    hot_partition,
    key_not_unique,
    key_overlap,
    limits,
    missing_type,
    more_than_one_request,
    needs_scan,
    not_projected,
    not_served,
    optional_in_index,
    order_not_given,
    overfetch,
    raw_text,
    strong_read,
    unbounded_collection,
    unsorted_number,
    unused_index,
)

RULES: tuple[Callable[[Facts], Iterator[Finding]], ...] = (
    needs_scan.check,
    not_served.check,
    more_than_one_request.check,
    key_overlap.check,
    key_not_unique.check,
    overfetch.check,
    order_not_given.check,
    unsorted_number.check,
    optional_in_index.check,
    raw_text.check,
    filter_discards.check,
    hot_partition.check,
    unbounded_collection.check,
    limits.check,
    unused_index.check,
    missing_type.check,
    strong_read.check,
    not_projected.check,
)


@dataclass(frozen=True)
class Report:
    """A design with its plans and findings."""

    design: Design
    outcomes: tuple[Outcome, ...]
    findings: tuple[Finding, ...]

    @property
    def passes(self) -> bool:
        """Whether every pattern is served as declared, which nobody can accept away, and no finding is an error."""
        not_served = (Verdict.REFUSED, Verdict.UNDECLARED_FANOUT)
        served = not any(outcome.verdict in not_served for outcome in self.outcomes)
        return served and not any(finding.fails for finding in self.findings)


def check(design: Design) -> Report:
    """Plan every pattern and run every rule."""
    facts = facts_of(design)
    findings = [_accepted(design, finding) for rule in RULES for finding in rule(facts)]
    return Report(design, facts.outcomes, tuple(findings))


def _accepted(design: Design, finding: Finding) -> Finding:
    """The finding with the reason for which its pattern, its entity or else the table accepts it."""
    pattern = design.pattern(finding.subject)
    reasons = [pattern.options.accept or {}] if pattern is not None else []
    reasons += [entity.declaration.accept for entity in design.entities if entity.label == finding.subject]
    reasons += [design.settings.accept]
    return next((replace(finding, accepted=each[finding.code]) for each in reasons if finding.code in each), finding)
