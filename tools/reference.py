"""Write the API and command line reference from signatures, docstrings and `--help`.

    python -m tools.reference            rewrite docs/reference/api.md and cli.md
    python -m tools.reference --check    exit 1 when a page is out of date

Every public name belongs to one group of `GROUPS`. Errors belong to the last group.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import singletable
import singletable.testing
from singletable import errors
from singletable.cli.export import TARGETS
from singletable.cli.main import COMMANDS
from singletable.cli.main import main as command_line
from singletable.client.async_table import AsyncTable
from singletable.client.metrics import Metrics, Usage
from singletable.client.pattern import BoundPattern
from singletable.client.tracing import RequestEvent
from singletable.client.transaction import Transaction
from singletable.model.update_changes import FieldReference
from singletable.planner.explanation import Explanation
from singletable.values.fast_path import FastPathCounts
from tools.pages import DOCS, name_of
from tools.signatures import attributes_of, constant_doc, members_of, signatures_of

API, CLI = DOCS / "reference" / "api.md", DOCS / "reference" / "cli.md"
MADE = "<!-- Written by `make reference` from the code; change the docstrings instead. -->"
COLUMNS = 100


@dataclass(frozen=True)
class Group:
    """A section of the API page: its title, an introduction, and the public names in it, in order."""

    title: str
    introduction: str
    names: tuple[str, ...]
    also: tuple[type, ...] = ()
    """Classes that users receive but do not import."""


GROUPS = (
    Group(
        "Tables",
        "A table is a class: its keywords are settings, its methods are access patterns. Open it to read and write.",
        ("Table", "Credentials"),
        (AsyncTable, Transaction, Metrics, Usage, FastPathCounts, RequestEvent),
    ),
    Group(
        "Patterns",
        "Call `shop.orders_of_customer`, await it, iterate over its pages, count its items, or explain its request.",
        ("pattern", "Page"),
        (BoundPattern, Explanation),
    ),
    Group(
        "Reads and writes in a pattern",
        "The body of a pattern is one of these calls. It is evaluated once, when the class is created.",
        ("get", "query", "collection", "within", "ancestors", "put", "create", "update", "delete", "field"),
        (FieldReference,),
    ),
    Group(
        "Ranges and areas",
        "Parameter types for conditions other than equality.",
        ("Between", "Since", "Until", "Prefix", "Subtree", "Children", "Radius", "Box", "Nearest"),
    ),
    Group(
        "Conditions",
        "Functions for the lambdas of `where=` and `filter=`, in addition to `==`, `<`, `&` and the other operators.",
        ("exists", "not_", "present", "begins_with", "contains", "one_of"),
    ),
    Group(
        "Entities, keys and indexes",
        "How a class is stored.",
        (
            *("entity", "native", "sparse", "GSI", "LSI", "inverse", "ALL", "KEYS_ONLY", "include", "upgrade"),
            *("skewed", "ref", "codec"),
        ),
    ),
    Group(
        "Derived values",
        'Values computed from fields and written into keys: `derived={"shard": shard("id", of=8)}`.',
        ("bucket", "derive", "geohash", "first_letter", "shard", "parent", "depth"),
    ),
    Group("Derived data", "For `copies=` and `counted=` of an entity.", ("copy", "count")),
    Group(
        "Keys, batches and settings",
        "Arguments and results of table methods, and the settings for retries and timeouts.",
        ("Key", "key", "BatchProgress", "BatchFailure", "BatchResult", "Retries", "Timeouts"),
    ),
    Group(
        "Stream handlers",
        "Functions that receive the changes of items. `singletable.streams` has the runners: `lambda_handler` and "
        "`StreamWorker`.",
        ("on", "ChangeEvent"),
    ),
    Group("Errors", "One tree. Every error says what is wrong, where, and what to do.", ()),
)


# Public methods for internal use.
OURS = frozenset({"BoundPattern.of", "Metrics.read", "Metrics.write", "Retries.pause"})


def api_page() -> str:
    """Return the API page: every public name, by group."""
    public = {name: getattr(singletable, name) for name in singletable.__all__}
    raised = [name for name, value in public.items() if _is_error(value)]
    opening = (
        "Everything that `singletable` and `singletable.testing` offer; [the guides](../index.md) show how to use it."
    )
    lines = ["# API", "", MADE, "", opening, ""]
    for group in GROUPS:
        names = group.names if group.title != "Errors" else sorted(raised, key=lambda name: _line_of(public[name]))
        lines += [f"## {group.title}", "", group.introduction, ""]
        lines += _tree() if group.title == "Errors" else []
        for name in names:
            lines += _entry(name, public.pop(name))
        for cls in group.also:
            lines += _entry(cls.__name__, cls)
    if public:
        raise SystemExit(f"tools/reference.py: add {', '.join(public)} to a group of GROUPS")
    lines += [
        "## singletable.testing",
        "",
        "For tests of your application: [Test your application](../guides/test-your-application.md).",
        "",
    ]
    for name in singletable.testing.__all__:
        lines += _entry(name, getattr(singletable.testing, name))
    return "\n".join(lines).rstrip() + "\n"


def _is_error(value: Any) -> bool:
    return bool(value.__module__ == errors.__name__)


def _line_of(value: Any) -> int:
    """Return the line of a class in its module, so that the page has the order of the source."""
    return inspect.getsourcelines(value)[1]


def _tree() -> list[str]:
    """Return the tree of errors as drawn in the docstring of its module."""
    _, _, drawn = inspect.cleandoc(errors.__doc__ or "").partition("\n\n")
    return ["```text", drawn, "```", ""]


def _entry(name: str, value: Any) -> list[str]:
    lines = [f"### {name}", ""]
    if not (inspect.isclass(value) or inspect.isroutine(value)):
        return [*lines, *_code([f"{name} = {value!r}"]), *_prose(constant_doc(value.__module__, name))]
    lines += [*_code(signatures_of(name, value)), *_prose(_doc(value))]
    if inspect.isclass(value):
        lines += _attributes(value)
        for member, found in members_of(value):
            if f"{name}.{member}" in OURS:
                continue
            lines += [f"#### {name}.{member}", "", *_code(signatures_of(member, found)), *_prose(_doc(found))]
    return lines


def _attributes(cls: type) -> list[str]:
    documented = [f"- `{name}`: {text}" for name, text in attributes_of(cls)]
    return [*documented, ""] if documented else []


def _doc(value: Any) -> str:
    doc = inspect.getdoc(value.fget if isinstance(value, property) else value) or ""
    # The dataclass decorator writes this text for a class without a docstring.
    return "" if doc.startswith(f"{getattr(value, '__name__', '')}(") else doc


def _code(lines: Sequence[str]) -> list[str]:
    return ["```py", *lines, "```", ""]


def _prose(doc: str) -> list[str]:
    paragraphs = [paragraph for paragraph in doc.split("\n\n") if paragraph.strip()]
    return [line for paragraph in paragraphs for line in (*_wrapped(paragraph), "")]


def _wrapped(paragraph: str) -> Iterator[str]:
    """Yield the lines of a paragraph, or of a list whose items start with `- `."""
    for item in re.split(r"\n(?=- )", paragraph.strip()):
        indent = "  " if item.startswith("- ") else ""
        yield from textwrap.wrap(" ".join(item.split()), 118, subsequent_indent=indent, break_long_words=False)


def cli_page() -> str:
    """Return the command line page: the help of every command."""
    lines = ["# Command line", "", MADE, "", "`singletable COMMAND --help` prints the same texts.", ""]
    for arguments in ([], *([name] for name in COMMANDS), *(["export", target] for target in TARGETS)):
        lines += [f"## {' '.join(['singletable', *arguments])}", "", "```text", _help(arguments), "```", ""]
    return "\n".join(lines).rstrip() + "\n"


def _help(arguments: list[str]) -> str:
    printed, terminal = io.StringIO(), {"COLUMNS": str(COLUMNS), "NO_COLOR": "1"}
    with patch.dict(os.environ, terminal), contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        command_line([*arguments, "--help"])
    return printed.getvalue().rstrip()


PAGES: tuple[tuple[Path, Callable[[], str]], ...] = ((API, api_page), (CLI, cli_page))


def stale_pages() -> Iterator[tuple[Path, str]]:
    """Yield the pages that are out of date, with their new text."""
    for path, make in PAGES:
        new = make()
        if not path.is_file() or path.read_text(encoding="utf-8") != new:
            yield path, new


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when a page is out of date")
    check: bool = parser.parse_args(arguments).check

    stale = list(stale_pages())
    for path, new in stale:
        print(f"{name_of(path)} is {'out of date: run `make reference`' if check else 'rewritten'}.")
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(new, encoding="utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
