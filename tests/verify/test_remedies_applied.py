"""Every remedy of every broken model, pasted as printed and applied by --fix, removes its finding and harms nothing."""

from __future__ import annotations

import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from singletable.cli.check_fix import fix
from singletable.cli.edited_sources import edited_sources
from singletable.cli.load_model import load_tables
from singletable.cli.source_edits import edit_source
from singletable.model.design import Design
from singletable.planner.remedy import (
    AddElement,
    AddImport,
    AddParameter,
    Alternative,
    Edit,
    InnerCall,
    Place,
    RemoveElement,
    RemoveKeyword,
    SetFieldDeclaration,
    SetItem,
    SetKeyword,
    SetParameter,
    body_place,
    class_place,
    entity_place,
    pattern_place,
    table_place,
)
from singletable.verify.design_check import CheckReport, check
from singletable.verify.findings import Finding

BROKEN = Path(__file__).parent / "broken"
FILES = sorted(path.stem for path in BROKEN.glob("*.py"))

WITHOUT_EDIT = {
    ("commerce_last_of_unpadded_lines", "ST104"): "the lines must sort by value first",
    ("commerce_six_local_indexes", "ST111"): "only the author knows which indexes can be merged",
    ("commerce_update_changes_the_key", "ST002"): "a move is a transaction in the program, not a pattern",
    ("customers_newest_first_without_a_time", "ST104"): "the entity has no time to sort by",
    (
        "customers_orders_by_status_of_a_customer",
        "ST127",
    ): "only the author knows whether the name or the read is wrong",
    ("customers_orders_by_status_of_a_customer", "ST129"): "only the author knows which of the two programs call",
    ("customers_too_many_indexes", "ST111"): "only the author knows which indexes can be merged",
    ("forum_replies_sorted_by_text", "ST131"): "only the author knows by what the replies are sorted",
    ("game_friends_in_one_item", "ST132"): "another entity stores the elements",
    ("guide_filter_discards_most", "ST108"): "a range of depths needs a key that only the author can design",
    ("guide_filter_without_counts", "ST108"): "only the author knows how many items the filter keeps",
    ("guide_unbounded_cells", "ST110"): "only the author knows how many items there are",
    ("orders_shifted_index_attributes", "ST140"): "stored items have the other attributes",
    ("orders_suppliers_between_days", "ST142"): "only the author knows which prefixes programs expect",
    ("orders_without_an_order", "ST141"): "only the author knows by what the orders are sorted",
    ("polls_two_votes_of_one_user", "ST144"): "the parameters of the patterns change with the key",
    ("posts_misspelt_comment", "ST145"): "stored items have the other text",
    ("users_id_in_no_key", "ST143"): "only the author knows whether a read by the id is needed",
    ("papers_collection_across_partitions", "ST002"): "the members are related by no field",
    ("papers_full_text_in_the_item", "ST111"): "the text must be stored elsewhere",
    ("games_seats_outlive_the_game", "ST139"): "only the author knows when the other items end",
    ("forum_threads_by_subject", "ST138"): "the parameters of the patterns change with the key",
    ("accounts_sessions_without_expiry", "ST135"): "only the author knows when a session ends",
    ("projects_employees_by_name", "ST136"): "only the author knows which of the two fields is meant",
    ("recipes_title_in_the_key", "ST134"): "the parameters of the patterns change with the key",
    ("shop_filter_reads_on", "ST108"): "only the author knows how many items the filter keeps, or which index to add",
    ("shop_limit_over_two_lists", "ST002"): "without the limit, the collection is unbounded",
    ("shop_sort_key_too_wide", "ST111"): "only the author knows how large the numbers can be",
    ("shop_unbounded_line_items", "ST110"): "only the author knows how many items there are",
}
"""The findings whose remedy is a sentence, each with the reason."""

NEEDS_DECISION_AFTER_FIX = {
    ("commerce_last_of_unpadded_lines", "ST104"): "only the author knows whether newest or highest is meant",
}
"""The findings that have an edit only after another remedy."""
NEEDS_DECISION = {
    ("accounts_two_users_of_one_email", "ST137"): "stored items have no markers",
    ("devices_log_without_end", "ST130"): "only the author knows how many events a partition has",
    ("guide_events_of_one_second", "ST130"): "only the author knows how many events a partition has",
    ("guide_fanout_too_small", "ST130"): "only the author knows how many events a partition has",
    ("guide_latest_event_of_one_second", "ST130"): "only the author knows how many events a partition has",
    ("guide_sharded_events_without_fanout", "ST130"): "only the author knows how many events a partition has",
    ("guide_two_shards_are_too_few", "ST130"): "only the author knows how many events a partition has",
    ("hotel_two_indexes_by_room", "ST133"): "programs outside the model can read the index",
    ("reminders_of_one_day", "ST121"): "only the author knows whether a few partitions are enough",
    ("commerce_orders_of_a_day_without_gsi1", "ST001"): "a parameter changes what the query returns",
    ("customers_one_key_for_all", "ST102"): "only the author knows that there is one item",
    ("customers_partition_per_status", "ST121"): "only the author knows whether a few partitions are enough",
    ("guide_latest_event_of_one_second", "ST128"): "the keys of stored items change",
    ("guide_events_of_one_day", "ST121"): "only the author knows whether a few partitions are enough",
    ("guide_frequent_events_of_today", "ST109"): "shards in the primary key move every item",
    ("guide_shards_on_several_pages", "ST110"): "a limit changes what the query returns",
    ("papers_sparse_index_read_as_complete", "ST002"): "the condition changes what the query returns",
    ("sessions_ttl_as_text", "ST126"): "stored items must be converted",
    ("shop_all_products_in_one_partition", "ST122"): "only the author knows whether the list stays short",
    ("shop_filter_reads_on", "ST110"): "a limit changes what the query returns",
    ("papers_thin_index_without_the_status", "ST002"): "programs outside the model can read the removed index",
    ("shop_unused_index", "ST112"): "programs outside the model can read the index",
    ("shop_unused_keys_of_one_entity", "ST112"): "programs outside the model can read the index",
    ("shop_latest_order_oldest_first", "ST120"): "another order changes what the query returns",
    ("shop_line_items_on_many_pages", "ST110"): "only the author knows whether five requests are fine",
    ("shop_strong_read_of_gsi1", "ST114"): "the read loses its strong consistency",
    ("shop_top_scores_by_name", "ST120"): "another order changes what the query returns",
    ("shop_top_scores_unpadded", "ST120"): "another order changes what the query returns",
    ("social_followers_beyond_max_requests", "ST003"): "a limit changes what the query returns",
    ("social_followers_on_many_pages", "ST110"): "a limit changes what the query returns",
}
"""The findings whose first alternative can be pasted, but is not applied by --fix, each with the reason."""

OUTER = r"@entity of \w+|@pattern of \w+|\w+\(\.\.\.\) of \w+|the table class \w+|class \w+"
PLACE = rf"(?:\w+\(\"?\w+\"?\) of )?(?:{OUTER})"
CLAUSES: tuple[tuple[type, str], ...] = (
    (SetItem, rf'set "(?P<key>\w+)": (?P<source>.+?) in (?P<keyword>\w+)= of (?P<place>{PLACE})'),
    (SetParameter, r"set the keyword-only parameter (?P<name>\w+): (?P<source>.+?) of (?P<pattern>\w+)"),
    (SetKeyword, rf"set (?P<keyword>\w+)=(?P<source>.+?) in (?P<place>{PLACE})"),
    (RemoveElement, rf"remove (?P<inner>\w+\(\"\w+\"\)) from (?P<keyword>\w+)= of (?P<place>{PLACE})"),
    (RemoveKeyword, rf"remove (?P<keyword>\w+)= from (?P<place>{PLACE})"),
    (AddImport, r"add the import from (?P<module>[\w.]+) import (?P<name>\w+)"),
    (AddParameter, r"add the parameter (?P<name>\w+): (?P<annotation>.+?) to (?P<pattern>\w+)"),
    (AddElement, rf"add (?P<source>.+?) to (?P<keyword>\w+)= of (?P<place>{PLACE})"),
    (SetFieldDeclaration, r"declare (?P<source>(?P<field>\w+): .+?) in (?P<place>class \w+)"),
)


@pytest.fixture(autouse=True)
def _restore_imports(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = frozenset(sys.modules)
    yield
    with edited_sources({}, before):  # forgets the models
        pass


def load(path: Path) -> CheckReport:
    with edited_sources({}, frozenset(sys.modules) - {path.stem}):
        (table,) = load_tables(str(path))
        return check(table.design)


@cache
def report_of(file: str) -> CheckReport:
    return load(BROKEN / f"{file}.py")


def open_findings(report: CheckReport) -> list[Finding]:
    return [finding for finding in report.findings if finding.accepted is None]


def counts(report: CheckReport) -> Counter[tuple[str, str]]:
    return Counter((finding.code, finding.subject) for finding in open_findings(report))


def alternatives() -> Iterator[tuple[str, Finding, int]]:
    for file in FILES:
        for finding in open_findings(report_of(file)):
            for number in range(len(finding.remedy.alternatives)):
                yield file, finding, number


def read_printed(design: Design, line: str) -> tuple[Edit, ...]:
    """Return the edits that a printed line describes, as a reader understands it."""
    text = line.removeprefix("Or ")
    text = f"{text[0].lower()}{text[1:]}"
    edits: list[Edit] = []
    while True:
        edit, text = read_clause(design, text, edits)
        edits.append(edit)
        if text.startswith("."):
            return tuple(edits)
        text = text.removeprefix("; ")


def read_clause(design: Design, text: str, before: list[Edit]) -> tuple[Edit, str]:
    for kind, clause in CLAUSES:
        found = re.match(rf"{clause}(?=\.( |$)|; )", text)
        if found is None:
            continue
        values = found.groupdict()
        if "pattern" in values:
            place = place_of(design, f"@pattern of {values.pop('pattern')}")
        else:
            place = place_of(design, values.pop("place")) if "place" in values else replace(before[-1].place)
        if inner := values.pop("inner", None):
            place = place_of(design, f"{inner} of {place}")
            values = {}
        return kind(place, **values), text[found.end() :]
    raise AssertionError(f"cannot be pasted: {text}")


def place_of(design: Design, text: str) -> Place:
    inner = re.fullmatch(r"(?P<function>\w+)\((?P<first>\"?\w+\"?)\) of (?P<outer>.+)", text)
    if inner is not None:
        keyword = "copies" if inner["function"] == "copy" else "indexes"
        return replace(place_of(design, inner["outer"]), inner=InnerCall(keyword, inner["function"], inner["first"]))
    words = text.split()
    entity = next((each for each in design.all_entities if each.label == words[-1]), None)
    pattern = design.pattern(words[-1])
    if text.startswith("@entity") and entity is not None:
        return entity_place(entity)
    if text.startswith("class") and entity is not None:
        return class_place(entity)
    if text.startswith("the table"):
        return table_place(design)
    assert pattern is not None, text
    return pattern_place(pattern) if text.startswith("@pattern") else body_place(pattern)


def test_models_with_remedies_to_apply_have_many_alternatives() -> None:
    assert len(list(alternatives())) >= 70


@pytest.mark.parametrize(
    ("file", "finding", "number"),
    [pytest.param(*case, id=f"{case[0]}-{case[1].code}-{case[1].subject}-{case[2]}") for case in alternatives()],
)
def test_a_remedy_pasted_as_printed_removes_its_finding_and_causes_none(
    file: str, finding: Finding, number: int, tmp_path: Path
) -> None:
    report, remedy = report_of(file), finding.remedy
    line = remedy.lines[number + bool(remedy.explanation)]
    printed = read_printed(report.design, line)
    assert set(printed) == set(remedy.alternatives[number].edits)
    path = tmp_path / f"{file}.py"
    path.write_text(edit_source((BROKEN / f"{file}.py").read_text(encoding="utf-8"), printed), encoding="utf-8")
    fixed, before = counts(load(path)), counts(report)
    key = finding.code, finding.subject
    assert fixed[key] < before[key]
    assert fixed - before == Counter()


@pytest.mark.parametrize("file", FILES)
def test_check_fix_leaves_only_findings_without_an_automatic_edit(file: str, tmp_path: Path) -> None:
    model = tmp_path / f"{file}.py"
    shutil.copy(BROKEN / f"{file}.py", model)
    before = model.read_bytes()
    result = fix(str(model))
    assert model.read_bytes() == before  # `fix` returns the text; the command writes it
    expected = {code for name, code in (WITHOUT_EDIT | NEEDS_DECISION) if name == file}
    assert {finding.code for finding, _ in result.left} == expected
    assert result.passes == (not any(finding.fails for finding, _ in result.left))
    for finding, reason in result.left:
        decides = (file, finding.code) in {*NEEDS_DECISION, *NEEDS_DECISION_AFTER_FIX}
        assert reason == ("the remedy needs your decision" if decides else "no automatic remedy")
    for path, text in result.files.after.items():
        Path(path).write_text(text, encoding="utf-8")
    after = counts(load(model))
    assert after == Counter((finding.code, finding.subject) for finding, _ in result.left)


def test_check_fix_lists_findings_without_an_edit_with_their_reason() -> None:
    found = {(file, finding.code): finding.remedy for file in FILES for finding in open_findings(report_of(file))}
    assert {key for key, remedy in found.items() if not remedy.alternatives} == set(WITHOUT_EDIT)
    decided = {key for key, remedy in found.items() if remedy.alternatives and remedy.automatic is None}
    assert decided == set(NEEDS_DECISION)


def test_every_alternative_remedy_has_edits() -> None:
    assert all(
        isinstance(f.remedy.alternatives[n], Alternative) and f.remedy.alternatives[n].edits
        for _, f, n in alternatives()
    )
