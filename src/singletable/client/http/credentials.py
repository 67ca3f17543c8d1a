"""AWS credentials: the access keys that sign requests, and the sources of these keys; `repr` never shows a key."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import field
from datetime import datetime
from threading import Lock
from typing import Any, Protocol, cast

from singletable.errors import ArgumentRefused
from singletable.lazy_dataclass import dataclass

# Credentials from a function are renewed this long before they expire.
RENEW_SECONDS = 60.0


@dataclass(frozen=True)
class Credentials:
    """An access key with its secret and, for temporary credentials, a session token and an expiry time."""

    key_id: str = field(repr=False)
    secret: str = field(repr=False)
    token: str | None = field(default=None, repr=False)
    expires_at: datetime | None = None


class BotocoreKeys(Protocol):
    """Credentials of botocore or boto3."""

    def get_frozen_credentials(self) -> Any:
        """Return the current access key, secret and token."""
        ...


GivenCredentials = Credentials | BotocoreKeys | Mapping[str, Any]
"""Credentials as a user passes them. A mapping has the form of `Credentials` in an AWS STS response."""
CredentialsOption = GivenCredentials | Callable[[], GivenCredentials]
"""The `credentials` option: credentials, or a function that returns them."""


class CredentialSource(Protocol):
    """A source of credentials, which may be temporary."""

    def current(self) -> Credentials:
        """Return the current credentials; the call can block while it refreshes them."""
        ...

    def needs_refresh(self) -> bool:
        """Return whether the next call of `current` refreshes the credentials. A refresh would block an event loop."""
        ...


@dataclass(frozen=True)
class FixedCredentials:
    """Credentials that do not expire."""

    given: Credentials

    def current(self) -> Credentials:
        """Return the credentials."""
        return self.given

    def needs_refresh(self) -> bool:
        """Return False, because these credentials do not expire."""
        return False


class CredentialsFunction:
    """Credentials from a function, which is called again before they expire."""

    def __init__(self, function: Callable[[], GivenCredentials], clock: Callable[[], float] = time.time) -> None:
        self._function = function
        self._clock = clock
        self._source: CredentialSource | None = None
        self._expires = float("inf")
        self._lock = Lock()

    def current(self) -> Credentials:
        """Return the credentials. If there are none, or they expire soon, call the function first."""
        with self._lock:
            source = self._source
            if source is None or self._is_about_to_expire():
                given = self._function()
                if callable(given):
                    raise ArgumentRefused(
                        "credentials=: the function must return credentials, but it returned a function"
                    )
                source = credential_source(given)
                expiry = source.given.expires_at if isinstance(source, FixedCredentials) else None
                self._expires = float("inf") if expiry is None else expiry.timestamp()
                self._source = source
            return source.current()

    def needs_refresh(self) -> bool:
        """Return whether the next call of `current` calls the function or refreshes the credentials."""
        source = self._source
        return source is None or self._is_about_to_expire() or source.needs_refresh()

    def _is_about_to_expire(self) -> bool:
        return self._clock() >= self._expires - RENEW_SECONDS


def credential_source(given: object) -> CredentialSource:
    """Return the source for the option `credentials`; raise ArgumentRefused for an invalid value."""
    if isinstance(given, Credentials):
        return FixedCredentials(given)
    if isinstance(given, Mapping):
        return FixedCredentials(_from_sts(given))
    if hasattr(given, "get_frozen_credentials"):
        from singletable.client.http.aws import botocore_credentials

        return botocore_credentials(given)
    if callable(given):
        return CredentialsFunction(cast("Callable[[], GivenCredentials]", given))
    raise ArgumentRefused(
        f"credentials= must be Credentials, credentials of boto3, the Credentials of an STS response, or a function "
        f"that returns one of these; got {type(given).__name__}"
    )


def _from_sts(members: Mapping[str, Any]) -> Credentials:
    key_id, secret = members.get("AccessKeyId"), members.get("SecretAccessKey")
    if not isinstance(key_id, str) or not isinstance(secret, str):
        raise ArgumentRefused(
            'credentials= has no AccessKeyId or no SecretAccessKey; pass sts.assume_role(...)["Credentials"]'
        )
    expiry = members.get("Expiration")
    if isinstance(expiry, str):
        expiry = datetime.fromisoformat(expiry)
    return Credentials(key_id, secret, members.get("SessionToken"), expiry)


# Local servers accept any credentials. DynamoDB Local requires an access key of letters and digits, and stores the
# tables of each access key separately.
LOCAL_CREDENTIALS = Credentials("singletable", "singletable")
DEFAULT_REGION = "us-east-1"


def credentials_from(environment: Mapping[str, str]) -> Credentials | None:
    """Return the credentials from the environment variables of the AWS SDKs, or None if the variables are not set."""
    key_id, secret = environment.get("AWS_ACCESS_KEY_ID"), environment.get("AWS_SECRET_ACCESS_KEY")
    if not key_id or not secret:
        return None
    return Credentials(key_id, secret, environment.get("AWS_SESSION_TOKEN") or None)


def region_from(environment: Mapping[str, str]) -> str | None:
    """Return the region from the environment variables of the AWS SDKs, or None if the variables are not set."""
    return environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION") or None


def reject_two_sources(sources: Mapping[str, object]) -> None:
    """Raise ArgumentRefused if more than one option provides the credentials."""
    given = [name for name, value in sources.items() if value is not None]
    if len(given) > 1:
        raise ArgumentRefused(f"{given[0]} and {given[1]} both provide credentials; pass only one of them")
