"""`singletable design`: the report, the written keys, JSON, and input that cannot be designed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.cli.program import ROOT, refused, singletable

SHOP = ROOT / "examples" / "shop_without_keys.py"


def test_the_design_command_prints_keys_proof_alternative_and_diff() -> None:
    finished = singletable("design", SHOP)
    assert finished.returncode == 0, finished.stderr
    assert "1 GSI (proved minimal: OrderItem needs 2 keys, one of them the table's)" in finished.stdout
    assert "No two of these reads of OrderItem can share a key: whole_order, orders_with_product." in finished.stdout
    assert "no request serves orders_of_customer and orders_with_product" in finished.stdout
    assert "+@entity(expected_items=100_000, key=(" in finished.stdout
    assert "6 of 6 patterns served" in finished.stdout


def test_design_with_write_adds_keys_that_check_accepts_and_nothing_else(tmp_path: Path) -> None:
    model = shutil.copy(SHOP, tmp_path / "shop.py")
    finished = singletable("design", model, "--write")
    assert finished.returncode == 0, finished.stderr
    assert "wrote" in finished.stdout
    assert singletable("check", model).returncode == 0
    old, new = SHOP.read_text(encoding="utf-8"), Path(model).read_text(encoding="utf-8")
    changed = [line for line in new.splitlines() if line not in old.splitlines()]
    assert all("@entity(" in line or "key=(" in line or "gsi1=(" in line for line in changed)


def test_a_second_run_of_the_design_command_says_that_every_entity_has_a_key(tmp_path: Path) -> None:
    model = shutil.copy(SHOP, tmp_path / "shop.py")
    singletable("design", model, "--write")
    message = refused(singletable("design", model))
    assert "every entity has a key. Remove key= of the entities to design" in message
    assert "For a new pattern of a live table, singletable check --fix adds an index" in message


def test_the_design_command_json_contains_keys_certificate_and_diff() -> None:
    document = json.loads(singletable("design", SHOP, "--json").stdout)
    (table,) = document["tables"]
    assert (table["indexes"], document["passes"], document["files"]) == (1, True, [])
    assert table["certificate"]
    assert {"entity", "alias", "partition", "sort", "serves", "reason"} == table["keys"][0].keys()
    assert document["diff"].startswith("---")


def test_the_design_command_exits_with_1_and_names_the_patterns_if_the_indexes_do_not_suffice() -> None:
    finished = singletable("design", SHOP, "--max-gsis", "0")
    assert finished.returncode == 1
    assert "not served: orders_of_customer: with the other reads" in finished.stdout
    assert "0 GSIs (the limit: OrderItem needs 2 keys, one of them the table's)" in finished.stdout


def test_design_with_redesign_compares_with_the_declared_keys_and_writes_nothing() -> None:
    finished = singletable("design", "examples/papers/model.py", "--redesign")
    assert finished.returncode == 0
    assert "Papers: 1 GSI" in finished.stdout
    assert "The declared keys use 2 GSIs." in finished.stdout
    assert "--redesign only compares" in refused(
        singletable("design", "examples/papers/model.py", "--redesign", "--write")
    )


def test_the_design_command_reports_an_entity_that_nothing_identifies_without_a_traceback(tmp_path: Path) -> None:
    model = tmp_path / "notes.py"
    model.write_text(
        "from dataclasses import dataclass\nfrom singletable import Table, entity\n\n"
        "@entity()\n@dataclass\nclass Note:\n    text: str\n\n"
        "class Notes(Table, entities=[Note]):\n    pass\n",
        encoding="utf-8",
    )
    assert "Note: no declaration says which fields identify an item" in refused(singletable("design", model))


def test_the_design_command_reports_a_member_of_a_collection_that_nothing_identifies(tmp_path: Path) -> None:
    model = tmp_path / "hotels.py"
    text = (ROOT / "tests/design/workloads/hotel_reviews.py").read_text(encoding="utf-8")
    assert text.count('identity=("hotel_id", "number"), ') == 1
    model.write_text(text.replace('identity=("hotel_id", "number"), ', ""), encoding="utf-8")
    message = refused(singletable("design", model))
    assert "Room: no declaration says which fields identify an item" in message
    assert 'Add identity=("...",) to @entity' in message


def test_the_design_command_rejects_an_invalid_limit() -> None:
    assert "--max-gsis must be between 0 and 20, got 21" in refused(singletable("design", SHOP, "--max-gsis", "21"))


WORKSHEET = """\
| Access Pattern | Entry Entity | Filters / Range | Sort Direction | Frequency |
|---|---|---|---|---|
| Get user profile by ID | User | - | - | very high |
| List user's last 10 orders | User | last 30 days | newest first | high |
| Get order by ID | Order | - | - | high |
"""
PATTERN_TABLE = """\
| Access pattern | Base table/GSI/LSI | Operation | Partition key value | Sort key value |
|---|---|---|---|---|
| Get customer | Base table | GetItem | PK=CUSTOMER#<customer_id> | SK=PROFILE |
| Orders of a customer | Base table | Query | PK=CUSTOMER#<customer_id> | SK begins_with ORDER# |
"""


def test_the_design_command_turns_a_worksheet_into_a_model_that_check_accepts(tmp_path: Path) -> None:
    source, model = tmp_path / "shop.md", tmp_path / "shop.py"
    source.write_text(WORKSHEET, encoding="utf-8")
    finished = singletable("design", source, "--output", model)
    assert finished.returncode == 0, finished.stderr
    assert "1 GSI (proved minimal: Order needs 2 keys, one of them the table's)" in finished.stdout
    assert 'gsi1=("USER#{user_id}", "ORDER#{created_at}#{id}")' in model.read_text(encoding="utf-8")
    assert singletable("check", model).returncode == 0
    assert "already exists" in refused(singletable("design", source, "--output", model))


def test_the_design_command_uses_the_patterns_of_a_pattern_table_not_its_keys(tmp_path: Path) -> None:
    source = tmp_path / "patterns.md"
    source.write_text(PATTERN_TABLE, encoding="utf-8")
    document = json.loads(singletable("design", source, "--json").stdout)
    assert (document["passes"], document["tables"][0]["indexes"]) == (True, 0)
    assert "@entity(" in document["source"]


def test_the_design_command_reads_sql_with_queries(tmp_path: Path) -> None:
    schema, queries = tmp_path / "shop.sql", tmp_path / "queries.sql"
    schema.write_text("CREATE TABLE orders (id TEXT PRIMARY KEY, customer_id TEXT NOT NULL);", encoding="utf-8")
    queries.write_text("SELECT * FROM orders WHERE id = ?;\nSELECT * FROM orders WHERE customer_id = ?;\n")
    finished = singletable("design", schema, "--queries", queries)
    assert finished.returncode == 0, finished.stderr
    assert "1 GSI" in finished.stdout
    assert "CUSTOMER#{customer_id}" in finished.stdout


def test_the_design_command_rejects_options_for_models_with_a_text_and_the_reverse(tmp_path: Path) -> None:
    source = tmp_path / "shop.md"
    source.write_text(WORKSHEET, encoding="utf-8")
    assert "Use --output FILE to write a model" in refused(singletable("design", source, "--write"))
    assert "Use --write to change the model" in refused(singletable("design", SHOP, "--output", "x.py"))


def test_the_design_command_names_both_forms_for_a_text_without_a_table(tmp_path: Path) -> None:
    source = tmp_path / "notes.md"
    source.write_text("No table here.\n", encoding="utf-8")
    message = refused(singletable("design", source))
    assert "a worksheet has the columns" in message
    assert "A pattern table is" in message


STAR_MODEL = """\
from dataclasses import dataclass
from singletable import *

@entity()  # the notes of all users
@dataclass
class Note:
    id: str
    label: str | None = None

class T(Table, entities=[Note]):
    @pattern()
    def note(self, id: str) -> Note | None:
        return get(Note)

    @pattern()
    def labelled(self, label: str, *, limit: int = 20) -> Page[Note]:
        return query(Note)
"""


def test_the_design_command_writes_to_models_with_a_star_import_or_a_short_table_name(tmp_path: Path) -> None:
    model = tmp_path / "notes.py"
    model.write_text(STAR_MODEL, encoding="utf-8")
    finished = singletable("design", model, "--write")
    assert "error: ST111 limit exceeded: 'T' is not a valid table or index name" in finished.stdout
    assert 'Set name="T_table" in the table class T.' in finished.stdout
    assert finished.returncode == 1
    text = model.read_text(encoding="utf-8")
    assert "from singletable import *\n" in text
    assert "# the notes of all users" in text
    assert 'gsi1=sparse("LABEL#{label}", "NOTE#{id}")' in text


def test_the_design_command_reports_an_sql_table_without_a_primary_key(tmp_path: Path) -> None:
    schema = tmp_path / "shop.sql"
    schema.write_text("CREATE TABLE order_items (order_no INT, sku TEXT);", encoding="utf-8")
    message = refused(singletable("design", schema))
    assert f"{schema}: OrderItem: no declaration says which fields identify an item" in message
    assert "Or write the model with `singletable import`, edit it" in message
    assert str(tmp_path) in message.split(":", maxsplit=1)[0]


SCHEMA = """
CREATE TABLE users (id BIGINT PRIMARY KEY, email TEXT UNIQUE NOT NULL);
CREATE TABLE orders (id BIGINT PRIMARY KEY, user_id BIGINT NOT NULL REFERENCES users(id), total NUMERIC);
"""
QUERIES = """
-- User with orders
SELECT u.*, o.* FROM users u JOIN orders o ON o.user_id = u.id WHERE u.id = $1;
-- Order
SELECT * FROM orders WHERE id = $1;
-- Place order
INSERT INTO orders VALUES ($1,$2,$3);
-- Delete user
DELETE FROM users WHERE id = $1;
-- Totals
SELECT sum(total) FROM orders WHERE user_id = $1;
"""


def test_the_design_command_reads_joins_as_collections_and_lists_statements_that_it_leaves_out(tmp_path: Path) -> None:
    schema, queries = tmp_path / "shop.sql", tmp_path / "queries.sql"
    schema.write_text(SCHEMA, encoding="utf-8")
    queries.write_text(QUERIES, encoding="utf-8")
    finished = singletable("design", schema, "--queries", queries)
    assert finished.returncode == 0, finished.stdout
    assert 'key=("USER#{user_id}", "ORDER#{id:number}"), gsi1=("ORDER#{id}", "ORDER")' in finished.stdout
    assert "Shop: 4 of 4 patterns served" in finished.stdout
    assert "Totals is not in the model" in finished.stdout.partition("notes about the text")[2]
    assert "@pattern(fanout=2)" in finished.stdout, "the delete also reads the email for its unique marker"
    document = json.loads(singletable("design", schema, "--queries", queries, "--json").stdout)
    assert document["passes"]
    assert any("Totals is not in the model" in note for note in document["notes"])
