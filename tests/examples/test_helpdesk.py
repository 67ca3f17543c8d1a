"""The help desk: tickets, feed and audit events through its web API, on the engine and on two servers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import ExitStack, asynccontextmanager
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from examples.helpdesk.api import create_app
from examples.helpdesk.model import Agent, AuditEvent, HelpDesk, Tenant
from examples.helpdesk.operations import Caller, Operations
from singletable import NotFound, RequestRefused, TransactionCancelled
from singletable.engine import Engine, Principal, parse_policies
from singletable.export.exported_table import exported_table
from singletable.export.iam_policies import AwsScope, tenant_policies
from singletable.verify.design_check import check
from tests.client.places import forget_tables, server

PLACES = ("memory", "http", "extenddb")
SECRET = "a secret of all processes"
CALLERS = {
    "ada": Caller("acme", "ada@acme.example"),
    "ann": Caller("acme", "ann@acme.example"),
    "bob": Caller("globex", "bob@globex.example"),
}
TODAY = datetime.now(UTC).date()


@pytest.fixture(scope="module")
def urls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with ExitStack() as stack:
        started = {"memory": "memory:"}

        class Started(dict[str, str]):
            def __missing__(self, kind: str) -> str:
                self[kind] = stack.enter_context(server(kind, tmp_path_factory.mktemp(kind)))
                return self[kind]

        yield Started(started)


@pytest.fixture(params=PLACES)
def url(request: pytest.FixtureRequest, urls: dict[str, str]) -> Iterator[str]:
    yield urls[request.param]
    if request.param != "memory":
        forget_tables(urls[request.param])


class Api:
    """The web API, as the agents of CALLERS use it."""

    def __init__(self, client: TestClient) -> None:
        self.client = client

    def send(self, method: str, path: str, token: str = "ada", status: int = 200, **options: Any) -> Any:
        headers = {"Authorization": f"Bearer {token}", **options.pop("headers", {})}
        response = self.client.request(method, path, headers=headers, **options)
        assert response.status_code == status, response.text
        return response.json()

    def open_ticket(self, subject: str = "Printer on fire", token: str = "ada") -> dict[str, Any]:
        body = {"subject": subject, "text": "Help!"}
        opened: dict[str, Any] = self.send("POST", "/tickets", token, 201, json=body)
        return opened

    def change(self, ticket: dict[str, Any], token: str = "ada", **changes: str) -> Any:
        headers = {"If-Match": f'"{ticket["version"]}"'}
        return self.send("PATCH", f"/tickets/{ticket['id']}", token, json=changes, headers=headers)


@asynccontextmanager
async def desk_at(url: str) -> AsyncGenerator[HelpDesk]:
    async with await HelpDesk.open_async(url, create=True, secret=SECRET) as desk:
        yield desk


@pytest.fixture
def api(url: str) -> Iterator[Api]:
    with TestClient(create_app(lambda: desk_at(url), CALLERS)) as client:
        yield Api(client)


def test_every_pattern_of_the_help_desk_is_one_request() -> None:
    report = check(HelpDesk.design)
    assert report.passes
    assert list(report.findings) == []


def test_a_helpdesk_ticket_is_opened_changed_and_listed(api: Api) -> None:
    ticket = api.open_ticket()
    assert (ticket["status"], ticket["requester"], ticket["version"]) == ("open", "ada@acme.example", 1)
    changed = api.change(ticket, status="waiting", assignee="ann@acme.example")
    assert (changed["status"], changed["assignee"], changed["version"]) == ("waiting", "ann@acme.example", 2)
    assert api.send("GET", "/tickets?status=open")["items"] == []
    assert api.send("GET", "/tickets?status=waiting")["items"] == [changed]
    assert api.send("GET", "/tickets/mine", "ann")["items"] == [changed]
    assert api.send("GET", "/tickets/mine")["items"] == []
    assert api.send("GET", f"/tickets/{ticket['id']}") == changed


def test_a_helpdesk_ticket_that_someone_else_changed_is_not_overwritten(api: Api) -> None:
    ticket = api.open_ticket()
    api.change(ticket, "ann", status="closed")
    headers = {"If-Match": f'"{ticket["version"]}"'}
    api.send("PATCH", f"/tickets/{ticket['id']}", status=412, json={"status": "waiting"}, headers=headers)
    assert api.send("GET", f"/tickets/{ticket['id']}")["status"] == "closed"


def test_the_helpdesk_feed_mixes_comments_and_changes_and_is_paged(api: Api) -> None:
    ticket = api.open_ticket()
    ticket = api.change(ticket, status="waiting", assignee="ann@acme.example")
    for text in ("first", "second"):
        api.send("POST", f"/tickets/{ticket['id']}/comments", "ann", 201, json={"text": text})
    entries: list[dict[str, Any]] = []
    cursor: str | None = None
    pages = 0
    while pages == 0 or cursor is not None:
        parameters = {"limit": 2} if cursor is None else {"limit": 2, "cursor": cursor}
        page = api.send("GET", f"/tickets/{ticket['id']}/feed", params=parameters)
        entries += page["items"]
        cursor, pages = page["next"], pages + 1
    found = [(each["kind"], each.get("text") or each["value"]) for each in entries]
    assert found[:2] == [("comment", "second"), ("comment", "first")]
    assert sorted(found[2:4]) == [("assignee", "ann@acme.example"), ("status", "waiting")]
    assert found[4:] == [("comment", "Help!")]
    assert pages == 3


def test_audit_events_of_the_helpdesk_expire_as_the_tenant_decides(api: Api, url: str) -> None:
    if url == "memory:":
        pytest.skip("the tenant is written through another connection")
    with HelpDesk.open(url) as desk:
        desk.put(Tenant(tenant="acme", name="Acme", audit_days=7))
        api.open_ticket()
        api.open_ticket(token="bob")
        (event,) = desk.audit("acme", TODAY)
        (other,) = desk.audit("globex", TODAY)
    assert (event.actor, event.action) == ("ada@acme.example", "open")
    assert event.expires_at == (event.at + timedelta(days=7)).replace(microsecond=0)
    assert other.expires_at - other.at > timedelta(days=89)


def test_expired_audit_events_of_the_helpdesk_are_not_listed() -> None:
    with HelpDesk.open("memory:") as desk:
        now = datetime.now(UTC)
        for number, seconds in enumerate((-60, 60)):
            desk.put(
                AuditEvent(
                    tenant="acme",
                    day=TODAY,
                    id=str(number),
                    at=now,
                    actor="ada",
                    action="open",
                    ticket_id="t1",
                    expires_at=(now + timedelta(seconds=seconds)).replace(microsecond=0),
                )
            )
        assert [event.id for event in desk.audit("acme", TODAY)] == ["1"]


def test_tenants_of_the_helpdesk_cannot_reach_each_other(api: Api) -> None:
    mine, theirs = api.open_ticket(), api.open_ticket(token="bob")
    attempts: list[tuple[str, str, dict[str, Any]]] = [
        ("GET", f"/tickets/{theirs['id']}", {}),
        ("PATCH", f"/tickets/{theirs['id']}", {"json": {"status": "closed"}, "headers": {"If-Match": '"1"'}}),
        ("POST", f"/tickets/{theirs['id']}/comments", {"json": {"text": "hello"}}),
    ]
    for method, path, options in attempts:
        api.send(method, path, status=404, **options)
    assert [each["id"] for each in api.send("GET", "/tickets?status=open")["items"]] == [mine["id"]]
    assert api.send("GET", f"/tickets/{theirs['id']}/feed")["items"] == []
    assert api.send("GET", f"/tickets/{theirs['id']}", "bob") == theirs
    assert len(api.send("GET", f"/audit?day={TODAY}", "bob")["items"]) == 1


def test_a_cursor_of_the_helpdesk_is_valid_only_for_its_tenant_and_request(api: Api) -> None:
    for number in range(3):
        api.open_ticket(str(number))
        api.open_ticket(str(number), "bob")
    cursor = api.send("GET", "/tickets?status=open&limit=1")["next"]
    again = {"status": "open", "limit": 1, "cursor": cursor}
    assert api.send("GET", "/tickets", params=again)["items"][0]["subject"] == "1"
    api.send("GET", "/tickets", "bob", 400, params=again)
    api.send("GET", "/tickets", "ada", 400, params={**again, "status": "closed"})
    api.send("GET", "/tickets", "ada", 400, params={**again, "cursor": f"{cursor}x"})


@pytest.mark.parametrize(
    ("method", "path", "status", "options"),
    [
        ("GET", "/tickets?status=lost", 422, {}),
        ("GET", "/tickets?status=open&limit=1000", 422, {}),
        ("POST", "/tickets", 422, {"json": {"subject": "", "text": "x"}}),
        ("PATCH", "/tickets/t1", 422, {"json": {"status": "closed"}}),
        ("GET", "/tickets/unknown", 404, {}),
    ],
)
def test_invalid_requests_to_the_helpdesk_are_rejected(method: str, path: str, status: int, options: Any) -> None:
    with TestClient(create_app(lambda: desk_at("memory:"), CALLERS)) as client:
        Api(client).send(method, path, status=status, **options)
        assert client.get("/tickets/mine").status_code == 401


def test_each_change_in_the_helpdesk_is_a_transaction(url: str) -> None:
    """If the audit event cannot be written, neither is the change."""

    async def run() -> None:
        ids = iter(["t1", "a1", "e1", "e2", "a1"])
        async with desk_at(url) as desk:
            now = datetime.now(UTC)
            operations = Operations(desk, lambda: now, lambda: next(ids))
            await operations.open_ticket(CALLERS["ada"], "Printer", "Help!")
            before = await desk.ticket_with_feed.aio("acme", "t1")
            assert before is not None
            assert [comment.text for comment in before.comments] == ["Help!"]
            with pytest.raises(TransactionCancelled):
                await operations.comment(CALLERS["ada"], "t1", "again")  # its audit event exists
            assert await desk.ticket_with_feed.aio("acme", "t1") == before
            with pytest.raises(NotFound):
                await operations.ticket(CALLERS["bob"], "t1")

    asyncio.run(run())


def test_agents_of_the_helpdesk_are_listed_without_their_tenant() -> None:
    with HelpDesk.open("memory:") as desk:
        desk.put(Tenant(tenant="acme", name="Acme"))
        desk.put_many(Agent(tenant="acme", email=f"{name}@acme.example", name=name) for name in ("bea", "ada"))
        desk.put(Agent(tenant="acme2", email="eve@acme.example", name="eve"))
        assert [agent.name for agent in desk.agents("acme")] == ["ada", "bea"]
        assert desk.audit("acme", date(2026, 1, 1)).items == []


def test_the_exported_policy_of_the_helpdesk_separates_tenants() -> None:
    """The whole API works with the permissions of one tenant, and none of its requests reach another tenant."""
    _, read_write = tenant_policies(exported_table(HelpDesk.design), "tenant", "tenant", AwsScope())
    acme = Principal("arn:aws:iam::000000000000:role/acme", parse_policies(read_write.entry), {"tenant": "acme"})
    with Engine("memory:") as engine, HelpDesk.open(engine, create=True, secret=SECRET) as desk:

        @asynccontextmanager
        async def limited() -> AsyncGenerator[HelpDesk]:
            async with await HelpDesk.open_async(engine.as_principal(acme), secret=SECRET) as opened:
                yield opened

        @asynccontextmanager
        async def unlimited() -> AsyncGenerator[HelpDesk]:
            yield desk

        with TestClient(create_app(unlimited, CALLERS)) as client:
            theirs = Api(client).open_ticket(token="bob")
        with TestClient(create_app(limited, CALLERS)) as client:
            api = Api(client)
            ticket = api.change(api.open_ticket(), status="waiting", assignee="ada@acme.example")
            api.send("POST", f"/tickets/{ticket['id']}/comments", status=201, json={"text": "hello"})
            for path in ("/tickets?status=waiting", "/tickets/mine", f"/audit?day={TODAY}"):
                assert api.send("GET", path)["items"]
            own = f"/tickets/{theirs['id']}"
            for path in (own, f"{own}/feed", "/tickets?status=open", "/tickets/mine", f"/audit?day={TODAY}"):
                with pytest.raises(RequestRefused, match="AccessDeniedException"):
                    api.send("GET", path, "bob")
            with pytest.raises(RequestRefused, match="AccessDeniedException"):
                api.open_ticket(token="bob")
        assert [each.id for each in desk.queue("globex", "open")] == [theirs["id"]]
