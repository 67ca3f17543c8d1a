"""Signature Version 4: botocore's signatures are accepted, changed requests are rejected as in DynamoDB."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.http.access_keys import AccessKeys
from singletable.engine.http.http_messages import HttpRequest
from singletable.engine.http.signature import SKEW_MAX, SignatureCheck
from singletable.errors import RequestRefused
from tests.engine.http.botocore_signing import presigned, signed

NOW = datetime(2026, 4, 10, 12, 0, 0, tzinfo=UTC)
KEY = ("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
CHECK = SignatureCheck(AccessKeys(dict([KEY, ("OTHER", "another secret")])), NOW.timestamp)
MISMATCH = (
    "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key "
    "and signing method. Consult the service documentation for details."
)
NAMES = st.text(st.characters(codec="utf-8"), min_size=1).filter(lambda name: name != "X-Amz-Algorithm")
QUERIES = st.lists(st.tuples(NAMES, st.text(st.characters(codec="utf-8"))))
TEXT = st.text(st.characters(codec="ascii", min_codepoint=33, exclude_characters="/,="), min_size=1)


def rejection(request: HttpRequest, check: Callable[[HttpRequest], None] = CHECK) -> tuple[str, str]:
    with pytest.raises(RequestRefused) as caught:
        check(request)
    assert KEY[1] not in str(caught.value)
    return caught.value.code, caught.value.message


def with_header(request: HttpRequest, name: str, value: str | None) -> HttpRequest:
    headers = {key: old for key, old in request.headers.items() if key != name.encode()}
    if value is not None:
        headers[name.encode()] = value.encode()
    return msgspec.structs.replace(request, headers=headers)


def with_query(request: HttpRequest, old: str, new: str) -> HttpRequest:
    assert old.encode() in request.url
    return msgspec.structs.replace(request, url=request.url.replace(old.encode(), new.encode()))


@given(st.binary(max_size=300), TEXT, TEXT, st.none() | TEXT, QUERIES)
def test_a_signature_of_botocore_is_accepted(
    body: bytes, region: str, secret: str, token: str | None, query: list[tuple[str, str]]
) -> None:
    text = "&".join(f"{quote(name, safe='-_.~')}={quote(value, safe='-_.~')}" for name, value in query)
    request = signed(NOW, ("ID", secret), body=body, region=region, token=token, query=text)
    SignatureCheck(AccessKeys({"ID": secret}), NOW.timestamp)(request)


@given(TEXT, st.none() | TEXT, st.integers(1, 604_800))
def test_the_signature_of_a_presigned_request_of_botocore_is_accepted(
    secret: str, token: str | None, expires: int
) -> None:
    request = presigned(NOW, ("ID", secret), token=token, expires=expires, query="a=b&a=%20c&%7E=d")
    SignatureCheck(AccessKeys({"ID": secret}), NOW.timestamp)(request)


@pytest.mark.parametrize("path", ["/", "/a/b", "/with%20space/~x", "/%C3%BC"])
def test_the_signature_of_any_path_is_accepted(path: str) -> None:
    CHECK(signed(NOW, KEY, path=path))


def test_spaces_in_a_header_do_not_change_the_signature() -> None:
    request = signed(NOW, KEY, headers={"X-Amz-Meta": " a   b "})
    CHECK(with_header(request, "x-amz-meta", "a b"))


def test_the_parts_of_a_signature_header_may_be_separated_by_commas_only() -> None:
    request = signed(NOW, KEY)
    algorithm, _, rest = request.headers[b"authorization"].decode().partition(" ")
    CHECK(with_header(request, "authorization", f"{algorithm} {rest.replace(' ', '')}"))


def test_the_time_of_a_signature_may_be_in_the_date_header() -> None:
    request = signed(NOW, KEY, headers={"Date": "now"})
    assert b"x-amz-date" not in request.headers
    CHECK(request)


@pytest.mark.parametrize(
    "change",
    [
        lambda request: msgspec.structs.replace(request, body=b"{} "),
        lambda request: msgspec.structs.replace(request, method=b"PUT"),
        lambda request: msgspec.structs.replace(request, url=b"/x"),
        lambda request: msgspec.structs.replace(request, url=b"/?x"),
        lambda request: with_header(request, "x-amz-target", "DynamoDB_20120810.DeleteTable"),
        lambda request: with_header(request, "host", "example.org"),
        lambda request: with_header(request, "content-type", "application/json"),
        lambda request: with_header(request, "x-amz-date", "20260410T120001Z"),
        lambda request: with_header(
            request, "authorization", request.headers[b"authorization"].decode().replace("eu-west-1", "eu-west-2")
        ),
        lambda request: with_header(
            request, "authorization", request.headers[b"authorization"].decode().replace(KEY[0], "OTHER")
        ),
        lambda request: with_header(request, "authorization", request.headers[b"authorization"].decode()[:-1]),
        lambda request: with_header(request, "authorization", request.headers[b"authorization"].decode() + "ü"),
    ],
)
def test_the_signature_of_a_request_changed_after_signing_is_rejected(
    change: Callable[[HttpRequest], HttpRequest],
) -> None:
    assert rejection(change(signed(NOW, KEY))) == ("InvalidSignatureException", MISMATCH)


def test_the_signature_of_a_query_changed_after_signing_is_rejected() -> None:
    request = presigned(NOW, KEY, query="a=b")
    assert rejection(with_query(request, "a=b", "a=c"))[1] == MISMATCH
    assert rejection(with_query(request, "Expires=3600", "Expires=3601"))[1] == MISMATCH


def test_signatures_with_a_wrong_secret_and_an_unknown_key_have_different_errors() -> None:
    assert rejection(signed(NOW, (KEY[0], "wrong"))) == ("InvalidSignatureException", MISMATCH)
    assert rejection(signed(NOW, ("WHO", KEY[1]))) == (
        "UnrecognizedClientException",
        "The security token included in the request is invalid.",
    )


def test_a_request_without_a_signature_is_missing_its_authentication_token() -> None:
    expected = ("MissingAuthenticationTokenException", "Request is missing Authentication Token")
    request = signed(NOW, KEY)
    assert rejection(with_header(request, "authorization", None)) == expected
    assert rejection(with_header(request, "authorization", "AWS4")) == expected
    assert rejection(with_header(request, "authorization", "Basic eDp5")) == expected
    query = b"/?X-Amz-Credential=a&X-Amz-Signature=b&X-Amz-SignedHeaders=c&X-Amz-Date=d"
    assert rejection(HttpRequest(b"POST", query, {}, b"", True)) == expected


# The messages were captured from the service.
@pytest.mark.parametrize(
    ("authorization", "date", "message"),
    [
        (
            "AWS4-",
            None,
            "Authorization header requires 'Credential' parameter. "
            "Authorization header requires 'Signature' parameter. "
            "Authorization header requires 'SignedHeaders' parameter. "
            "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. Authorization=AWS4-",
        ),
        (
            "AWS4- Signature=b,Credential=a",
            "a",
            "Authorization header requires 'SignedHeaders' parameter. Authorization=AWS4- Signature=b,Credential=a",
        ),
        (
            "AWS4- Signature=b, Credential=a",
            "a",
            "Authorization header requires 'SignedHeaders' parameter. Authorization=AWS4- Signature=b, Credential=a",
        ),
        (
            "AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders=host, Signature=f",
            "201",
            "Date must be in ISO-8601 'basic format'. Got '201'. See http://en.wikipedia.org/wiki/ISO_8601",
        ),
        (
            "AWS4-HMAC-SHA25 Credential=a/b/c/d/e, SignedHeaders=host, Signature=f",
            "20260410T120000Z",
            "Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA25' (only AWS4-HMAC-SHA256 for now). ",
        ),
        (
            "AWS4-HMAC-SHA256 Credential=a/b/c/d, SignedHeaders=host, Signature=f",
            "20260410T120000Z",
            "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, "
            "got 'a/b/c/d'",
        ),
    ],
)
def test_the_error_for_an_incomplete_signature_names_the_missing_parts(
    authorization: str, date: str | None, message: str
) -> None:
    headers = {b"authorization": authorization.encode(), b"host": b"h"} | ({b"date": date.encode()} if date else {})
    assert rejection(HttpRequest(b"POST", b"/", headers, b"", True)) == ("IncompleteSignatureException", message)


def test_a_signature_in_both_header_and_query_is_rejected() -> None:
    request = with_header(presigned(NOW, KEY), "authorization", "X")
    assert rejection(request) == (
        "InvalidSignatureException",
        "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.",
    )


def test_the_error_for_an_incomplete_signature_in_a_query_names_the_missing_parameters() -> None:
    messages = "".join(
        f"AWS query-string parameters must include 'X-Amz-{name}'. "
        for name in ("Algorithm", "Credential", "Signature", "SignedHeaders", "Date")
    )
    assert rejection(HttpRequest(b"POST", b"/?X-Amz-Algorithm", {}, b"", True)) == (
        "IncompleteSignatureException",
        f"{messages}Re-examine the query-string parameters.",
    )
    assert rejection(with_query(presigned(NOW, KEY), "X-Amz-SignedHeaders", "x"))[1] == (
        "AWS query-string parameters must include 'X-Amz-SignedHeaders'. Re-examine the query-string parameters."
    )


def test_the_credential_scope_of_a_signature_must_match_the_service_and_the_day() -> None:
    request = signed(NOW, KEY, service="s3")
    assert rejection(request) == (
        "InvalidSignatureException",
        "Credential should be scoped to correct service: 'dynamodb'. ",
    )
    authorization = "AWS4-HMAC-SHA256 Credential=a/b//d/e, SignedHeaders=host;x-amz-target, Signature=f"
    assert rejection(with_header(request, "authorization", authorization))[1] == (
        "Credential should be scoped to a valid region, not ''. "
        "Credential should be scoped to correct service: 'dynamodb'. "
        "Credential should be scoped with a valid terminator: 'aws4_request', not 'e'. "
        "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
        "'b' != '20260410', from '20260410T120000Z'."
    )


@pytest.mark.parametrize("header", ["host", "x-amz-target"])
def test_a_signature_must_cover_the_host_and_the_target(header: str) -> None:
    request = signed(NOW, KEY)
    names = request.headers[b"authorization"].decode()
    unsigned = with_header(request, "authorization", names.replace(f";{header}", ""))
    assert rejection(unsigned) == (
        "InvalidSignatureException",
        f"'{header.title()}' must be a 'SignedHeader' in the AWS Authorization.",
    )


@given(
    st.timedeltas(timedelta(days=-2), timedelta(days=2)).map(lambda span: timedelta(seconds=int(span.total_seconds())))
)
def test_a_signature_is_valid_for_a_few_minutes(off: timedelta) -> None:
    request = signed(NOW + off, KEY)
    if abs(off) <= SKEW_MAX:
        CHECK(request)
    else:
        assert rejection(request)[0] == "InvalidSignatureException"


def test_the_error_for_an_expired_signature_names_both_times() -> None:
    assert rejection(signed(NOW - timedelta(hours=1), KEY))[1] == (
        "Signature expired: 20260410T110000Z is now earlier than 20260410T115500Z (20260410T120000Z - 5 min.)"
    )
    assert rejection(signed(NOW + timedelta(hours=1), KEY))[1] == (
        "Signature not yet current: 20260410T130000Z is still later than 20260410T120500Z (20260410T120000Z + 5 min.)"
    )


def test_the_signature_of_a_presigned_request_is_valid_until_it_expires() -> None:
    signed_then = NOW - timedelta(minutes=50)
    CHECK(presigned(signed_then, KEY, expires=3600))
    assert rejection(presigned(signed_then, KEY, expires=1200))[1] == (
        "Signature expired: 20260410T111000Z is now earlier than 20260410T114000Z (20260410T120000Z - 20 min.)"
    )
    assert rejection(presigned(signed_then, KEY, expires=604_801))[0] == "IncompleteSignatureException"


@given(st.binary(max_size=200), st.binary(max_size=200), st.binary(max_size=60))
def test_every_request_with_an_invalid_signature_is_rejected_without_an_internal_error(
    authorization: bytes, url: bytes, date: bytes
) -> None:
    for prefix in (b"", b"AWS4-HMAC-SHA256 Credential=a/b/c/d/e,Signature=x,SignedHeaders="):
        headers = {b"authorization": prefix + authorization, b"x-amz-date": date, b"host": b"h"}
        rejection(HttpRequest(b"POST", b"/" + url, headers, b"", True))
    query = b"/?X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Signature=c&X-Amz-SignedHeaders=d&X-Amz-Date=%b"
    rejection(HttpRequest(b"POST", query % url, {}, b"", True))


@given(st.binary(max_size=300))
def test_the_head_of_a_request_with_a_valid_signature_is_accepted_without_the_body(body: bytes) -> None:
    CHECK.check_head(msgspec.structs.replace(signed(NOW, KEY, body=body), body=b""))


@pytest.mark.parametrize(
    "request_",
    [
        with_header(signed(NOW, KEY), "authorization", None),
        with_header(signed(NOW, KEY), "authorization", "AWS4-HMAC-SHA256 Credential=x"),
        signed(NOW - 2 * SKEW_MAX, KEY),
        signed(NOW, ("UNKNOWN", "secret")),
    ],
    ids=["none", "incomplete", "expired", "unknown key"],
)
def test_the_head_of_a_request_without_a_plausible_signature_gets_the_same_error(request_: HttpRequest) -> None:
    assert rejection(msgspec.structs.replace(request_, body=b""), CHECK.check_head) == rejection(request_)
