"""install() records every DynamoDB client of the process, and changes nothing for the application."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import boto3  # type: ignore[import-untyped]
import pytest
from botocore.exceptions import ClientError  # type: ignore[import-untyped]
from botocore.stub import Stubber  # type: ignore[import-untyped]

from singletable.catalogue import install
from singletable.catalogue.record_lines import read_lines
from singletable.catalogue.request_recorder import RequestRecorder
from singletable.engine import Engine
from singletable.engine.boto3_clients import boto3_client
from tests.catalogue.recorded import RecordedClients, recorded


def test_the_botocore_hook_records_existing_clients_until_uninstall(tmp_path: Path) -> None:
    clients = RecordedClients(tmp_path / "catalogue.jsonl")
    table = clients.create_table("tbl", "pk")
    table.put_item(Item={"pk": "before"})
    with install(clients.path):
        table.get_item(Key={"pk": "a"})
        clients.client.get_item(TableName="tbl", Key={"pk": {"S": "a"}})
    table.get_item(Key={"pk": "after"})
    with install(clients.path):
        table.delete_item(Key={"pk": "a"})
    assert [line["operation"] for line in clients.shapes()] == ["GetItem", "DeleteItem"]
    assert len(clients.requests()) == 3
    assert len({line["run"] for line in clients.lines()}) == 2


def test_the_botocore_hook_does_not_change_responses(tmp_path: Path) -> None:
    item = {"pk": "a", "data": b"\x00\xff", "tags": {"x", "y"}, "deep": {"n": [1, {"b": b"z"}]}}
    with recorded(tmp_path / "catalogue.jsonl") as clients:
        table = clients.create_table("tbl", "pk")
        table.put_item(Item=item)
        with_recording = table.get_item(Key={"pk": "a"})["Item"]
    assert with_recording == table.get_item(Key={"pk": "a"})["Item"]
    put, get = clients.requests()
    assert put["w"] == get["b"] > 20


def test_the_botocore_hook_records_items_bytes_pages_and_consumed_units(tmp_path: Path) -> None:
    with recorded(tmp_path / "catalogue.jsonl") as clients:
        table = clients.create_table("tbl", "pk")
        for number in range(10):
            table.put_item(Item={"pk": str(number), "n": number})
        page = table.scan(Limit=6, FilterExpression="n > :n", ExpressionAttributeValues={":n": 3})
        table.scan(ExclusiveStartKey=page["LastEvaluatedKey"], ReturnConsumedCapacity="TOTAL")
    first, second = clients.requests()[-2:]
    assert (first["i"], first["x"], first["more"]) == (page["Count"], 6, True)
    assert "e" in first
    assert second["continues"] is True
    assert second["u"] == 0.5
    assert "more" not in second


def test_the_botocore_hook_records_an_error_code_and_passes_the_error_on(tmp_path: Path) -> None:
    with recorded(tmp_path / "catalogue.jsonl") as clients:
        with pytest.raises(ClientError, match="ResourceNotFoundException"):
            clients.client.get_item(TableName="nothing", Key={"pk": {"S": "a"}})
        closed = boto3.client(
            "dynamodb",
            region_name="us-east-1",
            endpoint_url="http://127.0.0.1:1",
            aws_access_key_id="a",
            aws_secret_access_key="b",
            config=boto3.session.Config(retries={"max_attempts": 0}),
        )
        with pytest.raises(Exception, match="Could not connect"):
            closed.get_item(TableName="nothing", Key={"pk": {"S": "a"}})
    assert [line["error"] for line in clients.requests()] == ["ResourceNotFoundException", "EndpointConnectionError"]


def test_the_botocore_hook_records_a_stubbed_client_and_keeps_its_stubs(tmp_path: Path) -> None:
    client = boto3_client(Engine("memory:"))
    path = tmp_path / "catalogue.jsonl"
    with install(path), Stubber(client) as stubber:
        stubber.add_response("get_item", {"Item": {"pk": {"S": "a"}}})
        assert client.get_item(TableName="tbl", Key={"pk": {"S": "a"}})["Item"] == {"pk": {"S": "a"}}
    assert [line["i"] for line in read_lines(path) if "s" in line] == [1]


def test_the_botocore_hook_ignores_clients_of_other_services(tmp_path: Path) -> None:
    client = boto3.client("sts", region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b")
    path = tmp_path / "catalogue.jsonl"
    with install(path), Stubber(client) as stubber:
        stubber.add_response("get_caller_identity", {"Account": "123456789012"})
        client.get_caller_identity()
    assert [list(line) for line in read_lines(path)] == [["catalogue", "run", "source", "time"]]


def test_the_botocore_hook_cannot_be_installed_twice(tmp_path: Path) -> None:
    with install(tmp_path / "one.jsonl"), pytest.raises(RuntimeError, match=r"one\.jsonl is already installed"):
        install(tmp_path / "two.jsonl")


def test_the_botocore_hook_never_fails_a_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    with recorded(tmp_path / "catalogue.jsonl") as clients, caplog.at_level(logging.ERROR):
        table = clients.create_table("tbl", "pk")
        monkeypatch.setattr(RequestRecorder, "record", fail)
        table.put_item(Item={"pk": "a"})
        assert table.get_item(Key={"pk": "a"})["Item"] == {"pk": "a"}
    assert "cannot record a request of PutItem" in caplog.text


def test_the_botocore_hook_writes_whole_lines_from_several_threads(tmp_path: Path) -> None:
    with recorded(tmp_path / "catalogue.jsonl") as clients:
        table = clients.create_table("tbl", "pk")

        def work(number: int) -> None:
            for step in range(20):
                table.put_item(Item={"pk": f"{number}-{step}"})

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, range(4)))
    assert sorted(line["n"] for line in clients.requests()) == list(range(80))
    assert len(clients.shapes()) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_the_botocore_hook_starts_a_new_recording_in_a_forked_process(tmp_path: Path) -> None:
    path = tmp_path / "catalogue.jsonl"
    script = """
import os, sys
from singletable.catalogue import install
from singletable.engine import Engine
from singletable.engine.boto3_clients import boto3_client
install(sys.argv[1])
def send():
    client = boto3_client(Engine("memory:"))
    try:
        client.get_item(TableName="tbl", Key={"pk": {"S": "a"}})
    except Exception:
        pass
send()
if (child := os.fork()) == 0:
    send()
    os._exit(0)
os.waitpid(child, 0)
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", script, str(path)], check=True, timeout=60)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    requests = [line for line in lines if "s" in line]
    assert len({line["run"] for line in requests}) == 2
    shapes = {(line["run"], line["shape"]) for line in lines if "shape" in line}
    assert {(line["run"], line["s"]) for line in requests} == shapes


def test_the_botocore_hook_links_requests_to_the_result_that_contained_their_keys(tmp_path: Path) -> None:
    with recorded(tmp_path / "catalogue.jsonl") as clients:
        orders, products = clients.create_table("orders", "id", "sku"), clients.create_table("products", "pk")
        for sku in ("s-1", "s-2", "s-3"):
            orders.put_item(Item={"id": "o", "sku": sku})
        for item in orders.query(KeyConditionExpression="id = :id", ExpressionAttributeValues={":id": "o"})["Items"]:
            products.get_item(Key={"pk": f"PRODUCT#{item['sku']}"})
        products.get_item(Key={"pk": "PRODUCT#s-9"})
    *_, query, first, second, third, other = clients.requests()
    assert [line.get("after") for line in (first, second, third, other)] == [[query["n"], query["s"]]] * 3 + [None]


def test_the_botocore_hook_does_not_link_requests_of_another_thread(tmp_path: Path) -> None:
    with recorded(tmp_path / "catalogue.jsonl") as clients:
        table = clients.create_table("tbl", "pk")
        for key in "ab":
            table.put_item(Item={"pk": key})
        table.scan()
        with ThreadPoolExecutor(1) as pool:
            pool.submit(table.get_item, Key={"pk": "a"}).result()
        table.get_item(Key={"pk": "a"})
    *_, scan, elsewhere, here = clients.requests()
    assert "after" not in elsewhere
    assert here["after"] == [scan["n"], scan["s"]]


def test_the_botocore_hook_records_capacity_without_a_change_of_requests_and_responses(tmp_path: Path) -> None:
    clients = RecordedClients(tmp_path / "catalogue.jsonl")
    table = clients.create_table("tbl", "pk", index=("status", "pk"))
    item = {"pk": "a", "status": "x"}
    with install(clients.path, capacity=True):
        assert "ConsumedCapacity" not in table.put_item(Item=item)
        assert item == {"pk": "a", "status": "x"}  # boto3 must still copy the parameters
        assert "ConsumedCapacity" not in clients.client.get_item(TableName="tbl", Key={"pk": {"S": "a"}})
        own = table.get_item(Key={"pk": "a"}, ReturnConsumedCapacity="TOTAL")
    assert own["ConsumedCapacity"]["CapacityUnits"] == 0.5
    assert [(line.get("u"), line.get("e")) for line in clients.requests()] == [(2.0, None), (0.5, None), (0.5, None)]


def test_the_botocore_hook_forgets_the_results_of_an_earlier_recording(tmp_path: Path) -> None:
    clients = RecordedClients(tmp_path / "catalogue.jsonl")
    table = clients.create_table("tbl", "pk")
    for key in "ab":
        table.put_item(Item={"pk": key})
    with install(clients.path):
        table.scan()
    with install(clients.path):
        table.get_item(Key={"pk": "a"})
    assert "after" not in clients.requests()[-1]
