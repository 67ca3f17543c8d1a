"""Run the API: `uvicorn examples.helpdesk.main:app`, with the table at HELPDESK_URL."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from examples.helpdesk.api import create_app
from examples.helpdesk.model import HelpDesk
from examples.helpdesk.operations import Caller


@asynccontextmanager
async def open_desk() -> AsyncGenerator[HelpDesk]:
    """Open the table; every process has the same secret, so that it accepts the cursors of the others."""
    url = os.environ.get("HELPDESK_URL", "file:helpdesk.db")
    secret = os.environ.get("HELPDESK_SECRET", "only-for-development")
    async with await HelpDesk.open_async(url, create=url.startswith(("file:", "http:")), secret=secret) as desk:
        yield desk


# A real application verifies a signed token here, and takes the tenant from its claims.
CALLERS = {"ada": Caller("acme", "ada@acme.example"), "bob": Caller("globex", "bob@globex.example")}

app = create_app(open_desk, CALLERS)
