"""The caller is the first function of the application on the stack."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from examples.shop.model import Shop
from singletable.catalogue import install
from singletable.catalogue.callers import Caller, caller_of
from singletable.catalogue.record_lines import read_lines
from singletable.engine import Engine
from singletable.engine.boto3_clients import boto3_client


def function(name: str, module: str, body: str, **names: Any) -> Any:
    """Return a function that belongs to a module of this name."""
    scope: dict[str, Any] = {"__name__": module, "sys": sys, **names}
    exec(compile(body, f"/srv/app/src/{module.replace('.', '/')}.py", "exec"), scope)
    return scope[name]


def library(called: Any = None) -> Any:
    body = "def call():\n    return called() if called else sys._getframe()"
    return function("call", "botocore.client", body, called=called)


def test_the_caller_of_a_request_is_not_a_frame_of_a_library() -> None:
    wrapped = function("call", "boto3.resources.action", "def call():\n    return called()", called=library())
    frame: FrameType = function("read", "shop", "def read():\n    return called()", called=wrapped)()
    assert caller_of(frame) == Caller("app/src/shop.py", 2, "read")


def test_a_private_function_is_not_the_caller_if_its_file_calls_it() -> None:
    body = "def _read(): return called()\nclass Shop:\n    def orders(self): return [_read() for _ in '1'][0]"
    shop = function("Shop", "shop", body, called=library())
    caller = caller_of(shop().orders())
    assert caller is not None
    assert caller.function == "Shop.orders"


def test_a_private_function_that_another_file_calls_is_the_caller() -> None:
    private = function("_read", "shop", "def _read():\n    return called()", called=library())
    frame = function("main", "other", "def main():\n    return called()", called=private)()
    assert caller_of(frame) == Caller("app/src/shop.py", 2, "_read")


def test_the_caller_of_a_request_is_not_in_an_ignored_module() -> None:
    wrapper = function("get", "app.dynamo.base", "def get():\n    return called()", called=library())
    frame = function("order", "app.orders", "def order():\n    return called()", called=wrapper)()
    assert caller_of(frame, ["app.dynamo"]) == Caller("src/app/orders.py", 2, "order")
    assert caller_of(frame, ["app.dyna"]) == Caller("app/dynamo/base.py", 2, "get")


def test_a_stack_of_libraries_has_no_caller() -> None:
    assert caller_of(None) is None


def test_functions_that_start_the_event_loop_are_not_the_caller() -> None:
    loop = function("_run", "asyncio.events", "def _run():\n    return called()", called=library())
    frame = function("main", "app", "def main():\n    return called()", called=loop)()
    assert caller_of(frame) is None


def test_a_declared_pattern_is_the_caller_in_threads_and_tasks_too(tmp_path: Path) -> None:
    path = tmp_path / "catalogue.jsonl"
    shop = Shop.open(boto3_client(Engine("memory:")), create=True)
    with install(path):
        shop.customer("c1")
        asyncio.run(shop.customer.aio("c1"))
        shop.orders_of_customer.count("c1")
        list(shop.orders_of_customer.all("c1"))
    callers = [line["caller"] for line in read_lines(path) if "shape" in line]
    assert {function for _, _, function in callers} == {"Shop.customer", "Shop.orders_of_customer"}
    assert {file for file, _, _ in callers} == {"examples/shop/model.py"}
