"""Studios for tests: a workspace on a store, and a client that has exchanged the token."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from starlette.types import ASGIApp, Message

from examples.commerce.model import Commerce
from examples.commerce.rows import ROWS
from singletable import Table
from singletable.cli.studio import add_to, workspace_of
from singletable.studio.access_guard import WRITE_HEADER, StudioSecrets
from singletable.studio.application import studio_application
from singletable.studio.workspace import TableView, Workspace

ROOT = Path(__file__).resolve().parents[2]
COMMERCE = str(ROOT / "examples" / "commerce" / "model.py")
PORT = 8765
ORIGIN = f"http://127.0.0.1:{PORT}"


def workspace(*arguments: str) -> Workspace:
    """Return the workspace of `singletable studio ARGUMENTS`."""
    parser = argparse.ArgumentParser()
    add_to(parser.add_subparsers())
    found: Workspace = workspace_of(parser.parse_args(["studio", *arguments]))
    return found


def store_of(folder: Path, table: type[Table] = Commerce, rows: Iterable[Any] = tuple(ROWS)) -> str:
    """Return the URL of a new store with one table and these rows."""
    url = f"file:{folder / 'store.db'}"
    with table.open(url, create=True) as opened:
        opened.put_many(rows)
    return url


def view_of(space: Workspace, name: str = "Commerce") -> TableView:
    """Return a table of a workspace."""
    found = space.table(name)
    assert found is not None
    return found


@dataclass(frozen=True)
class Response:
    status_code: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Client:
    """A browser without scripts: it keeps cookies, and sends the headers that it is given."""

    application: ASGIApp
    cookies: dict[str, str] = field(default_factory=dict)

    def get(
        self, path: str, params: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> Response:
        query = f"?{urlencode(params)}" if params else ""
        return self.send("GET", path + query, headers or {}, b"")

    def post(self, path: str, document: object, headers: Mapping[str, str] | None = None) -> Response:
        return self.send("POST", path, headers or {}, json.dumps(document).encode())

    def send(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Response:
        return asyncio.run(self._send(method, target, headers, body))

    async def _send(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Response:
        path, _, query = target.partition("?")
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        given = {"host": urlsplit(ORIGIN).netloc, "accept": "text/html", "cookie": cookie}
        given |= {name.lower(): value for name, value in headers.items()}
        scope = {
            "type": "http",
            "method": method,
            "path": path.replace("%2e", "."),
            "raw_path": quote(path).encode(),
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in given.items()],
            "scheme": "http",
            "server": ("127.0.0.1", PORT),
            "client": ("127.0.0.1", 1),
        }
        sent: list[Message] = []

        received = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def receive() -> Message:
            for message in received:
                return message
            await asyncio.Event().wait()  # the browser stays connected
            raise AssertionError

        async def send(message: Message) -> None:
            sent.append(message)

        with suppress(ZeroDivisionError):  # Starlette raises an error again after its response
            await self.application(scope, receive, send)
        found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        if "set-cookie" in found:
            name, _, value = found["set-cookie"].partition(";")[0].partition("=")
            self.cookies[name] = value
        return Response(sent[0]["status"], found, b"".join(each.get("body", b"") for each in sent[1:]))


@dataclass
class Studio:
    """A studio in this process, and a browser that is signed in."""

    space: Workspace
    secrets: StudioSecrets
    client: Client

    def page(self, path: str, status: int = 200) -> str:
        """Return the HTML of a page."""
        response = self.client.get(path)
        assert response.status_code == status, response.text
        return response.text

    def ask(self, question: str, table: str = "Commerce", **document: Any) -> Any:
        """Send a request of a page."""
        headers = {WRITE_HEADER: self.secrets.write_token, "Origin": ORIGIN}
        response = self.client.post(f"/{table}/ask/{question}", document, headers)
        assert response.status_code == 200, response.text
        return response.json()


def studio(space: Workspace, *, signed_in: bool = True) -> Studio:
    """Return a studio that shows a workspace."""
    secrets = StudioSecrets(PORT)
    client = Client(studio_application(space, secrets))
    if signed_in:
        assert client.get("/", params={"token": secrets.token or ""}).status_code == 303
    return Studio(space, secrets, client)


def text_of(html: str) -> str:
    """Return the text of a page without its tags."""
    inline = re.sub(r"</?(?:span|wbr|b|code|a|em|i|kbd)\b[^>]*>", "", html)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", inline)))
