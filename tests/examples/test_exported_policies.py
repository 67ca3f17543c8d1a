"""Every example runs under its exported IAM policies, which the engine enforces."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Literal

import pytest

from examples import SYSTEMS
from examples.helpdesk.model import Agent, HelpDesk, Tenant
from examples.helpdesk.operations import Caller, Change, Operations
from examples.script import fill
from singletable import RequestRefused
from singletable.engine import Engine
from singletable.engine.access.policy_document import parse_policies
from singletable.engine.access.principal import Principal
from singletable.export.exported_table import exported_table
from singletable.export.iam_policies import AwsScope, Policy, Scope, policies_of, tenant_policies
from tests.examples.scripts import clock_of, every_script, expected, script

SCRIPTS = [(system, name) for system in SYSTEMS for name in every_script(system)]
ARN = "arn:aws:iam::000000000000:role/example"


def principal(policies: Iterable[Policy], tags: Mapping[str, str] | None = None) -> Principal:
    documents = [document for policy in policies for document in parse_policies(policy.entry, policy.name)]
    return Principal(ARN, tuple(documents), tags or {})


@pytest.mark.parametrize("scope", ["application", "entity"])
@pytest.mark.parametrize(("system", "name"), SCRIPTS)
def test_a_script_runs_under_the_exported_policies(
    system: str, name: str, scope: Scope, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = script(system, name)
    with Engine(now=clock_of(chosen), sweep_seconds=None) as engine:
        with chosen.model.open(engine, create=True) as table:
            fill(table, chosen.rows)
        policies = policies_of(exported_table(chosen.model.design), scope, AwsScope())
        limited = engine.as_principal(principal(policies))
        with chosen.model.open(limited) as table:
            chosen.show(chosen.execute(table))
    assert capsys.readouterr().out == expected(system, name)


async def work(desk: HelpDesk, tenant: str) -> list[str]:
    """Use every operation and every list of the help desk."""
    operations, ada = Operations(desk), Caller(tenant, "ada@acme.example")
    assert await desk.tenant.aio(tenant) is not None
    opened = await operations.open_ticket(ada, "Printer on fire", "Help!")
    await operations.comment(ada, opened.id, "Still burning")
    read = await operations.ticket(ada, opened.id)
    await operations.change(ada, read.id, read.version, Change(status="closed", assignee=ada.email))
    whole = await desk.ticket_with_feed.aio(tenant, read.id)
    assert whole is not None
    found = [*await desk.queue.aio(tenant, "closed"), *await desk.assigned.aio(tenant, ada.email)]
    feed, agents = await desk.feed.aio(tenant, read.id), await desk.agents.aio(tenant)
    audit = await desk.audit.aio(tenant, whole.ticket.created_at.date())
    return [*(ticket.subject for ticket in found), *(agent.name for agent in agents), f"{len(feed)}, {len(audit)}"]


@pytest.mark.parametrize("scope", ["application", "entity", "tenant"])
def test_the_help_desk_works_under_the_exported_policies(scope: Literal["application", "entity", "tenant"]) -> None:
    table = exported_table(HelpDesk.design)
    with Engine(sweep_seconds=None) as engine:
        with HelpDesk.open(engine, create=True) as desk:
            for tenant in ("acme", "globex"):
                desk.put(Tenant(tenant=tenant, name=tenant, audit_days=30))
            desk.put(Agent(tenant="acme", email="ada@acme.example", name="Ada"))
        if scope == "tenant":
            policies = tenant_policies(table, "tenant", "tenant", AwsScope())
        else:
            policies = policies_of(table, scope, AwsScope())
        with HelpDesk.open(engine.as_principal(principal(policies, {"tenant": "acme"}))) as desk:
            assert asyncio.run(work(desk, "acme")) == ["Printer on fire", "Printer on fire", "Ada", "4, 3"]
            if scope == "tenant":
                with pytest.raises(RequestRefused, match="AccessDeniedException"):
                    asyncio.run(work(desk, "globex"))
                with pytest.raises(RequestRefused, match="AccessDeniedException"):
                    asyncio.run(Operations(desk).comment(Caller("globex", "x"), "t1", "Hello"))
