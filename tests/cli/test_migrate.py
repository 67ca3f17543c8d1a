"""`singletable migrate`: make, check, plan, run, verify, status, pause and undo."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from singletable.cli.load_model import load_table
from tests.cli.program import refused, singletable
from tests.clients.local_server import KEY, serve

OLD = """
from dataclasses import dataclass
from singletable import GSI, Page, Table, entity, pattern, query
@entity(key=("ORDER#{id}", "METADATA"), gsi1=("CUST#{customer}", "{id}"))
@dataclass
class Order:
    id: str
    customer: str
    status: str
class Orders(Table, entities=[Order]): ...
"""
NEW = OLD.replace('gsi1=("CUST#{customer}", "{id}")', 'gsi1=("CUST#{customer}#{status}", "{id}")').replace(
    "entities=[Order]", 'entities=[Order], indexes=[GSI("gsi1", name="GSI3", keys=("GSI3PK", "GSI3SK"))]'
)
ITEMS = 25


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a table of the old design, its first migration, and the new model with the second."""
    (tmp_path / "orders.py").write_text(OLD, encoding="utf-8")
    table = load_table(str(tmp_path / "orders.py"))
    order: Any = table.design.entities[0].cls
    with table.open(f"file:{tmp_path / 'orders.db'}", create=True) as opened:
        opened.put_many([order(f"o{number}", f"c{number % 3}", "OPEN") for number in range(ITEMS)])
    made = singletable("migrate", "make", "orders.py", cwd=tmp_path)
    assert (made.returncode, made.stdout) == (0, "migrations/0001_initial.py\n  the current design of the table\n")
    (tmp_path / "orders.py").write_text(NEW, encoding="utf-8")
    return tmp_path


def make(folder: Path) -> None:
    made = singletable("migrate", "make", "orders.py", "-m", "orders by status", cwd=folder)
    assert made.returncode == 0, made.stderr
    assert made.stdout.splitlines()[:2] == [
        "migrations/0002_orders_by_status.py",
        "  index changed gsi1 GSI1 → GSI3 (in place)",
    ]


def call(folder: Path, *arguments: str) -> Any:
    finished = singletable("migrate", *arguments, "orders.py", "file:orders.db", "--json", cwd=folder)
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


def test_the_migrate_command_leads_a_table_to_the_new_design(folder: Path) -> None:
    assert singletable("migrate", "check", "orders.py", cwd=folder).returncode == 1
    make(folder)
    checked = singletable("migrate", "check", "orders.py", cwd=folder)
    assert (checked.returncode, checked.stdout) == (0, "Orders: the last migration has the design of the model\n")
    plan = call(folder, "plan")
    assert (plan["items"], plan["failed"]) == (ITEMS, 0)
    assert plan["backfill"]["items"] == plan["contract"]["items"] == ITEMS
    assert call(folder, "status")["migrations"][1] == {"name": "0002_orders_by_status", "applied": False}
    assert "must not write after the phase 'backfill' has started" in refused(
        singletable("migrate", "run", "orders.py", "file:orders.db", cwd=folder)
    )
    assert call(folder, "run", "--dry-run")["items"] == ITEMS
    assert call(folder, "status")["phase"] is None
    done = call(folder, "run", "--no-clients")
    assert done["phase"] is None
    assert done["write_units"] == plan["backfill"]["write_units"] + plan["contract"]["write_units"]
    assert [each["applied"] for each in call(folder, "status")["migrations"]] == [True, True]
    verified = singletable("migrate", "verify", "orders.py", "file:orders.db", cwd=folder)
    assert (verified.returncode, verified.stderr) == (0, "")
    assert "Orders: no findings" in verified.stdout
    again = singletable("migrate", "run", "orders.py", "file:orders.db", "--no-clients", cwd=folder)
    assert (again.returncode, again.stdout) == (0, "Orders has all migrations\n")
    undone = refused(singletable("migrate", "undo", "orders.py", "file:orders.db", "--no-clients", cwd=folder))
    assert "cannot be undone" in undone
    assert "Recovery point: 2" in undone


def test_the_migrate_command_reports_a_model_that_has_changed_since_the_last_migration(folder: Path) -> None:
    make(folder)
    call(folder, "run", "--no-clients")
    changed = NEW.replace("    status: str\n", "    status: str\n    note: str = ''\n")
    (folder / "orders.py").write_text(changed, encoding="utf-8")
    for command in ("run", "plan", "status"):
        finished = singletable("migrate", command, "orders.py", "file:orders.db", cwd=folder)
        assert finished.returncode == (0 if command == "status" else 1)
        assert "Orders changes the design since 0002_orders_by_status.py:\n  field added Order.note" in finished.stdout
        assert finished.stdout.endswith("Run `singletable migrate make`.\n")


def test_the_migrate_command_works_over_http(folder: Path) -> None:
    make(folder)
    (folder / "old.py").write_text(OLD, encoding="utf-8")
    with serve(folder / "served.db") as server:
        url = server.url.replace("http://", f"http://{KEY}:{KEY}@")
        table = load_table(str(folder / "old.py"))
        order: Any = table.design.entities[0].cls
        with table.open(url, create=True) as opened:
            opened.put(order("o1", "c1", "OPEN"))
        finished = singletable("migrate", "run", "orders.py", url, "--no-clients", "--rate", "1000", cwd=folder)
        assert finished.returncode == 0, finished.stderr
        assert finished.stdout.startswith("0002_orders_by_status: ")
        status = singletable("migrate", "status", "orders.py", url, cwd=folder)
        assert "0002_orders_by_status  applied" in status.stdout


def test_the_migrate_command_names_the_items_that_stop_it(folder: Path) -> None:
    statement = "INSERT INTO Orders VALUE {'PK': 'ORDER#x', 'SK': 'METADATA', 'entity_type': 'Order', 'id': 'x'}"
    assert singletable("sql", statement, "--data", "orders.db", cwd=folder).returncode == 0
    make(folder)
    planned = singletable("migrate", "plan", "orders.py", "file:orders.db", cwd=folder)
    assert planned.returncode == 1
    assert "1 items would stop the migration" in planned.stdout
    finished = singletable("migrate", "run", "orders.py", "file:orders.db", "--no-clients", cwd=folder)
    assert finished.returncode == 1
    assert "stopped in the phase 'backfill'" in finished.stdout
    assert '{"PK": {"S": "ORDER#x"}, "SK": {"S": "METADATA"}}' in finished.stdout
    paused = singletable("migrate", "pause", "orders.py", "file:orders.db", cwd=folder)
    assert paused.stdout == "migration 0002_orders_by_status is in the phase 'backfill', paused\n"
    undone = singletable("migrate", "undo", "orders.py", "file:orders.db", "--no-clients", cwd=folder)
    assert undone.returncode == 0, undone.stderr
    assert "New code works with the old keys" in undone.stdout
    assert call(folder, "status")["phase"] == "pending"
    assert call(folder, "undo", "--no-clients")["phase"] is None


def test_the_migrate_command_rejects_invalid_input(folder: Path, tmp_path: Path) -> None:
    def message(*arguments: str) -> str:
        return refused(singletable("migrate", *arguments, cwd=folder))

    assert "has another design than Orders" not in message("plan", "orders.py", "file:none.db")
    assert "there is no store at file:none.db" in message("plan", "orders.py", "file:none.db")
    assert "there is no table 'Other'" in message("plan", "orders.py", "file:orders.db", "--table-name", "Other")
    assert "has no migrations; run `singletable migrate make`" in message(
        "status", "orders.py", "file:orders.db", "--folder", "none"
    )
    assert "no migration is open" in message("pause", "orders.py", "file:orders.db")
    make(folder)
    (folder / "orders.py").write_text(
        NEW.replace("    status: str", "    status: str\n    note: str = ''"), encoding="utf-8"
    )
    assert "has another design than Orders; nothing was written" in message(
        "run", "orders.py", "file:orders.db", "--no-clients"
    )
