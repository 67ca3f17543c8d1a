"""boto3 clients and resources whose requests the engine answers in the same process, without a socket."""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache
from io import BytesIO
from itertools import count
from typing import Any, Protocol
from zlib import crc32

from singletable.engine.http.date import http_date

# By the names that botocore's events and signers give them; DynamoDB Streams is a service of its own there.
SERVICES = ("dynamodb", "dynamodb-streams")
CLIENT_NAMES = ("dynamodb", "dynamodbstreams")
REGION = "us-east-1"
ACCESS_KEY = {"aws_access_key_id": "singletable", "aws_secret_access_key": "singletable"}


class EngineAnswer(Protocol):
    """What the engine answers."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        ...

    @property
    def body(self) -> bytes:
        """A JSON document."""
        ...


class AnsweringEngine(Protocol):
    """All that this door knows of the engine."""

    def answer(self, target: str, body: bytes) -> EngineAnswer:
        """Answer one request, once it is as durable as the store makes it; several threads may ask at once."""
        ...


def boto3_client(engine: AnsweringEngine, service_name: str = CLIENT_NAMES[0], **options: Any) -> Any:
    """A boto3 client for a service that the engine answers; the options are those of `boto3.client`."""
    if service_name not in CLIENT_NAMES:
        raise ValueError(f"{service_name!r} is none of the services answered here: {', '.join(CLIENT_NAMES)}")
    with _making:
        session = _session()
        client = session.client(service_name, **_filled_in(session, options))
    _bind(client, engine)
    return client


def boto3_resource(engine: AnsweringEngine, **options: Any) -> Any:
    """A boto3 resource for DynamoDB that the engine answers; the options are those of `boto3.resource`."""
    with _making:
        session = _session()
        resource = session.resource("dynamodb", **_filled_in(session, options))
    _bind(resource.meta.client, engine)
    return resource


# A session is not made for several threads at once; its clients are.
_making = threading.Lock()


@cache
def _session() -> Any:
    """One for all: a session reads the description of the whole API anew, which takes a hundred clients' time."""
    return library("boto3").session.Session()


def library(name: str) -> Any:
    """boto3 or a part of botocore, which are there only for who wants them and have no types of their own."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as problem:
        if problem.name not in ("boto3", "botocore"):
            raise
        words = f"{problem.name} is not installed; it comes with: pip install 'singletable[boto3]'"
        raise ModuleNotFoundError(words, name=problem.name) from problem


def _filled_in(session: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The options of a client that needs neither a region nor credentials, and looks for none in the network."""
    unsigned = library("botocore.config").Config(signature_version=library("botocore").UNSIGNED)
    given = options.get("config")
    filled = {"region_name": session.region_name or REGION, **ACCESS_KEY, **options}
    filled["config"] = unsigned if given is None else unsigned.merge(given)
    return filled


def _bind(client: Any, engine: AnsweringEngine) -> None:
    """Answer every request of the client before it is sent."""
    response = response_maker()

    def answer(request: Any, **_: Any) -> Any:
        return response(engine, request)

    for service in SERVICES:
        client.meta.events.register_first(f"before-send.{service}", answer)


Respond = Callable[[AnsweringEngine, Any], Any]


def response_maker() -> Respond:
    """What turns a request of botocore, as it would be sent, into the response that it would get."""
    aws_response = library("botocore.awsrequest").AWSResponse
    numbers = count(1)

    def response(engine: AnsweringEngine, request: Any) -> Any:
        answer = engine.answer(_text(request.headers.get("X-Amz-Target", "")), _bytes(request.body))
        headers = {
            "Server": "Server",
            "Date": http_date(time.time()),
            "Content-Type": "application/x-amz-json-1.0",
            "Content-Length": str(len(answer.body)),
            "x-amzn-RequestId": f"{next(numbers):052X}",
            "x-amz-crc32": str(crc32(answer.body)),
        }
        return aws_response(request.url, answer.status, headers, _Raw(answer.body))

    return response


class _Raw(BytesIO):
    """A body as botocore expects it from urllib3: a file that can also be asked for its parts."""

    def stream(self, *_: Any, **__: Any) -> Iterator[bytes]:
        """What is left to be read, in one part."""
        yield self.read()


def _text(value: bytes | str) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value


def _bytes(body: Any) -> bytes:
    """The body of a request: botocore takes text, bytes, and files too."""
    if body is None:
        return b""
    if hasattr(body, "read"):
        body = body.read()
    return body.encode() if isinstance(body, str) else bytes(body)
