"""DynamoDB over HTTP as a transport."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

from singletable.client.http.address import Address
from singletable.client.http.answer import Answer, field
from singletable.client.http.connection import Connection, Pool
from singletable.client.http.signer import Signer
from singletable.client.http.trouble import Trouble
from singletable.client.policy import Retries, Timeouts
from singletable.client.refusals import refusal_of
from singletable.client.transport import Meanwhile, Outcome, Request, Transport
from singletable.errors import RequestRefused, Unreachable

if TYPE_CHECKING:
    from ssl import SSLContext

    from singletable.client.http.awaited import LoopPools

CONNECTIONS_AT_ONCE = 32
_SKEWED = frozenset(("RequestExpired", "RequestInTheFuture", "RequestTimeTooSkewed"))


class HttpTransport(Transport):
    """Sends requests to one host, over connections that it keeps."""

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
        self._trouble = Trouble(address.url, timeouts)
        if address.is_encrypted and context is None:
            import ssl

            context = ssl.create_default_context()
        self._pool = Pool(partial(Connection, address, timeouts, context, self._trouble), self._trouble)
        self._for_pools = (address, timeouts, context, self._trouble)
        self._pools: LoopPools | None = None
        self._making = Lock()

    def send(self, operation: str, body: bytes) -> bytes:
        """The body of the answer."""
        answer = self._pool.exchange(self._signer.request(operation, body))
        if answer.status == 200 and answer.body.startswith(b"{"):
            return answer.body
        return self._sent_anew(operation, body, answer)

    def _sent_anew(self, operation: str, body: bytes, answer: Answer) -> bytes:
        """The body of the answer to the same request with a corrected signature; raises where that is no remedy."""
        refusal = self._refusal(operation, answer)
        if not self._is_worth_signing_anew(refusal, answer):
            raise refusal
        answer = self._pool.exchange(self._signer.request(operation, body))
        return self._body(operation, answer)

    def send_each(self, requests: Sequence[Request], meanwhile: Meanwhile | None = None) -> Sequence[Outcome]:
        """The outcome of each of several requests, in order; each has a connection of its own, on this thread."""
        outcomes: list[Outcome] = []
        for start in range(0, len(requests), CONNECTIONS_AT_ONCE):
            chosen = requests[start : start + CONNECTIONS_AT_ONCE]
            answers = self._pool.exchange_each([self._signer.request(*each) for each in chosen], meanwhile)
            meanwhile = None
            outcomes += [self._settled(*each, answer) for each, answer in zip(chosen, answers, strict=True)]
        return outcomes

    def _settled(self, operation: str, body: bytes, answer: Answer | Unreachable) -> Outcome:
        if isinstance(answer, Unreachable):
            return answer
        if answer.status == 200 and answer.body.startswith(b"{"):
            return answer.body
        try:
            return self._sent_anew(operation, body, answer)
        except (RequestRefused, Unreachable) as problem:
            return problem

    async def send_async(self, operation: str, body: bytes) -> bytes:
        """The same, awaited."""
        if self._signer.source.takes_long():
            import asyncio

            await asyncio.to_thread(self._signer.source.keys)
        pool = (self._pools or self._made_pools()).current()
        answer = await pool.exchange(self._signer.request(operation, body))
        if answer.status == 200 and answer.body.startswith(b"{"):
            return answer.body
        refusal = self._refusal(operation, answer)
        if not self._is_worth_signing_anew(refusal, answer):
            raise refusal
        answer = await pool.exchange(self._signer.request(operation, body))
        return self._body(operation, answer)

    def close(self) -> None:
        """Closes the connections."""
        self._pool.close()
        if self._pools is not None:
            self._pools.close()

    async def close_async(self) -> None:
        """The same, awaited."""
        self._pool.close()
        if self._pools is not None:
            await self._pools.close_async()

    def __repr__(self) -> str:
        return f"HttpTransport({self.name!r})"

    def _made_pools(self) -> LoopPools:
        """Loads what awaits, which those who never do are spared."""
        from singletable.client.http.awaited import LoopPools

        with self._making:
            self._pools = self._pools or LoopPools(*self._for_pools)
        return self._pools

    def _body(self, operation: str, answer: Answer) -> bytes:
        if answer.status != 200 or not answer.body.startswith(b"{"):
            raise self._refusal(operation, answer)
        return answer.body

    def _refusal(self, operation: str, answer: Answer) -> Exception:
        try:
            refusal = refusal_of(answer.body)
        except ValueError:
            return self._trouble.foreign(answer.status)
        if refusal.code == "UnknownOperationException" and not refusal.message:
            return RequestRefused(refusal.code, f"{self.name} does not know {operation}")
        return refusal

    def _is_worth_signing_anew(self, refusal: Exception, answer: Answer) -> bool:
        """A signature that is too old or too new, while the server's clock is another than ours: nothing was done."""
        if not isinstance(refusal, RequestRefused):
            return False
        is_skewed = refusal.code in _SKEWED or (
            refusal.code == "InvalidSignatureException"
            and ("Signature expired" in refusal.message or "not yet current" in refusal.message)
        )
        return is_skewed and self._signer.corrected(field(answer.head, b"date"))
