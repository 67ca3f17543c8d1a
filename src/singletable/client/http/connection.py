"""Connections that a thread waits on, and the pool in which they wait for the next request."""

from __future__ import annotations

import os
import select
import socket
import struct
import sys
import time
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from singletable.client.http.address import Address
from singletable.client.http.answer import Answer, AnswerReader, Garbled, whole
from singletable.client.http.trouble import Trouble
from singletable.client.policy import Timeouts
from singletable.client.transport import Meanwhile
from singletable.errors import Unreachable

if TYPE_CHECKING:
    from ssl import SSLContext

RECEIVED_BYTES = 64 * 1024
RECEIVED_BYTES_OF_LARGE = 256 * 1024
IDLE_MAX = 64
# A connection that has waited for so long is looked at before it is used: its server may have closed it.
LOOKED_AT_SECONDS = 0.25
_TIMEOUTS = (TimeoutError, BlockingIOError)


class _Stale(Exception):
    """The connection was closed before the whole request had left: it cannot have been carried out."""


class Connection:
    """One connection; whoever has it sends one request and reads its answer, and nobody else does meanwhile."""

    def __init__(self, address: Address, timeouts: Timeouts, context: SSLContext | None, trouble: Trouble) -> None:
        self._trouble = trouble
        self._read_seconds = timeouts.read
        self._reader = AnswerReader()
        self.idle_since = 0.0
        try:
            connected = socket.create_connection((address.host, address.port), timeouts.connect)
        except OSError as problem:
            raise trouble.connecting(problem) from problem
        try:
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if context is not None:
                connected = context.wrap_socket(connected, server_hostname=address.host)
            self._waits_in_kernel = context is None and _wait_in_kernel(connected, timeouts.read)
            connected.settimeout(None if self._waits_in_kernel else timeouts.read)
        except OSError as problem:
            connected.close()
            raise trouble.connecting(problem) from problem
        self._socket = connected

    def exchange(self, request: bytes) -> Answer:
        """The answer to a request; afterwards the connection is good for another, unless this raises."""
        self.send(request)
        return self.answer()

    def send(self, request: bytes) -> None:
        """Sends a request, whose answer is read next."""
        try:
            self._socket.sendall(request)
        except _TIMEOUTS as problem:
            raise self._trouble.not_read() from problem
        except OSError as problem:
            raise _Stale from problem

    def answer(self) -> Answer:
        """The answer to the request that was sent."""
        try:
            data = self._socket.recv(RECEIVED_BYTES)
            return whole(data) or self._read(data)
        except _TIMEOUTS as problem:
            raise self._trouble.no_answer() from problem
        except OSError as problem:
            raise self._trouble.broken(problem) from problem
        except Garbled as problem:
            raise self._trouble.garbled(problem) from problem

    def _read(self, data: bytes) -> Answer:
        """The answer that begins with these bytes."""
        answer = self._reader.feed(data) if data else None
        return self._rest() if answer is None and data else self._whole(answer)

    def _rest(self) -> Answer:
        """What the first piece of an answer left to come."""
        deadline = time.monotonic() + self._read_seconds
        answer = None
        while answer is None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._socket.settimeout(left)
            data = self._socket.recv(RECEIVED_BYTES_OF_LARGE)
            if not data:
                return self._whole(None)
            answer = self._reader.feed(data)
        self._socket.settimeout(None if self._waits_in_kernel else self._read_seconds)
        return answer

    def _whole(self, answer: Answer | None) -> Answer:
        answer = answer or self._reader.ended()
        if answer is None:
            raise self._trouble.cut_off(begun=self._reader.started)
        return answer

    def is_usable(self) -> bool:
        """Whether nothing has come that nobody asked for, such as the end of the connection."""
        try:
            return not is_readable(self._socket.fileno())
        except (OSError, ValueError):
            return False

    def close(self) -> None:
        """Ends it."""
        self._socket.close()


class Pool:
    """The idle connections to one host; the one used last is used next, so that the others may grow old."""

    def __init__(self, connect: Callable[[], Connection], trouble: Trouble) -> None:
        self._connect = connect
        self._trouble = trouble
        self._idle: list[Connection] = []
        self._is_closed = False
        _POOLS.add(self)

    def exchange(self, request: bytes) -> Answer:
        """The answer to a request, over a connection that waits or a new one."""
        connection = self._idle_one()
        if connection is not None:
            try:
                return self._exchanged(connection, request)
            except _Stale:
                self.clear()  # whoever closed this one has likely closed them all
            except Unreachable:
                self.clear()
                raise
        try:
            return self._exchanged(self._connect(), request)
        except _Stale:
            raise self._trouble.not_taken() from None

    def exchange_each(
        self, requests: Sequence[bytes], meanwhile: Meanwhile | None = None
    ) -> list[Answer | Unreachable]:
        """The answer to each of several requests, or why there is none; all are sent before the first is waited for."""
        begun: list[Connection | Unreachable] = []
        answers: list[Answer | Unreachable] = []
        try:
            for request in requests:
                begun.append(self._begun(request))
            if meanwhile is not None:
                meanwhile()
            is_late = False
            for each in begun:
                answer = each if isinstance(each, Unreachable) else self._ended(each, is_late=is_late)
                is_late = is_late or (isinstance(answer, Unreachable) and isinstance(answer.__cause__, _TIMEOUTS))
                answers.append(answer)
        except BaseException:  # an interrupt: what was not answered is not used again
            for each in begun[len(answers) :]:
                if isinstance(each, Connection):
                    each.close()
            raise
        return answers

    def _begun(self, request: bytes) -> Connection | Unreachable:
        """A connection over which a request was sent."""
        for find in (self._idle_one, lambda: None):
            try:
                connection = find() or self._connect()
                connection.send(request)
            except _Stale:
                self.clear()
            except Unreachable as problem:
                self.clear()
                return problem
            else:
                return connection
        return self._trouble.not_taken()

    def _ended(self, connection: Connection, *, is_late: bool) -> Answer | Unreachable:
        """The answer to a request; if another one was waited for too long, this one has waited as long as well."""
        try:
            if is_late and connection.is_usable():
                raise self._trouble.no_answer()
            return self._kept(connection, connection.answer())
        except Unreachable as problem:
            connection.close()
            self.clear()
            return problem

    def _exchanged(self, connection: Connection, request: bytes) -> Answer:
        try:
            answer = connection.exchange(request)
        except BaseException:
            connection.close()
            raise
        return self._kept(connection, answer)

    def _kept(self, connection: Connection, answer: Answer) -> Answer:
        """Keeps a connection for the next request, if its answer allows that."""
        if answer.keep_alive and len(self._idle) < IDLE_MAX:
            connection.idle_since = time.monotonic()
            self._idle.append(connection)
            if self._is_closed:  # while this one was in use
                self.clear()
        else:
            connection.close()
        return answer

    def _idle_one(self) -> Connection | None:
        while True:
            try:
                connection = self._idle.pop()  # as one step, for whichever thread comes first
            except IndexError:
                return None
            if time.monotonic() - connection.idle_since < LOOKED_AT_SECONDS or connection.is_usable():
                return connection
            connection.close()

    def clear(self) -> None:
        """Closes the connections that wait."""
        while self._idle:
            try:
                connection = self._idle.pop()
            except IndexError:
                return
            connection.close()

    def close(self) -> None:
        """Closes what waits, and later what is in use."""
        self._is_closed = True
        self.clear()


_POOLS: weakref.WeakSet[Pool] = weakref.WeakSet()


def _forget_after_fork() -> None:
    """A child must not speak on the connections of its parent; closing its copies leaves the parent's open."""
    for pool in _POOLS:
        pool.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)


def _wait_in_kernel(connected: socket.socket, seconds: float) -> bool:
    """Has the kernel give up waiting, which spares a call before every one; False where it is not done so."""
    if sys.platform == "win32":
        return False
    whole = int(seconds)
    limit = struct.pack("ll", whole, int((seconds - whole) * 1_000_000))
    try:
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
    except OSError:
        return False
    return True


def is_readable(descriptor: int) -> bool:
    """Whether something waits to be read, which the end of a connection is too."""
    if not hasattr(select, "poll"):
        return bool(select.select([descriptor], [], [], 0)[0])
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))
