"""The worksheet of a catalogue becomes a model that serves every recorded pattern."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.shop_tables.recording import record
from examples.shop_tables.traffic import SHARES
from singletable.catalogue.pattern_steps import pattern_steps
from singletable.catalogue.recorded_catalogue import RecordedCatalogue, read_catalogue
from singletable.cli.design_text import keyless_model
from singletable.cli.import_text import import_draft
from singletable.cli.load_model import load_table
from singletable.design.designed_table import design_table
from singletable.errors import ArgumentRefused
from singletable.importers.draft import DraftPattern, DraftTable
from singletable.importers.worksheet.recorded_worksheet import rate_text, recorded_worksheet
from singletable.importers.worksheet.worksheet_file import read_worksheet
from singletable.importers.worksheet.worksheet_requests import frequency_of
from tests.catalogue.recorded import RecordedClients, recorded
from tests.importers.imported import reports


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> RecordedCatalogue:
    path = tmp_path_factory.mktemp("shop") / "catalogue.jsonl"
    record(path)
    return read_catalogue([path], calls_per_second=200)


@pytest.fixture(scope="module")
def table(shop: RecordedCatalogue) -> DraftTable:
    (found,) = import_draft(read_worksheet(recorded_worksheet(shop), "shop.md")).tables
    return found


def patterns_of(table: DraftTable) -> dict[str, DraftPattern]:
    return {each.name: each for each in table.patterns}


def worksheet_of(path: Path, send: Any) -> tuple[str, DraftTable]:
    with recorded(path / "catalogue.jsonl") as clients:
        send(clients)
    text = recorded_worksheet(read_catalogue([path / "catalogue.jsonl"]))
    (found,) = import_draft(read_worksheet(text, "recorded.md")).tables
    return text, found


def test_every_recorded_step_is_a_pattern_that_is_served(
    shop: RecordedCatalogue, table: DraftTable, tmp_path: Path
) -> None:
    (report,) = reports(read_worksheet(recorded_worksheet(shop), "shop.md"), tmp_path)
    assert report.passes
    assert [each.name for each in table.patterns] == [step.name for step in pattern_steps(shop)]
    assert set(SHARES) <= patterns_of(table).keys()
    assert table.notes == ()


def test_the_recorded_worksheet_has_the_fields_keys_and_sizes_of_the_old_tables(table: DraftTable) -> None:
    entities = {each.class_name: each for each in table.entities}
    fields = {name: {each.name: each.type for each in entity.fields} for name, entity in entities.items()}
    assert fields["Customer"] == {"id": "str", "name": "str", "email": "str", "created_at": "datetime"}
    assert fields["Product"]["price"] == "Decimal"
    assert fields["OrderItem"] == {"order_id": "str", "sku": "str", "quantity": "Decimal", "price": "Decimal"}
    assert entities["OrderItem"].identity == ("order_id", "sku")
    assert entities["OrderItem"].keys["key"].partition == ("ORDER#{order_id}",)
    assert entities["Customer"].options["expected_items"] > 30
    assert 60 < entities["Customer"].options["expected_bytes"] < 90


def test_the_recorded_worksheet_has_the_conditions_order_and_rates_of_the_requests(
    shop: RecordedCatalogue, table: DraftTable
) -> None:
    found = patterns_of(table)
    orders = found["orders_of_customer"]
    assert (orders.kind, orders.newest_first, orders.limit) == ("query", True, 20)
    assert [each.name for each in found["pending_orders_of_customer"].parameters] == ["customer_id", "status"]
    whole = found["whole_order"]
    assert (whole.kind, whole.entities, whole.consistent) == ("collection", ("Order", "OrderItem"), True)
    assert [each.name for each in whole.parameters] == ["order_id"]
    kinds = {name: found[name].kind for name in ("register", "add_products", "ship", "cancel", "place_order")}
    assert kinds == {
        "register": "create",
        "add_products": "put",
        "ship": "update",
        "cancel": "delete",
        "place_order": "create",
    }
    assert [each.name for each in found["ship"].parameters] == ["id", "status"]
    rates = [found[name].rate or 0.0 for name in SHARES]
    assert sum(rates) == pytest.approx(200, rel=0.25)  # a step with several items has a rate of its own
    assert found["customers_by_signup"].options["expected_items"] > 30


def test_design_chooses_keys_for_the_worksheet(shop: RecordedCatalogue, tmp_path: Path) -> None:
    file = tmp_path / "shop.md"
    file.write_text(recorded_worksheet(shop), encoding="utf-8")
    with keyless_model(str(file), None, None) as (path, notes):
        assert notes == []
        designed = design_table(load_table(path).design)
    keys = {entity.label: entity for entity in designed.after.entities}
    assert keys["OrderItem"].base.fields == {"order_id", "sku"}
    assert sum(index.kind == "GSI" for index in designed.after.indexes.values()) == 2


def test_the_recorded_worksheet_understands_filters_ranges_and_orders(tmp_path: Path) -> None:
    def send(clients: RecordedClients) -> None:
        table = clients.create_table("scores", "game_id", "score")
        table.put_item(Item={"game_id": "g", "score": "1", "player": "p", "tags": {"a"}})
        values = {":g": "g", ":s": "1", ":p": "p", ":t": "a"}

        def best_scores() -> None:
            table.query(
                KeyConditionExpression="game_id = :g AND score >= :s",
                FilterExpression="player = :p AND contains(tags, :t) AND m.a = :p",
                ExpressionAttributeValues=values,
                ScanIndexForward=False,
            )

        best_scores()

    text, table = worksheet_of(tmp_path, send)
    assert "game_id = ?; score since; player = ?; filter contains(tags ?); filter m.a = ?; no limit" in text
    best = patterns_of(table)["best_scores"]
    assert [(each.name, each.range) for each in best.parameters] == [
        *(("game_id", None), ("player", None), ("score", "Since")),
    ]
    assert best.descending
    assert [note for note in table.notes if "contains(tags ?)" in note]
    assert [note for note in table.notes if "m.a = ?" in note]


def test_the_recorded_worksheet_keeps_unusual_attribute_names_in_separate_cells(tmp_path: Path) -> None:
    def send(clients: RecordedClients) -> None:
        table = clients.create_table("notes", "pk")
        table.put_item(Item={"pk": "a", "a|b": 1, "`x`; y = 1, \n| z |": "t", "class": None, "größe": True})

        def note(key: str) -> None:
            table.get_item(Key={"pk": key})

        note("a")

    text, table = worksheet_of(tmp_path, send)
    (entity,) = table.entities
    types = {each.name: each.type for each in entity.fields}
    assert types["pk"] == "str"
    assert types["größe"] == "bool"
    assert len(entity.fields) == 5
    assert len(text.splitlines()) < 30


def test_the_recorded_worksheet_turns_keys_with_labels_into_entities_of_one_table(tmp_path: Path) -> None:
    def send(clients: RecordedClients) -> None:
        table = clients.create_table("app", "PK", "SK")
        table.put_item(Item={"PK": "USER#1", "SK": "PROFILE", "name": "Ada"})
        table.put_item(Item={"PK": "USER#1", "SK": "ORDER#2026", "total": 3})

        def profile() -> None:
            table.get_item(Key={"PK": "USER#1", "SK": "PROFILE"})

        def orders() -> None:
            table.query(
                KeyConditionExpression="PK = :p AND begins_with(SK, :s)",
                ExpressionAttributeValues={":p": "USER#1", ":s": "ORDER#"},
            )

        profile()
        orders()

    text, table = worksheet_of(tmp_path, send)
    assert "| Get user by user id | profile | User | user_id = ? |" in text
    assert "| List order by user id | orders | Order | user_id = ?; no limit |" in text
    found = patterns_of(table)
    assert found["profile"].kind == "get"
    assert (found["orders"].kind, [each.name for each in found["orders"].parameters]) == ("query", ["user_id"])


def test_a_worksheet_of_recorded_updates_has_the_key_of_the_entity_and_a_note(tmp_path: Path) -> None:
    def send(clients: RecordedClients) -> None:
        clients.create_table("counters", "name")

        def bump() -> None:
            clients.client.update_item(
                TableName="counters",
                Key={"name": {"S": "a"}},
                UpdateExpression="SET last_at = :t, n = if_not_exists(n, :o) ADD hits :o",
                ExpressionAttributeValues={":o": {"N": "1"}, ":t": {"S": "t"}},
            )

        bump()

    text, table = worksheet_of(tmp_path, send)
    assert "No request reads or puts whole items of Counter: add the other fields." in text
    (entity,) = table.entities
    assert [(each.name, each.type) for each in entity.fields] == [("name", "str"), ("last_at", "datetime")]
    assert [each.name for each in patterns_of(table)["bump"].parameters] == ["name", "last_at"]


@given(st.floats(min_value=1e-7, max_value=1e9))
def test_the_recorded_worksheet_keeps_the_value_of_rates(rate: float) -> None:
    word, read, unread = frequency_of(rate_text(rate))
    assert (word, unread) == (None, None)
    assert read == pytest.approx(rate, rel=0.01)


def test_a_catalogue_of_statements_has_no_worksheet(tmp_path: Path) -> None:
    with recorded(tmp_path / "catalogue.jsonl") as clients:
        clients.create_table("tbl", "pk")
        clients.client.execute_statement(Statement="SELECT * FROM tbl")
    catalogue = read_catalogue([tmp_path / "catalogue.jsonl"])
    with pytest.raises(ArgumentRefused, match="no recorded request can be a row of a worksheet"):
        recorded_worksheet(catalogue)
