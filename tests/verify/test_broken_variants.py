"""Broken models and the findings that `check` reports for them.

Each `broken/NAME.py` is a model with one mistake, and `broken/NAME.txt` is the exact text of its findings. After a
deliberate change of a finding, rewrite the text files and review the difference:

    REWRITE_FINDINGS=1 pytest tests/verify/test_broken_variants.py
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from singletable.cli.load_model import load_tables
from singletable.cli.main import main
from singletable.planner.changed_designs import patterns_of
from singletable.planner.plan import Verdict
from singletable.verify.design_check import RULES, CheckReport, check
from singletable.verify.findings import Finding

ROOT = Path(__file__).resolve().parents[2]
BROKEN = Path(__file__).parent / "broken"
FILES = sorted(path.stem for path in BROKEN.glob("*.py"))
EXAMPLES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "examples").rglob("*.py")
    if re.search(r"^class \w+\(\s*Table,", path.read_text(encoding="utf-8"), re.MULTILINE)
    and path.name != "shop_without_keys.py"  # `singletable design` chooses its keys
)
REWRITE = "REWRITE_FINDINGS" in os.environ


class Fix(NamedTuple):
    """An edit of a broken file that follows a remedy; `remedy` is the part of the remedy that it follows."""

    file: str
    remedy: str
    old: str
    new: str


FIXES = [
    Fix("shop_limit_over_two_lists", "Remove limit=", ", limit=10", ""),
]
"""Remedies in words. The tests of applied remedies paste those that contain source."""


@pytest.fixture(autouse=True)
def _restore_imports(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name in FILES or name == "fixed":
            del sys.modules[name]


@cache
def report_of(file: str) -> CheckReport:
    (table,) = load_tables(str(BROKEN / f"{file}.py"))
    return check(table.design)


def open_findings(file: str) -> list[Finding]:
    return [finding for finding in report_of(file).findings if finding.accepted is None]


def expected_text(file: str) -> str:
    path = BROKEN / f"{file}.txt"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def text_of(report: CheckReport) -> str:
    """Return the findings as text: severity, location and subject, then the finding as users read it."""
    return "\n".join(
        f"{finding.severity} {finding.location} {finding.subject}\n{finding}\n" for finding in report.findings
    )


def line_of(path: Path, subject: str) -> int:
    """Return the line of a pattern's `def`, an entity's decorator or a table's `class`, found with Python's parser."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.name == subject:
            return node.lineno
        if isinstance(node, ast.ClassDef) and node.name == subject:
            declared = [each for each in node.decorator_list if ast.unparse(each).startswith("entity(")]
            return declared[0].lineno if declared else node.lineno
    raise AssertionError(f"{subject} is not in {path}")


@pytest.mark.parametrize("file", FILES)
def test_the_design_check_of_a_broken_model_has_exactly_these_findings(file: str) -> None:
    found = text_of(report_of(file))
    if REWRITE:
        (BROKEN / f"{file}.txt").write_text(found, encoding="utf-8")
    assert found == expected_text(file)


@pytest.mark.parametrize("file", FILES)
def test_findings_point_to_the_line_of_their_subject(file: str) -> None:
    path = BROKEN / f"{file}.py"
    findings = report_of(file).findings
    assert findings
    for finding in findings:
        assert (Path(finding.location.file), finding.location.line) == (path, line_of(path, finding.subject))


@pytest.mark.parametrize("file", FILES)
def test_the_check_command_fails_for_errors_and_not_for_warnings(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    has_error = re.search(r"^error ", expected_text(file), re.MULTILINE) is not None
    assert main(["check", str(BROKEN / f"{file}.py")]) == (1 if has_error else 0)
    printed = capsys.readouterr()
    assert printed.err == ""
    for finding in open_findings(file):
        assert f"{finding.severity}: {finding.code} {finding.rule.title}: {finding.message}\n" in printed.out
        assert f"{Path(finding.location.file).name}:{finding.location.line}\n" in printed.out


@pytest.mark.parametrize("file", FILES)
def test_the_design_check_has_one_error_for_a_pattern_that_is_not_served_as_declared(file: str) -> None:
    report = report_of(file)
    # An entity without a key has one error, for all its patterns.
    keyless = {pattern.name for entity in report.design.keyless for pattern in patterns_of(report.design, {entity.cls})}
    bad = [
        outcome.pattern.name
        for outcome in report.outcomes
        if outcome.verdict in (Verdict.UNSUPPORTED, Verdict.UNDECLARED_FANOUT) and outcome.pattern.name not in keyless
    ]
    failing = [finding.subject for finding in report.findings if finding.fails]
    assert [failing.count(name) for name in bad] == [1 for _ in bad]


@pytest.mark.parametrize("file", FILES)
def test_findings_have_remedies_of_whole_sentences_without_gaps(file: str) -> None:
    for finding in open_findings(file):
        texts = (finding.message, *finding.remedy.lines, *finding.details)
        for line in finding.remedy.lines:
            assert line.endswith((".", ":"))
            assert line[0].isupper() or line[0] in "%{1"
        for text in texts:
            assert not re.search(r"  |, ,|\{field\b|\bNone Quer|take +as a|add +as a", text), text


@pytest.mark.parametrize("fix", FIXES, ids=lambda fix: f"{fix.file}-{fix.remedy}")
def test_remedies_fix_the_finding_when_they_are_followed(fix: Fix, tmp_path: Path) -> None:
    assert any(fix.remedy in str(finding.remedy) for finding in open_findings(fix.file))
    source = (BROKEN / f"{fix.file}.py").read_text(encoding="utf-8")
    assert fix.old in source
    assert_no_errors(tmp_path, source.replace(fix.old, fix.new))


def assert_no_errors(folder: Path, source: str) -> None:
    path = folder / "fixed.py"
    path.write_text(source, encoding="utf-8")
    sys.modules.pop("fixed", None)
    (table,) = load_tables(str(path))
    assert [str(finding) for finding in check(table.design).findings if finding.fails] == []


def test_every_design_check_rule_has_a_broken_model() -> None:
    codes = {rule.RULE.code for rule in RULES}
    assert len(codes) == len(RULES)
    assert codes == {code for file in FILES for code in re.findall(r"^ST\d+", expected_text(file), re.MULTILINE)}


def test_every_design_check_text_file_belongs_to_a_broken_model() -> None:
    assert [path.stem for path in sorted(BROKEN.glob("*.txt"))] == FILES


@pytest.mark.parametrize("file", FILES)
def test_every_design_check_broken_model_opens_with_one_sentence_about_its_mistake(file: str) -> None:
    docstring = ast.get_docstring(ast.parse((BROKEN / f"{file}.py").read_text(encoding="utf-8")))
    assert docstring is not None
    assert re.fullmatch(r"[^.\n]+(\.\d+[^.\n]*)?\.", docstring)


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_design_check_of_an_example_has_no_error(example: str) -> None:
    for table in load_tables(str(ROOT / example)):
        report = check(table.design)
        assert [str(finding) for finding in report.findings if finding.fails] == []
        assert report.passes
