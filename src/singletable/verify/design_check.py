"""Run every rule on a design and mark accepted findings with their reasons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from singletable.errors import DesignError, Problem
from singletable.model.design import Design
from singletable.planner.plan import Outcome
from singletable.verify.findings import Finding, PlannedDesign, Rule, plan_design
from singletable.verify.item_rules import ITEM_RULES
from singletable.verify.joint_keys import with_joint_keys
from singletable.verify.remedy_clashes import resolve_clashes
from singletable.verify.rules import (
    case_difference,
    changeable_key,
    constant_partition,
    constant_sort_key,
    copies_beyond_transaction,
    copies_not_found,
    few_partition_values,
    filter_discards,
    free_text_in_key,
    growing_list,
    growing_partition,
    hot_partition,
    id_without_key,
    key_attribute_role,
    key_in_projection,
    key_not_unique,
    key_overlap,
    key_unique_by_time,
    key_unique_by_title,
    latest_within_unit,
    limit_exceeded,
    literal_syntax,
    missing_type,
    misspelt_literal,
    mixed_partitions,
    more_than_one_page,
    more_than_one_request,
    named_field_not_used,
    needs_scan,
    no_expiry,
    no_key,
    not_projected,
    optional_in_index,
    order_not_given,
    outlives_parent,
    overfetch,
    pattern_not_supported,
    prefix_meaning,
    promised_result,
    raw_text,
    redundant_index,
    repeated_pattern,
    repeated_vote,
    strong_read,
    ttl_as_text,
    unsorted_number,
    unused_index,
    validation_waived,
    value_not_unique,
)


class RuleModule(Protocol):
    """A rule module: the rule and its check function."""

    RULE: Rule

    def check(self, planned: PlannedDesign) -> Iterator[Finding]:
        """Yield the findings of the rule."""
        ...


RULES: tuple[RuleModule, ...] = (
    no_key,
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
    more_than_one_page,
    limit_exceeded,
    unused_index,
    missing_type,
    strong_read,
    not_projected,
    copies_not_found,
    copies_beyond_transaction,
    validation_waived,
    key_unique_by_time,
    promised_result,
    few_partition_values,
    constant_partition,
    key_in_projection,
    literal_syntax,
    case_difference,
    ttl_as_text,
    named_field_not_used,
    latest_within_unit,
    repeated_pattern,
    growing_partition,
    free_text_in_key,
    growing_list,
    redundant_index,
    changeable_key,
    no_expiry,
    prefix_meaning,
    value_not_unique,
    key_unique_by_title,
    outlives_parent,
    key_attribute_role,
    constant_sort_key,
    mixed_partitions,
    id_without_key,
    repeated_vote,
    misspelt_literal,
)


@dataclass(frozen=True)
class CheckReport:
    """A design with the plans of its patterns and its findings."""

    design: Design
    outcomes: tuple[Outcome, ...]
    findings: tuple[Finding, ...]

    @property
    def passes(self) -> bool:
        """Return whether every entity has a key, every pattern is served as declared, and no finding fails.

        `accept=` cannot accept an entity without a key, or a pattern that is not served.
        """
        served = all(outcome.verdict.is_served for outcome in self.outcomes)
        return served and not self.design.keyless and not any(finding.fails for finding in self.findings)


def check(design: Design) -> CheckReport:
    """Plan every pattern and run every rule."""
    reject_unknown_codes(design)
    planned = plan_design(design)
    findings = [accepted(design, finding) for rule in RULES for finding in rule.check(planned)]
    joint = with_joint_keys(planned, findings)
    return CheckReport(design, planned.outcomes, tuple(resolve_clashes(design, joint)))


def reject_unknown_codes(design: Design) -> None:
    """Raise DesignError if `accept=` names a code that no rule has, which is probably a typing error."""
    codes = {*(rule.RULE.code for rule in RULES), *(rule.code for rule in ITEM_RULES)}
    places = [(design.name, design.settings.location, design.settings.accept)]
    places += [(entity.label, entity.location, entity.declaration.accept) for entity in design.all_entities]
    places += [(pattern.name, pattern.location, pattern.options.accept or {}) for pattern in design.patterns]
    unknown = [
        Problem(
            f"{name}: accept= names {code!r}, which is not a finding code",
            location,
            f"Valid codes: {', '.join(sorted(codes))}.",
        )
        for name, location, accept in places
        for code in accept
        if code not in codes
    ]
    if unknown:
        raise DesignError(unknown)


def accepted(design: Design, finding: Finding) -> Finding:
    """Return the finding with the reason why its pattern, entity or table accepts it."""
    pattern = design.pattern(finding.subject)
    reasons = [pattern.options.accept or {}] if pattern is not None else []
    reasons += [entity.declaration.accept for entity in design.all_entities if entity.label == finding.subject]
    reasons += [design.settings.accept]
    return next((replace(finding, accepted=each[finding.code]) for each in reasons if finding.code in each), finding)
