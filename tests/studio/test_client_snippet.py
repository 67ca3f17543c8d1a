from __future__ import annotations

import io
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import fields
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from examples.commerce.model import Commerce, Order
from singletable import Between
from singletable.studio.client_snippet import client_snippet
from singletable.studio.studio_store import StudioStore
from tests.studio.edited_table import ROWS, Desk, Post
from tests.studio.opened_studio import store_of

PLACED = datetime(2026, 5, 3, 20, 5, 30, tzinfo=UTC)
ORDER = Order(user_id="42", id="N1", placed_at=PLACED, total=Decimal("1.50"), currency="EUR", status="it's new")


@pytest.mark.parametrize(
    ("pattern", "arguments", "expected"),
    [
        ("profile", {"id": "42"}, "name='Ada Lovelace'"),
        ("orders_placed", {"placed_at": Between(PLACED, PLACED), "limit": 5}, "id='B7'"),
        ("set_status", {"user_id": "42", "placed_at": PLACED, "id": "B7", "status": "LOST"}, "status='LOST'"),
        ("place_order", {"order": ORDER}, str(ORDER)),
    ],
)
def test_the_client_snippet_is_a_program_that_runs(
    tmp_path: Path, pattern: str, arguments: Mapping[str, object], expected: str
) -> None:
    store = StudioStore(store_of(tmp_path), may_write=True)
    output = io.StringIO()
    with redirect_stdout(output):
        exec(compile(client_snippet(Commerce.design, store, pattern, arguments), "snippet", "exec"), {})
    assert expected in output.getvalue()


def test_the_client_snippet_writes_an_argument_of_every_type_as_code() -> None:
    (post,) = (each for each in ROWS if isinstance(each, Post))
    program = client_snippet(Desk.design, StudioStore("memory:", may_write=True), "add", {"post": post})
    imports, _, rest = program.partition("\n\n")
    assert 'Desk.open("memory:", create=True)' in rest
    names: dict[str, object] = {}
    exec(imports, names)
    copy = eval(rest.partition("post=")[2].partition("\n")[0].removesuffix(")"), names)
    assert all(getattr(copy, each.name) == getattr(post, each.name) for each in fields(Post))


def test_the_client_snippet_passes_another_table_name() -> None:
    store = StudioStore("http://user:secret@127.0.0.1:8000", may_write=True, table_name="Copy")
    program = client_snippet(Commerce.design, store, "profile", {"id": "42"})
    assert "Commerce.open(\"http://127.0.0.1:8000\", name='Copy')" in program
