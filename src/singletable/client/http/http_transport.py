"""HTTP transport: sends signed requests to DynamoDB or to a local server at `http://HOST:PORT`."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

from singletable.client.http.address import Address, parse_address, proxy_url, reject_unknown_options
from singletable.client.http.credentials import (
    DEFAULT_REGION,
    LOCAL_CREDENTIALS,
    CredentialSource,
    FixedCredentials,
    credential_source,
    credentials_from,
    region_from,
    reject_two_sources,
)
from singletable.client.http.network_errors import NetworkErrors
from singletable.client.http.response_matching import is_response_to
from singletable.client.http.response_parser import ParsedResponse, ResponseIds, header
from singletable.client.http.signer import Signer
from singletable.client.http.sync_connection import SyncConnection, SyncPool
from singletable.client.responses import error_from
from singletable.client.retries import Retries, Timeouts
from singletable.client.transport import EncodedRequest, Meanwhile, SendResult, Transport
from singletable.errors import RequestRefused, Unreachable

if TYPE_CHECKING:
    from ssl import SSLContext

    from singletable.client.http.async_connection import LoopPools
    from singletable.client.http.credentials import CredentialsOption

CONNECTIONS_AT_ONCE = 32
_AWS_HOST = re.compile(r"dynamodb(-fips)?\.[a-z0-9-]+\.amazonaws\.com(\.cn)?")
_SKEWED = frozenset(("RequestExpired", "RequestInTheFuture", "RequestTimeTooSkewed"))


class HttpTransport(Transport):
    """Sends requests to one host, over pooled connections."""

    def __init__(
        self,
        address: Address,
        signer: Signer,
        timeouts: Timeouts,
        *,
        name: str | None = None,
        context: SSLContext | None = None,
        retries: Retries | None = None,
    ) -> None:
        self.name = name or address.url
        self.retries = retries
        self.server = (address.host, address.port)
        self._signer = signer
        self._address, self._timeouts = address, timeouts
        self._errors = NetworkErrors(address.url, timeouts)
        if address.is_encrypted and context is None:
            import ssl

            context = ssl.create_default_context()
        self._for_pools = (address, timeouts, context, self._errors, ResponseIds())
        self._pool = SyncPool(partial(SyncConnection, *self._for_pools), self._errors)
        self._pools: LoopPools | None = None
        self._making = Lock()

    def send(self, operation: str, body: bytes) -> bytes:
        """Send a request and return the body of the response."""
        response = self._pool.exchange(self._signer.request(operation, body), partial(is_response_to, operation, body))
        if response.status == 200 and response.body.startswith(b"{"):
            return response.body
        return self._retry_signed(operation, body, response)

    def _retry_signed(self, operation: str, body: bytes, response: ParsedResponse) -> bytes:
        """Send a request again if the local clock was wrong, and return the body. Otherwise raise the error."""
        error = self._error(operation, response)
        if not self._corrects_clock(error, response):
            raise error
        response = self._pool.exchange(self._signer.request(operation, body), partial(is_response_to, operation, body))
        return self._body(operation, response)

    def send_each(self, requests: Sequence[EncodedRequest], meanwhile: Meanwhile | None = None) -> Sequence[SendResult]:
        """Send several requests from this thread, each over its own connection, and return their results in order."""
        results: list[SendResult] = []
        for start in range(0, len(requests), CONNECTIONS_AT_ONCE):
            chosen = requests[start : start + CONNECTIONS_AT_ONCE]
            signed = [(self._signer.request(*each), partial(is_response_to, *each)) for each in chosen]
            responses = self._pool.exchange_each(signed, meanwhile)
            meanwhile = None
            results += [self._final_result(*each, response) for each, response in zip(chosen, responses, strict=True)]
        return results

    def _final_result(self, operation: str, body: bytes, response: ParsedResponse | Unreachable) -> SendResult:
        if isinstance(response, Unreachable):
            return response
        if response.status == 200 and response.body.startswith(b"{"):
            return response.body
        try:
            return self._retry_signed(operation, body, response)
        except (RequestRefused, Unreachable) as problem:
            return problem

    async def send_async(self, operation: str, body: bytes) -> bytes:
        """Send a request on the running event loop."""
        if self._signer.credentials.needs_refresh():
            import asyncio

            await asyncio.to_thread(self._signer.credentials.current)
        pool = (self._pools or self._create_pools()).current()
        response = await pool.exchange(self._signer.request(operation, body), partial(is_response_to, operation, body))
        if response.status == 200 and response.body.startswith(b"{"):
            return response.body
        error = self._error(operation, response)
        if not self._corrects_clock(error, response):
            raise error
        response = await pool.exchange(self._signer.request(operation, body), partial(is_response_to, operation, body))
        return self._body(operation, response)

    def for_streams(self) -> HttpTransport:
        """Return a transport to DynamoDB Streams, which AWS serves at a host of its own."""
        host = streams_host(self._address.host)
        if host == self._address.host:
            return self
        address = replace(self._address, host=host, proxy=None)
        context = self._for_pools[2]
        signer = self._signer.for_authority(address.authority)
        return HttpTransport(
            through_proxy(address), signer, self._timeouts, name=self.name, context=context, retries=self.retries
        )

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()
        if self._pools is not None:
            self._pools.close()

    async def close_async(self) -> None:
        """Close the connections, and wait until those of the running event loop are closed."""
        self._pool.close()
        if self._pools is not None:
            await self._pools.close_async()

    def __repr__(self) -> str:
        return f"HttpTransport({self.name!r})"

    def _create_pools(self) -> LoopPools:
        """Import asyncio and create the connection pools when they are first used."""
        from singletable.client.http.async_connection import LoopPools

        with self._making:
            self._pools = self._pools or LoopPools(*self._for_pools)
        return self._pools

    def _body(self, operation: str, response: ParsedResponse) -> bytes:
        if response.status != 200 or not response.body.startswith(b"{"):
            raise self._error(operation, response)
        return response.body

    def _error(self, operation: str, response: ParsedResponse) -> Exception:
        try:
            error = error_from(response.body)
        except (ValueError, RecursionError):
            return self._errors.not_dynamodb(response.status)
        if error.code == "UnknownOperationException" and not error.message:
            return RequestRefused(error.code, f"{self.name} does not support {operation}")
        return error

    def _corrects_clock(self, error: Exception, response: ParsedResponse) -> bool:
        """Adopt the server's clock if the server rejected the time stamp of the signature.

        Return whether to sign again.
        """
        if not isinstance(error, RequestRefused):
            return False
        is_skewed = error.code in _SKEWED or (
            error.code == "InvalidSignatureException"
            and ("Signature expired" in error.message or "not yet current" in error.message)
        )
        return is_skewed and self._signer.corrected(header(response.head, b"date"))


def open_address(
    url: str, timeouts: Timeouts, *, session: object = None, credentials: CredentialsOption | None = None
) -> HttpTransport:
    """Return a transport to the server at an HTTP address.

    The transport signs requests with the first credentials that it finds: the argument, the session, the URL, the
    profile that the URL names, or the environment. If it finds none, it uses default credentials, which local servers
    accept.
    """
    address, in_url, options = parse_address(url)
    reject_unknown_options(options, ("profile", "region"), url)
    reject_two_sources(
        {"session=": session, "credentials=": credentials, "?profile=": options.get("profile"), "KEY:SECRET@": in_url}
    )
    source: CredentialSource
    region = options.get("region")
    if credentials is not None:
        source = credential_source(credentials)
    elif session is not None or "profile" in options:
        from singletable.client.http.aws import BotocoreSettings

        settings = BotocoreSettings(options.get("profile"), session)
        source, region = settings.credentials(), region or settings.region()
    else:
        source = FixedCredentials(in_url or credentials_from(os.environ) or LOCAL_CREDENTIALS)
    region = region or region_from(os.environ) or DEFAULT_REGION
    return HttpTransport(through_proxy(address), Signer(address.authority, region, source), timeouts)


def streams_host(host: str) -> str:
    """Return the host of DynamoDB Streams for a host of DynamoDB. Any other host serves both."""
    found = _AWS_HOST.fullmatch(host)
    return host if found is None else f"streams.{host}"


def through_proxy(address: Address) -> Address:
    """Return the address with the proxy that the environment sets for it. Without a proxy, return it unchanged."""
    if not address.is_encrypted or not proxy_url(os.environ):
        return address
    from singletable.client.http.proxies import with_proxy

    return with_proxy(address, os.environ)
