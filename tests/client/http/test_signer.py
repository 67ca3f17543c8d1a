"""Signed requests equal those of botocore; shared parts are computed once per second."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from singletable.client.http.credentials import Credentials, FixedCredentials
from singletable.client.http.signer import Signer
from tests.engine.http.botocore_signing import HOST, TARGET, signed

NOW = datetime(2026, 4, 10, 12, 0, 0, tzinfo=UTC)
TEXT = st.text(st.characters(codec="ascii", min_codepoint=33, exclude_characters="/,="), min_size=1)


def headers_of(request: bytes) -> dict[str, str]:
    _, *lines = request.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    return dict(line.split(": ", 1) for line in lines)


@given(st.binary(max_size=300), TEXT, TEXT, TEXT, st.none() | TEXT, st.integers(0, 4_000_000_000))
def test_signer_signs_a_request_as_botocore_does(
    body: bytes, region: str, key_id: str, secret: str, token: str | None, second: int
) -> None:
    moment = datetime.fromtimestamp(second, UTC)
    signer = Signer(HOST, region, FixedCredentials(Credentials(key_id, secret, token)), lambda: second + 0.25)
    request = signer.request("GetItem", body)
    expected = signed(moment, (key_id, secret), body=body, region=region, token=token)
    ours = headers_of(request)
    for name in ("authorization", "x-amz-date", "x-amz-security-token", "x-amz-target", "content-type"):
        theirs = expected.headers.get(name.encode())
        assert ours.get(name) == (None if theirs is None else theirs.decode())
    assert ours["host"] == HOST
    assert int(ours["content-length"]) == len(body)
    assert request.endswith(b"\r\n\r\n" + body)
    assert TARGET.endswith(".GetItem")


class Counting:
    """Credentials that change with every read."""

    def __init__(self) -> None:
        self.asked: Iterator[int] = count(1)

    def current(self) -> Credentials:
        return Credentials(f"ID{next(self.asked)}", "secret", "token")

    def needs_refresh(self) -> bool:
        return False


def test_signer_reads_credentials_once_a_second() -> None:
    clock = [NOW.timestamp()]
    signer = Signer(HOST, "eu-west-1", Counting(), lambda: clock[0])

    def key_id(operation: str) -> str:
        return headers_of(signer.request(operation, b"{}"))["authorization"].split("Credential=")[1].split("/")[0]

    assert [key_id("GetItem"), key_id("Query"), key_id("GetItem")] == ["ID1", "ID1", "ID1"]
    clock[0] += 1
    assert key_id("GetItem") == "ID2"


def test_signer_corrects_a_clock_that_is_far_off() -> None:
    signer = Signer(HOST, "eu-west-1", FixedCredentials(Credentials("ID", "secret")), lambda: NOW.timestamp() - 3600)
    assert not signer.corrected(None)
    assert not signer.corrected(b"some day")
    assert not signer.corrected(b"fri, 10 apr 2026 11:00:05 gmt")
    assert signer.corrected(b"fri, 10 apr 2026 12:00:00 gmt")
    assert headers_of(signer.request("GetItem", b""))["x-amz-date"] == "20260410T120000Z"
    assert not signer.corrected(b"fri, 10 apr 2026 12:00:00 gmt")


def test_signer_and_credentials_never_show_a_secret() -> None:
    keys = Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI", "FwoGZXIvYXdz")
    signer = Signer(HOST, "eu-west-1", FixedCredentials(keys))
    shown = f"{keys!r} {keys} {FixedCredentials(keys)!r} {signer!r} {vars(signer)!r}"
    assert not any(secret in shown for secret in ("AKIDEXAMPLE", "wJalrXUtnFEMI", "FwoGZXIvYXdz"))
