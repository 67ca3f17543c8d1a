"""Key literals: reads report items whose keys other templates made, with and without the compiled fast path."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable import ItemRefused, Page, Table, collection, entity, get, pattern, query
from singletable.client.items.key_literals import FIELD, REST, KeyColumn, outline
from singletable.client.items.rows import FastColumn, FastType, row_reader
from singletable.engine.engine import Engine
from singletable.model.fields import fields_of
from singletable.model.key_template import parse_template
from singletable.model.keys import TemplatePart
from singletable.values.fast_path import PURE, NotOnFastPath


@dataclass
class Parts:
    a: str
    b: str
    n: int
    path: tuple[str, ...]


def column(template: str, delimiter: str = "#") -> KeyColumn:
    return KeyColumn(TemplatePart("PK", parse_template(template, fields_of(Parts), {}, delimiter)))


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("ORDER#{a}", f"ORDER#{FIELD}"),
        ("ORDER#{a}#ITEM#{b}", f"ORDER#{FIELD}#ITEM#{FIELD}"),
        ("METADATA", "METADATA"),
        ("{n:03d}{a}", FIELD),
        ("{n:04d}W{b}", f"{FIELD}W{FIELD}"),
        ("PATH#{path:path}", f"PATH#{REST}"),
        ("X{a}Y#{b:raw}", f"X{FIELD}Y#{REST}"),
    ],
)
def test_an_outline_of_key_literals_has_the_literals_of_its_template_and_a_sign_for_the_fields(
    template: str, expected: str
) -> None:
    assert outline(parse_template(template, fields_of(Parts), {}, "#")) == expected


OUTLINES = ["A#{a}", "A#{a}#B#{b}", "{a}", "{n:02d}B{b}#A", "A{a}B", "A#{path:path}", "A{a}A#{b:raw}", "{a}#{b}"]


@given(st.sampled_from(OUTLINES), st.text('AB#é"\\\n', max_size=8))
def test_the_compiled_check_of_key_literals_equals_the_pattern(template: str, text: str) -> None:
    key = column(template)
    _, fast = key.columns("key")
    reader = row_reader((FastColumn(fast.name, fast.how), FastColumn("a", FastType("text"))))
    if reader is None:
        pytest.skip("the compiled module is not built: there is no C compiler here")
    for escapes in (True, False):
        item = json.dumps({"PK": {"S": text}, "a": {"S": "x"}}, ensure_ascii=escapes, separators=(",", ":"))
        try:
            found = list(reader.rows(item.encode())) == [("x",)]
        except NotOnFastPath:
            found = False
        assert found is (key.matches(text) is not None)


@given(st.sampled_from(OUTLINES), st.lists(st.text("AB#\n", max_size=6), max_size=4))
def test_the_check_of_key_literals_in_a_page_equals_that_of_each_item(template: str, texts: list[str]) -> None:
    key = column(template)
    assert key.matches_all(texts) is all(key.matches(each) is not None for each in texts)


@given(st.sampled_from(OUTLINES), st.text(min_size=1, max_size=4), st.text(min_size=1, max_size=4))
def test_every_key_that_a_template_makes_matches_its_key_literals(template: str, a: str, b: str) -> None:
    key = column(template)
    try:
        made = key.template.encode({"a": a, "b": b, "n": 7, "path": (a, b)})
    except ValueError:  # a raw field rejects the delimiter
        return
    assert made is not None
    assert key.matches(made)


def orders(**keys: Any) -> tuple[Any, Any]:
    """Return a table of orders with these keys. All models have the same names."""

    @entity(**keys, name="Order")
    @dataclass
    class Order:
        id: str
        customer: str

    class Orders(Table, entities=[Order], name="Orders"):
        @pattern(expected_items=10)
        def of_customer(self, customer: str) -> Page[Order]:
            """Orders of a customer, by the index."""
            return query(Order)

        @pattern()
        def order(self, id: str, customer: str) -> Order | None:
            """One order."""
            return get(Order)

    return Orders, Order


INDEX = {"gsi1": ("OF#{customer}", "ORDER#{id}")}
BEFORE = {"key": ("ORDER#{id}", "METADATA"), **INDEX}
CHANGED = [
    {"key": ("O#{id}", "METADATA"), **INDEX},
    {"key": ("ORDER#{id}", "META"), **INDEX},
    {"key": ("ORDER#{id}#{customer}", "METADATA"), **INDEX},
    {"key": ("ORDER#{id}", "METADATA"), "gsi1": ("OF#{customer}", "ORDER#{id}#{id}")},
]


@pytest.fixture(params=[False, True], ids=["compiled", "pure"])
def _modules(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param:
        monkeypatch.setenv(PURE, "1")


@pytest.fixture
def filled() -> Iterator[Engine]:
    with Engine("memory:") as engine:
        table, order = orders(**BEFORE)
        with table.open(engine, create=True) as opened:
            opened.put_many([order(f"o{number}", "c") for number in range(3)])
            assert len(opened.of_customer("c").items) == 3
        yield engine


@pytest.mark.usefixtures("_modules")
@pytest.mark.parametrize("keys", CHANGED, ids=str)
def test_key_literals_make_an_index_read_reject_items_whose_key_another_template_made(
    filled: Engine, keys: Any
) -> None:
    table, _ = orders(**keys)
    with table.open(filled) as opened, pytest.raises(ItemRefused) as caught:
        opened.of_customer("c")
    assert "ORDER#o0" in str(caught.value)
    assert "of Order has" in str(caught.value)
    assert any(repr(template) in str(caught.value) for each in keys.values() for template in each)
    assert "migrate verify" in str(caught.value)


@pytest.mark.usefixtures("_modules")
@pytest.mark.parametrize("keys", CHANGED[:3], ids=str)
def test_key_literals_make_a_scan_reject_items_whose_key_another_template_made(filled: Engine, keys: Any) -> None:
    table, order = orders(**keys)
    with table.open(filled) as opened, pytest.raises(ItemRefused, match="of Order has"):
        list(opened.scan(order, reason="a test"))


@pytest.mark.usefixtures("_modules")
@pytest.mark.parametrize("keys", CHANGED, ids=str)
def test_key_literals_make_a_reporting_table_list_items_whose_key_another_template_made(
    filled: Engine, keys: Any
) -> None:
    table, order = orders(**keys)
    with table.open(filled, unreadable="report") as opened:
        opened.put(order("new", "c"))
        page = opened.of_customer("c")
        assert page.items == [order("new", "c")]
        assert [each.key["PK"] for each in page.unreadable] == [{"S": f"ORDER#o{number}"} for number in range(3)]


@pytest.mark.usefixtures("_modules")
def test_key_literals_keep_items_of_a_stale_index_from_delete_many(filled: Engine) -> None:
    before, order = orders(**BEFORE)
    after, changed = orders(key=("ORDER#A#{id}", "METADATA"), **INDEX)
    with after.open(filled, unreadable="report") as opened:
        # A new item has the key that the new template makes for an old one.
        opened.put(changed("o1", "someone else"))
        found = opened.of_customer("c").items
        opened.delete_many(found)
        with pytest.warns(match="left out an unreadable item"):
            opened.delete_many(list(opened.of_customer.all("c")))
        assert found == []
        assert opened.order("o1", "someone else") == changed("o1", "someone else")
    with before.open(filled, unreadable="report") as opened:
        assert opened.of_customer("c").items == [order(f"o{number}", "c") for number in range(3)]


def carts(sort: str) -> tuple[Any, Any, Any]:
    """Return a table of carts whose lines have this sort key."""

    @entity(key=("CART#{id}", "METADATA"), name="Cart")
    @dataclass
    class Cart:
        id: str

    @entity(key=("CART#{cart}", sort), name="Line")
    @dataclass
    class Line:
        cart: str
        sku: str

    @dataclass
    class Whole:
        cart: Cart
        lines: list[Line]

    class Carts(Table, entities=[Cart, Line], name="Carts"):
        @pattern()
        def whole(self, id: str) -> Whole | None:
            """A cart with its lines."""
            return collection(Whole)

    return Carts, Cart, Line


def test_key_literals_make_a_collection_reject_a_member_whose_sort_key_another_template_made() -> None:
    before, cart, line = carts("LINE#{sku}")
    after, _, _ = carts("LINE#{sku}#CURRENT")
    with Engine("memory:") as engine:
        with before.open(engine, create=True) as opened:
            opened.put_many([cart("c"), line("c", "s")])
            assert opened.whole("c").lines == [line("c", "s")]
        with after.open(engine) as opened, pytest.raises(ItemRefused, match=r"has SK 'LINE#s', but the key template"):
            opened.whole("c")
