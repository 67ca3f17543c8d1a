"""Requests as snippets that are ready to paste: Python code for boto3, and AWS CLI commands for a shell."""

from __future__ import annotations

import base64
import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from singletable.planner.planned_requests import Request

COLUMNS_MAX = 100
"""A value that does not fit into this width is printed with one element per line."""


def boto3_snippet(requests: Sequence[Request]) -> str:
    """Return Python code that sends the requests with boto3."""
    lines = ["import boto3", "", 'client = boto3.client("dynamodb")']
    for request in requests:
        method = _words(request.operation, "_")
        lines += ["", *_placeholder_notes(request), f"response = client.{method}("]
        lines += [f"    {name}={_literal(value, 4)}," for name, value in request.parameters.items()]
        lines += [")", "print(response)"]
    return "\n".join(lines)


def aws_cli_snippet(requests: Sequence[Request]) -> str:
    """Return shell commands that send the requests with the AWS CLI, version 2."""
    commands = []
    for request in requests:
        parts = [f"aws dynamodb {_words(request.operation, '-')}"]
        parts += [_option(name, value) for name, value in request.parameters.items()]
        commands.append("\n".join([*_placeholder_notes(request), " \\\n  ".join(parts)]))
    return "\n\n".join(commands)


SNIPPETS: Mapping[str, Callable[[Sequence[Request]], str]] = {"boto3": boto3_snippet, "cli": aws_cli_snippet}


def _words(name: str, separator: str) -> str:
    """Return `TransactWriteItems` as words in lower case."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", separator, name).lower()


def _placeholder_notes(request: Request) -> Iterator[str]:
    for text in dict.fromkeys(re.findall(r"<[^<>\"]+>", json.dumps(request.parameters, ensure_ascii=False))):
        yield f"# replace {text}"


def _option(name: str, value: Any) -> str:
    option = f"--{_words(name, '-')}"
    if isinstance(value, bool):
        return option if value else f"--no-{option[2:]}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"{option} {shlex.quote(text)}"


def _literal(value: Any, indent: int) -> str:
    """Return a value of DynamoDB JSON as a Python literal. Binary values become bytes, as boto3 expects."""
    flat = _flat(value)
    if indent + len(flat) <= COLUMNS_MAX or not isinstance(value, dict | list) or not value:
        return flat
    space = " " * (indent + 4)
    if isinstance(value, dict):
        inner = [f"{space}{_quoted(key)}: {_literal(each, indent + 4)},\n" for key, each in value.items()]
        return "{\n" + "".join(inner) + " " * indent + "}"
    inner = [f"{space}{_literal(each, indent + 4)},\n" for each in value]
    return "[\n" + "".join(inner) + " " * indent + "]"


def _flat(value: Any) -> str:
    match value:
        case {"B": str(data)} if len(value) == 1:
            return f'{{"B": {base64.b64decode(data)!r}}}'
        case {"BS": list(members)} if len(value) == 1 and all(isinstance(member, str) for member in members):
            return f'{{"BS": [{", ".join(repr(base64.b64decode(member)) for member in members)}]}}'
        case dict():
            return "{" + ", ".join(f"{_quoted(key)}: {_flat(each)}" for key, each in value.items()) + "}"
        case list():
            return "[" + ", ".join(_flat(each) for each in value) + "]"
        case str():
            return _quoted(value)
        case _:
            return repr(value)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
