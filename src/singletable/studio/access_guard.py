"""Access rules of the studio: who may read and write. They are checked before any page is served.

Every page that is open in a browser can send requests to 127.0.0.1. So a request must meet three conditions. Its host
name must be that of the studio, which prevents DNS rebinding. It must come from a page of the studio, which excludes
other sites and other local servers. And it must have the cookie of this process. A write also needs a header that only
a page of the studio can send.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

WRITE_HEADER = "X-Studio-Write"
"""The header that every write must have. A page of another site cannot add it."""
SAFE_METHODS = frozenset({"GET", "HEAD"})
ASSETS = "/assets/"

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "trusted-types studio",
        "require-trusted-types-for 'script'",
    )
)
_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def _new_secret() -> str:
    return secrets.token_urlsafe(32)


@dataclass
class StudioSecrets:
    """The secrets of one studio process; `repr` never shows them."""

    port: int
    token: str | None = field(default_factory=_new_secret, repr=False)
    """The token in the printed URL. None after it was exchanged for the cookie."""
    session: str = field(default_factory=_new_secret, repr=False)
    write_token: str = field(default_factory=_new_secret, repr=False)

    @property
    def cookie_name(self) -> str:
        """The name of the cookie. It contains the port, because browsers send cookies to every port of a host."""
        return f"singletable-studio-{self.port}"

    @property
    def hosts(self) -> tuple[str, str]:
        """The accepted values of the Host header."""
        return f"127.0.0.1:{self.port}", f"localhost:{self.port}"

    @property
    def url(self) -> str:
        """The URL to open, with the token."""
        return f"http://{self.hosts[0]}/?token={self.token}"

    def exchange(self, given: str) -> str | None:
        """Return the Set-Cookie header for the correct token, and delete the token. Return None for any other token."""
        if self.token is None or not _equal(given, self.token):
            return None
        self.token = None
        return f"{self.cookie_name}={self.session}; HttpOnly; SameSite=Strict; Path=/"

    def has_session(self, headers: Headers) -> bool:
        """Return whether a request has the cookie of this process."""
        cookies = cookie_parser(headers.get("cookie", ""))
        return _equal(cookies.get(self.cookie_name, ""), self.session)


@dataclass(frozen=True)
class Rejection:
    """A rejected request: the status, and the text for the page, which says what to do."""

    status: int
    title: str
    remedy: str


_ANOTHER_HOST = Rejection(421, "This address is not the studio's", "Open the URL that the studio printed.")
_ANOTHER_SITE = Rejection(403, "Another site sent this request", "Open the studio's URL yourself; it accepts no links.")
_NO_WRITE_TOKEN = Rejection(403, "The write was rejected", "Reload the page and try again.")
NO_SESSION = Rejection(
    403,
    "This browser is not signed in to the studio",
    "Open the URL that the studio printed when it started. Each URL works once: if you have used it in another "
    "browser, stop the studio and start it again to get a new URL.",
)


def rejection(secrets_: StudioSecrets, method: str, path: str, headers: Headers) -> Rejection | None:
    """Return why a request is rejected, or None if it may proceed."""
    host = headers.get("host", "")
    if host not in secrets_.hosts:
        return _ANOTHER_HOST
    if not _is_own_page(headers, host):
        return _ANOTHER_SITE
    if path.startswith(ASSETS) and method in SAFE_METHODS:
        return None
    if not secrets_.has_session(headers):
        return NO_SESSION
    if method not in SAFE_METHODS:
        is_own_origin = headers.get("origin") == f"http://{host}"
        if not is_own_origin or not _equal(headers.get(WRITE_HEADER, ""), secrets_.write_token):
            return _NO_WRITE_TOKEN
    return None


def _is_own_page(headers: Headers, host: str) -> bool:
    """Return whether the user or a page of the studio sent a request. A page on another port is another site."""
    if headers.get("origin", f"http://{host}") != f"http://{host}":
        return False
    return headers.get("sec-fetch-site", "none") in {"none", "same-origin"}


def _equal(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(), expected.encode())


class AccessGuard:
    """ASGI middleware that rejects requests by these rules, and adds the security headers to every response."""

    def __init__(self, app: ASGIApp, secrets: StudioSecrets, rejected: ASGIApp) -> None:
        self._app, self._secrets, self._rejected = app, secrets, rejected

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or the page about its rejection."""
        if scope["type"] != "http":  # uvicorn also sends lifespan events
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        found = rejection(self._secrets, scope["method"], scope["path"], headers)
        is_exchange = found is NO_SESSION and scope["path"] == "/" and b"token=" in scope["query_string"]
        if found is not None and not is_exchange:
            scope["rejection"] = found
            await self._rejected(scope, receive, _with_headers(send, _HEADERS))
            return
        await self._app(scope, receive, _with_headers(send, _HEADERS))


def _with_headers(send: Send, added: Mapping[str, str]) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in added.items():
                headers[name] = value
            headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return send_with_headers
