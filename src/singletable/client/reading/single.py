"""Reads of one item: by GetItem, or by a Query that can only find one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from singletable.client.answers import Item
from singletable.client.options import Options
from singletable.client.reading.reader import Reader
from singletable.client.steps import Steps
from singletable.errors import DesignBroken
from singletable.planner.bind import read_requests
from singletable.planner.plan import Plan


def get_one(reader: Reader, plan: Plan, arguments: Mapping[str, Any], options: Options) -> Steps[Any]:
    """The object, or None when it is not there or has expired."""
    requests = read_requests(reader.design, plan, arguments)
    if plan.operation == "GetItem":
        (body,) = yield (reader.call(requests[0], plan, options),)
        item = reader.one(body, plan, options)
        return None if item is None else reader.decoded((item,), plan)[0]
    items = yield from _found(reader, plan, requests, options)
    if len(items) > 1:
        raise DesignBroken(
            f"{plan.pattern.name} found {len(items)} items where its key says there is one; "
            f"two items of {plan.wanted[0].label} have the same identity"
        )
    return reader.decoded(items, plan)[0] if items else None


def _found(reader: Reader, plan: Plan, requests: Any, options: Options) -> Steps[list[Item]]:
    """Every item in the range, which is small; a Query without a limit may have more than one page."""
    calls = [reader.call(request, plan, options) for request in requests]
    items: list[Item] = []
    while calls:
        bodies = yield calls
        following = []
        for call, body in zip(calls, bodies, strict=True):
            answer = reader.page(body, plan, options)
            items += answer.items
            if answer.last_evaluated_key is not None and plan.limit is None:
                following.append(
                    call._replace(parameters={**call.parameters, "ExclusiveStartKey": answer.last_evaluated_key})
                )
        calls = following
    return items
