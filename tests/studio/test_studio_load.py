"""The size of the first pages, and the memory of a studio that answers many requests."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from singletable.studio.access_guard import WRITE_HEADER
from tests.cli.program import PROGRAM, ROOT, environment
from tests.studio.opened_studio import COMMERCE, store_of

pytestmark = pytest.mark.slow
REQUESTS = int(os.environ.get("STUDIO_REQUESTS", "300"))
"""The number of requests; `make studio-million` sends 10,000."""
FIRST_PAGE_BYTES_MAX, GROWTH_MB_MAX = 300_000, 20
SCREENS = ("overview", "collections", "patterns/orders_in_status", "items", "query", "design/model", "design/traffic")


@dataclass
class Visitor:
    """A browser without scripts that is signed in to a studio in its own process."""

    process: subprocess.Popen[str]
    connection: http.client.HTTPConnection
    headers: dict[str, str] = field(default_factory=dict)

    def get(self, path: str) -> tuple[http.client.HTTPResponse, bytes]:
        self.connection.request("GET", path, headers=self.headers)
        response = self.connection.getresponse()
        return response, response.read()

    def ask(self, question: str, **document: Any) -> Any:
        headers = {**self.headers, "Content-Type": "application/json"}
        self.connection.request("POST", f"/Commerce/ask/{question}", json.dumps(document), headers)
        answer = json.loads(self.connection.getresponse().read())
        assert "error" not in answer, (question, answer)
        return answer

    @property
    def megabytes(self) -> float:
        """The memory of the studio."""
        found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{self.process.pid}/status").read_text())
        assert found is not None
        return int(found[1]) / 1024


@pytest.fixture(scope="module")
def visitor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    store = store_of(tmp_path_factory.mktemp("store"))
    command = [str(PROGRAM), "studio", COMMERCE, store, "--no-browser"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    origin, _, token = process.stdout.readline().strip().partition("/?")
    found = Visitor(process, http.client.HTTPConnection(origin.removeprefix("http://")))
    response, _ = found.get(f"/?{token}")
    found.headers["Cookie"] = str(response.getheader("Set-Cookie")).partition(";")[0]
    page = found.get("/Commerce/overview")[1].decode()
    write = re.search('data-write="([^"]+)"', page)
    assert write is not None
    found.headers |= {"Origin": origin, WRITE_HEADER: write[1]}
    yield found
    found.connection.close()
    process.terminate()
    process.wait(20)
    process.stdout.close()


@pytest.mark.parametrize("screen", SCREENS)
def test_a_studio_screen_and_its_assets_are_small_to_load(visitor: Visitor, screen: str) -> None:
    _, page = visitor.get(f"/Commerce/{screen}")
    assets = {each.decode() for each in re.findall(rb'(?:href|src)="(/assets/[^"]+)"', page)}
    assert len(assets) >= 5
    assert len(page) + sum(len(visitor.get(each)[1]) for each in assets) < FIRST_PAGE_BYTES_MAX


@pytest.mark.skipif(sys.platform != "linux", reason="/proc reports the memory of a process")
def test_the_memory_of_a_studio_stays_the_same(visitor: Visitor) -> None:
    ids = [row["id"] for row in visitor.ask("column", place="table")["rows"]]

    def visit(number: int) -> None:
        arguments = {"user_id": "42", "status": "SHIPPED", "limit": "1"}
        fields = {"f.id": str(number), "f.name": "n", "f.email": "e", "f.joined_at": "2026-01-01T00:00:00Z"}
        visitor.get("/Commerce/overview")
        visitor.ask("column", place="GSI1")
        visitor.ask("item", id=ids[number % len(ids)])
        visitor.ask("run", pattern="orders_in_status", values=arguments)
        visitor.ask("query", statement=f"SELECT * FROM Commerce WHERE PK = 'USER#{number}'", parameters="")
        visitor.ask("explain", statement=f"SELECT id FROM Commerce WHERE PK = '{number}'", parameters="")
        visitor.ask("find", text=f"USER#{number}")
        visitor.ask("stage", id="", entity="User", loaded="", mode="fields", values=fields)
        visitor.ask("discard")
        visitor.get("/pulse")

    for number in range(20):
        visit(number)
    before = visitor.megabytes
    for number in range(REQUESTS // 10):
        visit(number + 20)
    assert visitor.megabytes - before < GROWTH_MB_MAX
