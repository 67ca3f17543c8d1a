"""`singletable consolidate`: plan, run, verify, status and retire, on a store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from singletable.cli.load_model import load_module
from singletable.engine import Engine
from tests.cli.program import refused, singletable

FILE = """
from dataclasses import dataclass
from typing import TypedDict

from singletable import Table, entity, get, pattern
from singletable.consolidation import Consolidation, DynamoDBSource, LeftOut

@entity(key=("USER#{id}", "USER"))
@dataclass
class User:
    id: str
    name: str

class Users(Table, entities=[User]):
    @pattern
    def user(self, id: str) -> User | None:
        return get(User)

class UserRow(TypedDict):
    id: str
    name: str

def user_of(row: UserRow) -> User | LeftOut:
    return LeftOut("a test user") if row["name"] == "test" else User(row["id"], row["name"])

def row_of_user(user: User) -> UserRow:
    return {"id": user.id, "name": user.name}

USERS = Consolidation(Users, DynamoDBSource("users", user_of, row_of_user))
"""
ARGUMENTS = ("users.py", "file:users.db")


def put(engine: Engine, **row: str) -> None:
    engine.call("PutItem", {"TableName": "users", "Item": {name: {"S": value} for name, value in row.items()}})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a store that has three rows and the empty new table."""
    (tmp_path / "users.py").write_text(FILE, encoding="utf-8")
    engine = Engine(f"file:{tmp_path / 'users.db'}")
    engine.call(
        "CreateTable",
        {
            "TableName": "users",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    for id, name in (("u1", "Ann"), ("u2", "Bob"), ("t1", "test")):
        put(engine, id=id, name=name)
    users: Any = load_module(str(tmp_path / "users.py"))
    users.Users.open(engine, create=True).close()
    engine.close()
    return tmp_path


def call(folder: Path, command: str, *options: str, code: int = 0) -> Any:
    finished = singletable("consolidate", command, *ARGUMENTS, "--json", *options, cwd=folder)
    assert finished.returncode == code, finished.stderr
    return json.loads(finished.stdout)


def rejected(folder: Path, *arguments: str) -> str:
    return refused(singletable("consolidate", *arguments, cwd=folder))


def test_the_consolidate_commands_move_the_rows(folder: Path) -> None:
    assert call(folder, "status")["stage"] is None
    plan = call(folder, "plan")
    (source,) = plan["sources"]
    assert (source["rows"], source["entities"], source["left_out"]) == (3, {"User": 2}, {"a test user": 1})
    assert plan["write_units"] > 0
    assert plan["dollars"] > 0
    ran = call(folder, "run", "--no-clients", "--rate", "10000")
    assert (ran["stage"], ran["copied"], ran["failed"]) == ("dual write", 2, 0)
    assert call(folder, "verify") == {"rows": 3, "different": 0, "differences": []}
    status = call(folder, "status")
    assert (status["stage"], status["source"]) == ("dual write", None)
    assert status["not_clean"] == ["user: it was never compared with the old implementation"]
    stopped = rejected(folder, "retire", *ARGUMENTS, "--yes")
    assert "the old tables cannot be retired yet; nothing was changed:\n  user: it was never compared" in stopped


def test_the_consolidate_plan_command_names_the_rows_that_stop_it(folder: Path) -> None:
    engine = Engine(f"file:{folder / 'users.db'}")
    put(engine, id="u3", nickname="C")
    engine.close()
    reason = '  users {"id": {"S": "u3"}}: the row is not a UserRow: Object missing required field `name`'
    planned = singletable("consolidate", "plan", *ARGUMENTS, cwd=folder)
    assert planned.returncode == 1
    lines = planned.stdout.splitlines()
    assert lines[0] == "rows for table Users"
    assert "users: 1 rows left out: a test user" in lines
    assert lines[-2:] == ["1 rows stop the consolidation; nothing was written:", reason]
    ran = singletable("consolidate", "run", *ARGUMENTS, "--no-clients", cwd=folder)
    assert ran.returncode == 1
    assert reason in ran.stdout.splitlines()
    assert call(folder, "status")["stage"] is None


def test_the_consolidate_verify_command_reports_a_row_written_by_another_program(folder: Path) -> None:
    call(folder, "run", "--no-clients")
    engine = Engine(f"file:{folder / 'users.db'}")
    put(engine, id="u1", name="Ada")
    put(engine, id="u4", name="Dan")
    engine.call("DeleteItem", {"TableName": "users", "Key": {"id": {"S": "u2"}}})
    engine.close()
    found = call(folder, "verify", code=1)
    reasons = {each["row"]: each["reason"] for each in found["differences"]}
    assert reasons == {
        'users {"id": {"S": "u1"}}': "User with id='u1' differs in name",
        'users {"id": {"S": "u4"}}': "User with id='u4' is missing",
        'Users {"PK": {"S": "USER#u2"}, "SK": {"S": "USER"}}': "the item has no row",
    }


def test_the_consolidate_commands_reject_invalid_input_with_a_message(folder: Path) -> None:
    message = rejected(folder, "run", *ARGUMENTS)
    assert message.startswith("Every program that writes an old table must send its writes through")
    assert "Confirm with --yes" in message
    (folder / "empty.py").write_text("", encoding="utf-8")
    assert "empty.py contains no Consolidation" in rejected(folder, "plan", "empty.py", ARGUMENTS[1])
    named = rejected(folder, "plan", "users.py:OTHER", ARGUMENTS[1])
    assert named.startswith("users.py contains no Consolidation OTHER; assign a Consolidation(...)")
    assert "memory: is always empty" in rejected(folder, "plan", "users.py", "memory:")
    assert "does not exist: there is no store" in rejected(folder, "plan", "users.py", "file:no.db")
    assert "at most 1000" in rejected(folder, "verify", *ARGUMENTS, "--segments", "1001")
