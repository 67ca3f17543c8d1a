"""Every example returns the same results in memory, in a file and over HTTP, and boto3 reads the same items."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from boto3.dynamodb.types import TypeDeserializer  # type: ignore[import-untyped]

from examples import SYSTEMS
from examples.script import Script, fill
from singletable import Page, Table
from singletable.client.tracing import RequestEvent
from tests.clients.local_server import KEY, LocalServer, serve
from tests.examples.scripts import clock_of, expected, script, tour
from tests.examples.stored_fields import holds, objects_in

READS = {"GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Generator[LocalServer, None, None]:
    """Start a server that requires signed requests."""
    with serve(tmp_path_factory.mktemp("served") / "examples.db") as running:
        yield running


def signed(served: LocalServer) -> str:
    """Return the URL of the server with a valid access key."""
    return served.url.replace("http://", f"http://{KEY}:{KEY}@")


@dataclass
class ScriptRun:
    """A script run: its table, its result, and the requests it sent."""

    name: str
    table: Table
    script: Script[Any, Any]
    result: Any
    requests: list[RequestEvent]


def run(system: str, url: Callable[[str], str], prefix: str = "") -> Iterator[ScriptRun]:
    """Run the scripts of a system in order; scripts with the same rows share a table."""
    requests: list[RequestEvent] = []
    with ExitStack() as stack:
        known: dict[tuple[int, int, int], Table] = {}
        for name in tour(system):
            chosen = script(system, name)
            which = id(chosen.model), id(chosen.rows), id(clock_of(chosen))
            if which not in known:
                called = f"{prefix}{system}-{len(known)}"
                known[which] = stack.enter_context(
                    chosen.model.open(url(called), create=True, name=called, now=clock_of(chosen), hook=requests.append)
                )
                fill(known[which], chosen.rows)
            requests.clear()
            result = chosen.execute(known[which])
            yield ScriptRun(name, known[which], chosen, result, list(requests))


def without_cursors(result: Any) -> Any:
    """Return a result without its cursors, which are valid for one open table only."""
    if isinstance(result, Page):
        return [without_cursors(each) for each in result]
    if isinstance(result, list | tuple):
        return [without_cursors(each) for each in result]
    if isinstance(result, Mapping):
        return {name: without_cursors(each) for name, each in result.items()}
    if dataclasses.is_dataclass(result):
        return {field.name: without_cursors(getattr(result, field.name)) for field in dataclasses.fields(result)}
    return result


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_system_returns_the_same_results_on_every_backend(
    system: str, served: LocalServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places: list[Callable[[str], str]] = [
        lambda _: "memory:",
        lambda name: f"file:{tmp_path}/{name}.db",
        lambda _: signed(served),
    ]
    results: list[dict[str, Any]] = []
    for place in places:
        results.append({})
        for done in run(system, place):
            results[-1][done.name] = without_cursors(done.result)
            done.script.show(done.result)
            assert capsys.readouterr().out == expected(system, done.name)
    in_memory, in_file, over_http = results
    assert in_memory
    assert in_file == in_memory
    assert over_http == in_memory


@pytest.mark.parametrize("system", SYSTEMS)
def test_boto3_reads_the_same_fields_as_the_typed_results_of_every_example(system: str, served: LocalServer) -> None:
    client = served.client()
    compared = 0
    for done in run(system, lambda _: signed(served), prefix="boto3-"):
        if any(request.operation not in READS for request in done.requests):
            continue  # its own writes changed what it had read
        items = [item for request in done.requests for item in read_by_boto3(client, request)]
        for value in objects_in(done.result, type(done.table).design):
            assert any(holds(item, value, type(done.table).design) for item in items), (done.name, value)
            compared += 1
    assert compared >= 5


def read_by_boto3(client: Any, request: RequestEvent) -> Iterator[dict[str, Any]]:
    """Return the items of a request that boto3 sends, as Python values of boto3's types."""
    method = re.sub(r"(?<!^)(?=[A-Z])", "_", request.operation).lower()
    result = getattr(client, method)(**request.parameters)
    read = TypeDeserializer().deserialize
    match request.operation:
        case "GetItem":
            found = [result.get("Item")]
        case "BatchGetItem":
            found = [item for items in result["Responses"].values() for item in items]
        case "TransactGetItems":
            found = [each.get("Item") for each in result["Responses"]]
        case _:
            found = result["Items"]
    for item in found:
        if item is not None:
            yield {name: read(value) for name, value in item.items()}
