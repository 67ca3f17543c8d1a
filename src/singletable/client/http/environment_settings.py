"""AWS settings from environment variables alone, as in AWS Lambda.

Programs with these settings need not import botocore.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from singletable.client.http.address import Address
from singletable.client.http.credentials import (
    Credentials,
    CredentialSource,
    FixedCredentials,
    credentials_from,
    region_from,
)
from singletable.client.retries import Retries
from singletable.errors import NotConnected
from singletable.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from ssl import SSLContext

# The DNS suffix of the endpoints, for regions whose names match. botocore resolves all other regions.
_SUFFIXES = (
    (re.compile(r"cn-[a-z]+-\d"), "amazonaws.com.cn"),
    (re.compile(r"us-gov-[a-z]+-\d"), "amazonaws.com"),
    (re.compile(r"(?:af|ap|ca|eu|il|me|mx|sa|us)-[a-z]+-\d"), "amazonaws.com"),
)
# Variables that only botocore can interpret.
_BOTOCORE_VARIABLES = (
    "AWS_CA_BUNDLE",
    "AWS_DEFAULTS_MODE",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_DYNAMODB",
    "AWS_MAX_ATTEMPTS",
    "AWS_PROFILE",
    "AWS_DEFAULT_PROFILE",
    "AWS_USE_DUALSTACK_ENDPOINT",
    "AWS_USE_FIPS_ENDPOINT",
)
_FILES = (("AWS_CONFIG_FILE", "~/.aws/config"), ("AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials"))


@dataclass(frozen=True)
class EnvironmentSettings:
    """The settings of a program whose AWS configuration consists of a region and an access key."""

    known: Credentials | None
    known_region: str
    suffix: str

    def region(self) -> str | None:
        """Return the region."""
        return self.known_region

    def credentials(self) -> CredentialSource:
        """Return the credentials."""
        if self.known is None:
            raise NotConnected("no AWS credentials found in the environment")
        return FixedCredentials(self.known)

    def address(self, region: str) -> Address:
        """Return the address of DynamoDB in a region."""
        return Address(f"dynamodb.{region}.{self.suffix}", 443, is_encrypted=True)

    def context(self) -> SSLContext:
        """Return the TLS context, with the certificates of the machine."""
        import ssl

        return ssl.create_default_context()

    def retries(self) -> Retries | None:
        """Return None, because nothing configures retries."""
        return None


def environment_settings(
    environment: Mapping[str, str], region: str | None, *, has_credentials: bool
) -> EnvironmentSettings | None:
    """Return the settings; None if there can be other settings, which only botocore finds."""
    known = credentials_from(environment)
    region = region or region_from(environment)
    if region is None or (known is None and not has_credentials):
        return None
    if any(environment.get(name) for name in _BOTOCORE_VARIABLES) or any(
        Path(environment.get(name) or default).expanduser().exists() for name, default in _FILES
    ):
        return None
    for names, suffix in _SUFFIXES:
        if names.fullmatch(region):
            return EnvironmentSettings(known, region, suffix)
    return None
