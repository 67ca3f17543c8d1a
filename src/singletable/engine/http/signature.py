"""AWS Signature Version 4: computes the signatures of requests, and verifies them with DynamoDB's error messages."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes

from singletable.engine.http.access_keys import AccessKeys
from singletable.engine.http.http_messages import HttpRequest
from singletable.errors import RequestRefused
from singletable.wire.signing import ALGORITHM, TERMINATOR, Scope, Signing

_UNRESERVED = "-_.~"

QueryParameters = Sequence[tuple[str, str]]


def query_parameters(request: HttpRequest) -> QueryParameters:
    """Return the decoded query parameters in a request's URL, in their original order."""
    _, _, query = request.url.partition(b"?")
    pairs = (part.partition(b"=") for part in query.split(b"&") if part)
    return [(_decoded(name), _decoded(value)) for name, _, value in pairs]


def _decoded(text: bytes) -> str:
    # Bytes that are not UTF-8 stay unchanged when they are decoded and encoded, so their signature stays valid.
    return unquote_to_bytes(text).decode("utf-8", "surrogateescape")


def compute_signature(
    secret: str, moment: str, scope: Scope, request: HttpRequest, query: QueryParameters, signed: Sequence[str]
) -> str:
    """Compute the signature of a request with a secret. The signature covers the headers that `signed` names."""
    canonical = _canonical(request, query, signed)
    return Signing(secret, moment, scope).signature(canonical)


def _canonical(request: HttpRequest, query: QueryParameters, signed: Sequence[str]) -> bytes:
    path, _, _ = request.url.partition(b"?")
    pairs = sorted((_encoded(name), _encoded(value)) for name, value in query if name != "X-Amz-Signature")
    headers = b"".join(b"%b:%b\n" % (name, _trimmed(request, name)) for name in map(_header_name, signed))
    return b"\n".join(
        (
            request.method,
            quote(path, safe="/~").encode(),
            "&".join(f"{name}={value}" for name, value in pairs).encode(),
            headers,
            ";".join(signed).encode(),
            hashlib.sha256(request.body).hexdigest().encode(),
        )
    )


def _header_name(name: str) -> bytes:
    return name.encode("latin-1", "replace")


def _trimmed(request: HttpRequest, name: bytes) -> bytes:
    # DynamoDB combines the values of a repeated header (tests of Alternator that pass on DynamoDB).
    value = request.repeated.get(name) or request.headers.get(name, b"")
    return b" ".join(value.split())


def _encoded(text: str) -> str:
    return quote(text, safe=_UNRESERVED, errors="surrogateescape")


# DynamoDB allowed 15 minutes until at least 2019. Its documentation and error messages now say 5 minutes.
SKEW_MAX = timedelta(minutes=5)
EXPIRES_MAX = timedelta(days=7)
SERVICE = "dynamodb"

_MOMENT = "%Y%m%dT%H%M%SZ"
_BASIC_FORMAT = re.compile(r"\d{8}T\d{6}Z", re.ASCII)
_SEPARATORS = re.compile(r"[,\s]+")
_HEADER_PARAMETERS = ("Credential", "Signature", "SignedHeaders")
_QUERY_PARAMETERS = tuple(f"X-Amz-{name}" for name in ("Algorithm", "Credential", "Signature", "SignedHeaders", "Date"))


class Claim(NamedTuple):
    """The unverified parts of a signature, such as the access key, the time and the signed headers."""

    algorithm: str
    credential: str
    signed_headers: str
    signature: str
    moment: str
    lifetime: timedelta


def access_key_of(request: HttpRequest) -> str:
    """Return the access key ID in a request. Only a verified signature proves that the caller owns this key."""
    return _claim(request, query_parameters(request)).credential.partition("/")[0]


class SignatureCheck:
    """Requires requests to be recently signed with one of the access keys."""

    def __init__(self, keys: AccessKeys, clock: Callable[[], float]) -> None:
        self._keys = keys
        self._clock = clock

    def __call__(self, request: HttpRequest) -> None:
        """Raise RequestRefused unless the signature is valid, in DynamoDB's order of checks (captured from AWS)."""
        claim, expected = self._expected(request)
        if not hmac.compare_digest(expected().encode(), claim.signature.encode("utf-8", "replace")):
            raise _invalid(
                "The request signature we calculated does not match the signature you provided. Check your AWS Secret "
                "Access Key and signing method. Consult the service documentation for details."
            )

    def check_head(self, request: HttpRequest) -> None:
        """Raise RequestRefused if the signature is invalid for every possible body of the request."""
        self._expected(request)

    def _expected(self, request: HttpRequest) -> tuple[Claim, Callable[[], str]]:
        """Return the claim of a request, and the function that computes the expected signature from the body."""
        query = query_parameters(request)
        claim = _claim(request, query)
        moment = _moment(claim.moment)
        _check_age(moment, claim.lifetime, datetime.fromtimestamp(self._clock(), UTC))
        signed = claim.signed_headers.lower().split(";")
        _check_signed_headers(request, signed)
        if claim.algorithm != ALGORITHM:
            raise _incomplete(f"Unsupported AWS 'algorithm': '{claim.algorithm}' (only {ALGORITHM} for now). ")
        key_id, scope = _scope(claim.credential, moment)
        secret = self._keys.secret(key_id)
        if secret is None:
            raise RequestRefused(
                "UnrecognizedClientException", "The security token included in the request is invalid."
            )
        return claim, lambda: compute_signature(secret, _text(moment), scope, request, query, signed)


def _invalid(message: str) -> RequestRefused:
    return RequestRefused("InvalidSignatureException", message)


def _incomplete(message: str) -> RequestRefused:
    return RequestRefused("IncompleteSignatureException", message)


def _claim(request: HttpRequest, query: QueryParameters) -> Claim:
    parameters = dict(query)
    authorization = request.headers.get(b"authorization")
    if "X-Amz-Algorithm" in parameters:
        if authorization is not None:
            raise _invalid("Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.")
        return _claim_of_query(parameters)
    if authorization is None or not authorization.startswith(b"AWS4-"):
        raise RequestRefused("MissingAuthenticationTokenException", "Request is missing Authentication Token")
    return _claim_of_header(authorization.decode("latin-1"), request.headers)


def _claim_of_query(parameters: Mapping[str, str]) -> Claim:
    missing = [name for name in _QUERY_PARAMETERS if not parameters.get(name)]
    if missing:
        messages = "".join(f"AWS query-string parameters must include '{name}'. " for name in missing)
        raise _incomplete(f"{messages}Re-examine the query-string parameters.")
    algorithm, credential, signature_given, signed_headers, moment = (parameters[name] for name in _QUERY_PARAMETERS)
    lifetime = _lifetime(parameters.get("X-Amz-Expires"))
    return Claim(algorithm, credential, signed_headers, signature_given, moment, lifetime)


def _lifetime(text: str | None) -> timedelta:
    """Return how long a signature in a query string is valid: X-Amz-Expires, or as long as a signature in a header."""
    if text is None:
        return SKEW_MAX
    if not (text.isascii() and text.isdigit() and len(text) < 10 and timedelta(seconds=int(text)) <= EXPIRES_MAX):
        raise _incomplete(f"X-Amz-Expires must be a number of seconds up to a week. Got '{text}'")
    return timedelta(seconds=int(text))


def _claim_of_header(authorization: str, headers: Mapping[bytes, bytes]) -> Claim:
    algorithm, *parts = _SEPARATORS.split(authorization)
    given = {name: value for name, equals, value in (part.partition("=") for part in parts) if equals}
    date = headers.get(b"x-amz-date") or headers.get(b"date")
    missing = [
        f"Authorization header requires '{name}' parameter. " for name in _HEADER_PARAMETERS if name not in given
    ]
    if date is None:
        missing.append("Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ")
    if missing or date is None:
        raise _incomplete(f"{''.join(missing)}Authorization={authorization}")
    credential, signature_given, signed_headers = (given[name] for name in _HEADER_PARAMETERS)
    return Claim(algorithm, credential, signed_headers, signature_given, date.decode("latin-1"), SKEW_MAX)


def _moment(text: str) -> datetime:
    """Return the time at which a request was signed. A `Date` header can have HTTP's date format."""
    try:
        if _BASIC_FORMAT.fullmatch(text):
            return datetime.strptime(text, _MOMENT).replace(tzinfo=UTC)
        moment = parsedate_to_datetime(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise _incomplete(
            f"Date must be in ISO-8601 'basic format'. Got '{text}'. See http://en.wikipedia.org/wiki/ISO_8601"
        ) from None


def _text(moment: datetime) -> str:
    # strftime("%Y") is not used, because it writes years before 1000 with fewer digits.
    return f"{moment.year:04}{moment:%m%dT%H%M%SZ}"


def _check_age(moment: datetime, lifetime: timedelta, now: datetime) -> None:
    oldest, newest = now - lifetime, now + SKEW_MAX
    if moment < oldest:
        ago = f"{_text(now)} - {_minutes(lifetime)}"
        raise _invalid(f"Signature expired: {_text(moment)} is now earlier than {_text(oldest)} ({ago})")
    if moment > newest:
        ahead = f"{_text(now)} + {_minutes(SKEW_MAX)}"
        raise _invalid(f"Signature not yet current: {_text(moment)} is still later than {_text(newest)} ({ahead})")


def _minutes(span: timedelta) -> str:
    return f"{span // timedelta(minutes=1)} min."


def _check_signed_headers(request: HttpRequest, signed: list[str]) -> None:
    """Require that the host and the action are signed.

    Otherwise, the signature would also be valid for other requests.
    """
    for name in ("host", "x-amz-target"):
        if name not in signed and (name == "host" or name.encode() in request.headers):
            raise _invalid(f"'{name.title()}' must be a 'SignedHeader' in the AWS Authorization.")


def _scope(credential: str, moment: datetime) -> tuple[str, Scope]:
    parts = credential.rstrip("/").split("/")
    if len(parts) != 5:
        raise _incomplete(
            "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, "
            f"got '{credential}'"
        )
    key_id, day, region, service, terminator = parts
    if wrong := "".join(_wrong_in_scope(day, region, service, terminator, moment)):
        raise _invalid(wrong)
    return key_id, Scope(day, region, service)


def _wrong_in_scope(day: str, region: str, service: str, terminator: str, moment: datetime) -> Iterator[str]:
    """Yield the errors in a credential scope.

    Every region except an empty one is valid, because this server has no region.
    """
    if not region:
        yield f"Credential should be scoped to a valid region, not '{region}'. "
    if service != SERVICE:
        yield f"Credential should be scoped to correct service: '{SERVICE}'. "
    if terminator != TERMINATOR:
        yield f"Credential should be scoped with a valid terminator: '{TERMINATOR}', not '{terminator}'. "
    if day != _text(moment)[:8]:
        yield (
            "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
            f"'{day}' != '{_text(moment)[:8]}', from '{_text(moment)}'."
        )
