"""The SQL console and the live tail in a real browser: both by keyboard, with changes of another program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from examples.commerce.model import Commerce, User
from examples.commerce.rows import at
from singletable import key
from tests.studio.browser.conftest import RunningStudio, Window, until
from tests.studio.browser.test_accessibility import THEMES, needs_axe, violations
from tests.studio.opened_studio import COMMERCE, store_of

pytestmark = pytest.mark.slow
Start = Callable[..., RunningStudio]
SignIn = Callable[..., Window]
SCRIPT = '"><img src=x onerror="window.attacked=1"><script>window.attacked=1</script>'
JOIN = """SELECT u.name, count(*) AS orders FROM "User" u JOIN "Order" o ON o.user_id = u.id GROUP BY ALL"""


def user(name: str, shown: str) -> User:
    return User(id=name, name=shown, email=f"{name}@example.org", joined_at=at("2026-01-01"))


def test_the_sql_console_explains_and_runs_a_statement_by_keyboard(
    start: Start, window: SignIn, tmp_path: Path
) -> None:
    page = window(start(COMMERCE, store_of(tmp_path))).open("/Commerce/overview")
    page.keyboard.press("g")
    page.keyboard.press("s")
    page.wait_for_url("**/sql")
    page.keyboard.press("/")
    page.keyboard.press("Control+A")
    page.keyboard.type("SELECT * FROM Revew")
    until(page, "document.querySelector('#access').textContent.includes('The tables are')")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#problem:not([hidden])")
    page.keyboard.press("Control+A")
    page.keyboard.type("SELECT name FROM \"User\" WHERE id = '42'")
    until(page, "document.querySelector('#access .operation')?.textContent === 'Query'")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".metrics")
    assert page.locator(".sql-result tbody tr").all_inner_texts() == ["Ada Lovelace"]
    assert page.locator("#problem").is_hidden()
    page.reload()
    assert page.locator("#statement").input_value().startswith("SELECT name"), "the URL contains the statement"
    assert page.locator(".past").count() == 1


def test_the_stream_screen_shows_changes_of_another_program(start: Start, window: SignIn, tmp_path: Path) -> None:
    url = store_of(tmp_path)
    page = window(start(COMMERCE, url)).open("/Commerce/overview")
    page.keyboard.press("g")
    page.keyboard.press("t")
    page.wait_for_selector("#enable")
    page.click("#enable")
    until(page, "document.querySelector('#state').textContent.startsWith('Following 1 shard')")
    with Commerce.open(url) as other:
        other.put(user("99", SCRIPT))
        until(page, "document.querySelectorAll('.change').length === 1")
        page.keyboard.press("f")
        until(page, "document.querySelector('#state').textContent === 'Paused'")
        other.put(user("99", "Eve"))
        other.delete(key(User, id="99"))
        page.keyboard.press("f")
        until(page, "document.querySelectorAll('.change').length === 3")
    kinds = [each.strip("+±\N{MINUS SIGN}\n") for each in page.locator(".change-kind").all_inner_texts()]
    assert kinds == ["remove", "modify", "insert"]
    assert page.locator(".change").nth(1).locator("td.minus").inner_text() == SCRIPT
    assert page.locator(".change").nth(1).locator("td.plus").inner_text() == "Eve"
    assert page.evaluate("window.attacked === undefined")
    page.keyboard.press("x")
    assert page.locator(".change").count() == 0
    page.click("#oldest")
    until(page, "document.querySelectorAll('.change').length === 3")


def test_the_sql_console_and_the_stream_do_not_overflow(start: Start, window: SignIn, tmp_path: Path) -> None:
    found = window(start(COMMERCE, store_of(tmp_path)))
    found.page.set_viewport_size({"width": 800, "height": 900})
    for path in (f"sql?s={quote(JOIN)}", "stream"):
        page = found.open(f"/Commerce/{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 800


@needs_axe
def test_the_sql_console_and_the_stream_violate_no_rule(start: Start, window: SignIn, tmp_path: Path) -> None:
    url = store_of(tmp_path)
    found = window(start(COMMERCE, url))
    broken: list[object] = []
    for theme in THEMES:
        found.page.emulate_media(color_scheme=theme)
        page = found.open(f"/Commerce/sql?s={quote(JOIN)}")
        page.click(".sql-tables summary")
        page.click("#run")
        page.wait_for_selector(".metrics")
        broken += violations(page, f"{theme} sql")
        broken += violations(found.open("/Commerce/sql?s=SELEC"), f"{theme} wrong sql")
        page = found.open("/Commerce/stream")
        until(page, "document.querySelector('#enable') || document.querySelector('#state').textContent.startsWith('F')")
        broken += violations(page, f"{theme} stream without changes")
        if page.locator("#enable").count():
            page.click("#enable")
        until(page, "document.querySelector('#state').textContent.startsWith('Following 1 shard')")
        with Commerce.open(url) as other:
            other.put(user("99", theme))
            other.put(user("99", "Eve"))
        page.wait_for_selector(".change .minus")
        page.click(".change summary")
        broken += violations(page, f"{theme} stream")
    assert broken == []
