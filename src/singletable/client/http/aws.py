"""`dynamodb://REGION`: the service itself, with the credentials, endpoint and retries that botocore finds."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from singletable.client.http.address import Address, read_address, refuse_unknown, without_secrets
from singletable.client.http.keys import Keys
from singletable.client.http.signer import Signer
from singletable.client.http.transport import HttpTransport
from singletable.client.policy import Retries, Timeouts
from singletable.errors import ArgumentRefused, NotConnected

if TYPE_CHECKING:
    from ssl import SSLContext

# How often it is asked whether credentials are about to expire, which botocore renews a quarter of an hour before.
LOOKED_AT_SECONDS = 1.0


def open_region(url: str, timeouts: Timeouts) -> HttpTransport:
    """The transport to DynamoDB in a region: `dynamodb://eu-west-1?profile=NAME&endpoint=URL`."""
    parts = urlsplit(url)
    region, options = parts.netloc, dict(parse_qsl(parts.query, keep_blank_values=True))
    if not region or parts.path not in ("", "/") or "@" in region or ":" in region:
        raise ArgumentRefused(f"{without_secrets(url)!r} names no region; write it like dynamodb://eu-west-1")
    refuse_unknown(options, ("endpoint", "profile"), url)
    settings = BotocoreSettings(options.get("profile"))
    keys = settings.keys()
    address = settings.address(region, options.get("endpoint"))
    signer = Signer(address.authority, region, keys)
    context = settings.context() if address.is_encrypted else None
    return HttpTransport(
        address, signer, timeouts, name=f"dynamodb://{region}", context=context, retries=settings.retries()
    )


class BotocoreKeys:
    """Whatever botocore's chain has found, renewed when it expires."""

    def __init__(self, credentials: Any, problems: tuple[type[Exception], ...]) -> None:
        self._credentials = credentials
        self._problems = problems
        self._refresh_needed = getattr(credentials, "refresh_needed", None)
        self._next_look = 0.0

    def keys(self) -> Keys:
        """The keys of now, which are renewed when they are about to expire."""
        try:
            frozen = self._credentials.get_frozen_credentials()
        except self._problems as problem:
            raise NotConnected(
                f"the credentials of {self._credentials.method} cannot be renewed: {problem}\n"
                "  Sign in again, or look at the role or the profile that they come from."
            ) from problem
        return Keys(frozen.access_key, frozen.secret_key, frozen.token)

    def takes_long(self) -> bool:
        """Whether they are about to expire, so that somebody is asked for new ones."""
        if self._refresh_needed is None or time.monotonic() < self._next_look:
            return False
        self._next_look = time.monotonic() + LOOKED_AT_SECONDS
        return bool(self._refresh_needed())


class BotocoreSettings:
    """What botocore makes of the environment, the configuration files and the machine; its errors become ours."""

    def __init__(self, profile: str | None = None) -> None:
        try:
            from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]
            from botocore.session import Session  # type: ignore[import-untyped]
        except ModuleNotFoundError as problem:
            raise NotConnected(
                f"the settings of AWS are read by {problem.name}, which is not here: pip install 'singletable[aws]'"
            ) from problem
        self._problems = (BotoCoreError, ClientError, RuntimeError)
        self._session: Any = Session(profile=profile)

    def keys(self) -> BotocoreKeys:
        """The credentials; refuses when there are none."""
        credentials = self._asked(self._session.get_credentials)
        if credentials is None:
            raise NotConnected(
                "no credentials were found: not in the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), in no\n"
                "  profile of ~/.aws, and this machine has no role. `aws configure` or `aws sso login` gives some;\n"
                "  a server at home needs none: open http://HOST:PORT instead."
            )
        return BotocoreKeys(credentials, self._problems)

    def address(self, region: str, endpoint: str | None) -> Address:
        """The endpoint of the region, or the one that was given or configured."""
        url = endpoint or self._asked(self._endpoint, region)
        address, keys, options = read_address(url)
        if keys is not None or options:
            raise ArgumentRefused(f"the endpoint {without_secrets(url)!r} has more than an address")
        return address

    def context(self) -> SSLContext:
        """How connections are encrypted: with the certificates that are configured, or those of the machine."""
        import ssl

        bundle = self._asked(self._session.get_config_variable, "ca_bundle")
        try:
            return ssl.create_default_context(cafile=bundle)
        except OSError as problem:
            raise NotConnected(f"the certificates of {bundle!r} cannot be read: {problem}") from problem

    def retries(self) -> Retries | None:
        """How often a request is sent, where the environment or the profile say so."""
        attempts = self._asked(self._session.get_config_variable, "max_attempts")
        return None if attempts is None else Retries(attempts=max(1, int(attempts)))

    def _endpoint(self, region: str) -> str:
        # A client is the only one who knows all of it: partitions, FIPS, dual stack, and endpoints of one's own.
        client = self._session.create_client("dynamodb", region_name=region)
        url: str = client.meta.endpoint_url
        return url

    def _asked(self, question: Any, *arguments: Any) -> Any:
        try:
            return question(*arguments)
        except self._problems as problem:
            raise NotConnected(f"botocore finds no way to DynamoDB: {problem}") from problem
