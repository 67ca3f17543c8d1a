"""Every finding has its paragraph in docs/findings.md, under its own code, title and severity."""

from __future__ import annotations

import pkgutil
from pathlib import Path

import pytest

from singletable.verify import check, rules
from singletable.verify.finding import Rule

ROOT = Path(__file__).parents[2]
RULES = [module.RULE for module in check.RULES]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_page_of_findings_has_the_rule(rule: Rule) -> None:
    page = (ROOT / "docs" / "findings.md").read_text()
    assert f"**{rule.code} {rule.title}** ({rule.severity}" in page


def test_no_two_rules_share_a_code() -> None:
    codes = [rule.code for rule in RULES]
    assert len(set(codes)) == len(codes)


def test_every_rule_is_run() -> None:
    assert len(RULES) == len(list(pkgutil.iter_modules(rules.__path__)))
