"""A draft becomes a formatted Python file that `check` accepts, and imported text never becomes code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from singletable.cli.load_model import load_tables
from singletable.importers.draft import (
    Draft,
    DraftEntity,
    DraftField,
    DraftIndex,
    DraftKeys,
    DraftParameter,
    DraftPattern,
    DraftTable,
    NativeKey,
    paging,
    set_to_parameter,
)
from singletable.importers.python_source import python_source
from singletable.planner.plan import Plan
from singletable.planner.planner import plan_all

ROOT = Path(__file__).parents[2]
USER = DraftEntity(
    "User",
    (
        DraftField("nick", "str", optional=True),
        DraftField("user_id", "str"),
        DraftField("created_at", "datetime", attribute="createdAt"),
    ),
    {
        "key": DraftKeys(("USER#{user_id}",), ("PROFILE",)),
        "gsi1": DraftKeys(("NICK#{nick}",), ("{user_id}",), sparse=True),
    },
    stored_name="USER",
)
ORDER = DraftEntity(
    "Order",
    (
        DraftField("user_id", "str"),
        DraftField("id", "str"),
        DraftField("placed_at", "datetime"),
        DraftField("total", "Decimal"),
    ),
    {"key": DraftKeys(("USER#{user_id}",), ("ORDER#{placed_at:seconds}#{id}",))},
)
BY_USER = DraftParameter("user_id", "str")
PATTERNS = (
    DraftPattern("user", "Get a user", "get", ("User",), (BY_USER,), frequency="high", budget_ms=10),
    DraftPattern(
        "orders",
        "Orders of a user",
        "query",
        ("Order",),
        (BY_USER, DraftParameter("placed_at", "datetime", "Between"), *paging()),
        newest_first=True,
    ),
    DraftPattern("user_with_orders", "A user with orders", "collection", ("User", "Order"), (BY_USER,)),
    DraftPattern("place", "Place an order", "put", ("Order",), rate=5),
    DraftPattern(
        "correct",
        "Correct the total",
        "update",
        ("Order",),
        (
            BY_USER,
            DraftParameter("placed_at", "datetime"),
            DraftParameter("id", "str"),
            DraftParameter("total", "Decimal"),
        ),
        changes=(set_to_parameter("total"),),
    ),
)
SHOP = DraftTable(
    "Shop",
    "shop-table",
    (USER, ORDER),
    keys=("pk", "sk"),
    indexes=(DraftIndex("gsi1", "byNick", "GSI", ("gsi1pk",), ("gsi1sk",), "KEYS_ONLY"),),
    patterns=PATTERNS,
    notes=("One pattern was left out: it needs a Scan.",),
)


def _loaded(tmp_path: Path, draft: Draft) -> str:
    source = python_source(draft)
    (tmp_path / "drafted_model.py").write_text(source, encoding="utf-8")
    return str(tmp_path / "drafted_model.py")


def test_the_source_of_a_draft_can_be_loaded_and_planned(tmp_path: Path) -> None:
    (table,) = load_tables(_loaded(tmp_path, Draft("A shop", (SHOP,))))
    design = table.design
    assert design.name == "shop-table"
    assert design.table.key_attributes == ("pk", "sk")
    assert [entity.name for entity in design.entities] == ["USER", "Order"]
    assert [index.name for index in design.indexes.values() if not index.is_table] == ["byNick"]
    outcomes = plan_all(design)
    assert all(isinstance(outcome, Plan) for outcome in outcomes)
    assert [outcome.pattern.name for outcome in outcomes] == ["user", "orders", "user_with_orders", "place", "correct"]


def test_the_source_of_a_draft_is_formatted_by_ruff(tmp_path: Path) -> None:
    path = _loaded(tmp_path, Draft("A shop", (SHOP,)))
    command = [sys.executable, "-m", "ruff", "format", "--check", "--config", str(ROOT / "pyproject.toml"), path]
    assert subprocess.run(command, capture_output=True, text=True, check=False).returncode == 0


def test_the_python_source_contains_native_and_multi_attribute_keys(tmp_path: Path) -> None:
    reading = DraftEntity(
        "Reading",
        (DraftField("device", "str"), DraftField("at", "int"), DraftField("kind", "str")),
        {
            "key": DraftKeys((NativeKey("device"),), (NativeKey("at"),)),
            "by_kind": DraftKeys((NativeKey("kind"), NativeKey("device")), (NativeKey("at"),)),
        },
    )
    index = DraftIndex("by_kind", "byKind", "GSI", ("kind", "device"), ("at",))
    table = DraftTable("Readings", "Readings", (reading,), ("device", "at"), (index,), type_attribute=None)
    (made,) = load_tables(_loaded(tmp_path, Draft("Readings", (table,))))
    assert made.design.indexes["by_kind"].key_attributes == ("kind", "device", "at")


def test_the_python_source_contains_numbers_and_backslashes_without_loss(tmp_path: Path) -> None:
    place = DraftPattern("place", "\\" * 120, "put", ("Order",), rate=1234567.0, budget_ms=0.123456789, fanout=10**7)
    table = DraftTable("Shop", "Shop", (ORDER,), patterns=(place,))
    (made,) = load_tables(_loaded(tmp_path, Draft("A shop", (table,))))
    (declared,) = made.design.patterns
    assert (declared.options.rate, declared.options.budget_ms, declared.options.fanout) == (1234567, 0.123456789, 10**7)
    assert declared.title == "\\" * 120


@given(text=st.text(max_size=60))
def test_the_python_source_never_contains_imported_text_as_code(text: str) -> None:
    entity = DraftEntity(
        "Thing",
        (DraftField("id", "str", attribute=text or "id"),),
        {"key": DraftKeys(("THING#{id}",), ("META",))},
        stored_name=text,
        doc=text,
        accept={"ST107": text or "because"},
    )
    table = DraftTable("Things", text or "Things", (entity,), type_attribute=text or None, doc=text, notes=(text,))
    source = python_source(Draft(text, (table,)))
    compiled = compile(source, "drafted", "exec")
    assert {name for name in compiled.co_names if not name.startswith("__")} <= {
        "dataclasses",
        "dataclass",
        "singletable",
        "Table",
        "entity",
        "Thing",
        "Things",
    }
