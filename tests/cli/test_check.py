"""`singletable check`: the worksheet, the plans and the findings of every table, as text and as JSON."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import ROOT, singletable

EXAMPLES = ["commerce", "customers", "guide", "papers", "shop"]
BROKEN = ROOT / "tests" / "verify" / "broken"
WORKSHEET = [
    "#",
    "pattern",
    "access pattern",
    "entry entity",
    "filters / range",
    "sort direction",
    "frequency",
    "budget",
    "expected",
]
PLANS = ["#", "operation", "index", "key condition", "limit", "entities", "cost", "verdict"]
PATTERN_FIELDS = {
    "number",
    "pattern",
    "title",
    "entry",
    "filters",
    "frequency",
    "budget",
    "expected",
    "entities",
    "verdict",
    "sort",
    "operation",
    "index",
    "key_condition",
    "limit",
    "cost",
    "pages",
    "reason",
}
FINDING_FIELDS = {
    "code",
    "title",
    "severity",
    "subject",
    "message",
    "details",
    "other_indexes",
    "remedy",
    "accepted",
    "file",
    "line",
}


def columns(printed: str, title: str) -> list[str]:
    """Return the headings of a plain table, cut at the gaps of the line below them."""
    lines = printed.splitlines()
    headings, rule = lines[lines.index(title) + 1 : lines.index(title) + 3]
    cells, start = [], 0
    for dashes in rule.split("  "):
        cells.append(headings[start : start + len(dashes)].strip())
        start += len(dashes) + 2
    return cells


def rows(printed: str, title: str) -> list[str]:
    lines = printed.splitlines()
    start = lines.index(title) + 3
    end = next((number for number in range(start, len(lines)) if not lines[number]), len(lines))
    return lines[start:end]


def document(*arguments: str | Path) -> Any:
    return json.loads(singletable("check", "--json", *arguments).stdout)


def test_the_check_command_prints_a_worksheet_with_every_column() -> None:
    printed = singletable("check", "examples/commerce/model.py").stdout
    assert columns(printed, "Commerce: the worksheet") == WORKSHEET
    assert len(rows(printed, "Commerce: the worksheet")) == 9


def test_the_check_command_prints_plans_with_every_column() -> None:
    printed = singletable("check", "examples/commerce/model.py").stdout
    assert columns(printed, "Commerce: the plans") == PLANS
    assert len(rows(printed, "Commerce: the plans")) == 9


def test_the_check_command_gives_the_reason_for_an_unsupported_pattern() -> None:
    printed = singletable("check", BROKEN / "commerce_orders_by_status_without_gsi2.py").stdout
    assert columns(printed, "Commerce: the plans")[-2:] == ["verdict", "reason"]
    (row,) = rows(printed, "Commerce: the plans")
    assert re.split("  +", row)[-2:] == ["not supported", "needs equality on status, which no index key supports"]


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_check_command_prints_plain_text_to_a_pipe(example: str) -> None:
    finished = singletable("check", f"examples/{example}/model.py")
    assert finished.returncode == 0
    assert finished.stderr == ""
    assert "\x1b" not in finished.stdout
    assert not any(character in finished.stdout for character in "│─┃━")
    assert all(line == line.rstrip() for line in finished.stdout.splitlines())


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_check_command_ends_each_table_with_a_count_of_served_patterns(example: str) -> None:
    finished = singletable("check", f"examples/{example}/model.py")
    count = len(document(f"examples/{example}/model.py")["tables"][-1]["patterns"])
    assert finished.stdout.splitlines()[-1].endswith(f": {count} of {count} patterns served as declared")


def test_the_check_command_checks_several_tables_of_a_file_in_their_order() -> None:
    tables = document("examples/customers/model.py")["tables"]
    assert [table["table"] for table in tables] == ["Customers", "Orders", "Teams"]


def test_the_check_command_can_check_one_table_of_a_file() -> None:
    (table,) = document("examples/customers/model.py:Orders")["tables"]
    assert table["table"] == "Orders"
    assert [row["pattern"] for row in table["patterns"]] == ["open_orders", "orders_by_status", "products_in_category"]


def test_the_check_command_shows_a_table_under_its_dynamodb_name() -> None:
    assert "AppTable: the worksheet" in singletable("check", "examples/guide/model.py:Guide").stdout


def test_the_check_command_json_has_every_field_of_patterns_and_findings() -> None:
    found = document(BROKEN / "papers_handle_overlaps_paper.py")
    assert set(found) == {"tables"}
    (table,) = found["tables"]
    assert set(table) >= {"table", "passes", "patterns", "findings"}
    assert table["passes"] is False
    for row in table["patterns"]:
        assert set(row) >= PATTERN_FIELDS
    (finding,) = table["findings"]
    assert set(finding) >= FINDING_FIELDS
    assert finding["code"] == "ST101"
    assert finding["severity"] == "error"
    assert finding["accepted"] is None
    assert Path(finding["file"]).name == "papers_handle_overlaps_paper.py"
    assert finding["line"] == 14
    assert len(finding["details"]) == 2


def test_the_check_command_prints_the_same_results_as_json_and_as_text() -> None:
    path = "examples/guide/model.py:Guide"
    (table,) = document(path)["tables"]
    printed = singletable("check", path).stdout
    for row in table["patterns"]:
        assert row["pattern"] in printed
        assert row["key_condition"] in printed
        assert row["verdict"] in printed
    for finding in table["findings"]:
        assert finding["message"] in printed
        assert finding["remedy"] in " ".join(printed.split())


def test_the_check_command_json_includes_accepted_findings_with_their_reason() -> None:
    (table,) = document(BROKEN / "papers_raw_handle_forges_a_paper.py")["tables"]
    reasons = {finding["code"]: finding["accepted"] for finding in table["findings"]}
    assert reasons == {"ST101": None, "ST107": "handles are letters and digits"}


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("examples/commerce/model.py", 0),
        ("tests/verify/broken/guide_filter_discards_most.py", 0),
        ("tests/verify/broken/shop_order_and_invoice_same_key.py", 1),
        ("tests/verify/broken/guide_fanout_too_small.py", 1),
        ("tests/verify/broken/nothing_of_this_name.py", 2),
    ],
)
@pytest.mark.parametrize("options", [(), ("--json",)], ids=["text", "json"])
def test_the_check_command_exit_code_distinguishes_success_failure_and_bad_input(
    file: str, code: int, options: tuple[str, ...]
) -> None:
    assert singletable("check", *options, file).returncode == code


def test_the_check_command_fails_a_file_with_one_failing_table(tmp_path: Path) -> None:
    model = tmp_path / "two_tables.py"
    model.write_text(
        '''"""A table that holds, and one that does not."""

from dataclasses import dataclass

from singletable import Table, entity, get, pattern


@entity(key=("THING#{id}", "META"))
@dataclass
class Thing:
    id: str
    name: str


class Fine(Table, entities=[Thing]):
    @pattern()
    def thing(self, id: str) -> Thing | None:
        return get(Thing)


class Wrong(Table, entities=[Thing]):
    @pattern()
    def thing_called(self, name: str) -> Thing | None:
        return get(Thing)
''',
        encoding="utf-8",
    )
    assert singletable("check", f"{model}:Fine").returncode == 0
    assert singletable("check", f"{model}:Wrong").returncode == 1
    finished = singletable("check", model)
    assert finished.returncode == 1
    assert "Fine: 1 of 1 pattern served as declared" in finished.stdout
    assert "Wrong: 0 of 1 pattern served as declared" in finished.stdout


def test_the_check_command_passes_a_table_without_patterns(tmp_path: Path) -> None:
    model = tmp_path / "no_patterns.py"
    model.write_text(
        "from dataclasses import dataclass\n\nfrom singletable import Table, entity\n\n\n"
        '@entity(key=("THING#{id}", "META"))\n@dataclass\nclass Thing:\n    id: str\n\n\n'
        "class Empty(Table, entities=[Thing]): ...\n",
        encoding="utf-8",
    )
    finished = singletable("check", model)
    assert finished.returncode == 0
    assert finished.stdout.endswith("Empty: 0 of 0 patterns served as declared\n")
    assert document(model)["tables"] == [{"table": "Empty", "passes": True, "patterns": [], "findings": []}]
    assert "No advice: it is based on access patterns" in singletable("check", model, "--advice").stdout


def test_the_check_command_prints_a_finding_with_a_location_that_editors_can_open() -> None:
    printed = singletable("check", BROKEN / "shop_order_and_invoice_same_key.py").stdout
    assert "  at tests/verify/broken/shop_order_and_invoice_same_key.py:14\n" in printed


def test_check_reports_the_nearest_index_first_and_the_others_with_all() -> None:
    model = str(BROKEN / "shop_nearest_index_first.py")
    nearest, everything = singletable("check", model), singletable("check", model, "--all")
    assert "orders_of: needs a range of placed_on, which the key of GSI1 does not support" in nearest.stdout
    assert "--all prints 2 reasons why other indexes do not serve these patterns" in nearest.stdout
    assert "the partition key of GSI2 is REGION#{region}" not in nearest.stdout
    assert "  GSI2: the partition key of GSI2 is REGION#{region}, but no parameter provides region" in everything.stdout
    assert "  table: the partition key of the table is ORDER#{id}" in everything.stdout


def test_check_counts_reads_on_several_pages_and_unbounded_reads() -> None:
    for model, count in (
        ("guide_shards_on_several_pages", "1 on several pages"),
        ("guide_unbounded_cells", "1 unbounded"),
    ):
        shown = singletable("check", str(BROKEN / f"{model}.py"))
        assert shown.stdout.splitlines()[-1] == f"Guide: 0 of 1 pattern served as declared; {count}"
        assert shown.returncode == 0
