"""`singletable cost`: tables, JSON output, and error messages for unreadable input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import refused, singletable
from tests.cost.desk import Desk, Help, Note, ticket

MODEL = "tests/cost/desk.py"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cost") / "help.db"
    with Help.open(f"file:{path}", create=True) as table:
        table.create(Desk("d1", "first"))
        for number in range(40):
            table.create(ticket(number, status="SHUT" if number % 4 else "OPEN", text="xy"[number % 2] * 2000))
        table.create(Note("d1", "n1", "text"))
    return path


def _document(*arguments: str | Path) -> dict[str, Any]:
    finished = singletable("cost", MODEL, "--json", *arguments)
    assert finished.returncode == 0, finished.stderr
    (table,) = json.loads(finished.stdout)["tables"]
    found: dict[str, Any] = table
    return found


def _by(rows: list[dict[str, Any]], name: str) -> dict[str, dict[str, Any]]:
    return {row[name]: row for row in rows}


def test_the_cost_output_has_every_cost_table() -> None:
    finished = singletable("cost", MODEL, "--compare")
    assert (finished.returncode, finished.stderr) == (0, "")
    titles = [line for line in finished.stdout.splitlines() if line.startswith("Help: ")]
    assert titles == [
        "Help: cost per call at the expected collection size",
        "Help: on-demand cost per month",
        "Help: cost of writes per entity",
        "Help: storage",
        "Help: provisioned capacity at 70% utilisation",
        "Help: total cost per month",
        "Help: compared with one table per entity",
    ]
    lines = [line.split() for line in finished.stdout.splitlines()]
    assert [line for line in lines if line[:1] == ["desk"]][:2] == [
        ["desk", "GetItem", "table", "1", "300", "B", "1", "0.5", "RRU", "1", "2"],
        ["desk", "10", "5", "$1.64"],
    ]
    assert "  ≈ the size of Note" in finished.stdout
    assert "  not in the monthly cost, without rate= or frequency=: notes" in finished.stdout
    assert "  not in the storage cost, without expected_items= or --items: Note" in finished.stdout


def test_the_cost_output_as_json_contains_the_figures() -> None:
    document = _document("--items", "Note=1_000")
    patterns = _by(document["patterns"], "pattern")
    assert patterns["desk"]["dollars_a_month"] == pytest.approx(10 * 0.5 * 730 * 3600 / 1e6 * 0.125)
    assert patterns["set_status"]["by_index"] == {"table": 5, "GSI1": 10}
    assert patterns["notes"]["calls_per_second"] is None
    assert set(document["month"]) == {"small", "expected", "large"}
    assert document["month"]["expected"]["storage"] > 0
    assert document["comparison"]["sentence"].startswith("A single table ")
    assert document["uncounted"] == []


def test_the_cost_output_as_json_names_the_entities_of_derived_data() -> None:
    finished = singletable("cost", "examples.papers.model", "--json")
    (table,) = json.loads(finished.stdout)["tables"]
    rename = _by(table["patterns"], "pattern")["rename"]
    assert rename["derived_units"] == [
        {"entity": "Membership", "units": {"table": 6, "GSI1": 6}},
        {"entity": "Topic", "units": {"table": 8, "GSI2": 8}},
    ]


def test_the_cost_command_agrees_with_the_check_command_on_the_cost_of_a_call() -> None:
    finished = singletable("check", MODEL, "--json")
    (checked,) = json.loads(finished.stdout)["tables"]
    costs = {row["pattern"]: row["cost"].strip("≈").split()[0] for row in checked["patterns"]}
    assert costs == {row["pattern"]: f"{row['units']:g}" for row in _document()["patterns"]}


def test_the_cost_command_has_options_for_collection_size_and_table_class() -> None:
    expected, large = (_by(_document("--at", at)["patterns"], "pattern") for at in ("expected", "large"))
    assert large["whole_desk"]["items"] > 9 * expected["whole_desk"]["items"]
    infrequent = _document("--class", "infrequent-access")
    standard = _document()
    assert infrequent["month"]["expected"]["on_demand_reads"] == pytest.approx(
        1.25 * standard["month"]["expected"]["on_demand_reads"]
    )


def test_an_item_source_that_is_a_store_provides_item_sizes_and_counts(store: Path) -> None:
    document = _document("--sample", store)
    stored = _by(document["storage"], "entity")
    assert (stored["Ticket"]["items"], stored["Note"]["items"]) == (40, 1)
    assert 2000 < stored["Ticket"]["item_bytes"] < 2300
    assert not any("the size of" in guess for guess in document["guesses"])


def test_an_item_source_that_is_a_json_file_provides_item_sizes(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    desk = {"PK": "DESK#d1", "SK": "DESK", "entity_type": "Desk", "id": "d1", "name": "n" * 1500}
    path.write_text("\n".join(json.dumps(each) for each in (desk, {"PK": "x", "SK": "y"})), encoding="utf-8")
    stored = _by(_document("--sample", path)["storage"], "entity")
    assert stored["Desk"]["item_bytes"] > 1500
    assert stored["Desk"]["items"] == 1000, "a file is a sample, and not everything that there is"
    assert "1 items of the sample belong to no entity" in singletable("cost", MODEL, "--sample", path).stdout


def test_cost_measurement_compares_consumption_with_the_estimate(store: Path) -> None:
    before = store.read_bytes()
    document = _document("--sample", store, "--measured", store)
    measured = _by(document["measured"], "name")
    for name in ("desk", "notes", "open_ticket", "rewrite", "set_status", "set_text", "drop"):
        each = measured[name]
        assert each["calls"] > 0, each
        assert (each["reads"], each["writes"]) == (each["estimated_reads"], each["estimated_writes"]), each
    partition = sum(each["items"] * each["item_bytes"] for each in document["storage"])
    assert measured["whole_desk"]["reads"] == 0.5 * -(-partition // 4096)
    assert store.read_bytes() == before, "the store stays as it is"
    shown = singletable("cost", MODEL, "--measured", store).stdout
    assert "Help: measured consumption, average per call" in shown


def test_cost_measurement_notes_a_store_without_items_of_an_entity(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    Help.open(f"file:{path}", create=True).close()
    measured = _by(_document("--measured", path)["measured"], "name")
    assert measured["desk"]["calls"] == 0
    assert measured["desk"]["note"] == "the store contains no Desk"


def test_the_cost_command_uses_custom_prices(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    units = ("million_read_units", "million_write_units", "read_capacity_hour", "write_capacity_hour")
    amounts = dict.fromkeys((*units, "storage_gb_month"), 1)
    document = {"regions": ["here"], "dated": "2031", "currency": "USD", "source": "a test", "month_hours": 1}
    document |= {"gb_bytes": 1, "classes": {"standard": amounts, "infrequent-access": amounts}}
    path.write_text(json.dumps(document), encoding="utf-8")
    patterns = _by(_document("--prices", path)["patterns"], "pattern")
    assert patterns["desk"]["dollars_a_month"] == pytest.approx(5 * 3600 / 1e6)


@pytest.mark.slow
def test_the_cost_command_reports_unreadable_input(tmp_path: Path) -> None:
    assert "no prices for region 'moon-2'; there are prices for us-east-1" in refused(
        singletable("cost", MODEL, "--region", "moon-2")
    )
    assert "--items: unknown entity Nothing" in refused(singletable("cost", MODEL, "--items", "Nothing=1"))
    assert "invalid item count 'Desk=many'" in refused(singletable("cost", MODEL, "--items", "Desk=many"))
    none = tmp_path / "none"
    for option in ("--sample", "--measured", "--prices"):
        assert "none" in refused(singletable("cost", MODEL, option, none))
    text = tmp_path / "text"
    text.write_text("no json", encoding="utf-8")
    assert "is not valid JSON" in refused(singletable("cost", MODEL, "--sample", text))
    text.write_text("[]", encoding="utf-8")
    assert "contains no items of Help" in refused(singletable("cost", MODEL, "--sample", text))
    assert refused(singletable("cost", MODEL, "--measured", text))


def test_the_cost_output_does_not_round_large_figures(tmp_path: Path) -> None:
    model = tmp_path / "large.py"
    model.write_text(
        "from dataclasses import dataclass\n"
        "from singletable import Page, Table, entity, pattern, query\n\n\n"
        "@entity(key=('ALL', '{id}'), expected_bytes=182, expected_per_partition=100_000_000)\n"
        "@dataclass\n"
        "class Line:\n"
        "    id: str\n\n\n"
        "class Lines(Table, entities=[Line]):\n"
        "    @pattern(rate=2_000_000)\n"
        "    def lines(self) -> Page[Line]:\n"
        '        """Every line."""\n'
        "        return query(Line)\n",
        encoding="utf-8",
    )
    # 17,355 full pages of 5,762 lines take 257 units of 4 KB each. 490 more lines take 22 units.
    costed = singletable("cost", model, "--compare").stdout
    checked = singletable("check", model).stdout
    units = "2,230,128.5 RRU"
    assert " ".join(["100,000,000", "17.0 GB", "17,356", units]) in " ".join(costed.split())
    assert "1 table " in costed
    assert "100,000,000 items, 17.0 GB" in checked
    assert units in checked
    assert " 2000000/s " in checked


def test_the_cost_output_marks_only_figures_with_assumptions() -> None:
    shown = singletable("cost", "tests/cost/bank.py:Bank").stdout.splitlines()
    assert next(line for line in shown if line.startswith("expected *")).split()[2:7] == [
        "≈$16.43", "$8.21", "$0.93", "≈$25.57", "≈$11.56",
    ]  # fmt: skip
    assert next(line for line in shown if line.startswith("table ")).split() == [
        "table",
        "≈50",
        "5",
        "≈72",
        "8",
        "≈$10.63",
    ]
    assert "account GetItem table 1 300 B 1 0.5 RRU 1 2" in (" ".join(line.split()) for line in shown)


def test_the_cost_output_formats_units_consistently(store: Path) -> None:
    shown = singletable("cost", MODEL, "--measured", store, "--sample", store).stdout
    row = next(line for line in shown.split("measured consumption")[1].splitlines() if line.startswith("desk "))
    assert row.split() == ["desk", "1", "0.5", "RRU", "0.5", "RRU", "1.00"]
