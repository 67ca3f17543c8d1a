"""The table of a multi-tenant help desk; the partition keys of the table and of its indexes start with the tenant."""

from datetime import date, datetime
from typing import Literal

from pydantic import BaseModel, Field

from singletable import Page, Table, collection, entity, get, pattern, query, sparse

Status = Literal["open", "waiting", "closed"]


@entity(key=("TENANT#{tenant}", "TENANT"))
class Tenant(BaseModel):
    """A customer of the help desk."""

    tenant: str
    name: str
    audit_days: int = 90


@entity(key=("TENANT#{tenant}", "AGENT#{email}"), expected_per_partition=20)
class Agent(BaseModel):
    """A person who answers tickets."""

    tenant: str
    email: str
    name: str


@entity(
    key=("TENANT#{tenant}#TICKET#{id}", "TICKET"),
    gsi1=("TENANT#{tenant}#STATUS#{status}", "{updated_at}#{id}"),
    gsi2=sparse("TENANT#{tenant}#ASSIGNEE#{assignee}", "{updated_at}#{id}"),
    version="version",
    expected_per_partition={"gsi1": 500, "gsi2": 50},
)
class Ticket(BaseModel):
    """A ticket. GSI2 contains only the tickets with an assignee."""

    tenant: str
    id: str
    subject: str = Field(min_length=1, max_length=200)
    status: Status = "open"
    requester: str
    assignee: str | None = None
    created_at: datetime
    updated_at: datetime
    version: int = 0


@entity(key=("TENANT#{tenant}#TICKET#{ticket_id}", "FEED#{at}#COMMENT#{id}"), expected_per_partition=20)
class Comment(BaseModel):
    """A comment on a ticket."""

    tenant: str
    ticket_id: str
    id: str
    at: datetime
    kind: Literal["comment"] = "comment"
    author: str
    text: str = Field(max_length=10_000)


@entity(key=("TENANT#{tenant}#TICKET#{ticket_id}", "FEED#{at}#EVENT#{id}"), expected_per_partition=10)
class TicketEvent(BaseModel):
    """A change of a ticket: a new status or a new assignee."""

    tenant: str
    ticket_id: str
    id: str
    at: datetime
    kind: Literal["status", "assignee"]
    author: str
    value: str


@entity(
    key=("TENANT#{tenant}#AUDIT#{day}", "{at}#{id}"),
    ttl="expires_at",
    expected_per_partition=1000,
)
class AuditEvent(BaseModel):
    """A record of a change and its author; DynamoDB deletes the event after its expiry time."""

    tenant: str
    day: date
    id: str
    at: datetime
    actor: str
    action: str
    ticket_id: str
    expires_at: datetime


class TicketWithFeed(BaseModel):
    """A ticket with its whole feed."""

    ticket: Ticket
    comments: list[Comment]
    events: list[TicketEvent]


class HelpDesk(Table, entities=[Tenant, Agent, Ticket, Comment, TicketEvent, AuditEvent], ttl_attribute="expires_at"):
    """Every pattern starts with the tenant, so that no call can read the items of two tenants."""

    @pattern(frequency="low")
    def tenant(self, tenant: str) -> Tenant | None:
        """Get a tenant."""
        return get(Tenant)

    @pattern(frequency="low")
    def agents(self, tenant: str, *, limit: int = 50, cursor: str | None = None) -> Page[Agent]:
        """List the agents of a tenant by email."""
        return query(Agent)

    @pattern(frequency="high")
    def ticket(self, tenant: str, id: str) -> Ticket | None:
        """Get a ticket."""
        return get(Ticket)

    @pattern(frequency="low")
    def ticket_with_feed(self, tenant: str, ticket_id: str) -> TicketWithFeed | None:
        """Get a ticket with its whole feed, to export it."""
        return collection(TicketWithFeed)

    @pattern(frequency="high")
    def feed(
        self, tenant: str, ticket_id: str, *, limit: int = 20, cursor: str | None = None
    ) -> Page[Comment | TicketEvent]:
        """List the comments and the changes of a ticket in one feed, newest first."""
        return query(Comment, TicketEvent, newest_first=True)

    @pattern(frequency="high")
    def queue(self, tenant: str, status: Status, *, limit: int = 20, cursor: str | None = None) -> Page[Ticket]:
        """List the tickets with a status; the ticket that has waited longest is first."""
        return query(Ticket)

    @pattern(frequency="high")
    def assigned(self, tenant: str, assignee: str, *, limit: int = 20, cursor: str | None = None) -> Page[Ticket]:
        """List the tickets of an agent, most recently changed first."""
        return query(Ticket, newest_first=True)

    @pattern(frequency="low")
    def audit(self, tenant: str, day: date, *, limit: int = 50, cursor: str | None = None) -> Page[AuditEvent]:
        """List the audit events of a day in order."""
        return query(AuditEvent)
