"""Changes of fields that are missing in the stored item start from the default of the class."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from singletable import Table, entity, field, key
from singletable.model.update_changes import FieldChange
from singletable.model.validation.value_rules import Validation
from tests.client.places import call


@attrs.define
class Inner:
    base: int
    total: int = attrs.field(default=attrs.Factory(lambda self: self.base + 1, takes_self=True))


@entity(key=("STOCK#{id}", "STOCK"))
@attrs.define
class Stock:
    id: str
    base: int
    inner: Inner
    total: int = attrs.field(default=attrs.Factory(lambda self: self.base + 4, takes_self=True))
    tags: list[str] = attrs.field(default=attrs.Factory(lambda self: [self.id], takes_self=True))
    names: set[str] = attrs.field(default=attrs.Factory(lambda self: {self.id}, takes_self=True))


class Stocks(Table, entities=[Stock]):
    """One entity with defaults that its class computes from other fields."""


TOTAL = field(Stock, lambda stock: stock.total)
TAGS = field(Stock, lambda stock: stock.tags)
NAMES = field(Stock, lambda stock: stock.names)
INNER = field(Stock, lambda stock: stock.inner.total)
KEY = {"PK": {"S": "STOCK#a"}, "SK": {"S": "STOCK"}}
CHANGES = [
    (TOTAL.add(3), "total", 8, 13),
    (TAGS.append(["b"]), "tags", ["a", "b"], ["x", "b"]),
    (NAMES.add({"b"}), "names", {"a", "b"}, {"x", "b"}),
    (NAMES.discard({"a"}), "names", set(), {"x"}),
    (INNER.add(3), "inner", Inner(2, 6), Inner(2, 23)),
]


@pytest.mark.parametrize(("change", "name", "from_default", "from_stored"), CHANGES)
@pytest.mark.parametrize("validate", ["whole", "fields"])
def test_field_changes_start_from_the_stored_value_or_from_the_computed_default(
    change: FieldChange[Stock], name: str, from_default: Any, from_stored: Any, validate: Validation
) -> None:
    with Stocks.open("memory:", create=True) as stocks:
        stocks.create(Stock("a", 1, Inner(2, 20), 10, ["x"], {"x"}))
        stored = stocks.update(key(Stock, id="a"), change, validate=validate)
        assert getattr(stored, name) == from_stored
        item = call(stocks, "GetItem", Key=KEY)["Item"]
        for missing in ("total", "tags", "names"):
            item.pop(missing)
        del item["inner"]["M"]["total"]
        call(stocks, "PutItem", Item=item)
        changed = stocks.update(key(Stock, id="a"), change, validate=validate)
        assert getattr(changed, name) == from_default
        assert stocks.get(key(Stock, id="a")) == changed
