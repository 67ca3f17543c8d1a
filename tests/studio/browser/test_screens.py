"""Every screen in a real browser: what it shows, every flow by keyboard, and no error in the console."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.studio.browser.conftest import RunningStudio, Window, until
from tests.studio.opened_studio import COMMERCE, store_of

pytestmark = pytest.mark.slow
Start = Callable[..., RunningStudio]
SignIn = Callable[..., Window]
ORDER = '{"PK":{"S":"USER#42"},"SK":{"S":"ORDER#2026-05-03T20:05:30Z#B7"}}'


@pytest.fixture(scope="module")
def studio(start: Start, tmp_path_factory: pytest.TempPathFactory) -> tuple[RunningStudio, dict[str, Any]]:
    return start(COMMERCE, store_of(tmp_path_factory.mktemp("store"))), {}


@pytest.fixture
def signed_in(studio: tuple[RunningStudio, dict[str, Any]], window: SignIn) -> Window:
    """A window of the shared studio; the link works once, so the others take over its cookie."""
    running, kept = studio
    found = window(running, kept.get("state"))
    kept["state"] = found.page.context.storage_state()
    return found


def tab_to(page: Any, selector: str) -> None:
    """Press Tab until the element has the focus."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"Tab does not reach {selector}")


def retype(page: Any, text: str) -> None:
    """Replace the text of the focused field."""
    page.keyboard.press("Control+A")
    page.keyboard.type(text)


def row(page: Any, place: str, key: str) -> Any:
    return page.locator(f'.column[data-place="{place}"] .row[data-id*="{key}"]').first


def selected(page: Any) -> list[str]:
    return [str(each) for each in page.locator(".row.selected").all_inner_texts()]


def test_the_access_guard_removes_the_token_from_the_url_and_hides_the_cookie_from_scripts(signed_in: Window) -> None:
    page = signed_in.open("/")
    assert page.url.endswith("/Commerce/overview")
    assert page.evaluate("document.cookie") == ""


def test_the_overview_screen_shows_design_cost_and_heat(signed_in: Window) -> None:
    page = signed_in.open("/Commerce/overview")
    page.wait_for_selector(".heat-line")
    assert page.locator(".design .chosen").count() == 9
    assert "ORDER_BY_DATE" in page.locator("#heat-lines").inner_text()


def test_the_collections_screen_marks_an_item_in_every_column(signed_in: Window) -> None:
    page = signed_in.open("/Commerce/collections")
    row(page, "table", "Z#B7").click()
    until(page, "document.querySelectorAll('.row.selected').length === 3")
    until(page, "document.querySelector('[data-presence]').textContent")
    assert page.locator("[data-presence]").all_inner_texts() == [
        "B7 is 3rd of 7 in USER#42",
        "B7 is 3rd of 8 in ORDER_BY_DATE",
        "B7 is 1st of 2 in USER#42#PENDING",
    ]
    assert page.locator("#thread path").count() == 2
    assert "orders_in_status" in page.locator("#dock").inner_text()
    row(page, "table", "PROFILE").click()
    until(page, "document.querySelectorAll('.row.selected').length === 1")
    until(page, "document.querySelector('[data-place=GSI1] [data-presence]').textContent.includes('declares no')")


def test_the_collections_screen_works_by_keyboard(signed_in: Window) -> None:
    page = signed_in.open("/Commerce/collections")
    keyboard = page.keyboard
    keyboard.press("/")
    keyboard.type("USER#42#PENDING")
    keyboard.press("Enter")
    until(page, "document.querySelectorAll('[data-place=GSI2] .row').length === 2")
    assert "One partition of GSI2" in page.locator("#message").inner_text()
    until(page, "document.querySelectorAll('.row.selected').length === 3")
    keyboard.press("ArrowDown")
    until(page, "document.querySelector('#dock .name').textContent === 'E4'")
    keyboard.press("ArrowLeft")
    keyboard.press("d")
    until(page, "document.querySelectorAll('.row .decoded').length > 10")
    assert "2026-05-10 14:23:01" in selected(page)[0]
    keyboard.press("d")
    keyboard.press("2")
    until(page, "document.querySelectorAll('[data-place=GSI2] .row').length === 0")
    keyboard.press("?")
    assert page.locator("#help").is_visible()
    keyboard.press("Escape")
    keyboard.press("g")
    keyboard.press("p")
    page.wait_for_url("**/patterns/profile")


def test_the_collections_screen_searches_by_field_and_has_a_url_to_share(signed_in: Window) -> None:
    page = signed_in.open("/Commerce/collections?q=Order.status:SHIPPED")
    until(page, "document.querySelectorAll('[data-place=table] .row').length === 2")
    page = signed_in.open(f"/Commerce/collections?item={ORDER.replace('#', '%23')}")
    until(page, "document.querySelectorAll('.row.selected').length === 3")


def test_the_patterns_screen_works_by_keyboard(signed_in: Window) -> None:
    page = signed_in.open("/Commerce/patterns/orders_in_status?user_id=42&status=SHIPPED&limit=1")
    page.wait_for_selector(".metrics")
    assert page.locator(".read-drawer .row:not(.rest)").count() == 1
    page.keyboard.press("n")
    until(page, "document.querySelectorAll('.page-line').length === 2")
    assert page.locator(".bracket em").all_inner_texts() == ["page 2", "page 1"]
    page.keyboard.press("/")
    page.keyboard.press("Control+A")
    page.keyboard.type("7")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("text=No item has this key")
    assert "user_id=7" in page.url
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.wait_for_url("**/patterns/reviews_of_product")
    tab_to(page, "[role=tab]")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert "import boto3" in page.locator(".snippets pre:not([hidden])").inner_text()


def test_the_patterns_screen_reports_wrong_arguments_above_the_result(signed_in: Window) -> None:
    page = signed_in.open("/Commerce/patterns/recent_orders?user_id=42&limit=many")
    page.wait_for_selector("#problem:not([hidden])")
    assert "limit='many' is not a valid int: write a whole number" in page.locator("#problem").inner_text()


def test_the_patterns_screen_shows_the_plan_of_a_write_first(signed_in: Window) -> None:
    page = signed_in.open("/Commerce/patterns/set_status")
    for name, value in (("user_id", "7"), ("placed_at", "2026-05-10T06:10:00"), ("id", "G8"), ("status", "SHIPPED")):
        tab_to(page, f"[name={name}]")
        retype(page, value)
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#write")
    assert "moves its entry" in page.locator(".effects").inner_text()
    tab_to(page, "#write")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=4 WRU")


def test_the_item_editor_screen_works_by_keyboard_with_a_conflict(
    signed_in: Window, studio: tuple[RunningStudio, dict[str, Any]]
) -> None:
    page = signed_in.open("/Commerce/collections?q=USER%2342%20ORDER%232026-05-08")
    until(page, "document.querySelectorAll('.row.selected').length >= 2 && document.querySelector('#edit')")
    page.keyboard.press("e")
    page.wait_for_url("**/items?id=**")
    page.keyboard.press("e")
    tab_to(page, "[name='f.status']")
    retype(page, "LOST")
    page.wait_for_selector(".outcome .plus")
    assert "USER#42#LOST" in page.locator("#effects").inner_text()
    tab_to(page, "[name='f.total']")
    retype(page, "many")
    page.wait_for_selector(".item-field.invalid")
    page.keyboard.press("Control+Enter")
    assert page.locator("#write").is_disabled()
    retype(page, "12.50")
    until(page, "!document.querySelector('#write').disabled")
    other = signed_in.page.context.new_page()
    other.goto(page.url)
    statement = "UPDATE Commerce SET currency = 'CHF' WHERE PK = 'USER#42' AND SK = 'ORDER#2026-05-08T07:45:10Z#D5'"
    other.goto(page.url.partition("/items")[0] + "/query")
    other.fill("#statement", statement)
    other.keyboard.press("Control+Enter")
    other.wait_for_selector("#confirm")
    other.keyboard.press("Enter")
    other.wait_for_selector(".metrics")
    other.close()
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".conflict")
    assert "CHF" in page.locator(".conflict").inner_text()
    tab_to(page, "[data-resolve=mine]")
    page.keyboard.press("Enter")
    page.wait_for_selector(".conflict", state="detached")
    until(page, "!document.querySelector('#write').disabled")
    page.keyboard.press("Control+Enter")
    until(page, "document.querySelector('#loaded').value.split('CHF').length === 2")


def test_the_item_editor_screen_marks_a_changed_field_and_restores_its_old_value(signed_in: Window) -> None:
    page = signed_in.open(f"/Commerce/items?id={ORDER.replace('#', '%23')}")
    assert "ORDER_BY_DATE" in page.locator(".about").inner_text()
    page.fill("[name='f.currency']", "CHF")
    page.wait_for_selector(".outcome .plus")
    assert page.locator(".about").is_hidden()
    page.reload()
    assert page.locator(".item-field.changed [data-was] del").all_inner_texts() == ["EUR"]
    tab_to(page, "[data-undo]")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Nothing is staged")
    assert page.locator(".item-field.changed").count() == 0
    assert page.locator("[name='f.currency']").input_value() == "EUR"
    page.keyboard.press("Escape")
    page.keyboard.press("r")
    page.wait_for_url("**as=json**")
    page.fill("#json-text", "{")
    page.wait_for_selector("text=The change is not staged")
    assert page.locator("#write").is_disabled()


def test_the_query_and_design_screens_work_by_keyboard(signed_in: Window) -> None:
    page = signed_in.open("/Commerce/query")
    page.keyboard.press("/")
    page.keyboard.press("Control+A")
    page.keyboard.type("SELECT id FROM Commerce WHERE stars > 3")
    until(page, "document.querySelector('#access .operation').textContent === 'Scan'")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".metrics")
    assert page.locator(".past").count() >= 1
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("d")
    page.wait_for_url("**/design")
    page.keyboard.press("j")
    page.wait_for_url("**/design/traffic")
    page.keyboard.press("/")
    page.keyboard.press("Control+A")
    page.keyboard.type("100")
    page.keyboard.press("Enter")
    page.wait_for_selector("b.over")


def test_the_static_export_of_the_studio_opens_from_disk(signed_in: Window, tmp_path: Path) -> None:
    from singletable.studio.static_export import export_pages, write_pages
    from tests.studio.opened_studio import workspace

    space = workspace(COMMERCE)
    write_pages(export_pages(space), tmp_path / "pages")
    space.close()
    page = signed_in.page
    page.goto((tmp_path / "pages" / "index.html").as_uri())
    page.wait_for_selector(".heat-line")
    page.keyboard.press("g")
    page.keyboard.press("c")
    page.wait_for_url("**/Commerce-collections.html")
    until(page, "document.querySelectorAll('.row.selected').length >= 1")
    page.keyboard.press("ArrowDown")
    until(page, "document.querySelector('#dock .name')")
    page.click(".screens [data-id=patterns]")
    page.wait_for_selector(".metrics")
    assert page.locator(".bracket").count() == 1
    signed_in.problems = [each for each in signed_in.problems if not each.startswith("file:")]


def test_no_studio_screen_overflows_at_800_pixels(signed_in: Window) -> None:
    signed_in.page.set_viewport_size({"width": 800, "height": 900})
    for path in (
        "overview",
        "collections",
        "patterns/orders_in_status?user_id=42&status=SHIPPED",
        "items",
        "query",
        "design",
    ):
        page = signed_in.open(f"/Commerce/{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 800


def test_the_collections_screen_scrolls_ten_thousand_items_with_few_rows_and_every_key_once(
    start: Start, window: SignIn, tmp_path: Path
) -> None:
    from tests.studio.readings import Reading, Readings

    rows = [Reading(f"d{number // 9:04d}", number) for number in range(10_000)]
    url = store_of(tmp_path, Readings, rows)
    model = Path(__file__).parents[1] / "readings.py"
    page = window(start(str(model), url)).open("/Readings/collections")
    found = page.evaluate(
        """async () => {
          const column = window.studio.columns[0], seen = new Set();
          const frame = () => new Promise((done) => requestAnimationFrame(done));
          let most = 0;
          for (let steps = 0; steps < 4000; steps++) {
            for (const row of column.stack.querySelectorAll(".row[data-id]")) seen.add(row.dataset.id);
            most = Math.max(most, document.querySelectorAll(".row").length);
            const before = column.scroll.scrollTop;
            column.scroll.scrollTop += column.scroll.clientHeight + 480;  // rows near the visible part exist too
            await frame();
            if (column.isFinished && column.scroll.scrollTop === before) break;
          }
          const all = column.drawers.flatMap((drawer) => drawer.rows.map((row) => row.id));
          return { seen: seen.size, all: all.length, unique: new Set(all).size, most };
        }"""
    )
    assert (found["all"], found["unique"], found["seen"]) == (10_000, 10_000, 10_000)
    assert found["most"] < 500


def test_a_studio_server_that_stops_is_announced_on_the_screen(start: Start, window: SignIn) -> None:
    running = start(COMMERCE)
    found = window(running)
    page = found.open("/Commerce/collections")
    running.stop()
    page.wait_for_selector("#away")
    row(page, "table", "USER").click()
    page.wait_for_selector("#dock .problem")
    page.close()  # the page asks again for the studio until it is closed
    assert all("ERR_CONNECTION_REFUSED" in each for each in found.problems)
    found.problems.clear()


def test_the_model_watch_reloads_the_screen_and_shows_the_error_of_a_broken_model(
    start: Start, window: SignIn, tmp_path: Path
) -> None:
    from tests.studio.test_model_watch import KEYS, MODEL

    (tmp_path / "note_keys.py").write_text(KEYS)
    model = tmp_path / "notes.py"
    model.write_text(MODEL)
    page = window(start(model)).open("/Notes/overview")
    model.write_text(MODEL.replace("class Note:", "class Note"))
    page.wait_for_selector("#model-problems", timeout=20_000)
    assert "notes.py:10" in page.locator("#model-problems").inner_text()
    assert "NOTE#" in page.locator(".design").inner_text()
    model.write_text(MODEL.replace("Get a note.", "Read a note."))
    page.wait_for_selector("#model-problems", state="detached", timeout=20_000)
