"""DynamoDB in an AWS region (`dynamodb://REGION`), with the credentials, endpoint and retries that botocore finds."""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from singletable.client.http.address import Address, parse_address, reject_unknown_options
from singletable.client.http.credentials import Credentials, credential_source, region_from, reject_two_sources
from singletable.client.http.environment_settings import EnvironmentSettings, environment_settings
from singletable.client.http.http_transport import HttpTransport, through_proxy
from singletable.client.http.signer import Signer
from singletable.client.retries import Retries, Timeouts
from singletable.errors import ArgumentRefused, NotConnected, without_secrets

if TYPE_CHECKING:
    from ssl import SSLContext

    from singletable.client.http.credentials import CredentialsOption

# How often to check whether credentials expire soon; botocore refreshes them 15 minutes before they expire.
REFRESH_CHECK_SECONDS = 1.0
_REGION_URL = re.compile(r"dynamodb://(?P<region>[^/?#@:]*)/?(\?(?P<options>[\w-]+=.*)?)?", re.DOTALL)


def open_region(
    url: str, timeouts: Timeouts, *, session: object = None, credentials: CredentialsOption | None = None
) -> HttpTransport:
    """Return a transport to DynamoDB, for `dynamodb://eu-west-1?profile=NAME&endpoint_url=URL`, all parts optional."""
    found = _REGION_URL.fullmatch(url)
    if found is None:
        raise ArgumentRefused(f"{without_secrets(url)!r} has no valid region; write dynamodb://eu-west-1")
    region, options = found["region"] or None, dict(parse_qsl(found["options"] or "", keep_blank_values=True))
    reject_unknown_options(options, ("endpoint_url", "profile"), url)
    profile = options.get("profile")
    reject_two_sources({"session=": session, "credentials=": credentials, "?profile=": profile})
    source = None if credentials is None else credential_source(credentials)
    settings: EnvironmentSettings | BotocoreSettings | None = None
    if session is None and profile is None:
        settings = environment_settings(os.environ, region, has_credentials=source is not None)
    settings = settings or BotocoreSettings(profile, session)
    region = region or settings.region()
    if region is None:
        raise NotConnected("no AWS region found; write dynamodb://eu-west-1, or set AWS_REGION")
    source = source or settings.credentials()
    endpoint = options.get("endpoint_url")
    address = settings.address(region) if endpoint is None else endpoint_address(endpoint)
    context = settings.context() if address.is_encrypted else None
    return HttpTransport(
        through_proxy(address),
        Signer(address.authority, region, source),
        timeouts,
        name=f"dynamodb://{region}",
        context=context,
        retries=settings.retries(),
    )


def endpoint_address(url: str) -> Address:
    """Return the address of an endpoint URL."""
    address, credentials, options = parse_address(url)
    if credentials is not None or options:
        raise ArgumentRefused(f"the endpoint {without_secrets(url)!r} must not contain credentials or options")
    return address


def botocore_credentials(credentials: Any) -> BotocoreCredentials:
    """Return the source for a credentials object of botocore or boto3."""
    return BotocoreCredentials(credentials, _botocore_problems())


def _botocore_problems() -> tuple[type[Exception], ...]:
    """Return the exception classes of botocore, and RuntimeError, which botocore raises for some invalid settings."""
    from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]

    return (BotoCoreError, ClientError, RuntimeError)


class BotocoreCredentials:
    """Credentials from botocore's provider chain, refreshed before they expire."""

    def __init__(self, credentials: Any, problems: tuple[type[Exception], ...]) -> None:
        self._credentials = credentials
        self._problems = problems
        self._refresh_needed = getattr(credentials, "refresh_needed", None)
        self._next_check = 0.0

    def current(self) -> Credentials:
        """Return the credentials, refreshed if they are about to expire."""
        try:
            frozen = self._credentials.get_frozen_credentials()
        except self._problems as problem:
            raise NotConnected(
                f"the credentials of {self._credentials.method} cannot be refreshed: {problem}\n  Sign in again, or "
                "check the role or profile that provides them."
            ) from problem
        return Credentials(frozen.access_key, frozen.secret_key, frozen.token)

    def needs_refresh(self) -> bool:
        """Return whether the credentials expire soon. `current` then refreshes them with network requests."""
        if self._refresh_needed is None or time.monotonic() < self._next_check:
            return False
        self._next_check = time.monotonic() + REFRESH_CHECK_SECONDS
        return bool(self._refresh_needed())


class BotocoreSettings:
    """AWS settings that botocore reads from the environment, the configuration files and the machine."""

    def __init__(self, profile: str | None = None, session: object = None) -> None:
        """Read the settings of a profile, or of a session of boto3 or botocore."""
        try:
            self._problems = _botocore_problems()
            from botocore.session import Session  # type: ignore[import-untyped]
        except ModuleNotFoundError as problem:
            raise NotConnected(
                f"AWS settings need {problem.name}, which is not installed: pip install 'singletable[aws]'"
            ) from problem
        self._is_given = session is not None
        self._session: Any = Session(profile=profile) if session is None else _botocore_session(session, Session)

    def region(self) -> str | None:
        """Return the region from the session, the environment or the profile."""
        # botocore reads only AWS_DEFAULT_REGION, other AWS SDKs and AWS Lambda use AWS_REGION.
        configured: str | None = self._from_botocore(self._session.get_config_variable, "region")
        return configured if self._is_given and configured else region_from(os.environ) or configured

    def credentials(self) -> BotocoreCredentials:
        """Return the credentials that botocore finds; raise NotConnected if it finds none."""
        credentials = self._from_botocore(self._session.get_credentials)
        if credentials is None:
            raise NotConnected(
                "no AWS credentials found in the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), in the\n"
                "  profiles of ~/.aws, or from a role of this machine. Run `aws configure` or `aws sso login`.\n"
                "  A local server needs no credentials: open http://HOST:PORT instead."
            )
        return BotocoreCredentials(credentials, self._problems)

    def address(self, region: str) -> Address:
        """Return the address of the configured endpoint, or the region's default address."""
        return endpoint_address(self._from_botocore(self._endpoint, region))

    def context(self) -> SSLContext:
        """Return the TLS context, with the configured CA certificates or those of the machine."""
        import ssl

        bundle = self._from_botocore(self._session.get_config_variable, "ca_bundle")
        try:
            return ssl.create_default_context(cafile=bundle)
        except OSError as problem:
            raise NotConnected(f"cannot read the certificates in {bundle!r}: {problem}") from problem

    def retries(self) -> Retries | None:
        """Return the retry settings from the environment or the profile, or None if there are none."""
        attempts = self._from_botocore(self._session.get_config_variable, "max_attempts")
        return None if attempts is None else Retries(attempts=max(1, int(attempts)))

    def _endpoint(self, region: str) -> str:
        # Only a botocore client can find the endpoints of all AWS partitions, of FIPS, of dual stack, and custom
        # endpoints.
        client = self._session.create_client("dynamodb", region_name=region)
        url: str = client.meta.endpoint_url
        return url

    def _from_botocore(self, function: Any, *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except self._problems as problem:
            raise NotConnected(f"botocore cannot resolve the AWS settings: {problem}") from problem


def _botocore_session(session: object, kind: type) -> Any:
    """Return the botocore session inside a boto3 session."""
    inner = getattr(session, "_session", session)
    if not isinstance(inner, kind) or type(inner).__module__.partition(".")[0] == "aiobotocore":
        raise ArgumentRefused(
            f"session= must be a session of boto3 or botocore, got {type(session).__module__}."
            f"{type(session).__name__}; with aioboto3, pass its client: Shop.open_async(client)"
        )
    return inner
