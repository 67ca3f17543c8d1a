"""Every screen passes the rules of WCAG 2.2, levels A and AA, that axe-core checks, in the light and the dark theme."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.studio.browser.conftest import RunningStudio, Window
from tests.studio.opened_studio import COMMERCE, store_of

pytestmark = pytest.mark.slow

INSTALLED = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
AXE = Path(os.environ.get("AXE_CORE", INSTALLED))
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
SCREENS = (
    "/Commerce/overview",
    "/Commerce/collections",
    "/Commerce/collections?keys=decoded&q=USER%2342",
    "/Commerce/patterns/orders_in_status?user_id=42&status=SHIPPED&limit=1",
    "/Commerce/patterns/order_with_items?order_id=A1",
    "/Commerce/patterns/profile?id=nobody",
    "/Commerce/patterns/set_status",
    "/Commerce/patterns/place_order",
    "/nothing/here",
)


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
            page.evaluate(script)
            checked = page.evaluate("levels => axe.run(document, { runOnly: levels })", LEVELS)
            assert checked["passes"], screen
            violations += [
                (theme, screen, each["id"], [node["html"] for node in each["nodes"]]) for each in checked["violations"]
            ]
    found.problems = [each for each in found.problems if "404" not in each]  # the page that does not exist
    assert violations == []
