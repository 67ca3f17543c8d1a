"""Every example answers alike in memory, in a file and over HTTP, where plain boto3 reads what its scripts read."""

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
from singletable.client.watched import Watched
from tests.clients.serving import KEY, Served, serve
from tests.examples.scripts import clock_of, expected, script, tour
from tests.examples.stored_fields import holds, objects_in

READS = {"GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served, None, None]:
    """A server that checks signatures."""
    with serve(tmp_path_factory.mktemp("served") / "examples.db") as running:
        yield running


def signed(served: Served) -> str:
    """The server's URL with the key that it takes."""
    return served.url.replace("http://", f"http://{KEY}:{KEY}@")


@dataclass
class Asked:
    """One script: its table, its answer, and the requests that the answer took."""

    name: str
    table: Table
    script: Script[Any, Any]
    answer: Any
    requests: list[Watched]


def run(system: str, url: Callable[[str], str], prefix: str = "") -> Iterator[Asked]:
    """The scripts of a system one after another; those that ask the same rows share a table."""
    requests: list[Watched] = []
    with ExitStack() as stack:
        known: dict[tuple[int, int, int], Table] = {}
        for name in tour(system):
            asking = script(system, name)
            which = id(asking.model), id(asking.rows), id(clock_of(asking))
            if which not in known:
                called = f"{prefix}{system}-{len(known)}"
                known[which] = stack.enter_context(
                    asking.model.open(url(called), create=True, name=called, now=clock_of(asking), hook=requests.append)
                )
                fill(known[which], asking.rows)
            requests.clear()
            answer = asking.ask(known[which])
            yield Asked(name, known[which], asking, answer, list(requests))


def plain(answer: Any) -> Any:
    """An answer without its cursors, which hold for one opening of the table."""
    if isinstance(answer, Page):
        return [plain(each) for each in answer]
    if isinstance(answer, list | tuple):
        return [plain(each) for each in answer]
    if isinstance(answer, Mapping):
        return {name: plain(each) for name, each in answer.items()}
    if dataclasses.is_dataclass(answer):
        return {field.name: plain(getattr(answer, field.name)) for field in dataclasses.fields(answer)}
    return answer


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_system_answers_alike_everywhere(
    system: str, served: Served, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places: list[Callable[[str], str]] = [
        lambda _: "memory:",
        lambda name: f"file:{tmp_path}/{name}.db",
        lambda _: signed(served),
    ]
    answers: list[dict[str, Any]] = []
    for place in places:
        answers.append({})
        for asked in run(system, place):
            answers[-1][asked.name] = plain(asked.answer)
            asked.script.tell(asked.answer)
            assert capsys.readouterr().out == expected(system, asked.name)
    in_memory, in_file, over_http = answers
    assert in_memory
    assert in_file == in_memory
    assert over_http == in_memory


@pytest.mark.parametrize("system", SYSTEMS)
def test_plain_boto3_reads_the_fields_of_every_typed_answer(system: str, served: Served) -> None:
    client = served.client()
    compared = 0
    for asked in run(system, lambda _: signed(served), prefix="boto3-"):
        if any(request.operation not in READS for request in asked.requests):
            continue  # what it read was changed again by what it wrote
        items = [item for request in asked.requests for item in read_by_boto3(client, request)]
        for value in objects_in(asked.answer, type(asked.table).design):
            assert any(holds(item, value, type(asked.table).design) for item in items), (asked.name, value)
            compared += 1
    assert compared >= 5


def read_by_boto3(client: Any, request: Watched) -> Iterator[dict[str, Any]]:
    """The items that a request gives when boto3 sends it, as Python values by boto3's own types."""
    method = re.sub(r"(?<!^)(?=[A-Z])", "_", request.operation).lower()
    answer = getattr(client, method)(**request.parameters)
    read = TypeDeserializer().deserialize
    match request.operation:
        case "GetItem":
            found = [answer.get("Item")]
        case "BatchGetItem":
            found = [item for items in answer["Responses"].values() for item in items]
        case "TransactGetItems":
            found = [each.get("Item") for each in answer["Responses"]]
        case _:
            found = answer["Items"]
    for item in found:
        if item is not None:
            yield {name: read(value) for name, value in item.items()}
