"""Attacks on the studio: other sites, other hosts, other sessions, forged writes and scripts in items."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers

from singletable.studio.access_guard import WRITE_HEADER, StudioSecrets, rejection
from tests.studio.opened_studio import COMMERCE, ORIGIN, PORT, Studio, studio, workspace

QUESTION = "/Commerce/ask/column"
PAGES = (
    "/",
    "/pulse",
    "/Commerce/overview",
    "/Commerce/collections",
    "/Commerce/patterns/profile",
    "/Commerce/items?new=User",
    "/Commerce/query",
    "/Commerce/design/changes?against=HEAD",
)
CHANGES = ("stage", "write", "discard", "resolve", "query", "run", "migration", "measure")


@pytest.fixture(scope="module")
def shared() -> Iterator[Studio]:
    space = workspace(COMMERCE)
    yield studio(space)
    space.close()


@pytest.fixture
def stranger(shared: Studio) -> Studio:
    """The same studio in a browser without the cookie."""
    return studio(shared.space, signed_in=False)


def test_the_access_guard_exchanges_the_token_once_for_a_cookie_of_its_port(stranger: Studio) -> None:
    token = stranger.secrets.token
    assert token is not None
    response = stranger.client.get("/", params={"token": token})
    assert response.status_code == 303
    assert response.headers["location"] == "/"
    cookie = response.headers["set-cookie"]
    assert cookie.startswith(f"singletable-studio-{PORT}=")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert token not in cookie
    stranger.client.cookies.clear()
    assert stranger.client.get("/", params={"token": token}).status_code == 403


@pytest.mark.parametrize("token", ["", "x", "0" * 43])
def test_the_access_guard_rejects_a_wrong_token_without_using_up_the_right_one(stranger: Studio, token: str) -> None:
    response = stranger.client.get("/", params={"token": token})
    assert response.status_code == 403
    assert "set-cookie" not in response.headers
    assert stranger.client.get("/", params={"token": stranger.secrets.token or ""}).status_code == 303


@pytest.mark.parametrize("page", PAGES)
def test_the_access_guard_shows_no_page_without_the_cookie(stranger: Studio, page: str) -> None:
    response = stranger.client.get(page)
    assert response.status_code == 403
    assert "Commerce" not in response.text


def test_the_access_guard_rejects_the_cookie_of_another_process(shared: Studio, stranger: Studio) -> None:
    name = stranger.secrets.cookie_name
    stranger.client.cookies[name] = shared.secrets.session
    assert stranger.client.get("/Commerce/overview").status_code == 403


def test_the_access_guard_rejects_a_token_from_another_process(shared: Studio, stranger: Studio) -> None:
    assert stranger.client.get("/", params={"token": StudioSecrets(PORT).token or ""}).status_code == 403


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1", f"[::1]:{PORT}", ""]
)
def test_the_access_guard_rejects_dns_rebinding_by_the_host(shared: Studio, host: str) -> None:
    for page in (*PAGES, "/assets/studio.css"):
        assert shared.client.get(page, headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_the_access_guard_lets_no_page_of_another_site_or_port_read(shared: Studio, site: str) -> None:
    for page in PAGES:
        assert shared.client.get(page, headers={"Sec-Fetch-Site": site}).status_code == 403


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9999", f"https://127.0.0.1:{PORT}"]
)
def test_the_access_guard_lets_no_other_origin_read_or_write(shared: Studio, origin: str) -> None:
    headers = {"Origin": origin, WRITE_HEADER: shared.secrets.write_token}
    assert shared.client.get("/Commerce/overview", headers=headers).status_code == 403
    assert shared.client.post(QUESTION, {"place": "table"}, headers).status_code == 403


def test_the_access_guard_lets_no_form_of_another_page_write(shared: Studio) -> None:
    form = {"Origin": ORIGIN, "Content-Type": "text/plain"}
    assert shared.client.post(QUESTION, {}, form).status_code == 403
    without_origin = {WRITE_HEADER: shared.secrets.write_token}
    assert shared.client.post(QUESTION, {}, without_origin).status_code == 403
    wrong = {"Origin": ORIGIN, WRITE_HEADER: "x" * 43}
    assert shared.client.post(QUESTION, {}, wrong).status_code == 403


@pytest.mark.parametrize("question", CHANGES)
def test_the_access_guard_lets_no_token_from_another_session_write(
    shared: Studio, stranger: Studio, question: str
) -> None:
    path, statement = f"/Commerce/ask/{question}", "DELETE FROM Commerce WHERE PK = 'USER#42' AND SK = 'PROFILE'"
    document = {"entity": "", "mode": "json", "json": "{}", "statement": statement, "confirmed": True, "revision": 0}
    before = shared.space.store.total.cost.requests
    other = {WRITE_HEADER: stranger.secrets.write_token, "Origin": ORIGIN}
    assert shared.client.post(path, document, other).status_code == 403  # our cookie, the token of another session
    own = {WRITE_HEADER: shared.secrets.write_token, "Origin": ORIGIN}
    assert stranger.client.post(path, document, own).status_code == 403  # our token, no cookie
    form = {"Origin": "http://evil.example", "Content-Type": "application/x-www-form-urlencoded"}
    assert shared.client.post(path, document, {**own, **form}).status_code == 403
    assert shared.client.get(path).status_code in (404, 405)
    assert shared.space.store.total.cost.requests == before
    assert len(shared.space.staged_items("Commerce")) == 0


def test_the_access_guard_lets_the_right_origin_and_header_write(shared: Studio) -> None:
    assert shared.ask("column", place="table")["rows"]


def test_every_response_of_the_access_guard_has_the_security_headers(shared: Studio) -> None:
    for page in (*PAGES, "/assets/studio.js", "/nothing"):
        headers = shared.client.get(page).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "require-trusted-types-for 'script'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize("path", ["/assets/../application.py", "/assets/%2e%2e/application.py", "/assets//etc/passwd"])
def test_the_access_guard_serves_only_assets_in_their_folder(shared: Studio, path: str) -> None:
    response = shared.client.get(path)
    assert response.status_code == 404
    assert "Starlette" not in response.text


def test_the_access_guard_shows_no_secrets(shared: Studio) -> None:
    shown = repr(shared.secrets)
    assert not any(each in shown for each in (shared.secrets.session, shared.secrets.write_token))
    page = shared.page("/Commerce/overview")
    assert shared.secrets.session not in page


@given(st.text(max_size=40), st.sampled_from(["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]))
def test_the_access_guard_accepts_no_other_text_as_a_cookie(cookie: str, method: str) -> None:
    secrets = StudioSecrets(PORT)
    value = f"{secrets.cookie_name}={cookie}".encode("utf-8", "replace").decode("latin-1")
    headers = Headers({"host": secrets.hosts[0], "cookie": value, "origin": ORIGIN})
    assert rejection(secrets, method, "/", headers) is not None
