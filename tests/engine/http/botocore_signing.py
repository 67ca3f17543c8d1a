"""Requests signed by botocore, in their headers or in their query."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

import botocore.auth  # type: ignore[import-untyped]
from botocore.awsrequest import AWSRequest  # type: ignore[import-untyped]
from botocore.credentials import Credentials  # type: ignore[import-untyped]

from singletable.engine.http.http_messages import HttpRequest

TARGET = "DynamoDB_20120810.GetItem"
HOST = "127.0.0.1:8000"


def signed(
    moment: datetime,
    key: tuple[str, str],
    *,
    body: bytes = b"{}",
    query: str = "",
    path: str = "/",
    region: str = "eu-west-1",
    service: str = "dynamodb",
    token: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> HttpRequest:
    """Return a request with an Authorization header."""
    signer = botocore.auth.SigV4Auth(Credentials(*key, token), service, region)
    return _received(_sign(signer, moment, body, f"http://{HOST}{path}{query and f'?{query}'}", headers or {}), body)


def presigned(
    moment: datetime, key: tuple[str, str], *, query: str = "", expires: int = 3600, token: str | None = None
) -> HttpRequest:
    """Return a request signed in its query. botocore does this only for requests without a body."""
    signer = botocore.auth.SigV4QueryAuth(Credentials(*key, token), "dynamodb", "eu-west-1", expires)
    return _received(_sign(signer, moment, b"", f"http://{HOST}/{query and f'?{query}'}", {}), b"")


def _sign(signer: Any, moment: datetime, body: bytes, url: str, headers: Mapping[str, str]) -> Any:
    given = {"X-Amz-Target": TARGET, "Content-Type": "application/x-amz-json-1.0", **headers}
    request = AWSRequest("POST", url, given, body)
    with patch("botocore.auth.get_current_datetime", lambda: moment):
        signer.add_auth(request)
    return request


def _received(request: Any, body: bytes) -> HttpRequest:
    """Return the request as the server parses it, with the header that the HTTP client adds."""
    headers = {name.lower().encode(): value.encode() for name, value in request.headers.items()}
    url = urlsplit(request.url)
    target = url.path + (url.query and f"?{url.query}")
    return HttpRequest(b"POST", target.encode(), {b"host": HOST.encode(), **headers}, body, True)
