"""The `singletable` command: one subcommand per file, errors as messages, never as tracebacks."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Sequence

from singletable.errors import SingletableError

COMMANDS = (
    "demo",
    "check",
    "explain",
    "docs",
    "cost",
    "size",
    "heat",
    "serve",
    "sql",
    "check-store",
    "top-keys",
    "export",
    "import",
)
# A command whose name is a word of Python has a module of another name.
MODULES = {"import": "import_"}
BAD_INPUT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and answer its exit code: 0 fine, 1 the design does not hold, 2 the input cannot be read."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(prog="singletable", description="A compiler for DynamoDB single-table design.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    # The command that was asked for starts sooner without the others, which are there to be listed.
    for name in [name for name in arguments[:1] if name in COMMANDS] or COMMANDS:
        importlib.import_module(f"singletable.cli.{MODULES.get(name, name.replace('-', '_'))}").add_to(commands)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a pipe on Windows has no code for every character
    try:
        try:
            options = parser.parse_args(arguments)
            code: int = options.run(options)
        finally:
            sys.stdout.flush()
    except SingletableError as problem:
        print(problem, file=sys.stderr)
        return BAD_INPUT
    except OSError as problem:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more at the end
        if isinstance(problem, BrokenPipeError):  # the reader of a pipe has seen enough
            return 0
        print(f"the answer cannot be written: {problem}", file=sys.stderr)
        return BAD_INPUT
    return code
