"""Requests as JavaScript for the AWS SDK for JavaScript, version 3."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from singletable.planner.planned_requests import Request

_INDENT = "  "


def javascript_snippet(requests: Sequence[Request]) -> str:
    """Return a JavaScript module that sends the requests."""
    commands = sorted({f"{request.operation}Command" for request in requests})
    lines = [
        f'import {{ DynamoDBClient, {", ".join(commands)} }} from "@aws-sdk/client-dynamodb";',
        "",
        "const client = new DynamoDBClient({});",
    ]
    for number, request in enumerate(requests, 1):
        name = "response" if len(requests) == 1 else f"response{number}"
        lines += ["", f"const {name} = await client.send(new {request.operation}Command("]
        lines += [f"{_INDENT}{_literal(request.parameters, 1)}", "));", f"console.log({name});"]
    return "\n".join(lines)


def _literal(value: Any, depth: int) -> str:
    """Return a value of DynamoDB JSON as a JavaScript literal. Binary values become byte arrays."""
    match value:
        case {"B": str(data)} if len(value) == 1:
            return f"{{ B: {_buffer(data)} }}"
        case {"BS": list(members)} if len(value) == 1:
            return f"{{ BS: [{', '.join(map(_buffer, members))}] }}"
        case dict() | list() if not value:
            return "{}" if isinstance(value, dict) else "[]"
        case dict() if len(value) == 1 and not isinstance(next(iter(value.values())), dict | list):
            return "{ " + ", ".join(f"{_name(name)}: {_literal(each, depth)}" for name, each in value.items()) + " }"
        case dict():
            inner = [f"{_name(name)}: {_literal(each, depth + 1)}" for name, each in value.items()]
            return _spread("{", inner, "}", depth)
        case list():
            return _spread("[", [_literal(each, depth + 1) for each in value], "]", depth)
        case _:
            return json.dumps(value, ensure_ascii=False)


def _buffer(data: str) -> str:
    return f'Buffer.from({json.dumps(data)}, "base64")'


def _spread(opening: str, inner: Sequence[str], closing: str, depth: int) -> str:
    space = _INDENT * (depth + 1)
    return "\n".join([opening, *(f"{space}{each}," for each in inner), f"{_INDENT * depth}{closing}"])


def _name(name: str) -> str:
    return name if name.isidentifier() else json.dumps(name, ensure_ascii=False)
