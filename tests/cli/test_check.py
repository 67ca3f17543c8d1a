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
    "reason",
}
FINDING_FIELDS = {
    "code",
    "title",
    "severity",
    "subject",
    "message",
    "details",
    "remedy",
    "accepted",
    "file",
    "line",
}


def columns(printed: str, title: str) -> list[str]:
    """The headings of a plain table, cut where the rule below them has gaps."""
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


def test_the_worksheet_has_every_column() -> None:
    printed = singletable("check", "examples/commerce/model.py").stdout
    assert columns(printed, "Commerce: the worksheet") == WORKSHEET
    assert len(rows(printed, "Commerce: the worksheet")) == 9


def test_the_plans_have_every_column() -> None:
    printed = singletable("check", "examples/commerce/model.py").stdout
    assert columns(printed, "Commerce: the plans") == PLANS
    assert len(rows(printed, "Commerce: the plans")) == 9


def test_a_refused_pattern_has_its_reason_in_the_plans() -> None:
    printed = singletable("check", BROKEN / "commerce_orders_by_status_without_gsi2.py").stdout
    assert columns(printed, "Commerce: the plans")[-2:] == ["verdict", "reason"]
    (row,) = rows(printed, "Commerce: the plans")
    assert re.split("  +", row)[-2:] == ["refused", "needs equality on status, which no index has"]


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_pipe_gets_plain_text(example: str) -> None:
    finished = singletable("check", f"examples/{example}/model.py")
    assert finished.returncode == 0
    assert finished.stderr == ""
    assert "\x1b" not in finished.stdout
    assert not any(character in finished.stdout for character in "│─┃━")
    assert all(line == line.rstrip() for line in finished.stdout.splitlines())


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_last_line_of_a_table_counts_what_is_served(example: str) -> None:
    finished = singletable("check", f"examples/{example}/model.py")
    count = len(document(f"examples/{example}/model.py")["tables"][-1]["patterns"])
    assert finished.stdout.splitlines()[-1].endswith(f": {count} of {count} patterns served as declared")


def test_several_tables_of_a_file_are_checked_in_their_order() -> None:
    tables = document("examples/customers/model.py")["tables"]
    assert [table["table"] for table in tables] == ["Customers", "Orders", "Teams"]


def test_one_table_of_a_file_can_be_picked() -> None:
    (table,) = document("examples/customers/model.py:Orders")["tables"]
    assert table["table"] == "Orders"
    assert [row["pattern"] for row in table["patterns"]] == ["open_orders", "orders_by_status", "products_in_category"]


def test_a_table_is_shown_by_the_name_it_has_in_dynamodb() -> None:
    assert "AppTable: the worksheet" in singletable("check", "examples/guide/model.py:Guide").stdout


def test_json_has_every_field_of_patterns_and_findings() -> None:
    found = document(BROKEN / "papers_handle_beside_the_paper.py")
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
    assert Path(finding["file"]).name == "papers_handle_beside_the_paper.py"
    assert finding["line"] == 14
    assert len(finding["details"]) == 2


def test_json_says_what_the_text_says() -> None:
    path = "examples/guide/model.py:Guide"
    (table,) = document(path)["tables"]
    printed = singletable("check", path).stdout
    for row in table["patterns"]:
        assert row["pattern"] in printed
        assert row["key_condition"] in printed
        assert row["verdict"] in printed
    for finding in table["findings"]:
        assert finding["message"] in printed
        assert finding["remedy"] in printed


def test_json_keeps_accepted_findings_with_their_reason() -> None:
    (table,) = document(BROKEN / "papers_raw_handle_forges_a_paper.py")["tables"]
    reasons = {finding["code"]: finding["accepted"] for finding in table["findings"]}
    assert reasons == {"ST101": None, "ST107": "handles are letters and digits"}


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("examples/commerce/model.py", 0),
        ("tests/verify/broken/guide_filter_in_vain.py", 0),
        ("tests/verify/broken/shop_order_and_invoice_alike.py", 1),
        ("tests/verify/broken/guide_fanout_too_small.py", 1),
        ("tests/verify/broken/nothing_of_this_name.py", 2),
    ],
)
@pytest.mark.parametrize("options", [(), ("--json",)], ids=["text", "json"])
def test_the_exit_code_tells_fine_from_wrong_from_unreadable(file: str, code: int, options: tuple[str, ...]) -> None:
    assert singletable("check", *options, file).returncode == code


def test_one_table_that_does_not_hold_fails_the_file(tmp_path: Path) -> None:
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


def test_a_table_without_patterns_is_fine(tmp_path: Path) -> None:
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
    assert "No pattern is declared yet" in singletable("check", model, "--advice").stdout


def test_a_finding_says_where_it_stands_so_that_an_editor_can_go_there() -> None:
    printed = singletable("check", BROKEN / "shop_order_and_invoice_alike.py").stdout
    assert "  at tests/verify/broken/shop_order_and_invoice_alike.py:14\n" in printed
