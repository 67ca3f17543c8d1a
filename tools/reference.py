"""Writes the reference pages of the API and of the command line, out of signatures, docstrings and `--help`.

    python -m tools.reference            rewrite docs/reference/*.md
    python -m tools.reference --check    exit 1 when one is stale

A name of the public interface is put where its module belongs, so that a new one has a place without being told.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
import os
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
from singletable.client.awaited import AwaitedTable
from singletable.client.metrics import Metrics, Usage
from singletable.client.pattern import BoundPattern
from singletable.client.transaction import Transaction
from singletable.client.watched import Watched
from singletable.model.changes import FieldReference
from singletable.planner.explain import Explanation
from tools.pages import DOCS, name_of
from tools.signatures import attributes_of, constant_doc, members_of, signatures_of

API, CLI = DOCS / "reference" / "api.md", DOCS / "reference" / "cli.md"
MADE = "<!-- Made by `make reference` out of the code; change the docstrings instead. -->"
COLUMNS = 100


@dataclass(frozen=True)
class Group:
    """A section: its title, a sentence, and the modules whose names belong in it."""

    title: str
    says: str
    modules: tuple[str, ...]
    also: tuple[type, ...] = ()
    """Classes that are met through these names, though nobody imports them."""


GROUPS = (
    Group(
        "Tables",
        "A table is a class: its keywords are settings, its methods are access patterns. Opened, it reads and writes.",
        ("singletable.client.table",),
        (AwaitedTable, Transaction, Metrics, Usage, Watched),
    ),
    Group(
        "Patterns",
        "What `shop.orders_of` is: called, awaited, iterated, counted, explained.",
        ("singletable.client.pattern", "singletable.model.page"),
        (BoundPattern, Explanation),
    ),
    Group(
        "What a pattern reads or writes",
        "The body of a pattern is one of these calls. It is evaluated once, when the class is made.",
        ("singletable.model.intents", "singletable.model.changes"),
        (FieldReference,),
    ),
    Group(
        "Ranges",
        "Types of parameters that say more than equality.",
        ("singletable.model.ranges",),
    ),
    Group(
        "Conditions",
        "For the lambdas of `where=` and `filter=`, beside `==`, `<`, `&` and the others.",
        ("singletable.model.recorder",),
    ),
    Group(
        "Entities, keys and indexes",
        "What a class is stored as.",
        (
            "singletable.model.entity",
            "singletable.model.positions",
            "singletable.model.index",
            "singletable.model.upgrades",
        ),
    ),
    Group(
        "Derived values",
        'Computed from fields and written into keys: `derived={"shard": shard("id", of=8)}`.',
        ("singletable.model.derived",),
    ),
    Group(
        "Kept right beside an item",
        "For `copies=` and `counted=` of an entity.",
        ("singletable.model.copies", "singletable.model.counts"),
    ),
    Group("Calling a table", "What goes in, what comes out, and how patient it is.", ("singletable.client",)),
    Group("Errors", "One tree; every error says what is wrong, where, and what to do.", ("singletable.errors",)),
    Group("More", "", ("singletable",)),
)


# Methods that the library itself calls.
OURS = frozenset({"BoundPattern.of", "Metrics.read", "Metrics.write", "Retries.pause"})


def api_page() -> str:
    """Every public name, by group."""
    named = {name: getattr(singletable, name) for name in singletable.__all__}
    opening = (
        "Everything that `singletable` and `singletable.testing` offer; [the guides](../index.md) say what it is for."
    )
    lines = ["# API", "", MADE, "", opening, ""]
    for group in GROUPS:
        inside = [name for name, value in named.items() if _group_of(value) is group]
        if inside or group.also:
            lines += [f"## {group.title}", "", group.says, ""]
            lines += _tree() if group.title == "Errors" else []
            ordered = sorted(inside, key=lambda name: _line_of(named[name]))
            for name in ordered:
                lines += _entry(name, named[name])
            for cls in group.also:
                lines += _entry(cls.__name__, cls)
    lines += ["## singletable.testing", "", "For the tests of those who use a table: [Testing](../testing.md).", ""]
    for name in singletable.testing.__all__:
        lines += _entry(name, getattr(singletable.testing, name))
    return "\n".join(lines).rstrip() + "\n"


def _group_of(value: Any) -> Group:
    """The group whose modules name the value's own most exactly."""
    module = value.__module__
    fitting = [
        (len(prefix), group)
        for group in GROUPS
        for prefix in group.modules
        if module == prefix or module.startswith(f"{prefix}.")
    ]
    return max(fitting, key=lambda each: each[0])[1]


def _line_of(value: Any) -> tuple[str, int]:
    """Where a name stands, so that a section reads as its source does; constants come first."""
    if not (inspect.isclass(value) or inspect.isroutine(value)):
        return value.__module__, 0
    return value.__module__, inspect.getsourcelines(value)[1]


def _tree() -> list[str]:
    """The tree of errors as its module draws it."""
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
    said = [f"- `{name}`: {text}" for name, text in attributes_of(cls)]
    return [*said, ""] if said else []


def _doc(value: Any) -> str:
    doc = inspect.getdoc(value.fget if isinstance(value, property) else value) or ""
    # What the dataclass decorator writes for a class that says nothing.
    return "" if doc.startswith(f"{getattr(value, '__name__', '')}(") else doc


def _code(lines: Sequence[str]) -> list[str]:
    return ["```py", *lines, "```", ""]


def _prose(doc: str) -> list[str]:
    paragraphs = [" ".join(paragraph.split()) for paragraph in doc.split("\n\n") if paragraph.strip()]
    return [line for paragraph in paragraphs for line in (*textwrap.wrap(paragraph, 118, break_long_words=False), "")]


def cli_page() -> str:
    """The help of every command."""
    lines = ["# Command line", "", MADE, "", "`singletable COMMAND --help` says the same.", ""]
    for words in ([], *([name] for name in COMMANDS), *(["export", target] for target in TARGETS)):
        lines += [f"## {' '.join(['singletable', *words])}", "", "```text", _help(words), "```", ""]
    return "\n".join(lines).rstrip() + "\n"


def _help(words: list[str]) -> str:
    printed, terminal = io.StringIO(), {"COLUMNS": str(COLUMNS), "NO_COLOR": "1"}
    with patch.dict(os.environ, terminal), contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        command_line([*words, "--help"])
    return printed.getvalue().rstrip()


PAGES: tuple[tuple[Path, Callable[[], str]], ...] = ((API, api_page), (CLI, cli_page))


def stale_pages() -> Iterator[tuple[Path, str]]:
    """The pages that are not as they should be, with what they should be."""
    for path, make in PAGES:
        wanted = make()
        if not path.is_file() or path.read_text(encoding="utf-8") != wanted:
            yield path, wanted


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when a page is stale")
    check: bool = parser.parse_args(arguments).check

    stale = list(stale_pages())
    for path, wanted in stale:
        print(f"{name_of(path)} is {'stale: run `make reference`' if check else 'rewritten'}.")
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(wanted, encoding="utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
