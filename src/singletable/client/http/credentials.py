"""AWS credentials: the access keys that sign requests, and the sources of these keys; `repr` never shows a key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True)
class Credentials:
    """An access key with its secret and, for temporary credentials, a session token."""

    key_id: str = field(repr=False)
    secret: str = field(repr=False)
    token: str | None = field(default=None, repr=False)


class CredentialSource(Protocol):
    """A source of credentials, which may be temporary."""

    def current(self) -> Credentials:
        """Return the current credentials; this call can block while it refreshes them."""
        ...

    def needs_refresh(self) -> bool:
        """Return whether the next call of `current` refreshes the credentials; a refresh would block an event loop."""
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


# Local servers accept any credentials. DynamoDB Local requires an access key of letters and digits, and stores the
# tables of each access key separately.
LOCAL_CREDENTIALS = Credentials("singletable", "singletable")
DEFAULT_REGION = "us-east-1"


def credentials_from(environment: Mapping[str, str]) -> Credentials | None:
    """Return the credentials from the environment variables that AWS SDKs use, or None if they are not set."""
    key_id, secret = environment.get("AWS_ACCESS_KEY_ID"), environment.get("AWS_SECRET_ACCESS_KEY")
    if not key_id or not secret:
        return None
    return Credentials(key_id, secret, environment.get("AWS_SESSION_TOKEN") or None)


def region_from(environment: Mapping[str, str]) -> str:
    """Return the region from the environment variables that AWS SDKs use, or the default region."""
    return environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION") or DEFAULT_REGION
