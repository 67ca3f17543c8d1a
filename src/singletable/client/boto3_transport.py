"""Transport through a boto3 or aioboto3 client, so that its event hooks and instrumentation see every request."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import datetime
from typing import Any, Protocol, cast
from urllib.parse import urlsplit

from singletable.client.responses import error_from
from singletable.client.tracing import caller_for_recording
from singletable.client.transport import Transport
from singletable.errors import ArgumentRefused, NotConnected, RequestRefused, Unreachable

# The resources of boto3 register this handler on the events of their client. The handler converts Python values in
# parameters, so the client of a resource cannot send requests in DynamoDB JSON.
_RESOURCE_HANDLER = "dynamodb-attr-value-input"
_REMEDY = 'pass a DynamoDB client: boto3.client("dynamodb")'


class Boto3Client(Protocol):
    """A DynamoDB client of boto3, botocore, aioboto3 or aiobotocore."""

    @property
    def meta(self) -> Any:
        """The description of the client."""
        ...

    @property
    def exceptions(self) -> Any:
        """The exception classes of the client."""
        ...


class Boto3Transport(Transport):
    """Sends each request by calling a method of the client; the client signs it, sends it and retries it."""

    retries_itself = True

    def __init__(self, client: Boto3Client) -> None:
        meta = client.meta
        self.name: str = meta.endpoint_url
        address = urlsplit(self.name)
        self.server = (address.hostname or "", address.port or (443 if address.scheme == "https" else 80))
        self._client: Any = client
        self._is_awaited = _is_awaited(client)
        self._methods = {operation: method for method, operation in meta.method_to_api_mapping.items()}
        self._errors = _known_errors()

    def send(self, operation: str, body: bytes) -> bytes:
        """Call the client and return its response as JSON."""
        if self._is_awaited:
            raise ArgumentRefused(
                "this table is open with an asyncio client, which cannot send a request without an event loop.\n"
                "  Await the call: shop.PATTERN.aio(...), shop.aio.put(...) and Shop.open_async(client); "
                'or open the table with boto3.client("dynamodb").'
            )
        method = self._method(operation)
        try:
            return _encode(method(**_decode(body)))
        except self._errors as problem:
            raise self._translated(operation, problem) from problem

    async def send_async(self, operation: str, body: bytes) -> bytes:
        """Await the client; a client of boto3 runs in a thread, because it blocks."""
        if not self._is_awaited:
            import asyncio

            with caller_for_recording():
                return await asyncio.to_thread(self.send, operation, body)
        method = self._method(operation)
        try:
            return _encode(await method(**_decode(body)))
        except self._errors as problem:
            raise self._translated(operation, problem) from problem

    def close(self) -> None:
        """Do nothing; the caller closes the client."""

    async def close_async(self) -> None:
        """Do nothing; the caller closes the client."""

    def __repr__(self) -> str:
        return f"Boto3Transport({self.name!r})"

    def _method(self, operation: str) -> Callable[..., Any]:
        name = self._methods.get(operation)
        if name is None:
            raise RequestRefused("UnknownOperationException", f"this version of boto3 does not support {operation}")
        # Look up the method for each request, so that an event hook or a test can patch it later.
        return cast("Callable[..., Any]", getattr(self._client, name))

    def _translated(self, operation: str, problem: Exception) -> Exception:
        """Return the exception of this library for an exception of botocore."""
        from botocore import exceptions  # type: ignore[import-untyped]

        if isinstance(problem, exceptions.ClientError):
            return self._rejection(problem)
        if isinstance(problem, exceptions.ParamValidationError):
            return RequestRefused("ValidationException", str(problem))
        not_sent = (
            exceptions.ConnectTimeoutError,
            exceptions.EndpointConnectionError,
            exceptions.ProxyConnectionError,
        )
        if isinstance(problem, not_sent):
            return Unreachable(f"{self.name} cannot be reached: {problem}", sent=False)
        if isinstance(problem, (exceptions.ConnectionError, exceptions.HTTPClientError)):
            return Unreachable(
                f"{self.name} sent no response to {operation}: {problem}; DynamoDB may have executed the request",
                sent=True,
            )
        return NotConnected(f"the boto3 client cannot send {operation}: {problem}")

    def _rejection(self, problem: Any) -> RequestRefused | Unreachable:
        found = dict(problem.response)
        error = found.pop("Error", {})
        found.pop("ResponseMetadata", None)
        code = str(error.get("Code") or "")
        if not code or code.isdigit():  # if the body is not from DynamoDB, botocore reports the HTTP status as the code
            return Unreachable(
                f"{self.name} sent a response with status {code or 'unknown'} that is not from DynamoDB; "
                "check the endpoint of the client; DynamoDB may have executed the request",
                sent=True,
            )
        found.pop("Message", None)
        return error_from(_encode({**found, "__type": code, "message": error.get("Message") or ""}))


def boto3_transport(client: object) -> Boto3Transport:
    """Return a transport through a client; raise ArgumentRefused if the object is not a DynamoDB client."""
    meta = getattr(client, "meta", None)
    service = getattr(getattr(meta, "service_model", None), "service_name", None)
    if service is None:
        raise ArgumentRefused(f"cannot open a table with {type(client).__name__}; {_REMEDY}")
    if service != "dynamodb":
        raise ArgumentRefused(f"cannot open a table with a client of {service!r}; {_REMEDY}")
    emitter = getattr(cast("Any", meta).events, "_emitter", None)
    if _RESOURCE_HANDLER in getattr(emitter, "_unique_id_handlers", ()):
        raise ArgumentRefused(
            f"cannot open a table with the client of a boto3 resource, which converts attribute values; {_REMEDY}"
        )
    return Boto3Transport(cast("Boto3Client", client))


def _is_awaited(client: object) -> bool:
    return any(each.__module__.partition(".")[0] == "aiobotocore" for each in type(client).__mro__)


def _known_errors() -> tuple[type[Exception], ...]:
    from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]

    return (BotoCoreError, ClientError)


def _decode(body: bytes) -> dict[str, Any]:
    """Return the parameters of a request for boto3, which expects binary values as bytes."""
    parameters: dict[str, Any] = json.loads(body)
    if b'"B":' in body or b'"BS":' in body:
        _decode_binary(parameters)
    return parameters


def _decode_binary(document: Any) -> None:
    """Replace the base64 text of the binary values in a document with bytes.

    A binary value is an object with one member: B with a text, or BS with a list of texts. An attribute with the name B
    has an object as its value, so it does not match.
    """
    members = document.values() if isinstance(document, dict) else document
    for member in members:
        if isinstance(member, dict) and len(member) == 1:
            ((kind, value),) = member.items()
            if kind == "B" and isinstance(value, str):
                member[kind] = b64decode(value)
                continue
            if kind == "BS" and isinstance(value, list):
                member[kind] = [b64decode(each) for each in value]
                continue
        if isinstance(member, dict | list):
            _decode_binary(member)


def _encode(response: dict[str, Any]) -> bytes:
    """Return the response of boto3 as DynamoDB sent it."""
    members = {name: value for name, value in response.items() if name != "ResponseMetadata"}
    return json.dumps(members, default=_json_value, ensure_ascii=False, separators=(",", ":")).encode()


def _json_value(value: object) -> Any:
    if isinstance(value, bytes):
        return b64encode(value).decode("ascii")
    if isinstance(value, datetime):
        return value.timestamp()
    raise TypeError(f"boto3 returned a value of type {type(value).__name__}")
