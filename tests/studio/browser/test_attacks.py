"""Attacks on a running studio in a real browser: another local site, DNS rebinding, and scripts in items."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import pytest

from examples.commerce.model import Commerce, User
from examples.commerce.rows import ROWS, at
from singletable.client.open_table import OpenOptions, open_table
from singletable.studio.studio_store import send
from tests.studio.browser.conftest import RunningStudio, Window, until
from tests.studio.opened_studio import COMMERCE, store_of

pytestmark = pytest.mark.slow
Start = Callable[..., RunningStudio]
SignIn = Callable[..., Window]

DELETE = "DELETE FROM Commerce WHERE PK = 'USER#42' AND SK = 'PROFILE'"
BODY = json.dumps({"statement": DELETE, "parameters": "", "confirmed": True})
EVIL_PAGE = """<!doctype html><title>evil</title><form id="form" method="post" enctype="text/plain" target="frame">
<input name='%s' value=''></form><iframe name="frame" id="frame"></iframe>"""
SCRIPT = '"><img src=x onerror="window.attacked=1"><script>window.attacked=1</script>'


@contextmanager
def another_site() -> Generator[str, None, None]:
    """Serve a page on another port of this machine; for cookies, it is the same site as the studio."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write((EVIL_PAGE % BODY.replace("'", "&#39;")).encode())

        def log_message(self, format: str, *args: object) -> None:  # the name in the base class
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_the_access_guard_stops_attacks_of_a_page_of_another_port(start: Start, window: SignIn, tmp_path: Path) -> None:
    studio = start(COMMERCE, store_of(tmp_path))
    found = window(studio)
    origin = found.origin
    with another_site() as site:
        page = found.open("/Commerce/query")  # the overview loads itself again
        page.goto(site)
        answers = page.evaluate(
            """async ([origin, body]) => {
              const ask = `${origin}/Commerce/ask/query`, results = [];
              const plain = { credentials: "include", body, method: "POST" };
              const attempts = [
                fetch(`${origin}/Commerce/overview`, { credentials: "include" }),
                fetch(ask, plain),
                fetch(ask, { ...plain, headers: { "X-Studio-Write": "guess" } }),
              ];
              for (const each of attempts) results.push(await each.then((answer) => answer.type, () => "failed"));
              const unseen = fetch(`${origin}/Commerce/overview`, { mode: "no-cors", credentials: "include" });
              const hidden = await unseen.then((answer) => answer.type, () => "failed");
              const opened = window.open(`${origin}/Commerce/overview`);
              await new Promise((done) => setTimeout(done, 500));
              let read = "";
              try { read = opened.document.body.innerHTML; } catch { read = "blocked"; }
              return [...results, hidden, opened ? read : "blocked"];
            }""",
            [origin, BODY],
        )
        assert answers[:3] == ["failed", "failed", "failed"]
        assert answers[3] in ("failed", "opaque")
        assert "Commerce" not in answers[4]
        submit = "action => { const form = document.querySelector('#form'); form.action = action; form.submit(); }"
        page.evaluate(submit, f"{origin}/Commerce/ask/query")
        page.wait_for_timeout(500)
        page.evaluate("source => { document.querySelector('#frame').src = source; }", f"{origin}/Commerce/overview")
        page.wait_for_timeout(500)
        assert not any("Commerce" in frame.content() for frame in page.frames if frame.url.startswith(origin))
    found.page.goto(f"http://rebound.example:{origin.rpartition(':')[2]}/Commerce/overview")
    assert "This address is not the studio's" in found.page.content()
    state = page.context.storage_state()
    page.close()
    found.problems.clear()  # the browser reports each attempt that it blocked
    page = window(studio, state).open("/Commerce/patterns/profile?id=42")
    page.wait_for_selector(".metrics")
    assert page.locator(".answer tbody tr").count() == 1


def test_scripts_in_names_keys_and_values_of_items_do_not_run_in_the_studio(
    start: Start, window: SignIn, tmp_path: Path
) -> None:
    user = User(id=SCRIPT, name=SCRIPT, email=SCRIPT, joined_at=at("2026-01-01T00:00:00"))
    url = store_of(tmp_path, rows=[*ROWS, user])
    opened = open_table(Commerce.design, url, OpenOptions())
    raw = {"PK": {"S": SCRIPT}, "SK": {"S": SCRIPT}, SCRIPT: {"M": {SCRIPT: {"S": SCRIPT}}}}
    send(opened, "PutItem", {"TableName": "Commerce", "Item": raw})
    opened.session.close()
    found = window(start(COMMERCE, url))
    key = quote(json.dumps({"PK": raw["PK"], "SK": raw["SK"]}, separators=(",", ":")))
    for path, shown in (
        (f"/Commerce/collections?item={key}", "#dock .name"),
        (f"/Commerce/collections?q={quote('User.name:' + SCRIPT)}", "[data-place=table] .row"),
        (f"/Commerce/items?id={key}", "#item-form"),
        (f"/Commerce/patterns/profile?id={quote(SCRIPT)}", ".metrics"),
        (f"/Commerce/query?s={quote('SELECT * FROM Commerce')}", ".answer"),
    ):
        page = found.open(path)
        if "query" in path:
            page.click("#run")
        page.wait_for_selector(shown)
        page.keyboard.press("d")
        until(page, "document.body.textContent.includes('window.attacked=1')")
        assert page.evaluate("window.attacked") is None
        assert page.locator("main img").count() == 0
