"""What can go wrong on the way to a host, in plain words, and whether the request may have arrived."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass

from singletable.client.policy import Timeouts
from singletable.errors import Unreachable

_MAYBE = "the request may have been carried out"


@dataclass(frozen=True)
class Trouble:
    """Makes the errors of one host."""

    url: str
    timeouts: Timeouts

    def connecting(self, problem: OSError) -> Unreachable:
        """No connection."""
        if isinstance(problem, TimeoutError):
            return self._said(
                f"accepts no connection within {self.timeouts.connect:g} s (timeouts.connect)", sent=False
            )
        if isinstance(problem, socket.gaierror):
            return self._said("cannot be found: there is no host of this name, or no network", sent=False)
        return self._said(f"cannot be reached: {_reason(problem)}", sent=False)

    def not_read(self) -> Unreachable:
        """The host does not take what it is sent."""
        return self._said(f"has not read a request within {self.timeouts.read:g} s (timeouts.read)", sent=False)

    def not_taken(self) -> Unreachable:
        """The connection went before the whole request had left."""
        return self._said("has closed the connection while a request was sent", sent=False)

    def no_answer(self) -> Unreachable:
        """The host takes too long."""
        return self._said(f"has not answered within {self.timeouts.read:g} s (timeouts.read); {_MAYBE}", sent=True)

    def broken(self, problem: OSError) -> Unreachable:
        """The connection is gone."""
        return self._said(f"has broken the connection: {_reason(problem)}; {_MAYBE}", sent=True)

    def cut_off(self, *, begun: bool) -> Unreachable:
        """The connection ended before the answer did."""
        when = "in the middle of its answer" if begun else "before its answer"
        return self._said(f"has closed the connection {when}; {_MAYBE}", sent=True)

    def garbled(self, problem: Exception) -> Unreachable:
        """What came is no answer."""
        return self._said(f"answers, but what came is no answer of DynamoDB: {problem}", sent=True)

    def foreign(self, status: int) -> Unreachable:
        """Somebody else has answered: a proxy, or a server of another kind."""
        # A proxy answers 429 before it passes a request on; it may answer 503 after that.
        is_rejected = status == 429  # Too Many Requests
        return self._said(
            f"answered with status {status}, but not as DynamoDB does; check the address"
            + ("" if is_rejected else f"; {_MAYBE}"),
            sent=not is_rejected,
        )

    def _said(self, what: str, sent: bool) -> Unreachable:
        return Unreachable(f"{self.url} {what}", sent=sent)


def _reason(problem: OSError) -> str:
    # The number of an error of encryption is none of the system's.
    number = problem.errno if type(problem).__module__ != "ssl" else None
    return os.strerror(number) if number and number > 0 else problem.strerror or str(problem) or type(problem).__name__
