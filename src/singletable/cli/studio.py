"""`singletable studio MODEL [URL]`: show a table in the browser: its item collections, access patterns and design."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from singletable.cli.price_options import add_price_options, chosen_prices
from singletable.errors import ArgumentRefused

if TYPE_CHECKING:
    from singletable.model.design import Design

PORT_MAX = 65535
_URL = re.compile(r"memory:|(?:file|https?|dynamodb):")
_SAMPLE = 1000


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("studio", help="show a table in the browser", description=__doc__)
    parser.add_argument(
        "model",
        metavar="MODEL",
        help="a Python file or module; add :Table to select one table. Without a model, pass URL and --table",
    )
    parser.add_argument(
        "url",
        metavar="URL",
        nargs="?",
        help="file:PATH, http://HOST:PORT, dynamodb://REGION or memory: (default: memory:, with sample rows)",
    )
    parser.add_argument("--table", metavar="NAME", help="the table name (default: the name in the model)")
    parser.add_argument("--port", type=_port, default=0, help="the port on 127.0.0.1 (default: a free port)")
    parser.add_argument("--no-browser", action="store_true", help="print the link, and do not open a browser")
    parser.add_argument(
        "--write", action="store_true", help="allow writes to dynamodb://, which is read-only by default"
    )
    parser.add_argument(
        "--sample",
        metavar="N",
        type=int,
        help=f"if there is no model: infer one from at most N items (default: {_SAMPLE}; for dynamodb://: 0, because "
        "reads cost money)",
    )
    parser.add_argument(
        "--export", metavar="DIR", help="write the pages as files that open from disk, and stop; the rows are generated"
    )
    parser.add_argument("--rows", metavar="URL", help="with --export: show the rows of this store instead")
    add_price_options(parser)
    parser.set_defaults(run=run)


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > PORT_MAX:
        raise argparse.ArgumentTypeError(f"invalid port {text!r}: write 0 to {PORT_MAX}")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Serve the studio until Ctrl-C."""
    try:
        from singletable.studio.studio_server import bound_socket, serve_studio
    except ModuleNotFoundError as problem:
        if problem.name not in {"jinja2", "starlette", "uvicorn"}:
            raise
        raise ArgumentRefused("the studio needs more packages; run: pip install 'singletable[studio]'") from None
    if options.rows is not None and options.export is None:
        raise ArgumentRefused("--rows belongs to --export DIR; without it, write the URL after MODEL")
    if options.export is not None:
        return _export(options)
    listener = bound_socket(options.port)
    serve_studio(workspace_of(options), listener, opens_browser=not options.no_browser, say=_say)
    return 0


def _export(options: argparse.Namespace) -> int:
    """Write the pages to a folder."""
    from pathlib import Path

    from singletable.planner.formatting import format_bytes, format_count
    from singletable.studio.static_export import export_pages, write_pages

    if options.url is not None or _URL.match(options.model):
        raise ArgumentRefused("--export needs a MODEL and no URL; pass --rows URL to export the rows of a store")
    options.url = options.rows
    workspace = workspace_of(options)
    try:
        pages = export_pages(workspace)
    finally:
        workspace.close()
    write_pages(pages, Path(options.export))
    size = format_bytes(sum(len(content) for content in pages.values()))
    _say(f"{format_count(len(pages), 'file')}, {size}: open {Path(options.export) / 'index.html'}")
    return 0


def _say(line: str) -> None:
    print(line)
    sys.stdout.flush()


def workspace_of(options: argparse.Namespace) -> Any:
    """Return the workspace for the options of the command."""
    from singletable.cli.pattern_arguments import read_arguments
    from singletable.cli.request_snippets import SNIPPETS
    from singletable.studio.model_watch import ModelWatch
    from singletable.studio.studio_store import StudioStore
    from singletable.studio.workspace import CommandFunctions, Workspace

    model, url = options.model, options.url
    resources = ExitStack()
    has_model = _URL.match(model) is None
    if not has_model:
        if url is not None:
            raise ArgumentRefused(f"{model!r} is a URL; write MODEL first, then the URL")
        model, url = "", model
    url = url or "memory:"
    if _URL.match(url) is None:
        raise ArgumentRefused(f"{url!r} is not a URL; write file:PATH, http://HOST:PORT, dynamodb://REGION or memory:")
    reject_missing_store(url)
    if has_model:
        probe = (sys.executable, "-B", "-m", "singletable", "check", model, "--json")
        watch = ModelWatch(lambda: _designs(model, options.table), probe)
    else:
        designs = (_inferred(url, options.table, options.sample, resources),)
        watch = ModelWatch(lambda: designs)
    watch.load_first()
    store = StudioStore(url, may_write=options.write, table_name=options.table if has_model else None)
    shown = model or f"{options.table}, a table without a model"
    read_revision = (lambda revision, table: _revision(model, revision, table)) if has_model else None
    functions = CommandFunctions(read_arguments, SNIPPETS, read_revision)
    return Workspace(
        shown, watch, store, functions, chosen_prices(options), is_inferred=not has_model, resources=resources
    )


def _revision(model: str, revision: str, table: str) -> Any:
    """Return the snapshot of a table of the model in a git revision."""
    from singletable.cli.design_source import read_design

    path, _, chosen = model.partition(":")
    relative = os.path.relpath(path) if path.endswith(".py") else path
    return read_design(f"{revision}:{relative}:{chosen or table}").snapshot


def reject_missing_store(url: str) -> None:
    """Raise ArgumentRefused if a store file does not exist, because opening it would create it."""
    from pathlib import Path

    path = url.removeprefix("file:")
    if path != url and not Path(path).is_file():
        raise ArgumentRefused(f"there is no store at {url}; `singletable serve --data PATH` or Table.open creates one")


def _designs(model: str, table_name: str | None) -> Sequence[Design]:
    from singletable.cli.load_model import load_tables

    designs = [table.design for table in load_tables(model)]
    if table_name is not None and len(designs) > 1:
        names = ", ".join(design.name for design in designs)
        raise ArgumentRefused(f"--table applies to one table, but {model} has {names}; select one with MODEL:Table")
    return designs


def _inferred(url: str, name: str | None, sample_max: int | None, resources: ExitStack) -> Design:
    """Return the design that the importer of live tables infers from a description and a sample."""
    from singletable.cli.import_output import CLIENT_NAMES
    from singletable.cli.import_text import import_draft
    from singletable.cli.live_table import TableSample, connect, describe, sample_table
    from singletable.importers.draft import Draft
    from singletable.importers.draft_tree import draft_tree
    from singletable.importers.live.inference import inferred_table
    from singletable.importers.live.sampled_table import described_table
    from singletable.importers.restricted_tree import load_tree

    items_max = sample_max if sample_max is not None else 0 if url.startswith("dynamodb:") else _SAMPLE
    with connect(url) as requests:
        found = name or _only_table(requests)
        if items_max:
            sample = sample_table(requests, found, items_max)
        else:
            sample = TableSample(describe(requests, found), None, (), 1, 0.0, is_whole=False)
    table = inferred_table(described_table(sample.description, sample.items, sample.ttl_attribute))
    draft = import_draft(Draft(f"{found}, imported from a live table", (table,)))
    names = resources.enter_context(load_tree(draft_tree(draft), CLIENT_NAMES))
    design: Design = names[draft.tables[0].class_name].design
    return design


def _only_table(requests: Any) -> str:
    names = requests.send("ListTables", {"Limit": 20}).get("TableNames") or []
    if len(names) != 1:
        shown = (
            f"the tables are {', '.join(names)}; select one with --table NAME" if names else "the store has no table"
        )
        raise ArgumentRefused(f"a MODEL or a table is missing: {shown}")
    return str(names[0])
