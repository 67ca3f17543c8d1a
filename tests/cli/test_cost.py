"""`singletable cost`: tables for people, JSON for machines, and a message for what cannot be read."""

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


def test_the_tables_say_what_everything_costs() -> None:
    finished = singletable("cost", MODEL, "--compare")
    assert (finished.returncode, finished.stderr) == (0, "")
    titles = [line for line in finished.stdout.splitlines() if line.startswith("Help: ")]
    assert titles == [
        "Help: one call of each pattern, collections as expected",
        "Help: a month of each pattern, on demand",
        "Help: plain writes of every entity",
        "Help: storage",
        "Help: capacity if it is provisioned, used to 70%",
        "Help: a month",
        "Help: one table beside a table for each entity",
    ]
    lines = [line.split() for line in finished.stdout.splitlines()]
    assert [line for line in lines if line[:1] == ["desk"]][:2] == [
        ["desk", "GetItem", "table", "1", "300", "B", "1", "0.5", "RRU", "1", "2"],
        ["desk", "10", "5", "$1.64"],
    ]
    assert "  ≈ the size of Note" in finished.stdout
    assert "  in no month, as rate= and frequency= are missing: notes" in finished.stdout
    assert "  storage needs expected_items= on the entity, or --items: Note" in finished.stdout


def test_the_document_holds_the_numbers() -> None:
    document = _document("--items", "Note=1_000")
    patterns = _by(document["patterns"], "pattern")
    assert patterns["desk"]["dollars_a_month"] == pytest.approx(10 * 0.5 * 730 * 3600 / 1e6 * 0.125)
    assert patterns["set_status"]["by_index"] == {"table": 5, "GSI1": 10}
    assert patterns["notes"]["calls_per_second"] is None
    assert set(document["month"]) == {"small", "expected", "large"}
    assert document["month"]["expected"]["storage"] > 0
    assert document["comparison"]["sentence"].startswith("A single table ")
    assert document["uncounted"] == []


def test_check_and_cost_say_the_same_of_a_call() -> None:
    finished = singletable("check", MODEL, "--json")
    (checked,) = json.loads(finished.stdout)["tables"]
    costs = {row["pattern"]: row["cost"].strip("≈").split()[0] for row in checked["patterns"]}
    assert costs == {row["pattern"]: f"{row['units']:g}" for row in _document()["patterns"]}


def test_collections_and_classes_can_be_chosen() -> None:
    expected, large = (_by(_document("--at", at)["patterns"], "pattern") for at in ("expected", "large"))
    assert large["whole_desk"]["items"] > 9 * expected["whole_desk"]["items"]
    infrequent = _document("--class", "infrequent-access")
    standard = _document()
    assert infrequent["month"]["expected"]["on_demand_reads"] == pytest.approx(
        1.25 * standard["month"]["expected"]["on_demand_reads"]
    )


def test_a_store_gives_sizes_and_numbers(store: Path) -> None:
    document = _document("--sample", store)
    stored = _by(document["storage"], "entity")
    assert (stored["Ticket"]["items"], stored["Note"]["items"]) == (40, 1)
    assert 2000 < stored["Ticket"]["item_bytes"] < 2300
    assert not any("the size of" in guess for guess in document["guesses"])


def test_a_file_of_items_gives_sizes(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    desk = {"PK": "DESK#d1", "SK": "DESK", "entity_type": "Desk", "id": "d1", "name": "n" * 1500}
    path.write_text("\n".join(json.dumps(each) for each in (desk, {"PK": "x", "SK": "y"})), encoding="utf-8")
    stored = _by(_document("--sample", path)["storage"], "entity")
    assert stored["Desk"]["item_bytes"] > 1500
    assert stored["Desk"]["items"] == 1000, "a file is a sample, and not everything that there is"
    assert "1 items of the sample are none of the model's" in singletable("cost", MODEL, "--sample", path).stdout


def test_what_the_engine_consumes_is_held_against_the_estimate(store: Path) -> None:
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
    assert "Help: what the engine consumed, on average of the calls" in shown


def test_a_store_without_items_of_an_entity_is_told(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    Help.open(f"file:{path}", create=True).close()
    measured = _by(_document("--measured", path)["measured"], "name")
    assert measured["desk"]["calls"] == 0
    assert measured["desk"]["note"] == "the store holds no Desk"


def test_prices_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    units = ("million_read_units", "million_write_units", "read_capacity_hour", "write_capacity_hour")
    amounts = dict.fromkeys((*units, "storage_gb_month"), 1)
    document = {"regions": ["here"], "dated": "2031", "currency": "USD", "source": "a test", "month_hours": 1}
    document |= {"gb_bytes": 1, "classes": {"standard": amounts, "infrequent-access": amounts}}
    path.write_text(json.dumps(document), encoding="utf-8")
    patterns = _by(_document("--prices", path)["patterns"], "pattern")
    assert patterns["desk"]["dollars_a_month"] == pytest.approx(5 * 3600 / 1e6)


def test_what_cannot_be_read_is_a_message(tmp_path: Path) -> None:
    assert "'moon-2' are not known; they are of us-east-1" in refused(singletable("cost", MODEL, "--region", "moon-2"))
    assert "--items names Nothing, which is no entity" in refused(singletable("cost", MODEL, "--items", "Nothing=1"))
    assert "'Desk=many' is no number of items" in refused(singletable("cost", MODEL, "--items", "Desk=many"))
    none = tmp_path / "none"
    for option in ("--sample", "--measured", "--prices"):
        assert "none" in refused(singletable("cost", MODEL, option, none))
    text = tmp_path / "text"
    text.write_text("no json", encoding="utf-8")
    assert "is no JSON" in refused(singletable("cost", MODEL, "--sample", text))
    text.write_text("[]", encoding="utf-8")
    assert "holds no item of Help" in refused(singletable("cost", MODEL, "--sample", text))
    assert refused(singletable("cost", MODEL, "--measured", text))


def test_large_figures_are_written_out_and_not_rounded(tmp_path: Path) -> None:
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
    # 17,355 full pages of 5,762 lines, which are 257 units of 4 KB each, and 490 lines more, 22 units.
    costed = singletable("cost", model, "--compare").stdout
    checked = singletable("check", model).stdout
    units = "2,230,128.5 RRU"
    assert " ".join(["100,000,000", "17.0 GB", "17,356", units]) in " ".join(costed.split())
    assert "1 table " in costed
    assert "100,000,000 items, 17.0 GB" in checked
    assert units in checked
    assert " 2000000/s " in checked


def test_figures_that_rest_on_no_guess_have_no_mark() -> None:
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


def test_units_are_printed_in_one_way(store: Path) -> None:
    shown = singletable("cost", MODEL, "--measured", store, "--sample", store).stdout
    row = next(line for line in shown.split("what the engine consumed")[1].splitlines() if line.startswith("desk "))
    assert row.split() == ["desk", "1", "0.5", "RRU", "0.5", "RRU", "1.00"]
