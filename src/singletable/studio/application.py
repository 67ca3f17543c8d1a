"""The web application of the studio: its pages, and the requests that the pages send."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from singletable.errors import SingletableError
from singletable.planner.formatting import format_count, format_number
from singletable.studio.access_guard import NO_SESSION, AccessGuard, Rejection, StudioSecrets
from singletable.studio.design_tokens import tokens_css
from singletable.studio.page_templates import render
from singletable.studio.workspace import TableView, Workspace

Document = dict[str, Any]
ASSETS_FOLDER = Path(__file__).parent / "assets"
SCREENS = (
    ("overview", "Overview", "o"),
    ("collections", "Collections", "c"),
    ("patterns", "Patterns", "p"),
    ("items", "Items", "i"),
    ("query", "Query", "q"),
    ("sql", "SQL", "s"),
    ("stream", "Stream", "t"),
    ("design", "Design", "d"),
)
"""The path, the title and the key of every screen: `g` and then the key shows it."""
_ANSWERS: dict[str, str] = {
    "count": "overview_requests.count",
    "sample": "overview_requests.sample",
    "heat": "overview_requests.heat",
    "column": "collection_requests.column",
    "find": "collection_requests.find",
    "item": "collection_requests.item",
    "run": "pattern_requests.run",
    "plan": "pattern_requests.plan",
    "measure": "traffic_costs.measure",
    "migration": "design_pages.migration",
    "explain": "query_console.explain",
    "query": "query_console.query",
    "reads": "sql_console.reads",
    "select": "sql_console.select",
    "changes": "stream_tail.changes",
    "enable": "stream_tail.enable",
    "stage": "item_editor.stage",
    "shape": "item_editor.shape",
    "effects": "item_editor.effects",
    "discard": "item_editor.discard",
    "resolve": "item_editor.resolve",
    "write": "item_editor.write",
}


def _function(name: str) -> Callable[..., Document]:
    """Return a function of a module; the modules are imported on first use, so that the studio starts faster."""
    module, _, function = name.partition(".")
    found: Callable[..., Document] = getattr(import_module(f"singletable.studio.{module}"), function)
    return found


def import_screens() -> None:
    """Import the modules of all screens."""
    for name in _ANSWERS.values():
        _function(name)


def studio_application(workspace: Workspace, secrets: StudioSecrets) -> ASGIApp:
    """Return the application, behind its access rules."""
    pages = _Pages(workspace, secrets)
    routes = [
        Route("/", pages.start),
        Route("/pulse", pages.pulse),
        Route("/assets/tokens.css", _tokens),
        Mount("/assets", StaticFiles(directory=ASSETS_FOLDER)),
        Route("/{table}/overview", pages.overview),
        Route("/{table}/collections", pages.collections),
        Route("/{table}/patterns", pages.patterns),
        Route("/{table}/patterns/{pattern}", pages.pattern),
        Route("/{table}/items", pages.items),
        Route("/{table}/query", pages.query),
        Route("/{table}/sql", pages.sql),
        Route("/{table}/stream", pages.stream),
        Route("/{table}/design", pages.design),
        Route("/{table}/design/{part}", pages.design),
        Route("/{table}/ask/{question}", pages.answer, methods=["POST"]),
    ]
    handlers: dict[Any, Any] = {404: pages.not_found, 405: pages.not_found, 500: pages.failed}
    return AccessGuard(Starlette(routes=routes, exception_handlers=handlers), secrets, _rejected)


async def _tokens(_: Request) -> Response:
    return Response(tokens_css(), media_type="text/css", headers={"Cache-Control": "max-age=60"})


async def _rejected(scope: Scope, receive: Receive, send: Send) -> None:
    found: Rejection = scope["rejection"]
    is_page = "text/html" in Request(scope).headers.get("accept", "")
    if is_page:
        page = render("message.html", title=found.title, text=found.remedy, links=())
        await HTMLResponse(page, found.status)(scope, receive, send)
    else:
        await PlainTextResponse(f"{found.title}. {found.remedy}\n", found.status)(scope, receive, send)


def page_html(
    workspace: Workspace, template: str, *, screen: str, view: TableView | None, write_token: str, **values: Any
) -> str:
    """Return the HTML of a page."""
    shared: Document = {
        "screens": SCREENS,
        "table": view.design.name if view is not None else "",
        "tables": workspace.table_names,
        "model": "no model" if workspace.is_inferred else workspace.model,
        "store": workspace.store,
        "watch": workspace.watch,
        "static": "",
        "total": _total(workspace),
    }
    return render(template, screen=screen, write_token=write_token, **{**shared, **values})


def _total(workspace: Workspace) -> str:
    cost = workspace.store.total.cost
    units = f"{format_number(cost.read_units)} RRU · {format_number(cost.write_units)} WRU"
    return f"{units} · {format_count(cost.requests, 'request')}"


class _Pages:
    """The pages of one workspace."""

    def __init__(self, workspace: Workspace, secrets: StudioSecrets) -> None:
        self._workspace, self._secrets = workspace, secrets

    async def start(self, request: Request) -> Response:
        """Exchange the token for the cookie, or show the first table."""
        given = request.query_params.get("token")
        if given is not None:
            if self._secrets.has_session(request.headers):
                return RedirectResponse("/", 303)
            cookie = self._secrets.exchange(given)
            if cookie is None:
                page = render("message.html", title=NO_SESSION.title, text=NO_SESSION.remedy, links=())
                return HTMLResponse(page, NO_SESSION.status)
            return RedirectResponse("/", 303, headers={"Set-Cookie": cookie})
        names = self._workspace.table_names
        if not names:
            return await self._html("no_model.html", screen="overview", view=None)
        return RedirectResponse(f"/{quote(names[0])}/overview", 303)

    async def pulse(self, _: Request) -> Response:
        """Return the version of the model and the running total, which every open page requests again and again."""
        return JSONResponse({"changes": self._workspace.watch.changes, "total": _total(self._workspace)})

    async def overview(self, request: Request) -> Response:
        """Show the overview of a table."""
        return await self._page(request, "overview", "overview_requests.page")

    async def collections(self, request: Request) -> Response:
        """Show the item collections of a table."""
        return await self._page(request, "collections", "collection_requests.page")

    async def patterns(self, request: Request) -> Response:
        """Show the first access pattern of a table."""
        view = self._workspace.table(request.path_params["table"])
        if view is None or not view.design.patterns:
            return await self._page(request, "patterns", "pattern_requests.page")
        name = view.design.patterns[0].name
        return RedirectResponse(f"/{quote(view.design.name)}/patterns/{quote(name)}", 303)

    async def pattern(self, request: Request) -> Response:
        """Show one access pattern."""
        return await self._page(request, "patterns", "pattern_requests.page")

    async def items(self, request: Request) -> Response:
        """Show the editor of an item, and the staged changes."""
        return await self._page(request, "items", "item_editor.page")

    async def query(self, request: Request) -> Response:
        """Show the query console."""
        return await self._page(request, "query", "query_console.page")

    async def sql(self, request: Request) -> Response:
        """Show the SQL console."""
        return await self._page(request, "sql", "sql_console.page")

    async def stream(self, request: Request) -> Response:
        """Show the live tail of the changes of a table."""
        return await self._page(request, "stream", "stream_tail.page")

    async def design(self, request: Request) -> Response:
        """Show a part of the design."""
        return await self._page(request, "design", "design_pages.page")

    async def answer(self, request: Request) -> Response:
        """Answer a request of a page. An error of the store or of the input is an answer too."""
        view = self._workspace.table(request.path_params["table"])
        found = _ANSWERS.get(request.path_params["question"])
        if view is None or found is None:
            return JSONResponse({"error": "The model has changed. Reload the page."})
        try:
            document = await request.json()
        except json.JSONDecodeError:
            return JSONResponse({"error": "The request is not valid JSON. Reload the page."}, 400)
        try:
            answer = await run_in_threadpool(_function(found), self._workspace, view, document)
        except SingletableError as problem:
            answer = {"error": str(problem)}
        return JSONResponse({**answer, "total": _total(self._workspace)})

    async def not_found(self, request: Request, _: Exception) -> Response:
        """Show that a page does not exist, with links to existing pages."""
        links = [(f"/{quote(name)}/overview", name) for name in self._workspace.table_names]
        text = f"There is no page {request.url.path}. These are the tables of the model:"
        return HTMLResponse(render("message.html", title="This page does not exist", text=text, links=links), 404)

    async def failed(self, request: Request, problem: Exception) -> Response:
        """Show that the studio failed. Starlette raises the error again, so the terminal shows the traceback."""
        text = f"{type(problem).__name__}: {problem}. The terminal that runs the studio shows the traceback."
        if request.method == "POST":
            return JSONResponse({"error": f"The studio failed: {text}"}, 500)
        page = render("message.html", title="The studio failed", text=text, links=[("/", "Back to the overview")])
        return HTMLResponse(page, 500)

    async def _page(self, request: Request, screen: str, values: str) -> Response:
        view = self._workspace.table(request.path_params["table"])
        if view is None:
            if not self._workspace.table_names:
                return await self._html("no_model.html", screen=screen, view=None)
            return await self.not_found(request, KeyError(request.path_params["table"]))
        given = {**request.path_params, **request.query_params}
        found = await run_in_threadpool(_function(values), self._workspace, view, given)
        if found.get("is_missing"):
            return await self.not_found(request, KeyError(request.url.path))
        return await self._html(f"{screen}.html", screen=screen, view=view, **found)

    async def _html(self, template: str, *, screen: str, view: TableView | None, **values: Any) -> Response:
        token = self._secrets.write_token
        page = await run_in_threadpool(
            page_html, self._workspace, template, screen=screen, view=view, write_token=token, **values
        )
        return HTMLResponse(page)
