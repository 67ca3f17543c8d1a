"""The text of a tour: one line per request, costs, and the rows of the summary."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from singletable.demo.request_capture import CapturedRequest, Cost
from singletable.demo.tour import ScriptRun, Tour

_PLACEHOLDER = re.compile(r"[#:][A-Za-z0-9_]+")
_CHANGES = {"Put": "Item", "Update": "Key", "Delete": "Key", "ConditionCheck": "Key", "Get": "Key"}
KEYS_SHOWN = 2


def request_line(request: CapturedRequest, table_key: tuple[str, ...]) -> str:
    """Return a request on one line: `Query Shop.GSI1: GSI1PK = "CUST#c1", descending, limit 20`."""
    sent = request.parameters
    match request.operation:
        case "BatchGetItem":
            keys = [(name, key) for name, part in sent["RequestItems"].items() for key in part["Keys"]]
            return f"BatchGetItem {_keys_text(keys, table_key)}"
        case "BatchWriteItem":
            writes = [(name, _written_key(each)) for name, part in sent["RequestItems"].items() for each in part]
            return f"BatchWriteItem {_keys_text(writes, table_key)}"
        case "TransactGetItems" | "TransactWriteItems":
            actions = [_action(action, table_key) for action in sent["TransactItems"]]
            return f"{request.operation}: {'; '.join(actions)}"
        case _:
            return _single_line(request, table_key)


def _single_line(request: CapturedRequest, table_key: tuple[str, ...]) -> str:
    """Return a request to one table."""
    sent = request.parameters
    where = ".".join(part for part in (sent.get("TableName"), sent.get("IndexName")) if part)
    parts = [part for part in (_item_text(sent, table_key), *_option_texts(sent)) if part]
    error = f" (rejected: {request.error})" if request.error else ""
    return f"{request.operation} {where}{': ' if parts else ''}{', '.join(parts)}{error}"


def _item_text(sent: Mapping[str, Any], table_key: tuple[str, ...]) -> str:
    """Return the key condition or the key of a request."""
    if "KeyConditionExpression" in sent:
        return expression(sent["KeyConditionExpression"], sent)
    key = sent.get("Key") or sent.get("Item")
    return _key(key, table_key) if key else ""


def _option_texts(sent: Mapping[str, Any]) -> list[str]:
    """Return the other parameters of a request."""
    options = [
        f"{word} {expression(sent[name], sent)}"
        for name, word in (("FilterExpression", "filter"), ("ConditionExpression", "if"))
        if name in sent
    ]
    if "UpdateExpression" in sent:
        options.insert(0, expression(sent["UpdateExpression"], sent))
    if "ProjectionExpression" in sent:
        options.append(f"only {expression(sent['ProjectionExpression'], sent)}")
    if sent.get("ScanIndexForward") is False:
        options.append("descending")
    if "Limit" in sent:
        options.append(f"limit {sent['Limit']}")
    if "ExclusiveStartKey" in sent:
        options.append("next page")
    if sent.get("ConsistentRead"):
        options.append("strongly consistent")
    if sent.get("Select") == "COUNT":
        options.append("count only")
    return options


def expression(text: str, sent: Mapping[str, Any]) -> str:
    """Return an expression in which names and values replace the placeholders."""
    names, values = sent.get("ExpressionAttributeNames", {}), sent.get("ExpressionAttributeValues", {})

    def replaced(found: re.Match[str]) -> str:
        placeholder = found.group()
        if placeholder in names:
            return str(names[placeholder])
        return value_text(values[placeholder]) if placeholder in values else placeholder

    return _PLACEHOLDER.sub(replaced, text)


def value_text(value: Mapping[str, Any]) -> str:
    """Return a value as text, without its DynamoDB type."""
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return json.dumps(content, ensure_ascii=False)
        case "N":
            return str(content)
        case "BOOL":
            return str(content).lower()
        case "NULL":
            return "null"
        case "L":
            return f"[{', '.join(value_text(inner) for inner in content)}]"
        case "M":
            return f"{{{', '.join(f'{name}: {value_text(inner)}' for name, inner in content.items())}}}"
        case _:
            return json.dumps(content)


def _key(item: Mapping[str, Any], table_key: tuple[str, ...]) -> str:
    return " AND ".join(f"{name} = {value_text(item[name])}" for name in table_key if name in item)


def _keys_text(keys: list[tuple[str, Mapping[str, Any]]], table_key: tuple[str, ...]) -> str:
    tables = ", ".join(dict.fromkeys(name for name, _ in keys))
    shown = "; ".join(_key(key, table_key) for _, key in keys[:KEYS_SHOWN])
    more = f"; and {len(keys) - KEYS_SHOWN} more" if len(keys) > KEYS_SHOWN else ""
    return f"{tables}: {shown}{more}"


def _written_key(write: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = write["PutRequest"]["Item"] if "PutRequest" in write else write["DeleteRequest"]["Key"]
    return found


def _action(action: Mapping[str, Any], table_key: tuple[str, ...]) -> str:
    ((kind, sent),) = action.items()
    parts = ", ".join([_key(sent[_CHANGES[kind]], table_key), *_option_texts(sent)])
    return f"{kind} {sent['TableName']} {parts}"


SIMILAR_SHOWN = 3
LINE_CHARACTERS_MAX = 200
HEADERS = ("pattern", "requests", "units", "one table per entity: requests", "units")


def request_lines(run: ScriptRun) -> list[str]:
    """Return the requests of a script. Of consecutive similar requests, return the first few and a count."""
    lines: list[str] = []
    for _, similar in groupby(run.requests, key=_group_key):
        together = [_shortened(request_line(request, run.table_key)) for request in similar]
        if len(together) <= SIMILAR_SHOWN + 1:
            lines += together
        else:
            lines += [*together[:SIMILAR_SHOWN], f"and {len(together) - SIMILAR_SHOWN} more like these"]
    return lines


def _shortened(line: str) -> str:
    return line if len(line) <= LINE_CHARACTERS_MAX else f"{line[: LINE_CHARACTERS_MAX - 4]} ..."


def _group_key(request: CapturedRequest) -> tuple[str, ...]:
    sent = request.parameters
    return (request.operation, str(request.pattern), sent.get("TableName", ""), sent.get("IndexName", ""))


def cost_text(cost: Cost) -> str:
    """Return `1 request, 0.5 read units`."""
    counts = [counted(cost.requests, "request")]
    if cost.read_units or not cost.write_units:
        counts.append(counted(cost.read_units, "read unit"))
    if cost.write_units:
        counts.append(counted(cost.write_units, "write unit"))
    return ", ".join(counts)


def per_entity_text(run: ScriptRun) -> str:
    """Return the cost with one table per entity, and its requests if the cost differs."""
    if run.per_entity_cost == run.cost:
        return "the same"
    return f"{cost_text(run.per_entity_cost)} ({', '.join(_operation_counts(run.per_entity_requests))})"


NOT_COUNTED = "Uses its own scratch tables; not counted."


def output_lines(run: ScriptRun) -> list[str]:
    """Return the lines of the script's output."""
    return run.output.rstrip("\n").split("\n") if run.output.strip() else []


def summary_rows(tour: Tour) -> list[tuple[str, ...]]:
    """Return one row per script with requests, and the totals."""
    rows = [_row(run.name, run.cost, run.per_entity_cost) for run in tour.runs if run.requests]
    return [*rows, _row("total", tour.cost, tour.per_entity_cost)]


def tables_text(tour: Tour) -> str:
    """Return `Table: Shop (13 items, 4 entities)`."""
    tables = [
        f"{each.name} ({counted(len(each.items), 'item')}, {counted(len(each.model.design.entities), 'entity')})"
        for each in tour.tables
    ]
    return f"{'Table' if len(tables) == 1 else 'Tables'}: {', '.join(tables)}"


def counted(count: float, noun: str) -> str:
    """Return `1 request`, `0.5 read units`, `2 entities`."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{amount(count)} {noun if count == 1 else plural}"


def amount(number: float) -> str:
    """Return a number without a trailing `.0`."""
    return f"{number:,.1f}".removesuffix(".0")


def _row(name: str, cost: Cost, per_entity: Cost) -> tuple[str, ...]:
    figures = (cost.requests, cost.units, per_entity.requests, per_entity.units)
    return (name, *(amount(figure).rjust(len(header)) for figure, header in zip(figures, HEADERS[1:], strict=True)))


def _operation_counts(requests: Sequence[CapturedRequest]) -> list[str]:
    """Return `GetItem Order`, `3 x Query OrderItem`."""
    names = [f"{each.operation} {_table(each)}" for each in requests]
    counts = {name: names.count(name) for name in names}
    return [name if count == 1 else f"{count} x {name}" for name, count in counts.items()]


def _table(request: CapturedRequest) -> str:
    named = request.parameters.get("TableName")
    return str(named) if named is not None else "on several tables"
