"""Run every rule on a design and mark accepted findings with their reasons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from singletable.errors import DesignError, Problem
from singletable.model.design import Design
from singletable.planner.plan import Outcome, Verdict
from singletable.verify.findings import Finding, PlannedDesign, Rule, plan_design
from singletable.verify.rules import (
    copies_beyond_transaction,
    copies_not_found,
    filter_discards,
    hot_partition,
    key_not_unique,
    key_overlap,
    limit_exceeded,
    missing_type,
    more_than_one_request,
    needs_scan,
    not_projected,
    optional_in_index,
    order_not_given,
    overfetch,
    pattern_not_supported,
    raw_text,
    strong_read,
    unbounded_collection,
    unsorted_number,
    unused_index,
    validation_waived,
)


class RuleModule(Protocol):
    """A rule module: the rule and its check function."""

    RULE: Rule

    def check(self, planned: PlannedDesign) -> Iterator[Finding]:
        """Yield the findings of the rule."""
        ...


RULES: tuple[RuleModule, ...] = (
    needs_scan,
    pattern_not_supported,
    more_than_one_request,
    key_overlap,
    key_not_unique,
    overfetch,
    order_not_given,
    unsorted_number,
    optional_in_index,
    raw_text,
    filter_discards,
    hot_partition,
    unbounded_collection,
    limit_exceeded,
    unused_index,
    missing_type,
    strong_read,
    not_projected,
    copies_not_found,
    copies_beyond_transaction,
    validation_waived,
)


@dataclass(frozen=True)
class CheckReport:
    """A design with its plans and findings."""

    design: Design
    outcomes: tuple[Outcome, ...]
    findings: tuple[Finding, ...]

    @property
    def passes(self) -> bool:
        """Whether every pattern is served as declared and no finding fails.

        `accept=` cannot accept an unserved pattern.
        """
        unserved = (Verdict.UNSUPPORTED, Verdict.UNDECLARED_FANOUT)
        served = not any(outcome.verdict in unserved for outcome in self.outcomes)
        return served and not any(finding.fails for finding in self.findings)


def check(design: Design) -> CheckReport:
    """Plan every pattern and run every rule."""
    if unknown := _unknown_codes(design):
        raise DesignError(unknown)
    planned = plan_design(design)
    findings = [_accepted(design, finding) for rule in RULES for finding in rule.check(planned)]
    return CheckReport(design, planned.outcomes, tuple(findings))


def _unknown_codes(design: Design) -> list[Problem]:
    """Report accepted codes that no rule has, which are probably typing errors."""
    codes = {rule.RULE.code for rule in RULES}
    places = [(design.name, design.settings.location, design.settings.accept)]
    places += [(entity.label, entity.location, entity.declaration.accept) for entity in design.entities]
    places += [(pattern.name, pattern.location, pattern.options.accept or {}) for pattern in design.patterns]
    return [
        Problem(
            f"{name}: accept= names {code!r}, which is not a finding code",
            location,
            f"Valid codes: {', '.join(sorted(codes))}.",
        )
        for name, location, accept in places
        for code in accept
        if code not in codes
    ]


def _accepted(design: Design, finding: Finding) -> Finding:
    """Return the finding with the reason why its pattern, entity or table accepts it."""
    pattern = design.pattern(finding.subject)
    reasons = [pattern.options.accept or {}] if pattern is not None else []
    reasons += [entity.declaration.accept for entity in design.entities if entity.label == finding.subject]
    reasons += [design.settings.accept]
    return next((replace(finding, accepted=each[finding.code]) for each in reasons if finding.code in each), finding)
