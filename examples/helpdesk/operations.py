"""The operations of agents on tickets; one transaction writes a change, its part of the feed and its audit event."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal
from uuid import uuid4

from examples.helpdesk.model import AuditEvent, Comment, HelpDesk, Status, Ticket, TicketEvent
from singletable import NotFound, TransactionCancelled, VersionConflict, field, key


@dataclass(frozen=True)
class Caller:
    """The agent who sends a request, and the tenant that the agent belongs to."""

    tenant: str
    email: str


@dataclass(frozen=True)
class Change:
    """The fields of a ticket to change; None leaves a field as it is."""

    status: Status | None = None
    assignee: str | None = None


class Operations:
    """The operations on tickets; every method reads and writes only the tenant of its caller."""

    def __init__(
        self,
        desk: HelpDesk,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        new_id: Callable[[], str] = lambda: uuid4().hex,
    ) -> None:
        self.desk = desk
        self._now = now
        self._new_id = new_id

    async def open_ticket(self, caller: Caller, subject: str, text: str) -> Ticket:
        """Create a ticket with its first comment."""
        now = self._now()
        ticket = Ticket(
            tenant=caller.tenant,
            id=self._new_id(),
            subject=subject,
            requester=caller.email,
            created_at=now,
            updated_at=now,
        )
        audit = await self._audit(caller, ticket.id, "open", now)
        async with self.desk.aio.transaction() as tx:
            tx.create(ticket)
            tx.create(self._comment(caller, ticket.id, text, now))
            tx.create(audit)
        return await self.ticket(caller, ticket.id)

    async def ticket(self, caller: Caller, ticket_id: str) -> Ticket:
        """Return a ticket; raise NotFound if the tenant of the caller has no ticket with this ID."""
        found = await self.desk.ticket.aio(caller.tenant, ticket_id)
        if found is None:
            raise _no_ticket(ticket_id)
        return found

    async def comment(self, caller: Caller, ticket_id: str, text: str) -> Comment:
        """Add a comment; two agents can comment at the same time."""
        now = self._now()
        comment = self._comment(caller, ticket_id, text, now)
        audit = await self._audit(caller, ticket_id, "comment", now)
        target = key(Ticket, tenant=caller.tenant, id=ticket_id)
        try:
            async with self.desk.aio.transaction() as tx:
                tx.update(target, field(Ticket, lambda t: t.updated_at).set(now))
                tx.create(comment)
                tx.create(audit)
        except TransactionCancelled as cancelled:
            if isinstance(cancelled.reasons[0].error, NotFound):
                raise _no_ticket(ticket_id) from cancelled
            raise
        return comment

    async def change(self, caller: Caller, ticket_id: str, version: int, change: Change) -> Ticket:
        """Change a ticket; raise VersionConflict if the stored version is not the version that the caller has read."""
        now = self._now()
        ticket = await self.ticket(caller, ticket_id)
        if ticket.version != version:
            raise VersionConflict(f"ticket {ticket_id} has version {ticket.version}, not {version}", ticket)
        changed = ticket.model_copy(update={"updated_at": now})
        events: list[TicketEvent] = []
        if change.status is not None and change.status != ticket.status:
            changed.status = change.status
            events.append(self._event(caller, ticket_id, "status", change.status, now))
        if change.assignee is not None and change.assignee != ticket.assignee:
            changed.assignee = change.assignee
            events.append(self._event(caller, ticket_id, "assignee", change.assignee, now))
        if not events:
            return ticket
        audit = await self._audit(caller, ticket_id, "change", now)
        async with self.desk.aio.transaction() as tx:
            tx.put(changed)
            for event in events:
                tx.create(event)
            tx.create(audit)
        return await self.ticket(caller, ticket_id)

    def _comment(self, caller: Caller, ticket_id: str, text: str, now: datetime) -> Comment:
        return Comment(
            tenant=caller.tenant, ticket_id=ticket_id, id=self._new_id(), at=now, author=caller.email, text=text
        )

    def _event(
        self, caller: Caller, ticket_id: str, kind: Literal["status", "assignee"], value: str, now: datetime
    ) -> TicketEvent:
        return TicketEvent(
            tenant=caller.tenant,
            ticket_id=ticket_id,
            id=self._new_id(),
            at=now,
            kind=kind,
            author=caller.email,
            value=value,
        )

    async def _audit(self, caller: Caller, ticket_id: str, action: str, now: datetime) -> AuditEvent:
        tenant = await self.desk.tenant.aio(caller.tenant)
        days = 90 if tenant is None else tenant.audit_days
        return AuditEvent(
            tenant=caller.tenant,
            day=now.date(),
            id=self._new_id(),
            at=now,
            actor=caller.email,
            action=action,
            ticket_id=ticket_id,
            expires_at=(now + timedelta(days=days)).replace(microsecond=0),
        )


def _no_ticket(ticket_id: str) -> NotFound:
    return NotFound(f"there is no ticket {ticket_id}")
