"""Requests on one line: the parameters that were sent, with values in the place of their placeholders."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from singletable.demo.captured import Captured

_PLACEHOLDER = re.compile(r"[#:][A-Za-z0-9_]+")
_CHANGES = {"Put": "Item", "Update": "Key", "Delete": "Key", "ConditionCheck": "Key", "Get": "Key"}
KEYS_SHOWN = 2


def request_line(request: Captured, table_key: tuple[str, ...]) -> str:
    """One request as one reads it: `Query Shop.GSI1: GSI1PK = "CUST#c1", newest first, limit 20`."""
    sent = request.parameters
    match request.operation:
        case "BatchGetItem":
            asked = [(name, key) for name, part in sent["RequestItems"].items() for key in part["Keys"]]
            return f"BatchGetItem {_listed(asked, table_key)}"
        case "BatchWriteItem":
            writes = [(name, _written(each)) for name, part in sent["RequestItems"].items() for each in part]
            return f"BatchWriteItem {_listed(writes, table_key)}"
        case "TransactGetItems" | "TransactWriteItems":
            actions = [_action(action, table_key) for action in sent["TransactItems"]]
            return f"{request.operation}: {'; '.join(actions)}"
        case _:
            return _single_line(request, table_key)


def _single_line(request: Captured, table_key: tuple[str, ...]) -> str:
    """A request to one table."""
    sent = request.parameters
    where = ".".join(part for part in (sent.get("TableName"), sent.get("IndexName")) if part)
    parts = [part for part in (_about(sent, table_key), *_settings(sent)) if part]
    refused = f" (refused: {request.refusal})" if request.refusal else ""
    return f"{request.operation} {where}{': ' if parts else ''}{', '.join(parts)}{refused}"


def _about(sent: Mapping[str, Any], table_key: tuple[str, ...]) -> str:
    """Which items a request is about."""
    if "KeyConditionExpression" in sent:
        return expression(sent["KeyConditionExpression"], sent)
    key = sent.get("Key") or sent.get("Item")
    return _key(key, table_key) if key else ""


def _settings(sent: Mapping[str, Any]) -> list[str]:
    """Everything else that it says."""
    said = [
        f"{word} {expression(sent[name], sent)}"
        for name, word in (("FilterExpression", "filter"), ("ConditionExpression", "if"))
        if name in sent
    ]
    if "UpdateExpression" in sent:
        said.insert(0, expression(sent["UpdateExpression"], sent))
    if "ProjectionExpression" in sent:
        said.append(f"only {expression(sent['ProjectionExpression'], sent)}")
    if sent.get("ScanIndexForward") is False:
        said.append("backwards")
    if "Limit" in sent:
        said.append(f"limit {sent['Limit']}")
    if "ExclusiveStartKey" in sent:
        said.append("from where the last page ended")
    if sent.get("ConsistentRead"):
        said.append("consistent")
    if sent.get("Select") == "COUNT":
        said.append("counted")
    return said


def expression(text: str, sent: Mapping[str, Any]) -> str:
    """An expression with the names and values that its placeholders stand for."""
    names, values = sent.get("ExpressionAttributeNames", {}), sent.get("ExpressionAttributeValues", {})

    def meant(found: re.Match[str]) -> str:
        placeholder = found.group()
        if placeholder in names:
            return str(names[placeholder])
        return value_text(values[placeholder]) if placeholder in values else placeholder

    return _PLACEHOLDER.sub(meant, text)


def value_text(value: Mapping[str, Any]) -> str:
    """A value as one would write it, without the name of its type."""
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


def _listed(asked: list[tuple[str, Mapping[str, Any]]], table_key: tuple[str, ...]) -> str:
    tables = ", ".join(dict.fromkeys(name for name, _ in asked))
    shown = "; ".join(_key(key, table_key) for _, key in asked[:KEYS_SHOWN])
    more = f"; and {len(asked) - KEYS_SHOWN} more" if len(asked) > KEYS_SHOWN else ""
    return f"{tables}: {shown}{more}"


def _written(write: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = write["PutRequest"]["Item"] if "PutRequest" in write else write["DeleteRequest"]["Key"]
    return found


def _action(action: Mapping[str, Any], table_key: tuple[str, ...]) -> str:
    ((kind, sent),) = action.items()
    said = ", ".join([_key(sent[_CHANGES[kind]], table_key), *_settings(sent)])
    return f"{kind} {sent['TableName']} {said}"
