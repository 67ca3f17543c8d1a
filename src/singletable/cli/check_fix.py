"""`singletable check MODEL --fix`: apply the remedies of findings to the model's files, and check again after each."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from singletable.cli.changed_files import ChangedFiles
from singletable.cli.edited_sources import edited_sources
from singletable.cli.load_model import load_tables
from singletable.cli.output import print_heading, print_json, print_wrapped
from singletable.cli.source_edits import EditNotPossible
from singletable.errors import SingletableError
from singletable.model.table_schema import TABLE
from singletable.planner.plan import Verdict
from singletable.planner.remedy import Alternative, SetKeyword, plain_text
from singletable.verify.design_check import CheckReport, check
from singletable.verify.findings import Finding

FAILED = 1
Key = tuple[str, str, str]
"""The identity of a finding after an edit: table, code and subject. Its message may change."""


@dataclass
class FixReport:
    """The files before and after all remedies, and the result for each finding."""

    files: ChangedFiles = field(default_factory=ChangedFiles)
    fixed: list[tuple[Finding, Alternative]] = field(default_factory=list)
    left: list[tuple[Finding, str]] = field(default_factory=list)
    """The findings that remain, each with the reason."""
    passes: bool = False

    @property
    def changes_stored_keys(self) -> bool:
        """Return whether an edit replaces keys that items in a table may already have."""
        return any(
            isinstance(edit, SetKeyword) and edit.place.kind == "entity" and edit.keyword == TABLE
            for _, alternative in self.fixed
            for edit in alternative.edits
        )


def fix(model: str) -> FixReport:
    """Apply the first alternative of every open finding that has one. No file is written."""
    loaded_before = frozenset(sys.modules)
    result = FixReport()
    reports = _check(model, {}, loaded_before)
    reasons: dict[tuple[str, str], str] = {}
    while (found := next(_untried(reports, reasons), None)) is not None:
        finding, key = found
        alternative = finding.remedy.automatic
        if alternative is None:
            reasons[str(key), finding.message] = _no_edit(finding)
            continue
        try:
            files = result.files.edited(alternative.edits)
            changed = _check(model, files.after, loaded_before)
            _reject_harm(reports, changed, finding, key)
        except (EditNotPossible, SingletableError, _Harmful) as problem:
            reasons[str(key), finding.message] = f"no automatic remedy: {problem}"
            continue
        result.fixed.append((finding, alternative))
        result.files, reports = files, changed
    result.left = [(finding, reasons[str(key), finding.message]) for finding, key in _open(reports)]
    result.passes = all(report.passes for report in reports)
    return result


def _no_edit(finding: Finding) -> str:
    return "the remedy needs your decision" if finding.remedy.alternatives else "no automatic remedy"


class _Harmful(Exception):
    """The edit does not remove its finding, or it causes another finding."""


def _check(model: str, texts: Mapping[str, str], loaded_before: frozenset[str]) -> list[CheckReport]:
    from singletable.client.items.value_reader import reject_unreadable_types

    with edited_sources(texts, loaded_before):
        tables = load_tables(model)
        for table in tables:
            reject_unreadable_types(table.design)
        return [check(table.design) for table in tables]


def _open(reports: list[CheckReport]) -> Iterator[tuple[Finding, Key]]:
    for report in reports:
        for finding in report.findings:
            if finding.accepted is None:
                yield finding, (report.design.name, finding.code, finding.subject)


def _untried(reports: list[CheckReport], reasons: Mapping[tuple[str, str], str]) -> Iterator[tuple[Finding, Key]]:
    return ((finding, key) for finding, key in _open(reports) if (str(key), finding.message) not in reasons)


def _reject_harm(before: list[CheckReport], after: list[CheckReport], finding: Finding, key: Key) -> None:
    """Raise an error unless the finding is gone and there is no new finding.

    The rules check only patterns with a plan. So an edit that makes a pattern plannable can reveal problems that the
    pattern had before. Such warnings do not count as new. Errors count only for the pattern of the finding.
    """
    had, has = (Counter(each for _, each in _open(reports)) for reports in (before, after))
    if has[key] >= had[key]:
        raise _Harmful("it does not remove the finding")
    unplanned = {
        (report.design.name, outcome.pattern.name)
        for report in before
        for outcome in report.outcomes
        if outcome.verdict is Verdict.UNSUPPORTED
    }
    warnings = {each for found, each in _open(after) if found.severity == "warning"}
    for new in has - had:
        if new[2] == finding.subject:
            is_new = finding.severity != "error" or new not in warnings
        else:
            is_new = (new[0], new[2]) not in unplanned
        if is_new:
            raise _Harmful(f"it would cause {new[1]} for {new[2]}")


def run_fix(model: str, *, dry_run: bool, as_json: bool) -> int:
    """Fix a model, show the diff, and write the files unless it is a dry run. Return 0 if the fixed model passes."""
    result = fix(model)
    if not dry_run:
        result.files.write()
    if as_json:
        print_json(
            {
                "passes": result.passes,
                "files": [] if dry_run else list(result.files.names),
                "fixed": [
                    {"code": finding.code, "subject": finding.subject, "remedy": plain_text(alternative.sentence)}
                    for finding, alternative in result.fixed
                ],
                "left": [
                    {"code": finding.code, "subject": finding.subject, "reason": reason}
                    for finding, reason in result.left
                ],
                "diff": result.files.diff(),
            }
        )
    else:
        _print(result, dry_run=dry_run)
    return 0 if result.passes else FAILED


def _print(result: FixReport, *, dry_run: bool) -> None:
    print(result.files.diff(), end="")
    print_heading(f"{len(result.fixed)} fixed, {len(result.left)} left")
    for finding, alternative in result.fixed:
        print_wrapped(f"fixed: {finding.code} {finding.subject}: {alternative.sentence}")
    for finding, reason in result.left:
        print_wrapped(f"left: {finding.code} {finding.subject}: {reason}")
        for paragraph in finding.remedy.paragraphs:
            print_wrapped(paragraph, "  ", "    ")
    if result.changes_stored_keys:
        print("The primary key of an entity changed. Items that are already stored keep their old keys.")
    for name in result.files.names:
        print(f"{'would write' if dry_run else 'wrote'} {name}")
