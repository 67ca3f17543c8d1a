"""Photograph the screens of the studio for its guide, in a headless Chromium.

    python -m tools.studio_pictures               rewrite docs/pictures/studio-*.png
    python -m tools.studio_pictures sql stream    rewrite only these pictures

The studio shows the commerce example. Set CHROMIUM to the path of the browser.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from playwright.sync_api import ViewportSize, sync_playwright

from examples.commerce.model import Commerce
from examples.commerce.rows import ROWS
from tools.palette_png import with_palette

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "pictures"
ARGUMENTS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
SIZE: ViewportSize = {"width": 1280, "height": 800}
ORDER = ".column:nth-of-type(1) .row[data-id*='Z#B7']"


@dataclass(frozen=True)
class Shot:
    """A picture: the page, the actions on it, and the element to wait for."""

    name: str
    path: str
    wait: str
    click: str = ""
    theme: str = "light"
    fills: Mapping[str, str] = field(default_factory=dict)
    """The fields to fill in, by name."""
    script: str = ""
    """A script that runs after the page shows the next change of the stream."""


WRITE = {"user_id": "42", "placed_at": "2026-05-03T20:05:30", "id": "B7", "status": "SHIPPED"}
ITEM = quote('{"PK":{"S":"USER#42"},"SK":{"S":"ORDER#2026-05-03T20:05:30Z#B7"}}')
STATEMENT = quote("SELECT PK, SK, status, total FROM Commerce.GSI2\nWHERE GSI2PK = 'USER#42#PENDING' AND total > 10")
JOIN = quote("""SELECT u.name, o.status, count(*) AS orders, max(o.placed_at) AS last
FROM "User" u LEFT JOIN "Order" o ON o.user_id = u.id
GROUP BY ALL ORDER BY u.name, orders DESC""")
CHANGES = """(async () => {
  const item = "PK = 'USER#42' AND SK = 'ORDER#2026-05-03T20:05:30Z#B7'";
  for (const statement of [
    "DELETE FROM Commerce WHERE PK = 'USER#42' AND SK = 'PROFILE'",
    `UPDATE Commerce SET status = 'SHIPPED' WHERE ${item}`,
  ]) await window.studio.ask("query", { statement, parameters: "", confirmed: true });
})()"""
SHOTS = (
    Shot("overview", "overview", ".heat-line"),
    Shot("collections", "collections", ".row.selected", ORDER),
    Shot("collections-dark", "collections?keys=decoded", ".row.selected", ORDER, "dark"),
    Shot("pattern", "patterns/orders_in_status?user_id=42&status=SHIPPED&limit=1", ".bracket", "#next"),
    Shot("pattern-dark", "patterns/user_with_recent_orders?user_id=42", ".bracket", "", "dark"),
    Shot("write-plan", "patterns/set_status", "#write", "#run", fills=WRITE),
    Shot("item", f"items?id={ITEM}", ".plus", fills={"f.status": "SHIPPED"}),
    Shot("query", f"query?s={STATEMENT}", ".metrics", "#run"),
    Shot("sql", f"sql?s={JOIN}", ".metrics", "#run"),
    Shot("stream", "stream", ".change .plus", script=CHANGES),
    Shot("traffic", "design/traffic?times=50", "#measured tbody", "#measure"),
)


def main() -> int:
    browser = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("Chromium is not installed; set CHROMIUM to its path", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        with Commerce.open(f"file:{folder}/commerce.db", create=True) as table:
            table.put_many(ROWS)
        shutil.copytree(ROOT / "examples", f"{folder}/examples")  # the pictures show short paths
        command = [sys.executable, "-m", "singletable", "studio", "examples/commerce/model.py", "file:commerce.db"]
        started = subprocess.Popen(  # noqa: S603  # our own command line
            [*command, "--no-browser"], cwd=folder, stdout=subprocess.PIPE, text=True
        )
        try:
            link = _link(started)
            window = driver.chromium.launch(executable_path=browser, args=list(ARGUMENTS)).new_page(viewport=SIZE)
            window.goto(link)
            for shot in (each for each in SHOTS if each.name in sys.argv[1:] or not sys.argv[1:]):
                _photograph(window, link.partition("/?")[0], shot)
        finally:
            started.terminate()
            started.wait(20)
    return 0


def _link(started: subprocess.Popen[str]) -> str:
    assert started.stdout is not None
    started.stdout.readline()
    found = re.search(r"http://\S+", started.stdout.readline())
    assert found is not None
    return found[0]


def _photograph(window: Any, origin: str, shot: Shot) -> None:
    window.emulate_media(color_scheme=shot.theme, reduced_motion="reduce")
    window.goto(f"{origin}/Commerce/{shot.path}")
    window.wait_for_load_state("networkidle")
    for name, value in shot.fills.items():
        window.fill(f'[name="{name}"]', value)
    if shot.click:
        window.click(shot.click)
    if shot.script:
        window.click("#enable")
        window.wait_for_selector("#none:not([hidden])")
        window.wait_for_timeout(2000)
        window.evaluate(shot.script)
    window.wait_for_selector(shot.wait)
    window.wait_for_timeout(400)
    window.mouse.move(0, 0)
    (FOLDER / f"studio-{shot.name}.png").write_bytes(with_palette(window.screenshot()))


if __name__ == "__main__":
    raise SystemExit(main())
