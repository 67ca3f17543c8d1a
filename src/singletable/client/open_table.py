"""Open a table: connect, create the table if requested, and check it against the model."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import msgspec

from singletable.client.connected_table import ConnectedTable
from singletable.client.items.item_types import ItemTypes
from singletable.client.items.value_reader import reject_unreadable_types
from singletable.client.metrics import Metrics
from singletable.client.reading.cursors import CursorProtection, Cursors, CursorSecret
from singletable.client.reading.table_reader import TableReader
from singletable.client.request_log import RequestLog
from singletable.client.request_session import Session
from singletable.client.request_steps import Call, Steps, pause, run, run_async
from singletable.client.retries import Retries, Timeouts
from singletable.client.tracing import RequestHook, Tracing
from singletable.client.transport import Transport
from singletable.errors import ArgumentRefused, RequestRefused, TableDiffers, without_secrets
from singletable.lazy_dataclass import replace
from singletable.model.design import Design
from singletable.model.reserved_place import control_design
from singletable.model.table_schema import create_table_request
from singletable.values.limits import NAME_CHARACTERS_MAX, NAME_CHARACTERS_MIN, NAME_PATTERN

if TYPE_CHECKING:
    from singletable.client.boto3_transport import Boto3Client
    from singletable.client.http.credentials import CredentialsOption
    from singletable.client.state_check import (
        OpenState,  # imports the parts of migrations, which check=False does not need
    )
    from singletable.engine.engine import RequestMethods

    OpenTarget = str | RequestMethods | Boto3Client
    """The place of a table: a URL, an open engine, or a boto3 client."""

Document = dict[str, Any]
_decode = msgspec.json.decode

# AWS creates a table within seconds, or within minutes if it has many indexes.
POLL_SECONDS = 0.5
POLLS_MAX = 1200
THE_TABLE = "the table"


class OpenOptions(TypedDict, total=False):
    """The keyword arguments of `Table.open`; its docstring describes them."""

    create: bool
    check: bool
    name: str | None
    session: object | None
    credentials: CredentialsOption | None
    secret: CursorSecret | None
    cursors: CursorProtection
    cursor_seconds: float | None
    retries: Retries | None
    timeouts: Timeouts | None
    hook: RequestHook | None
    log_values: bool
    now: Callable[[], float] | None
    unreadable: Literal["raise", "report"]


def open_table(design: Design, place: OpenTarget, options: OpenOptions) -> ConnectedTable:
    """Open a table and return it; raise TableDiffers if it does not exist or does not match the model."""
    _reject_invalid(design, place, options)
    table = _connected(design, transport_for(place, options), options)
    try:
        return run(_opening_steps(table, place, options), table.session)
    except BaseException:
        table.session.close()
        raise


async def open_table_async(design: Design, place: OpenTarget, options: OpenOptions) -> ConnectedTable:
    """Open a table without blocking the event loop; raise TableDiffers like `open_table`."""
    _reject_invalid(design, place, options)
    if isinstance(place, str) and not _is_embedded(place):
        import asyncio

        # Finding credentials can read files and send requests.
        transport = await asyncio.to_thread(transport_for, place, options)
    else:
        transport = transport_for(place, options)
    table = _connected(design, transport, options)
    try:
        return await run_async(_opening_steps(table, place, options), table.session)
    except BaseException:
        await table.session.close_async()
        raise


def _reject_invalid(design: Design, place: OpenTarget, options: OpenOptions) -> None:
    """Reject an invalid design or option before the first request."""
    design.require_keys("open()")
    _reject_wrong_types(design, options)
    reject_table_name(options.get("name") or design.name)
    reject_control_table_name(design, options.get("name") or design.name)
    reject_unreadable_types(design)
    unreadable = options.get("unreadable", "raise")
    if unreadable not in ("raise", "report"):
        raise ArgumentRefused(f'{design.name}.open: unreadable must be "raise" or "report", got {unreadable!r}')
    if options.get("create") and not options.get("check", True):
        raise ArgumentRefused(
            f"{design.name}.open: create=True sends requests, but check=False sends no request; pass only one of them"
        )
    if not options.get("create"):
        _reject_missing_store(place, options.get("name") or design.name)


_OPTION_TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "retries": ((Retries,), "Retries(...)"),
    "timeouts": ((Timeouts,), "Timeouts(...)"),
    "name": ((str,), "a str"),
    "secret": ((str, bytes, list, tuple), "text, bytes, or a list of them"),
    "cursor_seconds": ((int, float), "a number of seconds"),
    **dict.fromkeys(("create", "check", "log_values"), ((bool,), "True or False")),
}


def _shown(option: str, value: object) -> str:
    return type(value).__name__ if option == "secret" else repr(value)


def _reject_wrong_types(design: Design, options: OpenOptions) -> None:
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    for name, (types, what) in _OPTION_TYPES.items():
        if name in given and not isinstance(given[name], types):
            raise ArgumentRefused(f"{design.name}.open: {name} must be {what}, got {_shown(name, given[name])}")
    for name in ("hook", "now"):
        if name in given and not callable(given[name]):
            raise ArgumentRefused(f"{design.name}.open: {name} must be a function, got {given[name]!r}")


def _reject_missing_store(place: OpenTarget, table: str) -> None:
    """Raise TableDiffers for a store file that does not exist, before an engine creates it."""
    path = place.removeprefix("file:") if isinstance(place, str) and place.startswith("file:") else None
    if path and not Path(path).exists():
        raise TableDiffers(
            f"table {table!r} does not exist: there is no store at {place}.\n"
            "  Open it with create=True to create the store and the table, or check the path."
        )


def _connected(design: Design, transport: Transport, options: OpenOptions) -> ConnectedTable:
    """Return the table on a transport. This function sends no request."""
    configured: Retries | None = getattr(transport, "retries", None)  # from the AWS configuration
    metrics = Metrics()
    session = Session(
        transport,
        options.get("retries") or configured or Retries(),
        options.get("hook"),
        Tracing(getattr(transport, "server", None)),
        metrics=metrics,
        log=RequestLog(with_values=options.get("log_values", False)),
    )
    now, name = options.get("now"), options.get("name") or design.name
    clock: Callable[[], float] = (
        getattr(transport, "now", time.time) if now is None else now
    )  # an engine has its own clock
    try:
        cursors = Cursors(
            options.get("secret"),
            seconds=options.get("cursor_seconds"),
            now=clock,
            table=name,
            protection=options.get("cursors", "signed"),
        )
    except BaseException:
        session.close()
        raise
    returns_items = transport.name.startswith(("memory:", "file:", "dynamodb:"))
    reports = options.get("unreadable") == "report"
    item_types = ItemTypes(design)
    reader = TableReader(design, name, item_types, cursors, metrics, clock, session.retries, reports_unreadable=reports)
    return ConnectedTable(session, reader, returns_items=returns_items)


def _opening_steps(table: ConnectedTable, place: OpenTarget, options: OpenOptions) -> Steps[ConnectedTable]:
    """Create the table if requested, and compare it with the model unless `check` is false."""
    design, name, is_new = table.reader.design, table.reader.name, False
    if options.get("create") or place == "memory:":
        is_new = yield from create_table(design, name)
        control = design.settings.control_table_of(name)
        if control is not None:
            yield from create_control_table(control)
    if not options.get("check", True):
        return table
    from singletable.client.design_lease import DualLease

    found = yield from check_table(design, name, is_new=is_new)
    if place != "memory:":  # no other client can reach that engine
        table.session.lease = found.lease
    if found.former_names:
        reader = replace(table.reader, item_types=ItemTypes(design, found.former_names))
        return ConnectedTable(table.session, reader, returns_items=table.returns_items)
    if found.dual is None or not isinstance(found.lease, DualLease):
        return table
    from singletable.client.migrating_table import MigratingTable

    return MigratingTable(table, found.dual, found.lease)


def transport_for(place: OpenTarget, options: OpenOptions | None = None) -> Transport:
    """Return the transport for a URL, an open engine or a boto3 client. Raise ArgumentRefused for any other value.

    If the URL needs a new engine, the engine uses the clock `now` of the options.
    """
    chosen: OpenOptions = options or {}
    has_meta = not isinstance(place, str) and hasattr(place, "meta")
    if has_meta or not isinstance(place, str) or _is_embedded(place):
        _reject_connection_options(chosen, "a boto3 client" if has_meta else "the embedded engine")
    if has_meta:
        from singletable.client.boto3_transport import boto3_transport

        return boto3_transport(place)
    if not isinstance(place, str) or _is_embedded(place):
        from singletable.client.engine_transport import engine_transport

        return engine_transport(place, chosen.get("now"))
    timeouts = chosen.get("timeouts") or Timeouts()
    session, credentials = chosen.get("session"), chosen.get("credentials")
    if place.startswith(("http://", "https://")):
        from singletable.client.http.http_transport import open_address

        return open_address(place, timeouts, session=session, credentials=credentials)
    if place.startswith("dynamodb://"):
        from singletable.client.http.aws import open_region

        return open_region(place, timeouts, session=session, credentials=credentials)
    raise ArgumentRefused(
        f"{without_secrets(place)!r} is not a valid URL for a table; "
        "write memory:, file:PATH, http://HOST:PORT or dynamodb://REGION"
    )


def _is_embedded(url: str) -> bool:
    return url == "memory:" or url.startswith("file:")


def _reject_connection_options(options: OpenOptions, place: str) -> None:
    for option in ("session", "credentials", *(("timeouts",) if place == "a boto3 client" else ())):
        if options.get(option) is not None:
            raise ArgumentRefused(
                f"{place} does not use {option}=; pass the option with a dynamodb:// or http:// URL, or omit it"
            )


def reject_table_name(name: str) -> None:
    """Reject a table name that DynamoDB does not accept, before any request."""
    if not NAME_CHARACTERS_MIN <= len(name) <= NAME_CHARACTERS_MAX or not re.fullmatch(NAME_PATTERN, name):
        raise ArgumentRefused(
            f"{name!r} is not a valid table name: DynamoDB accepts {NAME_CHARACTERS_MIN} to {NAME_CHARACTERS_MAX} "
            'letters (a to z, A to Z), digits, "_", "-" and ".".\n'
            '  Set another name: class ...(Table, name="...", entities=[...]), or open(name="...").'
        )


def reject_control_table_name(design: Design, name: str) -> None:
    """Reject the name of a control table that DynamoDB does not accept, or that is the name of the table itself."""
    control = design.settings.control_table_of(name)
    if control is None:
        return
    is_valid = NAME_CHARACTERS_MIN <= len(control) <= NAME_CHARACTERS_MAX and re.fullmatch(NAME_PATTERN, control)
    if control == name or not is_valid:
        raise ArgumentRefused(
            f"{design.name}: {control!r} cannot be the name of a control table: it must differ from the name of the "
            f"table, and have {NAME_CHARACTERS_MIN} to {NAME_CHARACTERS_MAX} letters (a to z, A to Z), digits, "
            '"_", "-" and ".".\n  Declare another name: control_table="NAME".'
        )


def create_table(design: Design, name: str) -> Steps[bool]:
    """Create the table with its indexes and time to live, unless it exists; wait until it is active.

    The result is True if these steps created the table.
    """
    try:
        yield (Call("CreateTable", create_table_request(design, name), source="open"),)
    except RequestRefused as error:
        if error.code != "ResourceInUseException":
            raise
        return False
    for _ in range(POLLS_MAX):
        if (yield from _describe(name)).get("TableStatus") == "ACTIVE":
            break
        yield from pause(POLL_SECONDS)
    if design.ttl_attribute is not None:
        setting = {"Enabled": True, "AttributeName": design.ttl_attribute}
        try:
            yield (Call("UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": setting}, source="open"),)
        except RequestRefused as error:
            if error.code != "UnknownOperationException":  # some local servers do not support time to live
                raise
    return True


def create_control_table(name: str) -> Steps[None]:
    """Create a control table, unless it exists; wait until it is active.

    Raise TableDiffers if another table has this name.
    """
    design = control_design(name)
    if (yield from create_table(design, name)):
        return
    problems = list(_differences(create_table_request(design, name), (yield from _describe(name))))
    if problems:
        raise TableDiffers(
            f"table {name!r} is not a control table: {problems[0].replace('the model declares', 'a control table has')}"
            '.\n  Declare another name: control_table="NAME".'
        )


def check_table(design: Design, name: str, *, is_new: bool = False) -> Steps[OpenState]:
    """Raise TableDiffers if the table or its items do not match the model; otherwise return its state."""
    from singletable.client.design_lease import DualLease
    from singletable.client.state_check import OpenState, open_state
    from singletable.evolve.phases import FormUse

    try:
        found = yield from _describe(name)
    except RequestRefused as error:
        if error.code != "ResourceNotFoundException":
            raise
        raise TableDiffers(
            f"table {name!r} does not exist.\n  Open it with create=True to create it, or check its name."
        ) from None
    differences = list(_differences(create_table_request(design, name), found))
    if is_new or any(each.startswith(THE_TABLE) for each in differences):
        state = OpenState() if differences else (yield from open_state(design, name, is_new=True))
    else:
        state = yield from open_state(design, name)
    lease = state.lease
    if state.dual is not None and isinstance(lease, DualLease) and lease.form.reads is FormUse.READS_OLD:
        differences = list(_differences(create_table_request(state.dual.old, name), found))
    if differences:
        shown = "\n  ".join(differences)
        raise TableDiffers(
            f"table {name!r} does not match {design.name}:\n  {shown}\n  `singletable migrate make` and "
            "`singletable migrate run` change a table that has data."
        )
    return state


def _describe(name: str) -> Steps[Document]:
    (body,) = yield (Call("DescribeTable", {"TableName": name}, source="open"),)
    table: Document = _decode(body)["Table"]
    return table


def _differences(declared: Document, found: Document) -> Iterator[str]:
    types = {each["AttributeName"]: each["AttributeType"] for each in found.get("AttributeDefinitions", ())}
    yield from _key_differences(THE_TABLE, declared, found, declared, types)
    for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        existing = {index["IndexName"]: index for index in found.get(member, ())}
        for index in declared.get(member, ()):
            name = index["IndexName"]
            if name not in existing:
                yield f"index {name} is missing; the model declares it with {_key_text(index['KeySchema'])}"
                continue
            yield from _key_differences(name, index, existing[name], declared, types)
            yield from _projection_differences(name, index["Projection"], existing[name]["Projection"])
    yield from _stream_differences(declared, found)


def _stream_differences(declared: Document, found: Document) -> Iterator[str]:
    wanted = declared.get("StreamSpecification")
    stream = found.get("StreamSpecification") or {}
    if wanted is None or (stream.get("StreamEnabled") and stream.get("StreamViewType") == wanted["StreamViewType"]):
        return
    view = f"a stream with {stream['StreamViewType']}" if stream.get("StreamEnabled") else "no stream"
    yield (
        f"the table has {view}, but the stream handlers of the model need {wanted['StreamViewType']}; enable this "
        "stream with UpdateTable (the AWS CLI: aws dynamodb update-table --table-name NAME --stream-specification "
        f"StreamEnabled=true,StreamViewType={wanted['StreamViewType']})"
    )


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
