"""The studio's server: binds to 127.0.0.1, prints the URL, opens the browser and runs until Ctrl-C."""

from __future__ import annotations

import errno
import socket
import sys
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from threading import Thread

import uvicorn

from singletable.errors import ArgumentRefused, SingletableError
from singletable.studio.access_guard import StudioSecrets
from singletable.studio.application import import_screens, studio_application
from singletable.studio.page_templates import environment
from singletable.studio.workspace import Workspace

HOST = "127.0.0.1"
STOP_SECONDS_MAX = 2


def bound_socket(port: int) -> socket.socket:
    """Return a socket on 127.0.0.1; port 0 selects a free port."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HOST, port))
        found.listen()  # a browser can connect when the link is printed
    except OSError as problem:
        found.close()
        if problem.errno == errno.EADDRINUSE:
            raise ArgumentRefused(f"port {port} is in use; choose another port with --port") from None
        raise
    return found


def serve_studio(
    workspace: Workspace, listener: socket.socket, *, opens_browser: bool, say: Callable[[str], None]
) -> None:
    """Serve a workspace until the process is interrupted."""
    secrets = StudioSecrets(listener.getsockname()[1])
    say(f"Studio for {workspace.model} on {workspace.store.shown_url} ({workspace.store.access})")
    say(f"  {secrets.url}")
    say("The link works once, in this browser. Ctrl-C stops the studio.")
    config = uvicorn.Config(
        studio_application(workspace, secrets),
        log_level="error",
        access_log=False,
        lifespan="off",
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=STOP_SECONDS_MAX,
    )
    if opens_browser:
        Thread(target=webbrowser.open, args=(secrets.url,), daemon=True).start()
    Thread(target=prepare, args=(workspace,), daemon=True).start()
    workspace.watch.start()
    try:
        uvicorn.Server(config).run([listener])
    except KeyboardInterrupt:
        sys.stderr.write("\n")
    finally:
        workspace.close()


def prepare(workspace: Workspace) -> None:
    """Plan the first table, load the templates and open a store in this process while the browser starts.

    A server gets no request: each request on `dynamodb://` costs money.
    """
    from singletable.studio.design_overview import design_overview

    for name in workspace.table_names[:1]:
        view = workspace.table(name)
        if view is not None:
            design_overview(view, workspace.prices)
            if workspace.store.is_in_process:
                with suppress(SingletableError, OSError):  # the overview reports why the store cannot be read
                    view.require_sample()
    for name in environment().list_templates():
        environment().get_template(name)
    import_screens()
