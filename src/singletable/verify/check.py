"""Runs every rule over a design and brings accepted findings together with their reasons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from singletable.errors import DesignError, Problem
from singletable.model.design import Design
from singletable.planner.plan import Outcome, Verdict
from singletable.verify.facts import Facts, facts_of
from singletable.verify.finding import Finding, Rule
from singletable.verify.rules import (
    copies_beyond_transaction,
    copies_not_found,
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
    rules_waived,
    strong_read,
    unbounded_collection,
    unsorted_number,
    unused_index,
)


class RuleModule(Protocol):
    """A rule's module: its code and title, and the function that looks for it."""

    RULE: Rule

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Everything that the rule finds."""
        ...


RULES: tuple[RuleModule, ...] = (
    needs_scan,
    not_served,
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
    limits,
    unused_index,
    missing_type,
    strong_read,
    not_projected,
    copies_not_found,
    copies_beyond_transaction,
    rules_waived,
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
    if unknown := _unknown_codes(design):
        raise DesignError(unknown)
    facts = facts_of(design)
    findings = [_accepted(design, finding) for rule in RULES for finding in rule.check(facts)]
    return Report(design, facts.outcomes, tuple(findings))


def _unknown_codes(design: Design) -> list[Problem]:
    """Accepted findings that no rule has: a slip of the pen would accept nothing."""
    codes = {rule.RULE.code for rule in RULES}
    places = [(design.name, design.settings.location, design.settings.accept)]
    places += [(entity.label, entity.location, entity.declaration.accept) for entity in design.entities]
    places += [(pattern.name, pattern.location, pattern.options.accept or {}) for pattern in design.patterns]
    return [
        Problem(
            f"{name}: accept= names {code!r}, which is no finding", location, f"They are {', '.join(sorted(codes))}."
        )
        for name, location, accept in places
        for code in accept
        if code not in codes
    ]


def _accepted(design: Design, finding: Finding) -> Finding:
    """The finding with the reason for which its pattern, its entity or else the table accepts it."""
    pattern = design.pattern(finding.subject)
    reasons = [pattern.options.accept or {}] if pattern is not None else []
    reasons += [entity.declaration.accept for entity in design.entities if entity.label == finding.subject]
    reasons += [design.settings.accept]
    return next((replace(finding, accepted=each[finding.code]) for each in reasons if finding.code in each), finding)
