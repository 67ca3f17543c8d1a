"""Every contender of the client benchmark reads and writes the same orders, with equal values of equal types."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from bench.client_bench.contenders import CONTENDERS, Contender, Mode
from bench.client_bench.libraries import PINS, cached_python
from bench.client_bench.orders import (
    FIELDS,
    difference,
    difference_of_dict,
    order,
    order_from_dict,
    orders,
    stored_item,
)
from bench.client_bench.rows import ENGINE_ROWS, WRITE_ROWS
from bench.client_bench.server_tables import create_write_table, fill
from bench.client_bench.worker_processes import WorkerStopped, start_worker
from bench.engine_bench.command import CACHE
from bench.engine_bench.peers import singletable_program
from bench.engine_bench.server import run_server
from singletable.values.item_size import item_size

BACKENDS = ["memory:", "file:"]
OURS = [each for each in CONTENDERS if each.is_ours]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with run_server("singletable", singletable_program(tmp_path_factory.mktemp("bench") / "served.db")) as server:
        fill(server.port)
        create_write_table(server.port)
        yield f"http://127.0.0.1:{server.port}"


def python_of(contender: Contender) -> Path:
    if contender.is_ours:
        return Path(sys.executable)
    python = cached_python(contender.library, CACHE.expanduser().resolve())
    if python is None:
        pytest.skip(f"{PINS[contender.library]} is not installed; make bench-client installs it")
    return python


def url_at(backend: str, folder: Path) -> str:
    return backend if backend == "memory:" else f"file:{folder}/orders"


@pytest.mark.parametrize(("contender", "mode"), [(each, mode) for each in CONTENDERS for mode in each.modes], ids=str)
def test_a_contender_reads_the_stored_orders(contender: Contender, mode: Mode, url: str) -> None:
    # The worker checks one order and whole customers before it reports that it is ready.
    with start_worker(contender, mode, python_of(contender), url) as worker:
        assert worker.seconds_of_one("get", 0) > 0
        assert worker.seconds_of_one("100", 0) > 0


@pytest.mark.parametrize(
    ("contender", "mode"), [(each, mode) for each in CONTENDERS if each.writes for mode in each.modes], ids=str
)
def test_a_contender_writes_the_expected_items(contender: Contender, mode: Mode, url: str) -> None:
    # The worker reads back a write of every row before it reports that it is ready.
    with start_worker(contender, mode, python_of(contender), url, module="write_worker") as worker:
        for row in WRITE_ROWS:
            assert worker.seconds_of_one(row, 0) > 0


@pytest.mark.parametrize("contender", OURS, ids=str)
@pytest.mark.parametrize("backend", BACKENDS)
def test_our_contender_reads_the_same_without_a_server(contender: Contender, backend: str, tmp_path: Path) -> None:
    with start_worker(contender, "sync", Path(sys.executable), url_at(backend, tmp_path)) as worker:
        assert worker.seconds_of_one("1000", 0) > 0


@pytest.mark.parametrize("contender", OURS, ids=str)
@pytest.mark.parametrize("backend", BACKENDS)
def test_our_contender_writes_the_same_without_a_server(contender: Contender, backend: str, tmp_path: Path) -> None:
    backend_url = url_at(backend, tmp_path)
    with start_worker(contender, "sync", Path(sys.executable), backend_url, backend, "write_worker") as worker:
        for row in WRITE_ROWS:
            assert worker.seconds_of_one(row, 0, "cpu") > 0


@pytest.mark.parametrize("contender", OURS, ids=str)
@pytest.mark.parametrize("backend", BACKENDS)
def test_the_contenders_of_typed_writes_and_the_engine_run_in_one_process(
    contender: Contender, backend: str, tmp_path: Path
) -> None:
    backend_url = url_at(backend, tmp_path)
    with start_worker(contender, "sync", Path(sys.executable), backend_url, backend, "engine_worker") as worker:
        for row in ENGINE_ROWS:
            typed, engine = worker.compare_with_engine(row, 0)
            assert typed > 0
            assert engine > 0


def test_a_contender_whose_process_ends_reports_its_last_error() -> None:
    with start_worker(OURS[0], "sync", Path(sys.executable), "memory:", "memory:", "write_worker") as worker:
        expected = r"^singletable, msgspec at memory: stopped in the row delete: KeyError: 'delete'$"
        with pytest.raises(WorkerStopped, match=expected):
            worker.seconds_of_one("delete", 0)


def test_the_order_of_the_contenders_has_every_type_and_a_realistic_size() -> None:
    some = orders(100)
    assert {type(getattr(each, name)).__name__ for each in some for name in FIELDS} == {
        *("str", "Decimal", "int", "datetime", "bool", "list", "NoneType")
    }
    sizes = [item_size(stored_item(each)) for each in some]
    assert 240 < min(sizes) < max(sizes) < 400


def test_wrong_values_and_types_of_a_contender_are_detected() -> None:
    right = order(100, 7)
    assert difference(right, right) is None
    assert difference(replace(right, quantity=9), right) == "quantity of o00007 is 9, expected 1"
    assert difference(replace(right, total=float(right.total)), right) is not None  # type: ignore[arg-type]
    plain = {**vars(right), "total": float(right.total), "created_at": right.created_at.isoformat()}
    assert difference_of_dict({**plain, "shipped_at": str(right.shipped_at)}, right) is None
    assert difference_of_dict({**plain, "shipped_at": str(right.shipped_at), "gift": True}, right) is not None


def test_the_boto3_contender_converts_orders_from_dicts() -> None:
    right = order(100, 3)
    plain = {**vars(right), "quantity": Decimal(right.quantity), "created_at": "2026-01-01T00:21:00.000003+0000"}
    assert order_from_dict({name: value for name, value in plain.items() if value is not None}) == right
