"""OpenTelemetry spans: one per request, named after its operation, with the pattern and without values."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("opentelemetry.sdk")

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from singletable import ConditionFailed, field
from singletable.client.tracing import Tracing
from tests.client.places import EMBEDDED, Place
from tests.client.shop import Order, Shop, order


class _Trace:
    """The OpenTelemetry API with a provider of the test, because the real provider can be set only once per process."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider

    def get_tracer_provider(self) -> TracerProvider:
        return self._provider

    def get_tracer(self, name: str) -> trace.Tracer:
        return self._provider.get_tracer(name)

    SpanKind, StatusCode, ProxyTracerProvider = trace.SpanKind, trace.StatusCode, trace.ProxyTracerProvider


@pytest.fixture
def spans(place: Place) -> Iterator[tuple[Shop, InMemorySpanExporter, TracerProvider]]:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with place.open(Shop) as shop:
        session = shop._opened().session
        session.tracing = Tracing(getattr(session.transport, "server", None), _Trace(provider))
        yield shop, exporter, provider
    provider.shutdown()


Spans = tuple[Shop, InMemorySpanExporter, TracerProvider]


def attributes(span: ReadableSpan) -> dict[str, object]:
    return dict(span.attributes or {})


def test_tracing_creates_a_span_for_each_request(spans: Spans, place: Place) -> None:
    shop, exporter, _ = spans
    shop.put(order(1, note="a secret note"))
    shop.order.using(consistent=True)("o0001")
    shop.orders_of_customer("c1", limit=7)
    asyncio.run(shop.order.aio("o0001"))
    put, get, query, awaited = exporter.get_finished_spans()
    assert [span.name for span in (put, get, query, awaited)] == [
        "DynamoDB.PutItem",
        "DynamoDB.GetItem",
        "DynamoDB.Query",
        "DynamoDB.GetItem",
    ]
    assert {span.kind for span in (put, get, query)} == {trace.SpanKind.CLIENT}
    told = attributes(get)
    assert (told["db.system.name"], told["db.operation.name"]) == ("aws.dynamodb", "GetItem")
    assert (told["rpc.system"], told["rpc.service"], told["rpc.method"]) == ("aws-api", "DynamoDB", "GetItem")
    assert told["aws.dynamodb.table_names"] == ("Shop",)
    assert told["singletable.pattern"] == "order"
    assert told["aws.dynamodb.consistent_read"] is True
    consumed = told["aws.dynamodb.consumed_capacity"]
    assert isinstance(consumed, tuple)
    assert [json.loads(each)["CapacityUnits"] for each in consumed] == [1.0]
    told = attributes(query)
    assert (told["aws.dynamodb.index_name"], told["aws.dynamodb.scan_forward"]) == ("GSI1", False)
    assert (told["aws.dynamodb.count"], told["aws.dynamodb.scanned_count"]) == (1, 1)
    assert "singletable.pattern" not in attributes(put)
    assert attributes(awaited)["singletable.pattern"] == "order"
    assert ("server.port" in told) is (place.kind not in EMBEDDED)
    for span in (put, get, query):
        assert not any(hidden in repr(attributes(span)) for hidden in ("secret note", "o0001", "c1"))
        assert (span.end_time or 0) > (span.start_time or 0)


def test_tracing_marks_the_span_of_an_error_response_with_its_code(spans: Spans) -> None:
    shop, exporter, _ = spans
    shop.put(order(1))
    exporter.clear()
    with pytest.raises(ConditionFailed):
        shop.update(order(1), field(Order, lambda o: o.note).set("x"), where=lambda o: o.status == "OPEN")
    span = exporter.get_finished_spans()[0]
    assert span.status.status_code is trace.StatusCode.ERROR
    told = attributes(span)
    assert told["error.type"] == told["db.response.status_code"] == "ConditionalCheckFailedException"


def test_tracing_makes_the_span_of_the_caller_the_parent_on_every_thread(spans: Spans) -> None:
    shop, exporter, provider = spans
    shop.put_many(order(number) for number in range(60))
    exporter.clear()
    with provider.get_tracer("test").start_as_current_span("mine") as mine:
        shop.put_many(order(number) for number in range(60))
    batches = [span for span in exporter.get_finished_spans() if span.name == "DynamoDB.BatchWriteItem"]
    assert len(batches) == 3
    assert {span.parent.span_id for span in batches if span.parent} == {mine.get_span_context().span_id}
    assert attributes(batches[0])["aws.dynamodb.table_names"] == ("Shop",)


def test_tracing_creates_no_spans_until_the_program_configures_opentelemetry() -> None:
    assert "opentelemetry.trace" in sys.modules
    assert not Tracing(None).is_on()


def test_tracing_creates_no_spans_if_opentelemetry_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    monkeypatch.delitem(sys.modules, "opentelemetry.trace")
    with Shop.open("memory:") as shop:
        assert not shop._opened().session.is_observed


def test_tracing_starts_when_the_program_configures_opentelemetry_after_opening_a_table() -> None:
    script = (
        "import sys\n"
        "from tests.client.engine_only import Notes, Note\n"
        "with Notes.open('memory:') as notes:\n"
        "    notes.put(Note('n1'))\n"
        "    assert 'opentelemetry' not in sys.modules\n"
        "    from opentelemetry import trace\n"
        "    from opentelemetry.sdk.trace import TracerProvider\n"
        "    from opentelemetry.sdk.trace.export import SimpleSpanProcessor\n"
        "    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter\n"
        "    exporter, provider = InMemorySpanExporter(), TracerProvider()\n"
        "    provider.add_span_processor(SimpleSpanProcessor(exporter))\n"
        "    trace.set_tracer_provider(provider)\n"
        "    notes.note('n1')\n"
        "    print(*[span.name for span in exporter.get_finished_spans()])\n"
    )
    root = Path(__file__).resolve().parents[2]
    run = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("DynamoDB.GetItem\n", "")
