"""Addresses: what a URL says of where DynamoDB is and how it is spoken to, with its secrets kept apart."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from singletable.client.http.keys import Keys
from singletable.errors import ArgumentRefused

_USER = re.compile(r"//[^/?#]*@")
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Address:
    """A host that is spoken to over HTTP."""

    host: str
    port: int
    is_encrypted: bool

    @property
    def authority(self) -> str:
        """The host as a request names it: with its port, unless that is the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = _PORTS["https" if self.is_encrypted else "http"]
        return host if self.port == usual else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The URL, without credentials and options."""
        return f"{'https' if self.is_encrypted else 'http'}://{self.authority}"


def without_secrets(url: str) -> str:
    """A URL as it may be shown."""
    return _USER.sub("//", url)


def read_address(url: str) -> tuple[Address, Keys | None, dict[str, str]]:
    """What `http://[KEY:SECRET@]HOST[:PORT][?OPTION=...]` says: the address, the credentials and the options."""
    shown = without_secrets(url)
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as problem:
        raise ArgumentRefused(f"{shown!r} is no address: {problem}") from None
    if not host or port == 0:
        raise ArgumentRefused(f"{shown!r} is no address; write http://HOST:PORT")
    if parts.path not in ("", "/") or parts.fragment:
        raise ArgumentRefused(f"{shown!r} has a path; DynamoDB is asked at the root, so write http://HOST:PORT")
    keys = None
    if parts.username is not None:
        if not parts.username or not parts.password:
            raise ArgumentRefused(f"{shown!r} has half of an access key; write http://KEY:SECRET@HOST:PORT")
        keys = Keys(unquote(parts.username), unquote(parts.password))
    address = Address(_ascii(host, shown), port or _PORTS[parts.scheme], parts.scheme == "https")
    return address, keys, dict(parse_qsl(parts.query, keep_blank_values=True))


def refuse_unknown(options: Mapping[str, str], known: tuple[str, ...], url: str) -> None:
    """Refuses options that mean nothing."""
    unknown = sorted(options.keys() - set(known))
    if unknown:
        raise ArgumentRefused(
            f"{without_secrets(url)!r} has the option {unknown[0]!r}, which means nothing; there are {', '.join(known)}"
        )


def _ascii(host: str, shown: str) -> str:
    try:
        return host if host.isascii() else host.encode("idna").decode("ascii")
    except UnicodeError:
        raise ArgumentRefused(f"{shown!r} is no address; its host is no name") from None
