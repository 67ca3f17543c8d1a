"""Open a table: connect, create the table if requested, and check it against the model."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from singletable.client.connected_table import ConnectedTable
from singletable.client.items.item_types import ItemTypes
from singletable.client.items.value_reader import reject_unreadable_types
from singletable.client.metrics import Metrics
from singletable.client.reading.pagination import Cursors
from singletable.client.reading.table_reader import TableReader
from singletable.client.request_session import Session
from singletable.client.request_steps import Call, Steps, pause, run
from singletable.client.retries import Retries, Timeouts
from singletable.client.tracing import RequestHook, tracing
from singletable.client.transport import Transport
from singletable.errors import ArgumentRefused, RequestRefused, TableDiffers
from singletable.model.design import Design
from singletable.model.table_schema import create_table_request
from singletable.values.limits import NAME_CHARACTERS_MAX, NAME_CHARACTERS_MIN, NAME_PATTERN

if TYPE_CHECKING:
    from singletable.engine.request_methods import RequestMethods

Document = dict[str, Any]
_decode = msgspec.json.decode

# AWS creates a table within seconds, or within minutes if it has many indexes.
POLL_SECONDS = 0.5
POLLS_MAX = 1200


def open_table(
    design: Design,
    url: str | RequestMethods,
    *,
    create: bool,
    name: str | None,
    secret: bytes | str | None,
    cursor_seconds: float | None,
    retries: Retries | None,
    timeouts: Timeouts | None,
    hook: RequestHook | None,
    now: Callable[[], float] | None,
    unreadable: Literal["raise", "report"] = "raise",
    check: bool = True,
) -> ConnectedTable:
    """Open a table and return it; if `check`, raise TableDiffers unless it exists and matches the model."""
    design.require_keys("open()")
    table_name = name or design.name
    reject_table_name(table_name)
    reject_unreadable_types(design)
    if unreadable not in ("raise", "report"):
        raise ArgumentRefused(f'{design.name}.open: unreadable must be "raise" or "report", got {unreadable!r}')
    transport = transport_for(url, timeouts, now)
    clock: Callable[[], float] = (
        getattr(transport, "now", time.time) if now is None else now
    )  # an engine has its own clock
    configured: Retries | None = getattr(transport, "retries", None)  # from the AWS configuration
    session = Session(transport, retries or configured or Retries(), hook, tracing(getattr(transport, "server", None)))
    try:
        cursors = Cursors(secret, seconds=cursor_seconds, now=clock)
        if create or url == "memory:":
            run(create_table(design, table_name), session)
        if check:
            run(check_table(design, table_name), session)
    except BaseException:
        session.close()
        raise
    item_types, metrics = ItemTypes(design), Metrics()
    returns_items = transport.name.startswith(("memory:", "file:", "dynamodb:"))
    reports = unreadable == "report"
    reader = TableReader(
        design, table_name, item_types, cursors, metrics, clock, session.retries, reports_unreadable=reports
    )
    return ConnectedTable(session, reader, returns_items=returns_items)


def transport_for(
    url: str | RequestMethods, timeouts: Timeouts | None = None, now: Callable[[], float] | None = None
) -> Transport:
    """Return the transport for a URL or an open engine; raise ArgumentRefused for anything else.

    If the URL makes this function open an engine, the engine uses the clock `now`.
    """
    if not isinstance(url, str) or url == "memory:" or url.startswith("file:"):
        from singletable.client.engine_transport import engine_transport

        return engine_transport(url, now)
    from singletable.client.http.address import without_secrets

    chosen = timeouts or Timeouts()
    if url.startswith(("http://", "https://")):
        from singletable.client.http.http_transport import open_address

        return open_address(url, chosen)
    if url.startswith("dynamodb://"):
        from singletable.client.http.aws import open_region

        return open_region(url, chosen)
    raise ArgumentRefused(
        f"{without_secrets(url)!r} is not a valid URL for a table; "
        "write memory:, file:PATH, http://HOST:PORT or dynamodb://REGION"
    )


def reject_table_name(name: str) -> None:
    """Reject a table name that DynamoDB does not accept, before any request."""
    if not NAME_CHARACTERS_MIN <= len(name) <= NAME_CHARACTERS_MAX or not re.fullmatch(NAME_PATTERN, name):
        raise ArgumentRefused(
            f"{name!r} is not a valid table name: DynamoDB accepts {NAME_CHARACTERS_MIN} to {NAME_CHARACTERS_MAX} "
            'letters (a to z, A to Z), digits, "_", "-" and ".".\n'
            '  Set another name: class ...(Table, name="...", entities=[...]), or open(name="...").'
        )


def create_table(design: Design, name: str) -> Steps[None]:
    """Create the table with its indexes and time to live, unless it exists; wait until it is active."""
    try:
        yield (Call("CreateTable", create_table_request(design, name)),)
    except RequestRefused as error:
        if error.code != "ResourceInUseException":
            raise
        return
    for _ in range(POLLS_MAX):
        if (yield from _describe(name)).get("TableStatus") == "ACTIVE":
            break
        yield from pause(POLL_SECONDS)
    if design.ttl_attribute is not None:
        setting = {"Enabled": True, "AttributeName": design.ttl_attribute}
        try:
            yield (Call("UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": setting}),)
        except RequestRefused as error:
            if error.code != "UnknownOperationException":  # some local servers have no time to live
                raise


def check_table(design: Design, name: str) -> Steps[None]:
    """Raise TableDiffers if the keys or indexes of the table do not match the model."""
    try:
        found = yield from _describe(name)
    except RequestRefused as error:
        if error.code != "ResourceNotFoundException":
            raise
        raise TableDiffers(
            f"table {name!r} does not exist.\n  Open it with create=True to create it, or check its name."
        ) from None
    differences = list(_differences(create_table_request(design, name), found))
    if differences:
        shown = "\n  ".join(differences)
        raise TableDiffers(f"table {name!r} does not match {design.name}:\n  {shown}")


def _describe(name: str) -> Steps[Document]:
    (body,) = yield (Call("DescribeTable", {"TableName": name}),)
    table: Document = _decode(body)["Table"]
    return table


def _differences(declared: Document, found: Document) -> Iterator[str]:
    types = {each["AttributeName"]: each["AttributeType"] for each in found.get("AttributeDefinitions", ())}
    yield from _key_differences("the table", declared, found, declared, types)
    for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        existing = {index["IndexName"]: index for index in found.get(member, ())}
        for index in declared.get(member, ()):
            name = index["IndexName"]
            if name not in existing:
                yield f"index {name} is missing; the model declares it with {_key_text(index['KeySchema'])}"
                continue
            yield from _key_differences(name, index, existing[name], declared, types)
            yield from _projection_differences(name, index["Projection"], existing[name]["Projection"])


def _key_differences(
    what: str, declared: Document, found: Document, table: Document, types: dict[str, str]
) -> Iterator[str]:
    if _key_text(declared["KeySchema"]) != _key_text(found["KeySchema"]):
        keys = _key_text(found["KeySchema"]), _key_text(declared["KeySchema"])
        yield f"{what} has the key {keys[0]}, but the model declares {keys[1]}"
        return
    for each in table["AttributeDefinitions"]:
        name, kind = each["AttributeName"], each["AttributeType"]
        is_key = any(element["AttributeName"] == name for element in declared["KeySchema"])
        if is_key and types.get(name) != kind:
            yield f"{what} has {name} of type {types.get(name)}, but the model declares {kind}"


def _projection_differences(what: str, declared: Document, found: Document) -> Iterator[str]:
    if declared["ProjectionType"] != found["ProjectionType"]:
        yield f"{what} projects {found['ProjectionType']}, but the model declares {declared['ProjectionType']}"
        return
    missing = sorted(set(declared.get("NonKeyAttributes", ())) - set(found.get("NonKeyAttributes", ())))
    if missing:
        yield f"{what} does not project {', '.join(missing)}"


def _key_text(schema: list[dict[str, str]]) -> str:
    return " + ".join(f"{element['AttributeName']} ({element['KeyType'].lower()})" for element in schema)
