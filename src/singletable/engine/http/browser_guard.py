"""Protection against web pages: the Host and Origin headers that the server accepts, and its CORS headers.

Every page that a user opens can send requests to a server on the same machine. Without access keys, only this check
prevents such a page from reading and writing tables. The Origin header names the page that sends a request. The Host
header contains the host name in the URL of the request. A page can make its own host name resolve to 127.0.0.1 (DNS
rebinding), but it cannot make the browser send an IP address or `localhost` instead of this name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import ip_address

ANY = "*"
_ACCEPTED_HOSTS_MAX = 100
_HOST_AND_PORT = re.compile(r"(?P<host>\[[^\[\]]*\]|[^:\[\]]*)(?::\d*)?")
_PREFLIGHT_SECONDS = 172800
_EXPOSED = b"Access-Control-Expose-Headers: x-amzn-RequestId, x-amz-crc32\r\n"
_PREFLIGHT_HEADERS = {
    b"access-control-request-headers": b"Access-Control-Allow-Headers",
    b"access-control-request-method": b"Access-Control-Allow-Methods",
}

Headers = dict[bytes, bytes]


class BrowserGuard:
    """Accepts requests by their Host and Origin headers.

    `origins` are the allowed origins, such as `http://localhost:8001`, and `hosts` the allowed host names; `*` allows
    all of them. IP addresses, `localhost` and names below `localhost` are always allowed as hosts.
    """

    def __init__(self, *, origins: Iterable[str] = (), hosts: Iterable[str] = ()) -> None:
        self._origins = frozenset(origin.rstrip("/").lower().encode("latin-1", "replace") for origin in origins)
        self._hosts = frozenset(host.lower() for host in hosts)
        self._allows_any_origin = ANY.encode() in self._origins
        self._accepted_hosts: set[bytes] = set()  # the Host headers of earlier requests, which need no second check

    def problem(self, headers: Headers) -> str | None:
        """Return why the server rejects a request, and the option that allows it.

        Return None for an accepted request.
        """
        origin = headers.get(b"origin")
        if origin is not None and not self._allows_origin(origin):
            text = origin.decode("latin-1")
            return (
                f"The web page {text!r} sent this request. To allow requests from this page, start the server with "
                f"--allow-origin {text}."
            )
        host = headers.get(b"host")
        if host is None or host in self._accepted_hosts:
            return None  # browsers always send a Host header
        return self._host_problem(host)

    def _host_problem(self, header: bytes) -> str | None:
        text = header.decode("latin-1")
        parts = _HOST_AND_PORT.fullmatch(text.strip())
        name = parts["host"].lower().rstrip(".") if parts else ""
        if not (_is_local(name) or name in self._hosts or ANY in self._hosts):
            return (
                f"The Host header is {text!r}, which is neither an IP address nor localhost. "
                f"To allow it, start the server with --allow-host {name or text}, or set an access key."
            )
        if len(self._accepted_hosts) < _ACCEPTED_HOSTS_MAX:
            self._accepted_hosts.add(header)
        return None

    def _allows_origin(self, origin: bytes) -> bool:
        return self._allows_any_origin or origin.strip().lower() in self._origins

    def cors(self, headers: Headers) -> bytes:
        """Return the CORS headers that let a page from an allowed origin read the response."""
        origin = headers.get(b"origin")
        if origin is None or not self._allows_origin(origin):
            return b""
        if self._allows_any_origin:
            return b"Access-Control-Allow-Origin: *\r\n" + _EXPOSED
        return b"Access-Control-Allow-Origin: %b\r\nVary: Origin\r\n" % origin.strip() + _EXPOSED

    def preflight(self, headers: Headers) -> bytes:
        """Return the header lines that answer a browser's preflight request from an allowed origin."""
        lines = [self.cors(headers), b"Access-Control-Max-Age: %d\r\n" % _PREFLIGHT_SECONDS]
        for requested, allowed in _PREFLIGHT_HEADERS.items():
            if requested in headers:
                lines.append(b"%b: %b\r\n" % (allowed, headers[requested]))
        return b"".join(lines)


def _is_local(name: str) -> bool:
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        ip_address(name[1:-1] if name.startswith("[") else name)
    except ValueError:
        return False
    return True


ALLOW_ALL = BrowserGuard(origins=(ANY,), hosts=(ANY,))
"""The guard of a server with access keys.

It accepts all pages, because a page without a key cannot sign its requests.
"""
