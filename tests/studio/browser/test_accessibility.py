"""Every screen passes the rules of WCAG 2.2, levels A and AA, that axe-core checks, in the light and the dark theme."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.studio.browser.conftest import RunningStudio, Window
from tests.studio.opened_studio import COMMERCE, store_of, workspace

pytestmark = pytest.mark.slow
Start = Callable[..., RunningStudio]
SignIn = Callable[..., Window]

INSTALLED = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
AXE = Path(os.environ.get("AXE_CORE", INSTALLED))
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
KEY = '{"PK":{"S":"USER#42"},"SK":{"S":"ORDER#2026-05-03T20:05:30Z#B7"}}'
ORDER = quote(KEY)
SCREENS = (
    "/Commerce/overview",
    "/Commerce/collections",
    "/Commerce/collections?keys=decoded&q=USER%2342",
    "/Commerce/patterns/orders_in_status?user_id=42&status=SHIPPED&limit=1",
    "/Commerce/patterns/order_with_items?order_id=A1",
    "/Commerce/patterns/profile?id=nobody",
    "/Commerce/patterns/set_status",
    "/Commerce/patterns/place_order",
    f"/Commerce/items?id={ORDER}",
    "/Commerce/items?new=User",
    "/Commerce/items?new=",
    "/Commerce/query?s=SELECT+id+FROM+Commerce+WHERE+total+%3E+5",
    "/Commerce/query?s=SELEC",
    "/Commerce/design/model",
    "/Commerce/design/traffic?times=50",
    "/Commerce/design/keys",
    "/Commerce/design/changes?against=nothing",
    "/Commerce/design/changes?against=HEAD",
    "/nothing/here",
)
SHOWN = {
    f"/Commerce/items?id={ORDER}": ("[name='f.status']", ".plus"),
    "/Commerce/query?s=SELECT+id+FROM+Commerce+WHERE+total+%3E+5": ("#run", ".metrics"),
    "/Commerce/query?s=SELEC": ("#run", "#problem:not([hidden])"),
    "/Commerce/design/traffic?times=50": ("#measure", "#measured tbody"),
}
"""The control to use on a screen before it is checked, and what to wait for."""
THEMES = ("light", "dark")
needs_axe = pytest.mark.skipif(
    not AXE.is_file(), reason="axe-core is not installed; `make accessibility` installs it, or set AXE_CORE to its file"
)


def violations(page: Any, screen: str) -> list[object]:
    """Return the rules that a page violates, with the elements."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    checked = page.evaluate("levels => axe.run(document, { runOnly: levels, preload: false })", LEVELS)
    assert checked["passes"], screen
    return [(screen, each["id"], [node["html"] for node in each["nodes"]]) for each in checked["violations"]]


@needs_axe
def test_no_screen_of_the_studio_violates_an_accessibility_rule(start: Start, window: SignIn, tmp_path: Path) -> None:
    found = window(start(COMMERCE, store_of(tmp_path)))
    broken: list[object] = []
    for theme in THEMES:
        found.page.emulate_media(color_scheme=theme)
        for screen in SCREENS:
            page = found.open(screen)
            if screen in SHOWN:
                control, expected = SHOWN[screen]
                page.fill(control, f"SENT-{theme}") if "name=" in control else page.click(control)
                page.wait_for_selector(expected)
            broken += violations(page, f"{theme} {screen}")
        page = found.open("/Commerce/collections")
        page.keyboard.press("?")
        broken += violations(page, f"{theme} keys")
    found.problems = [each for each in found.problems if "404" not in each]  # the page that does not exist
    assert broken == []


@needs_axe
def test_no_conflict_in_the_item_editor_violates_an_accessibility_rule(
    start: Start, window: SignIn, tmp_path: Path
) -> None:
    found = window(start(COMMERCE, store_of(tmp_path)))
    page = found.open(f"/Commerce/items?id={ORDER}")
    page.fill("[name='f.status']", "LOST")
    page.wait_for_selector(".plus")
    statement = "UPDATE Commerce SET currency = 'CHF' WHERE PK = 'USER#42' AND SK = 'ORDER#2026-05-03T20:05:30Z#B7'"
    page.evaluate(
        f"window.studio.ask('query', {{ statement: {json.dumps(statement)}, parameters: '', confirmed: true }})"
    )
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".conflict")
    assert violations(page, "conflict") == []
    page.click("[data-resolve=mine]")
    page.wait_for_selector(".conflict", state="detached")
    page.wait_for_selector(".outcome .plus")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".notice.ok")
    assert violations(page, "written") == []


@needs_axe
def test_no_state_of_the_item_editor_violates_a_rule(start: Start, window: SignIn, tmp_path: Path) -> None:
    found = window(start(COMMERCE, store_of(tmp_path)))
    wrong = (
        "INSERT INTO Commerce VALUE {'PK': 'USER#42', 'SK': 'ORDER#2026-05-11T00:00:00Z#F1', 'entity_type': 'Order'}"
    )
    found.open(ITEM).evaluate(
        f"window.studio.ask('query', {{ statement: {json.dumps(wrong)}, parameters: '', confirmed: true }})"
    )
    broken: list[object] = []
    for theme in THEMES:
        found.page.emulate_media(color_scheme=theme)
        page = found.open(ITEM)
        page.wait_for_selector(".about")
        broken += violations(page, f"{theme} nothing staged")
        page.fill("[name='f.total']", "many")
        page.wait_for_selector(".item-field.invalid")
        broken += violations(page, f"{theme} invalid")
        page.fill("[name='f.total']", "24")
        page.fill("[name='f.user_id']", "7")
        page.wait_for_selector("text=11 attributes as before")
        broken += violations(page, f"{theme} changed key")
        page.click("#discard-all")
        page.wait_for_selector("text=Nothing is staged")
        page.click("#delete")
        page.wait_for_selector("text=Deletion staged")
        broken += violations(page, f"{theme} deletion")
        page.click("#discard-all")
        page.wait_for_selector("text=Nothing is staged")
        page = found.open("/Commerce/patterns/recent_orders?user_id=42")
        page.wait_for_selector("text=The item cannot be read as Order")
        broken += violations(page, f"{theme} unreadable item")
    assert broken == []


ITEM = f"/Commerce/items?id={ORDER}"
OVERVIEW, COLLECTIONS = "/Commerce/overview", "/Commerce/collections"
CONSOLES = ("/Commerce/sql", "/Commerce/stream")
OTHERS = {
    "several tables": (("examples/guide/model.py",), ("/AppTable/overview", "/AppTable/patterns/recent_orders")),
    "an empty store": (
        (COMMERCE, "EMPTY"),
        (OVERVIEW, COLLECTIONS, "/Commerce/patterns/recent_orders", "/Commerce/design/traffic"),
    ),
    "no model": (("STORE", "--table", "Commerce"), (OVERVIEW, COLLECTIONS, ITEM)),
    "aws": ((COMMERCE, "dynamodb://eu-west-1"), (OVERVIEW, COLLECTIONS, ITEM, *CONSOLES)),
    "no server": ((COMMERCE, "http://127.0.0.1:9"), (OVERVIEW, COLLECTIONS, "/Commerce/query", *CONSOLES)),
    "a broken model": (("MODEL",), ("/Notes/overview",)),
}


@needs_axe
@pytest.mark.parametrize("case", OTHERS)
def test_no_state_of_a_store_or_a_model_violates_an_accessibility_rule_in_the_studio(
    start: Start, window: SignIn, tmp_path: Path, case: str
) -> None:
    arguments, screens = OTHERS[case]
    broken_model = tmp_path / "notes.py"
    broken_model.write_text("class Notes(\n")
    (tmp_path / "empty").mkdir()
    empty = store_of(tmp_path / "empty", rows=())
    known = {"STORE": store_of(tmp_path), "MODEL": str(broken_model), "EMPTY": empty}
    found = window(start(*(known.get(each, each) for each in arguments)))
    broken = []
    for theme in THEMES:
        found.page.emulate_media(color_scheme=theme)
        for screen in screens:
            broken += violations(found.open(screen), f"{theme} {screen}")
    assert broken == []


@needs_axe
def test_no_static_export_of_the_studio_violates_an_accessibility_rule(
    start: Start, window: SignIn, tmp_path: Path
) -> None:
    from singletable.studio.static_export import export_pages, write_pages

    space = workspace(COMMERCE)
    write_pages(export_pages(space), tmp_path / "pages")
    space.close()
    found = window(start(COMMERCE))
    broken = []
    for theme in THEMES:
        found.page.emulate_media(color_scheme=theme)
        for file in sorted((tmp_path / "pages").glob("*.html")):
            found.page.goto(file.as_uri())
            found.page.wait_for_timeout(100)
            broken += violations(found.page, f"{theme} {file.name}")
    found.problems = [each for each in found.problems if not each.startswith("file:")]
    assert broken == []
