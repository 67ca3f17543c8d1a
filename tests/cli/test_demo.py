"""`singletable demo`: plain text, JSON, saved stores, and error messages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from examples import SYSTEMS, WALKTHROUGHS
from singletable.engine.engine import Engine
from tests.cli.program import ROOT, refused, singletable

GOLDEN = Path(__file__).parent / "golden" / "demo_shop.txt"
WITHOUT_PYDANTIC = "import sys; sys.modules['pydantic'] = None; from singletable.cli.main import main; sys.exit(main())"


def test_the_demo_output_of_the_shop_in_a_pipe_is_plain_text() -> None:
    done = singletable("demo", "shop")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == GOLDEN.read_text(encoding="utf-8"), "see for yourself: singletable demo shop"


def test_the_demo_command_shows_all_examples_in_under_five_seconds() -> None:
    # The test measures processor time, because elapsed time depends on other programs.
    seconds = []
    for _ in range(2):  # the first run may have to compile the modules that it imports
        before = os.times()
        done = singletable("demo")
        after = os.times()
        seconds.append(after.children_user + after.children_system - before.children_user - before.children_system)
        assert (done.returncode, done.stderr) == (0, "")
    headings = [line.split(":")[0] for line in done.stdout.splitlines() if line.startswith("== ")]
    assert headings == [f"== {name}" for name in SYSTEMS]
    assert all(f"\n  singletable demo {name} " in done.stdout for name in WALKTHROUGHS)
    assert min(seconds) < 5


def test_the_demo_output_as_json_has_every_request_as_it_was_sent() -> None:
    done = singletable("demo", "shop.whole_order", "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, document["not_shown"], document["saved"]) == (0, [], None)
    (shop,) = document["systems"]
    assert shop["tables"] == [{"name": "Shop", "entities": ["Customer", "Order", "OrderItem", "Product"], "items": 13}]
    (whole_order,) = shop["patterns"]
    (query,) = whole_order["requests"]
    assert (query["operation"], query["units"], query["pattern"]) == ("Query", 0.5, "whole_order")
    assert query["parameters"]["KeyConditionExpression"] == "#n0 = :v0"
    assert whole_order["output"][0] == "Order o101 for c1 (SHIPPED, £310)"
    assert whole_order["cost"] == {"requests": 1, "read_units": 0.5, "write_units": 0.0}
    assert whole_order["cost_with_one_table_per_entity"] == {"requests": 2, "read_units": 1.0, "write_units": 0.0}
    assert [each["operation"] for each in whole_order["requests_with_one_table_per_entity"]] == ["GetItem", "Query"]
    assert (shop["cost"], shop["cost_with_one_table_per_entity"]) == (
        whole_order["cost"],
        whole_order["cost_with_one_table_per_entity"],
    )


def test_the_demo_command_lists_every_example_and_walkthrough() -> None:
    examples, walkthroughs = (part.splitlines() for part in singletable("demo", "--list").stdout.split("\n\n"))
    assert [line.split()[0] for line in examples[3:]] == list(SYSTEMS)
    assert [line.split()[0] for line in walkthroughs[3:]] == list(WALKTHROUGHS)
    document = json.loads(singletable("demo", "--list", "--json").stdout)
    assert [system["name"] for system in document["systems"]] == list(SYSTEMS)
    assert [each["name"] for each in document["walkthroughs"]] == list(WALKTHROUGHS)


def test_the_demo_command_rejects_an_unknown_example() -> None:
    assert "unknown example 'shops'; the examples are" in refused(singletable("demo", "shops"))


def test_the_demo_command_runs_an_example_and_a_walkthrough() -> None:
    done = singletable("demo", "streams", "shop.customer")
    assert (done.returncode, done.stderr) == (0, "")
    headings = [line.split(":")[0] for line in done.stdout.splitlines() if line.startswith("== ")]
    assert headings == ["== shop", "== streams"]


def test_the_demo_command_runs_a_walkthrough_alone() -> None:
    done = singletable("demo", "streams")
    expected = ROOT / "examples/walkthroughs/expected/streams.txt"
    assert done.stdout == f"== streams: {WALKTHROUGHS['streams']}\n\n{expected.read_text(encoding='utf-8')}\n"
    document = json.loads(singletable("demo", "streams", "--json").stdout)
    assert document["systems"] == []
    assert document["walkthroughs"] == [
        {
            "name": "streams",
            "title": WALKTHROUGHS["streams"],
            "output": expected.read_text(encoding="utf-8").splitlines(),
        }
    ]


def test_the_demo_command_saves_no_tables_of_a_walkthrough(tmp_path: Path) -> None:
    assert "a walkthrough has none" in refused(singletable("demo", "streams", "--keep", tmp_path / "demo.db"))
    assert not list(tmp_path.iterdir())


def test_the_demo_command_says_how_to_install_duckdb_for_a_walkthrough() -> None:
    code = WITHOUT_PYDANTIC.replace("pydantic", "duckdb")
    done = subprocess.run(
        [sys.executable, "-c", code, "demo", "analytics"], cwd=ROOT, capture_output=True, encoding="utf-8", check=False
    )
    assert "analytics uses duckdb, which is not installed.\n" in refused(done)
    assert "pip install 'singletable[analytics,boto3,demo]'" in done.stderr


def test_the_demo_command_saves_a_store_that_boto3_reads(tmp_path: Path) -> None:
    path = tmp_path / "demo.db"
    done = singletable("demo", "--keep", path, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    kept = json.loads(done.stdout)["saved"]
    names = [table["name"] for table in kept["tables"]]
    assert len(set(names)) == len(names)
    with Engine(f"file:{path}") as engine:
        assert engine.boto3_client().list_tables()["TableNames"] == sorted(names)
        for table in kept["tables"]:
            pages = engine.boto3_client().get_paginator("scan").paginate(TableName=table["name"], Select="COUNT")
            assert sum(page["Count"] for page in pages) == table["items"]
        key = {"PK": "CUST#c1", "SK": "METADATA"}
        assert engine.boto3_resource().Table("Shop").get_item(Key=key)["Item"]["name"] == "Ada"


def test_the_demo_command_reports_a_saved_store_and_never_overwrites_it(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    done = singletable("demo", "shop.customer", "--keep", path)
    assert f"{path} contains 1 table\n  Shop: 13 items from shop\n" in done.stdout
    assert f"singletable serve --data {path}" in done.stdout
    before = path.read_bytes()
    assert "already exists" in refused(singletable("demo", "shop.customer", "--keep", path))
    assert path.read_bytes() == before


def without_pydantic(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT_PYDANTIC, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)


def test_the_demo_command_without_pydantic_runs_other_examples_with_an_install_hint() -> None:
    done = without_pydantic("demo")
    assert (done.returncode, done.stderr) == (0, "")
    assert "== customers" in done.stdout
    assert "== shop" not in done.stdout
    assert "shop declares its entities with pydantic, which is not installed.\n" in done.stdout
    assert "pip install 'singletable[demo]'" in done.stdout
    document = json.loads(without_pydantic("demo", "--json").stdout)
    assert {"name": "shop", "needs": "pydantic"} in document["not_shown"]


def test_the_demo_command_rejects_a_named_example_that_needs_missing_pydantic() -> None:
    assert "pip install 'singletable[demo]'" in refused(without_pydantic("demo", "shop"))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
def test_the_demo_command_uses_panels_on_a_terminal() -> None:
    command = [sys.executable, "-m", "singletable", "demo", "shop.whole_order"]
    script = f"import pty, sys; sys.exit(pty.spawn({command!r}))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert "╭─" in done.stdout
    assert "\x1b[" in done.stdout
    assert "Order o101 for c1 (SHIPPED, £310)" in done.stdout
