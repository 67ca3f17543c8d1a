"""Access keys: what requests are signed with, and where they come from; they are never shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True)
class Keys:
    """An access key with its secret, and the token of one that is good for a while."""

    key_id: str = field(repr=False)
    secret: str = field(repr=False)
    token: str | None = field(default=None, repr=False)


class KeySource(Protocol):
    """Whoever has the access key of the moment."""

    def keys(self) -> Keys:
        """The keys to sign with now; it may take a while to get new ones."""
        ...

    def takes_long(self) -> bool:
        """Whether new ones are to be got, so that a loop had better not wait for it."""
        ...


@dataclass(frozen=True)
class FixedKeys:
    """Keys that stay what they are."""

    given: Keys

    def keys(self) -> Keys:
        """The same at all times."""
        return self.given

    def takes_long(self) -> bool:
        """Never."""
        return False


# Servers at home take any; DynamoDB Local wants letters and digits, and keeps the tables of each access key apart.
ANY_KEYS = Keys("singletable", "singletable")
ANY_REGION = "us-east-1"


def keys_of(environment: Mapping[str, str]) -> Keys | None:
    """The keys in the variables that every AWS SDK looks at; None when there are none."""
    key_id, secret = environment.get("AWS_ACCESS_KEY_ID"), environment.get("AWS_SECRET_ACCESS_KEY")
    if not key_id or not secret:
        return None
    return Keys(key_id, secret, environment.get("AWS_SESSION_TOKEN") or None)


def region_of(environment: Mapping[str, str]) -> str:
    """The region in the variables that every AWS SDK looks at."""
    return environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION") or ANY_REGION
