from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from singletable import Retries
from singletable.engine.engine import Engine
from singletable.errors import RequestRefused
from tests.studio.opened_studio import COMMERCE, ROOT, Studio, store_of, studio, text_of, view_of, workspace

SCRIPT = '<script>alert("x")</script><img src=x onerror=alert(1)>'


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    space = workspace(COMMERCE, store_of(tmp_path_factory.mktemp("store")))
    yield studio(space)
    space.close()


def test_the_start_page_of_the_studio_application_leads_to_the_first_table(shared: Studio) -> None:
    response = shared.client.get("/")
    assert (response.status_code, response.headers["location"]) == (303, "/Commerce/overview")


@pytest.mark.parametrize("example", ["commerce", "customers", "guide", "helpdesk", "papers", "shop"])
def test_the_studio_application_renders_every_screen_of_every_example(example: str) -> None:
    shown = studio(workspace(str(ROOT / "examples" / example / "model.py")))
    for name in shown.space.table_names:
        assert f"Overview · {name}" in shown.page(f"/{name}/overview")
        shown.page(f"/{name}/collections")
        if example != "guide":  # an hour of its traffic takes seconds to simulate
            assert "error" not in shown.ask("heat", name)
        view = shown.space.table(name)
        assert view is not None
        for pattern in view.design.patterns:
            assert pattern.title in text_of(shown.page(f"/{name}/patterns/{pattern.name}"))
    shown.space.close()


def test_the_studio_overview_counts_items_and_shows_keys_patterns_and_cost(shared: Studio) -> None:
    text = text_of(shared.page("/Commerce/overview"))
    assert "244 B ≈377 B guessed" in text
    assert "USER#{user_id}#{status}" in text
    assert "9 in one request" in text
    assert "≈$648.79" in text
    assert "ST122" in text


def test_the_studio_overview_of_a_large_store_does_not_wait_for_its_sample(tmp_path: Path) -> None:
    shown = studio(workspace(COMMERCE, store_of(tmp_path)))
    view = view_of(shown.space)
    with ThreadPoolExecutor() as threads, view._sampling:  # another thread is counting
        page = threads.submit(shown.page, "/Commerce/overview").result(timeout=20)
        assert "Items being counted User… Order…" in text_of(page)
        assert "The numbers appear here in a moment." in text_of(page)
    assert "error" not in shown.ask("sample")
    assert "Items all of them" in text_of(shown.page("/Commerce/overview"))
    shown.space.close()


def test_the_studio_overview_lists_several_tables_of_a_model_with_their_verdicts() -> None:
    shown = studio(workspace(str(ROOT / "examples" / "guide" / "model.py")))
    text = text_of(shown.page("/AppTable/overview"))
    assert "AppTable 8 2 15 in one request 5 declared fan-out 2 open ≈$" in text
    assert "Telemetry 1 1 2 in one request 1 declared fan-out none open ≈$" in text
    shown.space.close()


def test_the_studio_overview_shows_the_price_of_a_count_of_all_items_first(shared: Studio) -> None:
    requests = shared.space.store.total.cost.read_units
    price = shared.ask("count")["price"]
    assert price.startswith("Reads the whole table: 18 items, 0.5 RRU")
    assert shared.space.store.total.cost.read_units == requests
    cells = shared.ask("count", confirmed=True)["cells"]
    assert {cell["label"]: cell["number_of_items"] for cell in cells} == {
        "User": "2", "Order": "8", "OrderDetails": "2", "OrderItem": "3", "Review": "3",
    }  # fmt: skip


def test_the_recorded_requests_of_the_studio_add_their_units_to_a_running_total(shared: Studio) -> None:
    before = shared.space.store.total.cost
    answer = shared.ask("column", place="GSI1")
    after = shared.space.store.total.cost
    assert (after.requests - before.requests, after.read_units - before.read_units) == (1, 0.5)
    assert answer["total"] == shared.client.get("/pulse").json()["total"]


def test_unknown_pages_of_the_studio_application_link_to_the_tables(shared: Studio) -> None:
    for path in ("/Nothing/overview", "/Commerce/patterns/nothing", "/a/b/c/d"):
        assert 'href="/Commerce/overview"' in shared.page(path, 404)


def test_an_unknown_request_to_the_studio_application_is_answered_with_an_error(shared: Studio) -> None:
    assert "Reload the page" in shared.ask("nothing")["error"]
    assert "no index" in shared.ask("column", place="GSI9")["error"]
    assert "select it again" in shared.ask("item", id="not JSON")["error"]


def test_the_studio_application_reports_a_table_that_does_not_match_the_model(tmp_path: Path) -> None:
    url = f"file:{tmp_path / 'store.db'}"
    Engine(url).close()
    shown = studio(workspace(COMMERCE, url))
    assert "table 'Commerce' does not exist" in text_of(shown.page("/Commerce/overview"))
    assert "does not exist" in shown.ask("column", place="table")["error"]
    shown.space.close()


def test_the_studio_application_reports_a_throttled_store_on_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = workspace(COMMERCE, store_of(tmp_path))
    shown = studio(space)
    session = view_of(space).opened().session
    session.retries = Retries(attempts=2, first_seconds=0.001)

    def throttle(*_: object) -> bytes:
        raise RequestRefused("ProvisionedThroughputExceededException", "The level of throughput was exceeded.")

    monkeypatch.setattr(session.transport, "send", throttle)
    assert "throughput was exceeded" in shown.ask("column", place="table")["error"]
    assert "throughput was exceeded" in shown.ask("run", pattern="profile", values={"id": "42"})["error"]
    assert "throughput was exceeded" in text_of(shown.page("/Commerce/overview"))
    space.close()


def test_the_studio_application_reports_a_server_that_does_not_respond() -> None:
    shown = studio(workspace(COMMERCE, "http://127.0.0.1:9"))
    assert "127.0.0.1:9" in shown.ask("column", place="table")["error"]
    assert "The store cannot be read" in text_of(shown.page("/Commerce/overview"))


def test_the_studio_application_reads_nothing_on_dynamodb_before_a_click() -> None:
    space = workspace(COMMERCE, "dynamodb://eu-west-1")
    shown = studio(space)
    assert "every request on this store costs money" in text_of(shown.page("/Commerce/overview"))
    shown.page("/Commerce/collections")
    assert "data-run" not in shown.page("/Commerce/patterns/profile?id=42")
    assert space.store.total.cost.requests == 0
    assert "read-only" in shown.ask("run", pattern="set_status")["error"]


def test_item_texts_are_escaped_on_every_page_of_the_studio_application(tmp_path: Path) -> None:
    from examples.commerce.model import User
    from examples.commerce.rows import at

    user = User(id=SCRIPT, name=SCRIPT, email=SCRIPT, joined_at=at("2026-01-01T00:00:00"))
    shown = studio(workspace(COMMERCE, store_of(tmp_path, rows=[user])))
    rows = shown.ask("column", place="table")["rows"]
    dock = shown.ask("item", id=rows[0]["id"])["html"]
    run = shown.ask("run", pattern="profile", values={"id": SCRIPT})["html"]
    page = shown.client.get("/Commerce/patterns/profile", params={"id": SCRIPT}).text
    search = shown.client.get("/Commerce/collections", params={"q": SCRIPT}).text
    for html in (dock, run, page, search):
        assert "<script>alert" not in html
        assert "<img" not in html
    assert "&lt;script&gt;" in dock
    shown.space.close()


def test_a_failure_of_the_studio_application_is_a_page(shared: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr("singletable.studio.overview_requests.design_overview", fail)
    response = shared.client.get("/Commerce/overview")
    assert response.status_code == 500
    assert "The studio failed" in response.text
    assert "Traceback" not in response.text
