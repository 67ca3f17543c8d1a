"""HTTP addresses: the host, credentials and options in a URL."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

from singletable.client.http.credentials import Credentials
from singletable.errors import ArgumentRefused, without_secrets
from singletable.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from singletable.client.http.proxies import Proxy

_AUTHORITY = re.compile(r"[a-z]+://[^/?#]*", re.IGNORECASE)
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Address:
    """The address of an HTTP server."""

    host: str
    port: int
    is_encrypted: bool
    proxy: Proxy | None = None
    """The proxy that opens connections to the server."""

    @property
    def authority(self) -> str:
        """The value of the Host header: the host, followed by the port unless it is the default port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        default = _PORTS["https" if self.is_encrypted else "http"]
        return host if self.port == default else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The URL without credentials and options."""
        return f"{'https' if self.is_encrypted else 'http'}://{self.authority}"


def proxy_url(environment: Mapping[str, str]) -> str:
    """Return the URL of the proxy for encrypted connections; empty if the environment sets none."""
    return environment.get("https_proxy") or environment.get("HTTPS_PROXY") or ""


def has_special_characters(url: str) -> bool:
    """Return whether the credentials in a URL contain a character that ends them, such as "/"."""
    return "@" in _AUTHORITY.sub("", url, count=1)


def parse_address(url: str) -> tuple[Address, Credentials | None, dict[str, str]]:
    """Parse `http://[KEY:SECRET@]HOST[:PORT][?OPTION=...]` into the address, the credentials and the options."""
    shown = without_secrets(url)
    if has_special_characters(url):
        raise ArgumentRefused(
            f"{shown!r} has an access key with a special character; write / as %2F, ? as %3F, # as %23 and @ as %40"
        )
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:  # its message may contain the secret
        raise ArgumentRefused(f"{shown!r} is not a valid address; write http://HOST:PORT") from None
    if not host or port == 0:
        raise ArgumentRefused(f"{shown!r} is not a valid address; write http://HOST:PORT")
    if parts.path not in ("", "/") or parts.fragment:
        raise ArgumentRefused(f"{shown!r} has a path, but a DynamoDB address has no path; write http://HOST:PORT")
    credentials = None
    if parts.username is not None:
        if not parts.username or not parts.password:
            raise ArgumentRefused(f"{shown!r} has an incomplete access key; write http://KEY:SECRET@HOST:PORT")
        credentials = Credentials(unquote(parts.username), unquote(parts.password))
    address = Address(_ascii(host, shown), port or _PORTS[parts.scheme], parts.scheme == "https")
    return address, credentials, dict(parse_qsl(parts.query, keep_blank_values=True))


def reject_unknown_options(options: Mapping[str, str], known: tuple[str, ...], url: str) -> None:
    """Raise ArgumentRefused if a URL has an unknown option."""
    unknown = sorted(options.keys() - set(known))
    if unknown:
        name = "an unknown option" if "@" in url else f"the unknown option {unknown[0]!r}"  # it may be part of a secret
        raise ArgumentRefused(f"{without_secrets(url)!r} has {name}; the valid options are {', '.join(known)}")


def _ascii(host: str, shown: str) -> str:
    try:
        return host if host.isascii() else host.encode("idna").decode("ascii")
    except UnicodeError:
        raise ArgumentRefused(f"{shown!r} is not a valid address: invalid host name") from None
