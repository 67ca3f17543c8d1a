"""A fake engine with prepared responses that records its requests."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Answer(NamedTuple):
    status: int
    body: bytes
    wrote: bool = False


Prepared = dict[str, Any] | tuple[str, str] | Callable[[dict[str, Any]], dict[str, Any]]


class RecordingEngine:
    """Responds by action name: with a document, an error (code and message), or the result of a function."""

    def __init__(self, answers: Mapping[str, Prepared]) -> None:
        self.answers = answers
        self.requests: list[tuple[str, Any]] = []

    def answer(self, target: str, body: bytes) -> Answer:
        request = json.loads(body)
        self.requests.append((target, request))
        prepared = self.answers[target.rpartition(".")[2]]
        if isinstance(prepared, tuple):
            code, words = prepared
            document = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": words}
            return Answer(400, json.dumps(document).encode())
        return Answer(200, json.dumps(prepared(request) if callable(prepared) else prepared).encode())
