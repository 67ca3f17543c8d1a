from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from singletable import Page, Retries, Table, entity, pattern, query
from singletable.errors import RequestRefused
from singletable.planner.plan import Plan
from singletable.studio.item_rows import ReadItems
from singletable.studio.pattern_runs import PatternRun, run_page
from singletable.studio.recorded_requests import recorded
from singletable.studio.studio_store import StudioStore, send
from singletable.studio.workspace import TableView
from tests.studio.opened_studio import COMMERCE, Studio, store_of, studio, text_of, view_of, workspace


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    space = workspace(COMMERCE, store_of(tmp_path_factory.mktemp("store")))
    yield studio(space)
    space.close()


def started(shared: Studio, name: str, **arguments: object) -> tuple[TableView, Plan, PatternRun]:
    view = view_of(shared.space)
    plan = next(each for each in view.report.outcomes if each.pattern.name == name)
    assert isinstance(plan, Plan)
    return view, plan, PatternRun(name, arguments, ())


def test_pattern_runs_accumulate_pages_with_their_units_and_rows(shared: Studio) -> None:
    view, plan, run = started(shared, "orders_in_status", user_id="42", status="SHIPPED", limit=1)
    one = run_page(view.opened(), view.rows, plan, run)
    assert [group.rows[0][1] for page in one.pages for group in page.groups] == ["D5"]
    assert one.cursor is not None
    two = run_page(view.opened(), view.rows, plan, one)
    assert [page.cost.read_units for page in two.pages] == [0.5, 0.5]
    (drawer,) = two.drawers
    assert [(part.page, [row.id.count("C2") for row in part.rows]) for part in drawer.runs] == [(2, [1]), (1, [0])]
    assert (drawer.more_before, drawer.more_after) == (True, False)
    assert (two.returned, two.examined, two.cost.requests) == (2, 2, 2)


def test_pattern_runs_show_the_previous_page_without_a_request(shared: Studio) -> None:
    values = {"user_id": "42", "status": "SHIPPED", "limit": "1"}
    shared.ask("run", pattern="orders_in_status", values=values)
    shared.ask("run", pattern="orders_in_status", values=values, next=True)
    requests = shared.space.store.total.cost.requests
    text = text_of(shared.ask("run", pattern="orders_in_status", values=values, previous=True)["html"])
    assert "0.5 RRU measured" in text
    assert "1 object" in text
    assert shared.space.store.total.cost.requests == requests
    again = shared.ask("run", pattern="orders_in_status", values=values, next=True)["html"]
    assert "2 pages, one call each" in text_of(again)


def test_pattern_runs_count_requests_that_were_throttled_and_sent_again(
    shared: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = view_of(shared.space).opened().session
    transport = session.transport._transport  # type: ignore[attr-defined]  # the transport of the store
    send, answers = transport.send, iter(["throttled"])

    def throttle_once(operation: str, body: bytes) -> bytes:
        if next(answers, ""):
            raise RequestRefused("ProvisionedThroughputExceededException", "The level of throughput was exceeded.")
        return bytes(send(operation, body))

    monkeypatch.setattr(session, "retries", Retries(attempts=3, first_seconds=0.001))
    monkeypatch.setattr(transport, "send", throttle_once)
    answer = shared.ask("run", pattern="profile", values={"id": "42"})
    assert "2 requests one call; 1 failed and retried" in text_of(answer["html"])
    assert answer["html"].count("GetItem\n{") == 1


def test_pattern_runs_group_an_item_collection_by_member(shared: Studio) -> None:
    view, plan, run = started(shared, "order_with_items", order_id="A1")
    (page,) = run_page(view.opened(), view.rows, plan, run).pages
    assert [(group.member, group.label, len(group.rows)) for group in page.groups] == [
        ("details", "OrderDetails", 1),
        ("items", "OrderItem", 2),
    ]
    assert page.document["items"][0]["price"] == "59.9"


def test_pattern_runs_show_a_missing_item_as_none(shared: Studio) -> None:
    view, plan, run = started(shared, "profile", id="nobody")
    found = run_page(view.opened(), view.rows, plan, run)
    assert (found.returned, found.drawers, found.pages[0].document) == (0, (), None)


@entity(key=("SHELF#{shelf}", "{title}"), identity=("shelf", "title"))
@dataclass
class Book:
    shelf: str
    title: str
    pages: int


class Library(Table, entities=[Book]):
    @pattern()
    def long_books(self, shelf: str, *, limit: int = 20, cursor: str | None = None) -> Page[Book]:
        """Long books on a shelf."""
        return query(Book, filter=lambda book: book.pages > 300)


def test_pattern_runs_count_discarded_items(tmp_path: Path) -> None:
    url = store_of(tmp_path, Library, [Book("a", f"t{number}", 100 * number) for number in range(8)])
    store = StudioStore(url, may_write=True)
    view = TableView(Library.design, lambda: store.open(Library.design), ReadItems())
    (plan,) = view.report.outcomes
    assert isinstance(plan, Plan)
    run = run_page(view.opened(), view.rows, plan, PatternRun("long_books", {"shelf": "a"}, ()))
    assert (run.examined, run.returned) == (8, 4)
    store.close()


def test_the_page_of_a_pattern_is_filled_in_with_an_item_of_the_store(shared: Studio) -> None:
    page = shared.page("/Commerce/patterns/order_with_items")
    assert "data-run" in page
    assert 'name="order_id" value=' in page


def test_a_run_shows_answer_request_snippets_rows_and_proof(shared: Studio) -> None:
    values = {"user_id": "42", "status": "SHIPPED", "limit": "1"}
    html = shared.ask("run", pattern="orders_in_status", values=values)["html"]
    text = text_of(html)
    assert "0.5 RRU measured" in text
    assert '"IndexName": "GSI2"' in text
    assert "aws dynamodb query" in text
    assert "client.query(" in text
    assert "new QueryCommand(" in text
    assert "table.orders_in_status(user_id='42'" in text
    assert "more items, not read" in text
    assert "Not the table: needs equality on status" in text
    again = shared.ask("run", pattern="orders_in_status", values=values, next=True)["html"]
    assert "page 2" in again
    other = shared.ask("run", pattern="orders_in_status", values={**values, "status": "PENDING"}, next=True)["html"]
    assert "page 2" not in other


@pytest.mark.parametrize(
    ("pattern", "values", "message"),
    [
        ("profile", {}, "missing id"),
        ("orders_placed", {"placed_at.low": "2026-05-01", "placed_at.high": ""}, "write LOW..HIGH"),
        ("orders_placed", {"placed_at.low": "x", "placed_at.high": "y"}, "not a valid Between"),
        ("recent_orders", {"user_id": "42", "limit": "many"}, "not a valid int"),
        ("nothing", {}, "no plan"),
    ],
)
def test_pattern_runs_report_wrong_arguments(
    shared: Studio, pattern: str, values: dict[str, str], message: str
) -> None:
    assert message in shared.ask("run", pattern=pattern, values=values)["error"]


def test_pattern_runs_have_two_fields_for_a_range(shared: Studio) -> None:
    values = {"placed_at.low": "2026-05-01", "placed_at.high": "2026-05-04"}
    assert "2 returned" in text_of(shared.ask("run", pattern="orders_placed", values=values)["html"])


def test_pattern_runs_show_the_plan_of_a_write_and_send_nothing_before_confirmation(tmp_path: Path) -> None:
    space = workspace(COMMERCE, store_of(tmp_path))
    shown = studio(space)
    values = {"user_id": "42", "placed_at": "2026-05-03T20:05:30", "id": "B7", "status": "SHIPPED"}
    plan = text_of(shown.ask("plan", pattern="set_status", values=values)["html"])
    assert "GSI2 moves its entry ≈2 WRU" in plan
    assert space.store.total.cost.write_units == 0
    shown.ask("run", pattern="set_status", values=values)
    assert space.store.total.cost.write_units == 4
    found = shown.ask("run", pattern="orders_in_status", values={"user_id": "42", "status": "SHIPPED"})["html"]
    assert "3 returned" in text_of(found)
    space.close()


def test_pattern_runs_never_write_a_read_only_store(tmp_path: Path) -> None:
    space = workspace(COMMERCE, store_of(tmp_path))
    space.store.may_write = False
    values = {"user_id": "42", "placed_at": "2026-05-03T20:05:30", "id": "B7", "status": "SHIPPED"}
    answer = studio(space).ask("run", pattern="set_status", values=values)
    assert "read-only" in answer["error"]
    assert space.store.total.cost.write_units == 0
    space.close()


def test_pattern_runs_do_not_count_a_read_of_the_design_state(shared: Studio) -> None:
    opened = view_of(shared.space).opened()
    key = {"PK": {"S": "$singletable#state"}, "SK": {"S": "$singletable#state"}}
    before = shared.space.store.total.cost.requests
    with recorded() as requests:
        send(opened, "GetItem", {"TableName": "Commerce", "Key": key})
        send(opened, "GetItem", {"TableName": "Commerce", "Key": {"PK": {"S": "USER#42"}, "SK": {"S": "PROFILE"}}})
    assert [each.request.parameters["Key"]["PK"]["S"] for each in requests] == ["USER#42"]
    assert shared.space.store.total.cost.requests == before + 2


def test_pattern_runs_continue_a_call_of_another_page_by_its_cursor(shared: Studio) -> None:
    values = {"user_id": "42", "status": "SHIPPED", "limit": "1"}
    first = shared.ask("run", pattern="orders_in_status", values={**values, "cursor": ""})["html"]
    cursor = view_of(shared.space).runs["orders_in_status"].cursor
    second = shared.ask("run", pattern="orders_in_status", values={**values, "cursor": f" {cursor} "})["html"]
    assert ["#C2" in text_of(html) for html in (first, second)] == [False, True]
    assert 'name="cursor"' in shared.page("/Commerce/patterns/orders_in_status")


def test_pattern_runs_keep_the_digits_of_a_number_in_an_object(shared: Studio) -> None:
    order = """{"user_id": "42", "id": "N1", "placed_at": "2026-06-01T00:00:00Z",
        "total": 12345678901234567890.123456789012345678, "currency": "EUR", "status": "NEW"}"""
    planned = shared.ask("plan", pattern="place_order", values={"order": order})["html"]
    assert '"total": {"N": "12345678901234567890.123456789012345678"}' in text_of(planned)
    wrong = shared.ask("plan", pattern="place_order", values={"order": order.replace("2026-06-01T", "soon")})
    assert wrong["error"].startswith("order is not a valid Order: placed_at: ")


def test_a_pattern_run_names_an_unreadable_item_and_does_not_count_it_as_discarded(tmp_path: Path) -> None:
    shown = studio(workspace(COMMERCE, store_of(tmp_path)))
    wrong = {"PK": {"S": "USER#42"}, "SK": {"S": "ORDER#2026-05-11T00:00:00Z#F1"}, "entity_type": {"S": "Order"}}
    send(view_of(shown.space).opened(), "PutItem", {"TableName": "Commerce", "Item": wrong})
    html = shown.ask("run", pattern="recent_orders", values={"user_id": "42"})["html"]
    text = text_of(html)
    assert "6 returned, 0 discarded, 1 unreadable" in text
    assert "The item cannot be read as Order: attribute 'placed_at' is missing USER#42 / ORDER#2026" in text
    assert "UnreadableItem" not in text
    assert "/Commerce/items?id=%7B%22PK%22" in html
    shown.space.close()


def test_a_pattern_page_without_arguments_runs_the_pattern_at_once(tmp_path: Path) -> None:
    shop = Path(COMMERCE).parents[1] / "shop" / "model.py"
    shown = studio(workspace(str(shop)))
    page = shown.page("/Shop/patterns/customers_by_signup")
    assert "data-run" in page
    assert "The pattern takes no arguments." in text_of(page)
    shown.space.close()
