"""Send one request to a running server, using only the standard library.

The request is signed if there is an access key.
"""

from __future__ import annotations

import http.client
import json
import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from singletable.engine.http.http_messages import JSON_1_0, HttpRequest
from singletable.engine.http.signature import compute_signature
from singletable.errors import RequestRefused, SingletableError, without_secrets
from singletable.wire.signing import ALGORITHM, Scope

REGION = "us-east-1"
SERVICE = "dynamodb"
SECONDS_MAX = 30
_ENDPOINT = re.compile(r"https?://([\w.-]+|\[[0-9a-fA-F:.]+\])(:[0-9]{1,4}|:[1-5][0-9]{4})?/?")
_SIGNED = ("content-type", "host", "x-amz-date", "x-amz-target")


class AccessKey(NamedTuple):
    """An access key of the server. Its repr hides the secret."""

    key_id: str
    secret: str

    def __repr__(self) -> str:
        return f"AccessKey({self.key_id})"


def send_request(
    endpoint: str, target: str, request: Mapping[str, Any], key: AccessKey | None = None
) -> dict[str, Any]:
    """Return the response; raise RequestRefused for an error response, and SingletableError if no server responds."""
    shown = without_secrets(endpoint)
    if not _ENDPOINT.fullmatch(endpoint):
        raise SingletableError(f"{shown!r} is not a valid endpoint: write it like http://127.0.0.1:8000")
    address = urlsplit(endpoint)
    body = json.dumps(request).encode()
    headers = {"content-type": JSON_1_0.decode(), "host": address.netloc, "x-amz-target": target}
    if key is not None:
        headers |= _signed(headers, body, key, time.time())
    kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
    connection = kind(address.hostname or "", address.port, timeout=SECONDS_MAX)
    try:
        connection.request("POST", "/", body, headers)
        response = connection.getresponse()
        document = json.loads(response.read())
    except (OSError, http.client.HTTPException, ValueError, RecursionError) as error:
        raise SingletableError(
            f"{shown} does not answer like a singletable server: {error}\n  Start one with: singletable serve"
        ) from error
    finally:
        connection.close()
    if not isinstance(document, dict):
        raise SingletableError(f"{shown} does not answer like a singletable server: got JSON of another type")
    if response.status != http.client.OK:
        code = str(document.get("__type", "")).partition("#")[2]
        raise RequestRefused(code, str(document.get("message") or document.get("Message") or ""))
    return document


def _signed(headers: Mapping[str, str], body: bytes, key: AccessKey, now: float) -> dict[str, str]:
    moment = f"{datetime.fromtimestamp(now, UTC):%Y%m%dT%H%M%SZ}"
    scope = Scope(moment[:8], REGION, SERVICE)
    dated = {**headers, "x-amz-date": moment}
    request = HttpRequest(b"POST", b"/", {name.encode(): value.encode() for name, value in dated.items()}, body, False)
    signed = compute_signature(key.secret, moment, scope, request, (), _SIGNED)
    credential = f"{ALGORITHM} Credential={key.key_id}/{scope}"
    authorization = f"{credential}, SignedHeaders={';'.join(_SIGNED)}, Signature={signed}"
    return {"x-amz-date": moment, "authorization": authorization}
