"""Every screen of three examples in a real browser, a large store, a throttled one, and a server that goes away."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import pytest

from examples.commerce.model import Commerce, User
from examples.commerce.rows import ROWS, at
from singletable.client.open_table import OpenOptions, open_table
from singletable.errors import RequestRefused
from singletable.studio.studio_store import send
from tests.cli.program import PROGRAM, ROOT, environment
from tests.studio.browser.conftest import RunningStudio, Window, until
from tests.studio.opened_studio import COMMERCE, store_of
from tests.studio.readings import Reading, Readings

pytestmark = pytest.mark.slow
Start = Callable[..., RunningStudio]
SignIn = Callable[..., Window]
ITEMS = int(os.environ.get("STUDIO_ITEMS", "3000"))
"""The number of items of the large store; `make studio-million` passes a million."""
READING = str(Path(__file__).parents[1] / "readings.py")

EXAMPLES = {
    "shop": ("Shop", "orders_of_customer", "Customer"),
    "helpdesk": ("HelpDesk", "queue", "Ticket"),
    "a table without a model": ("Commerce", "get_user", ""),
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_studio_screen_of_an_example_store_is_shown(
    start: Start, window: SignIn, tmp_path: Path, example: str
) -> None:
    table, pattern, entity = EXAMPLES[example]
    arguments = (f"examples/{example}/model.py",) if entity else (store_of(tmp_path), "--table", table)
    found = window(start(*arguments))
    page = found.open(f"/{table}/overview")
    assert page.locator(".design .pill").count() >= 3
    page = found.open(f"/{table}/collections")
    until(page, "document.querySelectorAll('.row.selected').length >= 1 && document.querySelector('#edit')")
    edit = page.locator("#edit").get_attribute("href")
    page = found.open(f"/{table}/patterns/{pattern}")
    page.wait_for_selector(".metrics")
    assert page.locator(".read-drawer .row").count() >= 1
    page = found.open(edit)
    page.wait_for_selector("#item-form")
    page = found.open(f"/{table}/items?new={entity}")
    assert page.locator("#stage").is_visible()
    page = found.open(f"/{table}/query")
    page.click("#run")
    page.wait_for_selector(".metrics")
    for part, expected in (("model", "Matrix"), ("traffic", "Measured and estimated"), ("changes", "Migration")):
        page = found.open(f"/{table}/design/{part}")
        assert expected in page.locator("main").inner_text()


def _large_rows() -> Iterator[Reading]:
    """Yield a large partition, and many small ones."""
    large = min(ITEMS // 10, 99_999)
    yield from (Reading("large", number) for number in range(large))
    yield from (Reading(f"d{number // 9:06d}", number % 9) for number in range(ITEMS - large))


def test_a_large_studio_store_is_read_only_where_it_is_visible(start: Start, window: SignIn, tmp_path: Path) -> None:
    found = window(start(READING, store_of(tmp_path, Readings, _large_rows())))
    page = found.open("/Readings/overview")
    assert "A sample from all parts of the table, not a total" in page.locator("#counts").inner_text()
    read = page.locator("#total").inner_text()
    page.click("#count")
    until(page, "document.querySelector('#count-price').textContent")
    assert f"Reads the whole table: {ITEMS:,} items, about" in page.locator("#count-price").inner_text()
    assert page.locator("#total").inner_text().partition(" RRU")[0] == read.partition(" RRU")[0]

    page = found.open("/Readings/collections")
    assert page.locator('[data-place="GSI1"] [data-read]').inner_text() == "100 read, 1 partition"
    page.locator('[data-place="GSI1"] .scroll').evaluate("column => { column.scrollTop = column.scrollHeight; }")
    page.locator('[data-place="GSI1"] .row.more').click()
    until(page, "document.querySelector('[data-place=GSI1] [data-read]').textContent.startsWith('200 read')")
    scrolled = page.evaluate(
        """async () => {
          const column = window.studio.columns[0];
          const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
          let most = 0;
          while (!column.isFinished && column.rowCount < 1500) {
            column.scroll.scrollTop += column.scroll.clientHeight;
            await frame();
            most = Math.max(most, document.querySelectorAll(".row").length);
          }
          return { most, rows: column.rowCount, skipped: column.drawers.filter((each) => each.more).length };
        }"""
    )
    assert scrolled["rows"] >= 1500
    assert scrolled["most"] < 500
    total = page.locator("#total").inner_text()
    page.wait_for_timeout(50)
    assert page.locator("#total").inner_text() == total, "nothing is read that is not seen"

    page.keyboard.press("/")
    page.keyboard.type("DEVICE#large 0025")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('#dock .name')?.textContent.includes('250')")
    assert page.locator('[data-place="table"] .row[data-id]').count() == 10
    assert page.locator(".row.more").count() <= 1


class _Server:
    """`singletable serve --enforce-capacity` with the commerce example and one item that costs many units to read."""

    def __init__(self) -> None:
        command = [str(PROGRAM), "serve", "--port", "0", "--json", "--enforce-capacity"]
        self.process = subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.url = str(json.loads(self.process.stdout.readline())["url"])
        large = User(id="large", name="x" * 350_000, email="", joined_at=at("2026-01-01T00:00:00"))
        with Commerce.open(self.url, create=True) as table:
            table.put_many([*ROWS, large])
        self.opened = open_table(Commerce.design, self.url, OpenOptions())
        self.set_units(1)

    def set_units(self, units: int) -> None:
        """Set the provisioned units per second."""
        throughput = {"ReadCapacityUnits": units, "WriteCapacityUnits": units}
        indexes = [{"Update": {"IndexName": name, "ProvisionedThroughput": throughput}} for name in ("GSI1", "GSI2")]
        parameters = {"TableName": "Commerce", "BillingMode": "PROVISIONED", "ProvisionedThroughput": throughput}
        send(self.opened, "UpdateTable", {**parameters, "GlobalSecondaryIndexUpdates": indexes})

    def use_up_the_units(self) -> None:
        """Read the large item: 86 units, so the table throttles requests for more than a minute."""
        key = {"PK": {"S": "USER#large"}, "SK": {"S": "PROFILE"}}
        with suppress(RequestRefused):  # the overview may have used them up
            send(self.opened, "GetItem", {"TableName": "Commerce", "Key": key, "ConsistentRead": True})

    def stop(self) -> None:
        self.opened.session.close()
        self.process.terminate()
        self.process.wait(20)
        assert self.process.stdout is not None
        self.process.stdout.close()


def test_a_throttled_store_and_a_server_that_goes_away(start: Start, window: SignIn) -> None:
    server = _Server()
    try:
        found = window(start(COMMERCE, server.url))
        server.use_up_the_units()
        page = found.open("/Commerce/collections")
        tail = page.locator('[data-place="table"] .tail')
        until(page, "document.querySelector('[data-place=table] .tail').textContent.includes('not read')")
        assert "throughput for the table was exceeded" in tail.inner_text()
        found.open("/Commerce/patterns/profile?id=42")
        page.wait_for_selector("#problem:not([hidden])")
        assert "throughput for the table was exceeded" in page.locator("#problem").inner_text()
        found.open("/Commerce/collections")
        server.set_units(10_000)
        page.wait_for_timeout(100)
        tail.locator("button").click()
        until(page, "document.querySelectorAll('[data-place=table] .row').length > 5")
    finally:
        server.stop()
    page = found.open("/Commerce/collections")
    assert "cannot be reached" in page.locator('[data-place="GSI1"] .tail').inner_text()
    page = found.open("/Commerce/patterns/profile?id=42")
    page.wait_for_selector("#problem:not([hidden])")
    assert "cannot be reached" in page.locator("#problem").inner_text()
    page = found.open("/Commerce/items?id=" + quote('{"PK":{"S":"USER#42"},"SK":{"S":"PROFILE"}}'))
    assert "cannot be reached" in page.locator("main").inner_text()
