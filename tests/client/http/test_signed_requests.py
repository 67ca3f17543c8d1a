"""Our server with access keys accepts requests that are signed with the correct secret, and rejects others."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from singletable import RequestRefused
from tests.client.shop import Shop, order
from tests.clients.local_server import KEY, serve


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serve(tmp_path_factory.mktemp("guarded") / "shop.db") as server:
        yield server.url.removeprefix("http://")


def test_the_server_accepts_client_requests_that_signer_signs_with_the_correct_secret(address: str) -> None:
    with Shop.open(f"http://{KEY}:{KEY}@{address}", create=True) as shop:
        shop.put(order(1, note="größer als é🦀"))
        assert shop.order("o0001") == order(1, note="größer als é🦀")
        assert asyncio.run(shop.order.aio("o0001")) == order(1, note="größer als é🦀")


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        (f"{KEY}:wrong@", "InvalidSignatureException"),
        ("nobody:wrong@", "UnrecognizedClientException"),
        ("", "UnrecognizedClientException"),
    ],
)
def test_the_server_rejects_client_requests_that_signer_signs_with_other_secrets(
    address: str, keys: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID", raising=False)
    with pytest.raises(RequestRefused) as refused:
        Shop.open(f"http://{keys}{address}", create=True)
    assert refused.value.code == code
    assert "wrong" not in str(refused.value)
