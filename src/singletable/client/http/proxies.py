"""HTTP proxies for encrypted connections (HTTPS_PROXY, NO_PROXY): opens a tunnel with CONNECT."""

from __future__ import annotations

import socket
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import field
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from singletable.client.http.address import Address, has_special_characters, proxy_url
from singletable.client.http.network_errors import ProxyFailed, reason_of
from singletable.errors import ArgumentRefused, without_secrets
from singletable.lazy_dataclass import dataclass, replace

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

_RESPONSE_BYTES_MAX = 64 * 1024


@dataclass(frozen=True)
class Proxy:
    """The address of an HTTP proxy."""

    host: str
    port: int
    authorization: str | None = field(default=None, repr=False)

    def connect_request(self, address: Address) -> bytes:
        """Return the request to open a tunnel."""
        host = f"[{address.host}]" if ":" in address.host else address.host
        lines = [f"CONNECT {host}:{address.port} HTTP/1.1", f"Host: {host}:{address.port}"]
        if self.authorization is not None:
            lines.append(f"Proxy-Authorization: {self.authorization}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def failed(self, reason: str) -> ProxyFailed:
        """Return the error for a tunnel that cannot be opened."""
        return ProxyFailed(f"cannot be reached through the proxy {self.host}:{self.port} (HTTPS_PROXY): {reason}")

    def is_open(self, received: bytes) -> bool:
        """Return whether these bytes are the whole response to `connect_request`; raise ProxyFailed for an error."""
        head, end, rest = received.partition(b"\r\n\r\n")
        if not end:
            if len(received) > _RESPONSE_BYTES_MAX:
                raise self.failed("its response is too long")
            return False
        status_line = head.split(b"\r\n", 1)[0].decode("latin-1")
        version, _, status = status_line.partition(" ")
        if not version.startswith("HTTP/1.") or not status[:3].isdigit():
            raise self.failed("its response is not HTTP")
        if not status.startswith("2") or rest:
            raise self.failed(f"it responded with {status.strip()}")
        return True


def with_proxy(address: Address, environment: Mapping[str, str]) -> Address:
    """Return the address with the proxy that the environment sets for it. Without a proxy, return it unchanged.

    Only encrypted connections use a proxy. Connections to this machine never do.
    """
    url = proxy_url(environment)
    if not url or not address.is_encrypted or _is_this_machine(address.host):
        return address
    if is_excepted(address, environment.get("no_proxy") or environment.get("NO_PROXY") or ""):
        return address
    return replace(address, proxy=_parse(url))


def is_excepted(address: Address, exceptions: str) -> bool:
    """Return whether NO_PROXY contains a host.

    An entry is `*`, a name, which includes its subdomains, or a name with a port.
    """
    host = address.host.lower().rstrip(".")
    for entry in exceptions.lower().split(","):
        name, _, port = entry.strip().partition(":") if entry.count(":") == 1 else (entry.strip(), "", "")
        name = name.strip("[]").removeprefix("*").lstrip(".").rstrip(".")
        if entry.strip() == "*":
            return True
        if name and (not port or port == str(address.port)) and (host == name or host.endswith(f".{name}")):
            return True
    return False


def open_socket(address: Address, proxy: Proxy, seconds: float) -> socket.socket:
    """Return a socket that is connected through the proxy. Raise ProxyFailed if the proxy opens no tunnel."""
    try:
        connected = socket.create_connection((proxy.host, proxy.port), seconds)
    except OSError as problem:
        raise proxy.failed(_reason(problem)) from problem
    try:
        connected.sendall(proxy.connect_request(address))
        received = b""
        while not proxy.is_open(received):
            data = connected.recv(4096)
            if not data:
                raise proxy.failed("it closed the connection")
            received += data
    except ProxyFailed:
        connected.close()
        raise
    except OSError as problem:
        connected.close()
        raise proxy.failed(_reason(problem)) from problem
    except BaseException:
        connected.close()
        raise
    return connected


async def open_socket_async(address: Address, proxy: Proxy) -> socket.socket:
    """Return a non-blocking socket that is connected to the address through the proxy, like `open_socket`."""
    import asyncio  # synchronous programs do not import it

    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(proxy.host, proxy.port, type=socket.SOCK_STREAM)
        connected = await _connect_first(loop, found)
    except OSError as problem:
        raise proxy.failed(_reason(problem)) from problem
    try:
        await loop.sock_sendall(connected, proxy.connect_request(address))
        received = b""
        while not proxy.is_open(received):
            data = await loop.sock_recv(connected, 4096)
            if not data:
                raise proxy.failed("it closed the connection")
            received += data
    except ProxyFailed:
        connected.close()
        raise
    except OSError as problem:
        connected.close()
        raise proxy.failed(_reason(problem)) from problem
    except BaseException:
        connected.close()
        raise
    return connected


async def _connect_first(
    loop: AbstractEventLoop, found: Sequence[tuple[socket.AddressFamily, socket.SocketKind, int, str, tuple[Any, ...]]]
) -> socket.socket:
    """Try the addresses in order and return a socket that is connected to the first one that accepts."""
    problem = OSError("the host name has no address")
    for family, kind, protocol, _, where in found:
        connected = socket.socket(family, kind, protocol)
        connected.setblocking(False)
        try:
            await loop.sock_connect(connected, where)
        except OSError as failed:
            connected.close()
            problem = failed
        except BaseException:
            connected.close()
            raise
        else:
            return connected
    raise problem


def _parse(url: str) -> Proxy:
    shown, url = without_secrets(url), url if "://" in url else f"http://{url}"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:  # its message may contain the password
        raise ArgumentRefused(f"HTTPS_PROXY={shown!r} is not a valid URL; write http://HOST:PORT") from None
    if parts.scheme != "http" or not host or has_special_characters(url):
        raise ArgumentRefused(f"HTTPS_PROXY={shown!r} is not supported; write http://HOST:PORT")
    authorization = None
    if parts.username is not None:
        user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        authorization = f"Basic {b64encode(user.encode()).decode('ascii')}"
    return Proxy(host, port or 80, authorization)


def _is_this_machine(host: str) -> bool:
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _reason(problem: OSError) -> str:
    if isinstance(problem, TimeoutError):
        return "it did not respond in time"
    if isinstance(problem, socket.gaierror):
        return "its host name does not resolve"
    return reason_of(problem)
