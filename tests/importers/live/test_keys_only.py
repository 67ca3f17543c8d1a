"""A table without items is imported with only its keys: the model passes `check` and opens the existing table."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from singletable import Table
from singletable.cli.load_model import load_tables
from singletable.cli.main import main
from singletable.engine.engine import Engine
from tests.importers.imported import PUBLISHED, workbench_draft

TYPES = {"pk": "S", "sk": "N", "g": "B", "at": "N", "l": "S", "Status#Date": "S"}


def keys(*names: str) -> list[dict[str, str]]:
    return [{"AttributeName": name, "KeyType": kind} for name, kind in zip(names, ("HASH", "RANGE"), strict=False)]


def index(name: str, names: tuple[str, ...], kind: str, *others: str) -> dict[str, Any]:
    projection = {"ProjectionType": kind, **({"NonKeyAttributes": list(others)} if others else {})}
    return {"IndexName": name, "KeySchema": keys(*names), "Projection": projection}


DESCRIPTION: dict[str, Any] = {
    "TableName": "orders",
    "KeySchema": keys("pk", "sk"),
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": kind} for name, kind in TYPES.items()],
    "BillingMode": "PAY_PER_REQUEST",
    "LocalSecondaryIndexes": [index("byL", ("pk", "l"), "KEYS_ONLY")],
    "GlobalSecondaryIndexes": [
        index("byG", ("g", "at"), "ALL"),
        index("turned", ("sk", "pk"), "KEYS_ONLY"),
        index("some.x", ("Status#Date",), "INCLUDE", "a", "b-c"),
    ],
}


def model_of(path: Path, *source: str) -> type[Table]:
    file = path / f"{source[0].replace('-', '_')}_of_keys.py"
    assert main(["import", *source, "--output", str(file)]) == 0
    assert main(["check", str(file)]) == 0
    (table,) = load_tables(str(file))
    return table


def test_an_empty_table_imported_with_keys_only_can_be_opened(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = f"file:{tmp_path / 'orders.db'}"
    with Engine(store) as engine:
        engine.call("CreateTable", DESCRIPTION)
    table = model_of(tmp_path, "live", store, "--table", "orders")
    assert (
        "There are no items to infer entities from: OrdersItem contains only the key attributes"
        in capsys.readouterr().out
    )
    (entity,) = table.design.entities
    with table.open(store) as orders:
        orders.put(entity.cls(pk="a", sk=Decimal("1.5"), g=b"x", at=Decimal(2)))
        (found,) = orders.orders_item_by_g(b"x")  # type: ignore[attr-defined]  # a pattern of a file
        assert (found.sk, found.l) == (Decimal("1.5"), None)


def test_a_workbench_document_without_rows_is_imported_with_keys_only(tmp_path: Path) -> None:
    def attribute(name: str) -> dict[str, str]:
        return {"AttributeName": name, "AttributeType": TYPES[name]}

    def shown(each: dict[str, Any]) -> dict[str, Any]:
        names = [attribute(key["AttributeName"]) for key in each["KeySchema"]]
        return each | {"KeyAttributes": dict(zip(("PartitionKey", "SortKey"), names, strict=False))}

    indexes = {name: [shown(each) for each in DESCRIPTION[name]] for name in DESCRIPTION if name.endswith("Indexes")}
    document = {"ModelName": "Empty", "DataModel": [shown({**DESCRIPTION, **indexes})]}
    file = tmp_path / "empty.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    table = model_of(tmp_path, "nosql-workbench", str(file))
    with Engine("memory:") as engine:
        engine.call("CreateTable", DESCRIPTION)
        table.open(engine)


def test_a_published_workbench_document_without_rows_keeps_its_keys() -> None:
    (table,) = workbench_draft((PUBLISHED / "AnOnlineShop_1.json").read_text(encoding="utf-8")).tables
    (entity,) = table.entities
    assert (table.class_name, entity.class_name) == ("OnlineShop", "OnlineShopItem")
    assert table.keys == ("PK", "SK")
    assert [each.attribute for each in entity.fields] == ["PK", "SK"]


def test_declared_facets_become_entities_although_there_are_keys_only() -> None:
    document = json.loads((PUBLISHED / "AnOnlineShop_1.json").read_text(encoding="utf-8"))
    (shown,) = document["DataModel"]
    shown["TableFacets"] = [{"FacetName": "Customer", "NonKeyAttributes": ["email"]}]
    names = {"PartitionKey": {"AttributeName": "GSI1PK", "AttributeType": "S"}}
    shown["GlobalSecondaryIndexes"] = [{"IndexName": "GSI1", "KeyAttributes": names}]
    (table,) = workbench_draft(json.dumps(document)).tables
    assert [each.class_name for each in table.entities] == ["Customer"]
    assert "The index GSI1 (GSI1PK) was left out, because no entity has its keys." in table.notes
    assert table.indexes == ()
