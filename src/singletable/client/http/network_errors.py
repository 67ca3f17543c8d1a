"""Network errors: creates Unreachable for each kind of failure.

The message says if DynamoDB may have executed the request.
"""

from __future__ import annotations

import os
import socket

from singletable.client.retries import Timeouts
from singletable.errors import Unreachable
from singletable.lazy_dataclass import dataclass

_MAYBE_EXECUTED = "DynamoDB may have executed the request"


class ProxyFailed(OSError):
    """A proxy could not open a connection."""


@dataclass(frozen=True)
class NetworkErrors:
    """Creates the errors for connections to one host."""

    url: str
    timeouts: Timeouts

    def connect_failed(self, problem: OSError) -> Unreachable:
        """Return the error for a connection that could not be opened."""
        if isinstance(problem, ProxyFailed):
            return self._error(str(problem), sent=False)
        if isinstance(problem, TimeoutError):
            return self._error(
                f"did not accept a connection within {self.timeouts.connect:g} s (timeouts.connect)", sent=False
            )
        if isinstance(problem, socket.gaierror):
            return self._error("cannot be found: the host name does not resolve, or there is no network", sent=False)
        return self._error(f"cannot be reached: {reason_of(problem)}", sent=False)

    def send_timeout(self) -> Unreachable:
        """Return the error for a host that stopped reading the request."""
        return self._error(f"did not read the request within {self.timeouts.read:g} s (timeouts.read)", sent=False)

    def closed_while_sending(self) -> Unreachable:
        """Return the error for a connection that closed before the whole request was sent."""
        return self._error("closed the connection while a request was being sent", sent=False)

    def read_timeout(self) -> Unreachable:
        """Return the error for a response that did not arrive in time."""
        return self._error(
            f"did not respond within {self.timeouts.read:g} s (timeouts.read); {_MAYBE_EXECUTED}", sent=True
        )

    def broken(self, problem: OSError) -> Unreachable:
        """Return the error for a connection that broke while the client waited for the response."""
        return self._error(f"broke the connection: {reason_of(problem)}; {_MAYBE_EXECUTED}", sent=True)

    def cut_off(self, *, begun: bool) -> Unreachable:
        """Return the error for a connection that closed before the end of the response."""
        when = "in the middle of its response" if begun else "before its response"
        return self._error(f"closed the connection {when}; {_MAYBE_EXECUTED}", sent=True)

    def invalid_response(self, problem: Exception) -> Unreachable:
        """Return the error for bytes that are not a valid HTTP response."""
        return self._error(f"sent an invalid response: {problem}; {_MAYBE_EXECUTED}", sent=True)

    def response_to_another_request(self) -> Unreachable:
        """Return the error for a response that arrives twice, or that contains other items than requested."""
        return self._error(f"sent a response that belongs to another request; {_MAYBE_EXECUTED}", sent=True)

    def not_dynamodb(self, status: int) -> Unreachable:
        """Return the error for a response that comes, for example, from a proxy instead of DynamoDB."""
        # A proxy sends 429 without forwarding the request, but it can send 503 after forwarding it.
        is_rejected = status == 429  # Too Many Requests
        return self._error(
            f"sent a response with status {status} that is not from DynamoDB; check the address"
            + ("" if is_rejected else f"; {_MAYBE_EXECUTED}"),
            sent=not is_rejected,
        )

    def _error(self, what: str, sent: bool) -> Unreachable:
        return Unreachable(f"{self.url} {what}", sent=sent)


def reason_of(problem: OSError) -> str:
    """Return the reason of a failed connection, as the operating system describes it."""
    # The error number of an SSL error is not an errno value of the operating system.
    number = problem.errno if type(problem).__module__ != "ssl" else None
    return os.strerror(number) if number and number > 0 else problem.strerror or str(problem) or type(problem).__name__
