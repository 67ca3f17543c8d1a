"""boto3 clients and resources that call an engine in the same process: new clients, or all clients in the process."""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, wraps
from io import BytesIO
from itertools import count
from typing import Any, Protocol
from zlib import crc32

from singletable.engine.http.http_messages import http_date

# The service names that botocore uses in events and signers. DynamoDB Streams is a separate service.
SERVICES = ("dynamodb", "dynamodb-streams")
CLIENT_NAMES = ("dynamodb", "dynamodbstreams")
REGION = "us-east-1"
ACCESS_KEY = {"aws_access_key_id": "singletable", "aws_secret_access_key": "singletable"}


class JsonResponse(Protocol):
    """The part of an engine's response that boto3 clients need."""

    @property
    def status(self) -> int:
        """Return the HTTP status."""
        ...

    @property
    def body(self) -> bytes:
        """Return the body, a JSON document."""
        ...


class AnsweringEngine(Protocol):
    """The part of the engine that boto3 clients call."""

    def answer(self, target: str, body: bytes) -> JsonResponse:
        """Return the response to a request after its write is durable.

        Several threads may call this method at the same time.
        """
        ...


def boto3_client(engine: AnsweringEngine, service_name: str = CLIENT_NAMES[0], **options: Any) -> Any:
    """Return a boto3 client that calls the engine. This function accepts the options of `boto3.client`."""
    if service_name not in CLIENT_NAMES:
        raise ValueError(f"service_name must be one of {', '.join(CLIENT_NAMES)}, got {service_name!r}")
    with _creation_lock:
        session = _session()
        client = session.client(service_name, **_client_options(session, options))
    _bind(client, engine)
    return client


def boto3_resource(engine: AnsweringEngine, **options: Any) -> Any:
    """Return a boto3 DynamoDB resource that calls the engine. This function accepts the options of `boto3.resource`."""
    with _creation_lock:
        session = _session()
        resource = session.resource("dynamodb", **_client_options(session, options))
    _bind(resource.meta.client, engine)
    return resource


# Creating a client is not thread-safe, because all clients share one boto3 session. Using a client is thread-safe.
_creation_lock = threading.Lock()


@cache
def _session() -> Any:
    """Return the boto3 session that all clients share.

    A new session parses the whole API description, which takes as long as creating 100 clients.
    """
    return library("boto3").session.Session()


def library(name: str) -> Any:
    """Import and return boto3 or a module of botocore, which are optional dependencies without type information."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as problem:
        if problem.name not in ("boto3", "botocore"):
            raise
        message = f"{problem.name} is not installed; install it with: pip install 'singletable[boto3]'"
        raise ModuleNotFoundError(message, name=problem.name) from problem


def _client_options(session: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a client without signing. The region and credentials are set, so boto3 does not search."""
    unsigned = library("botocore.config").Config(signature_version=library("botocore").UNSIGNED)
    given = options.get("config")
    filled = {"region_name": session.region_name or REGION, **ACCESS_KEY, **options}
    filled["config"] = unsigned if given is None else unsigned.merge(given)
    return filled


def _bind(client: Any, engine: AnsweringEngine) -> None:
    """Make the engine answer every request of the client before botocore sends it."""
    response = response_maker()

    def answer(request: Any, **_: Any) -> Any:
        return response(engine, request)

    for service in SERVICES:
        client.meta.events.register_first(f"before-send.{service}", answer)


Respond = Callable[[AnsweringEngine, Any], Any]


def response_maker() -> Respond:
    """Return a function that turns a prepared botocore request into its response."""
    aws_response = library("botocore.awsrequest").AWSResponse
    request_numbers = count(1)

    def response(engine: AnsweringEngine, request: Any) -> Any:
        answer = engine.answer(_text(request.headers.get("X-Amz-Target", "")), _bytes(request.body))
        headers = {
            "Server": "Server",
            "Date": http_date(time.time()),
            "Content-Type": "application/x-amz-json-1.0",
            "Content-Length": str(len(answer.body)),
            "x-amzn-RequestId": f"{next(request_numbers):052X}",
            "x-amz-crc32": str(crc32(answer.body)),
        }
        return aws_response(request.url, answer.status, headers, _ResponseBody(answer.body))

    return response


class _ResponseBody(BytesIO):
    """A response body with the interface that botocore expects from urllib3: a file with a `stream` method."""

    def stream(self, *_: Any, **__: Any) -> Iterator[bytes]:
        """Yield the part of the body that has not been read."""
        yield self.read()


def _text(value: bytes | str) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value


def _bytes(body: Any) -> bytes:
    """Return the body of a request, which may be text, bytes or a file."""
    if body is None:
        return b""
    if hasattr(body, "read"):
        body = body.read()
    return body.encode() if isinstance(body, str) else bytes(body)


_TARGET_PREFIXES = ("DynamoDB_", "DynamoDBStreams_")


@dataclass(frozen=True, eq=False)
class _Activation:
    """One active `boto3_everywhere` block; several blocks can have the same engine."""

    engine: AnsweringEngine


class _Patch:
    """A replacement for a method of botocore, in effect until `undo` is called."""

    def __init__(self, owner: Any, name: str, replace: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        self._owner, self._name = owner, name
        self._original = getattr(owner, name)
        self._replacement = wraps(self._original)(replace(self._original))
        setattr(owner, name, self._replacement)

    def undo(self) -> None:
        # If another library patched the method later, its patch calls this patch. This patch then stays and only calls
        # the original.
        if getattr(self._owner, self._name) is self._replacement:
            setattr(self._owner, self._name, self._original)


# The whole process shares botocore's classes, so it also shares the patches.
_lock = threading.Lock()
_activations: tuple[_Activation, ...] = ()
_patches: list[_Patch] = []


@contextmanager
def boto3_everywhere(engine: AnsweringEngine) -> Generator[None, None, None]:
    """Redirect all DynamoDB clients of the process to the engine, in all threads, including existing clients.

    If blocks are nested, the engine of the innermost block receives the requests. Clients created in the block need no
    region and no credentials. They get placeholder credentials, which they keep after the block, although AWS rejects
    them. Clients of other services are not affected.
    """
    activation = _Activation(engine)
    _enter(activation)
    try:
        yield
    finally:
        _leave(activation)


def _enter(activation: _Activation) -> None:
    global _activations  # noqa: PLW0603  # replaced as a whole, so that other threads read it without a lock
    with _lock:
        if not _activations:
            _patches[:] = [
                _Patch(library("botocore.session").Session, "create_client", _create_client),
                _Patch(library("botocore.signers").RequestSigner, "sign", _sign),
                _Patch(library("botocore.httpsession").URLLib3Session, "send", _send),
            ]
        _activations = (*_activations, activation)


def _leave(activation: _Activation) -> None:
    global _activations  # noqa: PLW0603  # as above
    with _lock:
        _activations = tuple(each for each in _activations if each is not activation)
        if not _activations:
            while _patches:
                _patches.pop().undo()


def _active_engine(request: Any) -> AnsweringEngine | None:
    """Return the engine that receives a botocore request. Return None outside every block, and for another service."""
    activations = _activations
    if not activations:
        return None
    target = request.headers.get("X-Amz-Target") or ""
    text = target.decode("latin-1") if isinstance(target, bytes) else target
    return activations[-1].engine if text.startswith(_TARGET_PREFIXES) else None


def _send(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `send` that passes the requests of DynamoDB clients to the engine."""
    response = response_maker()

    def send(session: Any, request: Any) -> Any:
        engine = _active_engine(request)
        return original(session, request) if engine is None else response(engine, request)

    return send


def _sign(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `sign` that does not sign requests to an engine in this process. These requests need no credentials."""

    def sign(signer: Any, operation_name: str, request: Any, *arguments: Any, **options: Any) -> Any:
        is_standard = not arguments and options.get("signing_type", "standard") == "standard"
        if is_standard and _active_engine(request) is not None:
            return None
        return original(signer, operation_name, request, *arguments, **options)

    return sign


def _create_client(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `create_client` that passes placeholder credentials.

    Searching for real credentials can use the network.
    """

    def create_client(session: Any, service_name: str, *arguments: Any, **options: Any) -> Any:
        if _activations and service_name in CLIENT_NAMES and not arguments:
            options = _with_placeholders(session, options)
        return original(session, service_name, *arguments, **options)

    return create_client


def _with_placeholders(session: Any, options: dict[str, Any]) -> dict[str, Any]:
    filled = dict(options)
    regions = (options.get("region_name"), getattr(options.get("config"), "region_name", None))
    if not any(regions) and session.get_config_variable("region") is None:
        filled["region_name"] = REGION
    # Credentials that the user set on the session are not replaced.
    if getattr(session, "_credentials", None) is None and not any(options.get(name) for name in ACCESS_KEY):
        filled.update(ACCESS_KEY)
    return filled
