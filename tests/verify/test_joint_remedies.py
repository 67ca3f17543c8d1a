"""All first remedies of a model, applied together, make every pattern one request without a new warning."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings

from singletable.cli.changed_files import ChangedFiles
from singletable.cli.check_fix import fix
from singletable.cli.edited_sources import edited_sources, unload_user_modules
from singletable.cli.load_model import load_tables
from singletable.model.derived.shard import Shard
from singletable.model.design import Design, compile_declarations
from singletable.model.entity import EntityDeclaration
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.model.table_schema import Sparse
from singletable.planner.remedy import AddImport, Edit, RemoveKeyword, SetItem, SetKeyword
from singletable.verify.design_check import CheckReport, check
from singletable.verify.findings import Finding
from tests.cli.program import singletable
from tests.design.test_random_tables import designs

MODEL = """
from dataclasses import dataclass
from datetime import datetime

from singletable import Between, Page, Table, entity, pattern, query


@entity(key=("TICKET#{id}", "TICKET"))
@dataclass
class Ticket:
    id: str
    queue: str
    assignee: str
    opened_at: datetime


class Desk(Table, entities=[Ticket]):
    @pattern()
    def of_queue(self, queue: str, *, limit: int = 20) -> Page[Ticket]:
        return query(Ticket)

    @pattern()
    def of_assignee(self, queue: str, assignee: str, *, limit: int = 20) -> Page[Ticket]:
        return query(Ticket)

    @pattern()
    def opened(self, queue: str, assignee: str, opened_at: Between[datetime], *, limit: int = 20) -> Page[Ticket]:
        return query(Ticket)
"""


def test_joint_keys_are_proposed_for_unsupported_reads_that_can_share_a_key(tmp_path: Path) -> None:
    model = tmp_path / "desk.py"
    model.write_text(MODEL, encoding="utf-8")
    result = fix(str(model))
    assert result.passes
    (text,) = result.files.after.values()
    assert 'gsi1=("TICKET#{queue}", "{assignee}#{opened_at}#{id}")' in text
    assert "gsi2" not in text
    assert len(result.fixed) == 1, "the first remedy serves all three patterns"


def test_the_finding_with_joint_keys_names_the_patterns_that_the_key_serves(tmp_path: Path) -> None:
    model = tmp_path / "desk.py"
    model.write_text(MODEL, encoding="utf-8")
    finished = singletable("check", model)
    assert " ".join(finished.stdout.split()).count("This key serves of_assignee, of_queue and opened together.") == 3


def test_a_key_that_an_update_cannot_compute_declares_that_the_update_reads_the_item_first(tmp_path: Path) -> None:
    model = tmp_path / "desk.py"
    text = MODEL.replace("Table, entity, pattern, query", "Table, entity, field, pattern, query, update")
    model.write_text(
        text
        + """
    @pattern()
    def reopen(self, id: str, opened_at: datetime) -> Ticket:
        return update(Ticket, field(Ticket, lambda ticket: ticket.opened_at).set(opened_at))
""",
        encoding="utf-8",
    )
    result = fix(str(model))
    assert result.passes
    (after,) = result.files.after.values()
    assert after.count("gsi1=") == 1
    assert "gsi2" not in after
    assert "    @pattern(fanout=2)\n    def reopen" in after


BROKEN = sorted((Path(__file__).parent / "broken").glob("*.py"))


@pytest.mark.parametrize("path", BROKEN, ids=[each.stem for each in BROKEN])
def test_all_remedies_of_a_broken_model_together_leave_only_findings_without_an_edit(path: Path) -> None:
    finished = apply_all(path)
    assert not finished.new, "\n".join(map(str, finished.new))
    if not finished.without_edit:
        assert finished.passes


class Applied(NamedTuple):
    """The state of a model after all its remedies: whether it passes, the new findings, and those without an edit."""

    passes: bool
    new: list[Finding]
    without_edit: list[Finding]


def apply_all(path: Path) -> Applied:
    loaded_before = frozenset(sys.modules)
    try:
        before = _reports(path, {}, loaded_before)
        found = [each for report in before for each in report.findings if each.accepted is None]
        chosen = [each.remedy.automatic or next(iter(each.remedy.alternatives), None) for each in found]
        edits = [edit for each in chosen if each is not None for edit in each.edits]
        after = _reports(path, ChangedFiles().edited(edits).after, loaded_before)
    finally:
        unload_user_modules(loaded_before)
    had = {(each.code, each.subject) for report in before for each in report.findings}
    left = [each for report in after for each in report.findings if each.accepted is None]
    new = [each for each in left if (each.code, each.subject) not in had]
    without = [each for each, alternative in zip(found, chosen, strict=True) if alternative is None]
    return Applied(all(report.passes for report in after), new, without)


def _reports(path: Path, texts: Mapping[str, str], loaded_before: frozenset[str]) -> list[CheckReport]:
    with edited_sources(texts, loaded_before):
        return [check(table.design) for table in load_tables(str(path))]


def first_edits(report: CheckReport) -> Iterable[Edit]:
    """Yield the edits of the first remedy of every open finding."""
    for finding in report.findings:
        if finding.accepted is None and finding.remedy.alternatives:
            yield from finding.remedy.alternatives[0].edits


def applied(design: Design, edits: Iterable[Edit]) -> Design | None:
    """Return the design after edits of keys, derived values and fan-outs. Return None for other edits."""
    declarations = {each.label: each.declaration for each in design.all_entities}
    patterns = {each.name: each for each in design.patterns}
    for edit in dict.fromkeys(edits):
        if isinstance(edit, AddImport):
            continue
        if edit.place.inner is not None:
            return None
        if edit.place.kind == "entity" and isinstance(edit, SetKeyword | SetItem | RemoveKeyword):
            declarations[edit.place.name] = changed_entity(declarations[edit.place.name], edit)
        elif edit.place.kind == "pattern" and isinstance(edit, SetKeyword):
            patterns[edit.place.name] = changed_pattern(patterns[edit.place.name], edit)
        else:
            return None
    return compile_declarations(design.settings, list(declarations.values()), list(patterns.values()))


def changed_entity(declared: EntityDeclaration, edit: SetKeyword | SetItem | RemoveKeyword) -> EntityDeclaration:
    if isinstance(edit, RemoveKeyword):
        return replace(declared, keys={alias: keys for alias, keys in declared.keys.items() if alias != edit.keyword})
    if edit.keyword == "derived":
        names: Mapping[str, Any] = {"shard": lambda *fields, of: Shard(fields, of)}
        source = f"{{{edit.key!r}: {edit.source}}}" if isinstance(edit, SetItem) else edit.source
        return replace(declared, derived={**declared.derived, **eval(source, dict(names))})  # our own edit
    text = edit.source
    value: Any = (
        Sparse(ast.literal_eval(text.removeprefix("sparse"))) if text.startswith("sparse(") else ast.literal_eval(text)
    )
    if edit.keyword == "expected_per_partition":
        return replace(declared, expected_per_partition=value)
    return replace(declared, keys={**declared.keys, edit.keyword: value})


def changed_pattern(declared: PatternDeclaration, edit: SetKeyword) -> PatternDeclaration:
    return replace(declared, options=replace(declared.options, **{edit.keyword: ast.literal_eval(edit.source)}))


def with_plain_keys(design: Design) -> Design:
    """Return the design in which every entity has a key by its id, so that most reads have no index."""
    declarations = [
        replace(each.declaration, keys={"key": (f"{each.label.upper()}#{{id}}", each.label.upper())})
        for each in design.all_entities
    ]
    return compile_declarations(design.settings, declarations, design.patterns)


@pytest.mark.slow
@settings(max_examples=int(os.environ.get("MODELS", "40")))
@given(design=designs())
def test_all_remedies_of_a_random_model_together_serve_its_patterns_or_the_rest_names_a_fact(design: Design) -> None:
    before = check(with_plain_keys(design))
    changed = applied(before.design, first_edits(before))
    if changed is None:
        return
    after = check(changed)
    had = {(each.code, each.subject) for each in before.findings}
    new = [each for each in after.findings if each.accepted is None and (each.code, each.subject) not in had]
    unplanned = {each.subject for each in before.findings if each.code in ("ST001", "ST002")}
    assert not [each for each in new if each.subject not in unplanned], "\n".join(map(str, new))
    for finding in after.findings:
        if finding.code in ("ST001", "ST002"):
            assert finding.remedy.explanation or finding.remedy.alternatives, str(finding)
            source = next(each for each in before.findings if each.subject == finding.subject)
            assert not source.remedy.alternatives, f"{source}\nstill:\n{finding}"
