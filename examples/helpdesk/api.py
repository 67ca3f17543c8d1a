"""The web API of the help desk, with FastAPI: typed pages with cursors, and versions as ETags."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Generic, TypeVar

from fastapi import APIRouter, Depends, FastAPI, Header, HTTPException, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from examples.helpdesk.model import AuditEvent, Comment, HelpDesk, Status, Ticket, TicketEvent
from examples.helpdesk.operations import Caller, Change, Operations
from singletable import CursorRefused, NotFound, Page, Throttled, TransactionCancelled, Unreachable, VersionConflict

T = TypeVar("T")
OpenDesk = Callable[[], AbstractAsyncContextManager[HelpDesk]]


class Listed(BaseModel, Generic[T]):
    """A page of results; `next` is the cursor of the next page."""

    items: list[T]
    next: str | None


class NewTicket(BaseModel):
    """The body of a request that opens a ticket."""

    subject: str = Field(min_length=1, max_length=200)
    text: str = Field(min_length=1, max_length=10_000)


class NewComment(BaseModel):
    """The body of a request that adds a comment."""

    text: str = Field(min_length=1, max_length=10_000)


class TicketChange(BaseModel):
    """The body of a request that changes a ticket."""

    status: Status | None = None
    assignee: str | None = None


@dataclass(frozen=True)
class Context:
    """The caller of a request, and the operations on the table."""

    caller: Caller
    operations: Operations


def operations_of(request: Request) -> Operations:
    """Return the operations on the table that the application opened."""
    found = request.app.state.operations
    assert isinstance(found, Operations)
    return found


def context_of(
    request: Request,
    operations: Annotated[Operations, Depends(operations_of)],
    authorization: Annotated[str, Header()] = "",
) -> Context:
    """Return the context of a request; the tenant comes from the token only, never from the URL or the body."""
    callers: Mapping[str, Caller] = request.app.state.callers
    caller = callers.get(authorization.removeprefix("Bearer "))
    if caller is None:
        raise HTTPException(401, "unknown token")
    return Context(caller, operations)


InContext = Annotated[Context, Depends(context_of)]
Limit = Annotated[int, Query(ge=1, le=100)]
Cursor = Annotated[str | None, Query(alias="cursor")]


def create_app(open_desk: OpenDesk, callers: Mapping[str, Caller]) -> FastAPI:
    """Return the application; it opens the table when it starts, and closes it when it stops."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        async with open_desk() as desk:
            app.state.operations = Operations(desk)
            app.state.callers = callers
            yield

    app = FastAPI(title="Help desk", lifespan=lifespan)
    app.include_router(_tickets())
    _add_errors(app)
    return app


def _listed(page: Page[T]) -> Listed[T]:
    return Listed(items=list(page), next=page.cursor)


def _tickets() -> APIRouter:
    router = APIRouter()

    @router.post("/tickets", status_code=201)
    async def open_ticket(context: InContext, new: NewTicket, response: Response) -> Ticket:
        return _tagged(response, await context.operations.open_ticket(context.caller, new.subject, new.text))

    @router.get("/tickets")
    async def queue(context: InContext, status: Status, limit: Limit = 20, cursor: Cursor = None) -> Listed[Ticket]:
        desk = context.operations.desk
        return _listed(await desk.queue.aio(context.caller.tenant, status, limit=limit, cursor=cursor))

    @router.get("/tickets/mine")
    async def mine(context: InContext, limit: Limit = 20, cursor: Cursor = None) -> Listed[Ticket]:
        caller, desk = context.caller, context.operations.desk
        return _listed(await desk.assigned.aio(caller.tenant, caller.email, limit=limit, cursor=cursor))

    @router.get("/tickets/{ticket_id}")
    async def ticket(context: InContext, ticket_id: str, response: Response) -> Ticket:
        return _tagged(response, await context.operations.ticket(context.caller, ticket_id))

    @router.patch("/tickets/{ticket_id}")
    async def change(
        context: InContext,
        ticket_id: str,
        body: TicketChange,
        response: Response,
        if_match: Annotated[str, Header(pattern=r'^"\d+"$')],
    ) -> Ticket:
        wanted = Change(body.status, body.assignee)
        version = int(if_match.strip('"'))
        return _tagged(response, await context.operations.change(context.caller, ticket_id, version, wanted))

    @router.get("/tickets/{ticket_id}/feed")
    async def feed(
        context: InContext, ticket_id: str, limit: Limit = 20, cursor: Cursor = None
    ) -> Listed[Comment | TicketEvent]:
        desk = context.operations.desk
        return _listed(await desk.feed.aio(context.caller.tenant, ticket_id, limit=limit, cursor=cursor))

    @router.post("/tickets/{ticket_id}/comments", status_code=201)
    async def comment(context: InContext, ticket_id: str, new: NewComment) -> Comment:
        return await context.operations.comment(context.caller, ticket_id, new.text)

    @router.get("/audit")
    async def audit(context: InContext, day: date, limit: Limit = 50, cursor: Cursor = None) -> Listed[AuditEvent]:
        desk = context.operations.desk
        return _listed(await desk.audit.aio(context.caller.tenant, day, limit=limit, cursor=cursor))

    return router


def _tagged(response: Response, ticket: Ticket) -> Ticket:
    response.headers["ETag"] = f'"{ticket.version}"'
    return ticket


_STATUSES: tuple[tuple[type[Exception], int, str], ...] = (
    (NotFound, 404, "not found"),
    (CursorRefused, 400, "the cursor is not valid for this request"),
    (VersionConflict, 412, "the ticket was changed; read it again"),
    (TransactionCancelled, 409, "the ticket was changed at the same time; try again"),
    (Throttled, 503, "too many requests; try again later"),
    (Unreachable, 503, "the database does not respond; try again later"),
)


def _add_errors(app: FastAPI) -> None:
    """Convert the errors of the table to HTTP statuses; messages for API clients contain no details of the table."""
    for kind, status, text in _STATUSES:

        async def respond(_request: Request, _error: Exception, status: int = status, text: str = text) -> JSONResponse:
            return JSONResponse({"detail": text}, status)

        app.add_exception_handler(kind, respond)
