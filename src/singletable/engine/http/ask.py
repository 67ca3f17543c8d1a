"""Asks a server one question, signed when there is a key to sign with; the standard library is all it needs."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from singletable.engine.http.canonical_request import signature
from singletable.engine.http.message import JSON_1_0, Request
from singletable.errors import RequestRefused, SingletableError
from singletable.wire.signing import ALGORITHM, Scope

REGION = "us-east-1"
SERVICE = "dynamodb"
SECONDS_MAX = 30
_SIGNED = ("content-type", "host", "x-amz-date", "x-amz-target")


class AccessKey(NamedTuple):
    """An access key of the server; the secret is never shown."""

    key_id: str
    secret: str

    def __repr__(self) -> str:
        return f"AccessKey({self.key_id})"


def ask(endpoint: str, target: str, request: Mapping[str, Any], key: AccessKey | None = None) -> dict[str, Any]:
    """The answer; raises RequestRefused for a refusal, and SingletableError when nobody answers at all."""
    address = urlsplit(endpoint)
    if address.scheme not in ("http", "https") or not address.hostname:
        raise SingletableError(f"{endpoint!r} is no endpoint: write it like http://127.0.0.1:8000")
    body = json.dumps(request).encode()
    headers = {"content-type": JSON_1_0.decode(), "host": address.netloc, "x-amz-target": target}
    if key is not None:
        headers |= _signed(headers, body, key, time.time())
    kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
    connection = kind(address.hostname, address.port, timeout=SECONDS_MAX)
    try:
        connection.request("POST", "/", body, headers)
        response = connection.getresponse()
        answer = json.loads(response.read())
    except (OSError, http.client.HTTPException, ValueError) as problem:
        raise SingletableError(
            f"{endpoint} does not answer as our server does: {problem}\n  Start one with: singletable serve"
        ) from problem
    finally:
        connection.close()
    if not isinstance(answer, dict):
        raise SingletableError(f"{endpoint} does not answer as our server does: it said {answer!r}")
    if response.status != http.client.OK:
        code = str(answer.get("__type", "")).partition("#")[2]
        raise RequestRefused(code, str(answer.get("message") or answer.get("Message") or ""))
    return answer


def _signed(headers: Mapping[str, str], body: bytes, key: AccessKey, now: float) -> dict[str, str]:
    moment = f"{datetime.fromtimestamp(now, UTC):%Y%m%dT%H%M%SZ}"
    scope = Scope(moment[:8], REGION, SERVICE)
    given = {**headers, "x-amz-date": moment}
    request = Request(b"POST", b"/", {name.encode(): value.encode() for name, value in given.items()}, body, False)
    signed = signature(key.secret, moment, scope, request, (), _SIGNED)
    credential = f"{ALGORITHM} Credential={key.key_id}/{scope}"
    authorization = f"{credential}, SignedHeaders={';'.join(_SIGNED)}, Signature={signed}"
    return {"x-amz-date": moment, "authorization": authorization}
