"""The `singletable` command: calls one subcommand per file, and prints errors as messages."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import re
import sys
from collections.abc import Sequence
from typing import NoReturn

from singletable.errors import SingletableError, without_secrets

COMMANDS = (
    "demo",
    "catalogue",
    "check",
    "design",
    "explain",
    "docs",
    "cost",
    "size",
    "heat",
    "snapshot",
    "diff",
    "migrate",
    "consolidate",
    "serve",
    "sql",
    "query",
    "stream",
    "check-store",
    "top-keys",
    "export",
    "import",
    "studio",
)
# `import` is a Python keyword.
MODULES = {"import": "import_"}
BAD_INPUT = 2
_WORD_WITH_CREDENTIALS = re.compile(r"\S+:\S*@")


class _ShowVersion(argparse.Action):
    """Prints the version of the installed package. Only this option imports the package's metadata."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"singletable {version('singletable')}")
        parser.exit()


class _Parser(argparse.ArgumentParser):
    """A parser whose error messages show no credentials of a URL."""

    def error(self, message: str) -> NoReturn:
        super().error(_WORD_WITH_CREDENTIALS.sub(lambda found: without_secrets(found[0]), message))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 for success, 1 if the check failed, 2 for invalid input."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = _Parser(prog="singletable", description="A compiler for DynamoDB single-table design.")
    parser.add_argument("--version", action=_ShowVersion, nargs=0, help="print the installed version")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    # Only the requested command is imported, so that it starts faster. Without a command, all are imported and listed.
    for name in [name for name in arguments[:1] if name in COMMANDS] or COMMANDS:
        importlib.import_module(f"singletable.cli.{MODULES.get(name, name.replace('-', '_'))}").add_to(commands)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # the encoding of a pipe on Windows may lack some characters
    try:
        try:
            options = parser.parse_args(arguments)
            code: int = options.run(options)
        finally:
            sys.stdout.flush()
    except SingletableError as problem:
        print(_without_secrets_of(arguments, str(problem)), file=sys.stderr)
        return BAD_INPUT
    except OSError as problem:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes standard output again at exit
        if isinstance(problem, BrokenPipeError):  # the reader closed the pipe
            return 0
        print(f"cannot write output: {problem}", file=sys.stderr)
        return BAD_INPUT
    return code


def _without_secrets_of(arguments: Sequence[str], message: str) -> str:
    """Return a message in which the URLs among the arguments have no credentials."""
    for each in arguments:
        if "@" in each:
            message = message.replace(each, without_secrets(each))
    return message
