"""Every screen passes the rules of WCAG 2.2, levels A and AA, that axe-core checks, in the light and the dark theme."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.studio.browser.conftest import RunningStudio, Window
from tests.studio.opened_studio import COMMERCE, store_of

pytestmark = pytest.mark.slow

INSTALLED = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
AXE = Path(os.environ.get("AXE_CORE", INSTALLED))
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
ORDER = quote('{"PK":{"S":"USER#42"},"SK":{"S":"ORDER#2026-05-03T20:05:30Z#B7"}}')
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
    "/Commerce/design/model",
    "/Commerce/design/traffic?times=50",
    "/Commerce/design/changes?against=nothing",
    "/nothing/here",
)
SHOWN = {
    f"/Commerce/items?id={ORDER}": ("[name='f.status']", ".plus"),
    "/Commerce/query?s=SELECT+id+FROM+Commerce+WHERE+total+%3E+5": ("#run", ".metrics"),
    "/Commerce/design/traffic?times=50": ("#measure", "#measured tbody"),
}
"""The control to use on a screen before it is checked, and what to wait for."""


@pytest.mark.skipif(
    not AXE.is_file(), reason="run `npm install` in tests/studio/browser, or set AXE_CORE to axe.min.js"
)
def test_no_screen_violates_a_rule(
    start: Callable[..., RunningStudio], window: Callable[..., Window], tmp_path: Path
) -> None:
    found = window(start(COMMERCE, store_of(tmp_path)))
    script = AXE.read_text(encoding="utf-8")
    violations = []
    for theme in ("light", "dark"):
        found.page.emulate_media(color_scheme=theme)
        for screen in SCREENS:
            page = found.open(screen)
            if screen in SHOWN:
                control, expected = SHOWN[screen]
                page.fill(control, f"SENT-{theme}") if "name=" in control else page.click(control)
                page.wait_for_selector(expected)
            page.evaluate(script)
            checked = page.evaluate("levels => axe.run(document, { runOnly: levels })", LEVELS)
            assert checked["passes"], screen
            violations += [
                (theme, screen, each["id"], [node["html"] for node in each["nodes"]]) for each in checked["violations"]
            ]
    found.problems = [each for each in found.problems if "404" not in each]  # the page that does not exist
    assert violations == []
