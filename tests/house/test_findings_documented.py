"""The reference documents every finding with its code, title and severity."""

from __future__ import annotations

import pkgutil
from pathlib import Path

import pytest

from singletable.verify import design_check, rules
from singletable.verify.findings import Rule
from singletable.verify.item_rules import ITEM_RULES

ROOT = Path(__file__).parents[2]
DESIGN_RULES = [module.RULE for module in design_check.RULES]
RULES = [*DESIGN_RULES, *ITEM_RULES]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_findings_page_documents_the_rule(rule: Rule) -> None:
    name = "item-findings.md" if rule in ITEM_RULES else "findings.md"
    page = (ROOT / "docs" / "reference" / name).read_text()
    assert f"**{rule.code} {rule.title}** ({rule.severity}" in page


def test_finding_codes_are_unique() -> None:
    codes = [rule.code for rule in RULES]
    assert len(set(codes)) == len(codes)


def test_every_rule_with_a_documented_finding_runs() -> None:
    assert len(DESIGN_RULES) == len(list(pkgutil.iter_modules(rules.__path__)))
