"""`singletable sql STATEMENT --data PLACE`: run a PartiQL statement on a store or server, and show its request."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from singletable.cli.output import escape_controls, print_heading, print_json, print_table
from singletable.errors import RequestRefused, SingletableError, StoreRefused

if TYPE_CHECKING:
    from singletable.engine.engine import Engine
    from singletable.engine.partiql.access_description import AccessDescription

ROWS_SHOWN = 100
CELL_CHARACTERS_MAX = 200


class StatementResult(NamedTuple):
    """The rows of all pages, the consumed units, and whether there are more rows."""

    access: AccessDescription
    items: list[dict[str, Any]]
    units: float
    requests: int
    has_more: bool


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("sql", help="run a PartiQL statement on a store or a server", description=__doc__)
    parser.add_argument("statement", metavar="STATEMENT", help="SELECT, INSERT, UPDATE or DELETE")
    parser.add_argument(
        "--data",
        metavar="PLACE",
        required=True,
        help="a store file, which other processes may have open, or a URL: http://HOST:PORT or dynamodb://REGION",
    )
    parser.add_argument(
        "--parameters",
        metavar="JSON",
        type=_parameters,
        help="""a JSON list with one value for each ?: a string, number, true, false, null, or DynamoDB JSON""",
    )
    parser.add_argument(
        "--consistent", action="store_true", help="make strongly consistent reads, which cost twice the units"
    )
    parser.add_argument(
        "--limit", metavar="N", type=_limit, default=ROWS_SHOWN, help=f"show at most N rows (default: {ROWS_SHOWN})"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(run=run)


def _limit(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0):
        raise argparse.ArgumentTypeError(f"invalid number of rows {text!r}: write 1 or more")
    return int(text)


def _parameters(text: str) -> list[Any]:
    try:
        given = json.loads(text, parse_float=Decimal, parse_constant=_no_number)
    except (ValueError, RecursionError) as problem:
        raise argparse.ArgumentTypeError(f"not valid JSON: {problem}") from None
    if not isinstance(given, list) or not given:
        raise argparse.ArgumentTypeError("""write a list with one value per ?, such as ["CUST#c1", 5]""")
    return [_parameter(value) for value in given]


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is not a number that DynamoDB can store")


def _parameter(value: Any) -> Any:
    from singletable.values.attribute_value import attribute_value

    if isinstance(value, dict):
        return value
    if isinstance(value, list):
        raise argparse.ArgumentTypeError("""write a list in DynamoDB JSON: {"L": [{"S": "a"}, {"N": "1"}]}""")
    try:
        return attribute_value(value)
    except TypeError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def run(options: argparse.Namespace) -> int:
    """Run the statement and print the result."""
    from singletable.cli.item_pages import is_live
    from singletable.partiql.statement_lexer import StatementRefused

    try:
        result = _run_on_server(options) if is_live(options.data) else _run_on_store(options)
    except StatementRefused as refused:
        raise SingletableError(_with_position(options.statement, refused)) from None
    if options.json:
        print_json(_document(result))
    else:
        _show(result)
    return 0


def _run_on_store(options: argparse.Namespace) -> StatementResult:
    """Run the statement on a store file. The file is never created."""
    from singletable.engine.engine import Engine
    from singletable.engine.partiql.access_description import describe_access

    path = Path(options.data.removeprefix("file:"))
    if not path.is_file():
        raise StoreRefused(f"There is no store at {path}.\n  Check the path; no store was created.")
    with Engine(f"file:{path}") as engine:
        try:
            access = describe_access(engine, options.statement, options.parameters)
            return _execute(engine.call, access, options)
        except RequestRefused as refused:
            if refused.code != "ResourceNotFoundException":
                raise
            raise SingletableError(f"{refused}\n  {_table_names(engine, path)}") from None


def _run_on_server(options: argparse.Namespace) -> StatementResult:
    """Run the statement on a server. A copy of the table's definition shows how DynamoDB executes the statement."""
    from singletable.cli.live_table import connect, describe
    from singletable.engine.engine import Engine
    from singletable.engine.partiql.access_description import describe_access
    from singletable.engine.partiql.bound_statement import bind_statement

    table = bind_statement(options.statement, options.parameters).table_name
    with connect(options.data) as requests, Engine("memory:") as copy:
        copy.call("CreateTable", _definition(describe(requests, table)))
        access = describe_access(copy, options.statement, options.parameters)
        return _execute(requests.send, access, options)


def _definition(description: dict[str, Any]) -> dict[str, Any]:
    """Return the CreateTable request of a described table: its keys and its indexes."""
    request = {name: description[name] for name in ("TableName", "AttributeDefinitions", "KeySchema")}
    for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        if indexes := description.get(member):
            names = ("IndexName", "KeySchema", "Projection")
            request[member] = [{name: index[name] for name in names} for index in indexes]
    return {**request, "BillingMode": "PAY_PER_REQUEST"}


def _execute(
    send: Callable[[str, dict[str, Any]], dict[str, Any]], access: AccessDescription, options: argparse.Namespace
) -> StatementResult:
    """Send the statement until its last page, or until there are enough rows."""
    request: dict[str, Any] = {"Statement": options.statement, "ReturnConsumedCapacity": "TOTAL"}
    if options.parameters is not None:
        request["Parameters"] = options.parameters
    if options.consistent:
        request["ConsistentRead"] = True
    items: list[dict[str, Any]] = []
    units, requests = 0.0, 0
    while True:
        page = send("ExecuteStatement", request)
        requests += 1
        items += page.get("Items", ())
        units += page.get("ConsumedCapacity", {}).get("CapacityUnits", 0.0)
        if "NextToken" not in page or len(items) >= options.limit:
            break
        request["NextToken"] = page["NextToken"]
    has_more = "NextToken" in page or len(items) > options.limit
    return StatementResult(access, items[: options.limit], units, requests, has_more)


def _table_names(engine: Engine, path: Path) -> str:
    names = engine.catalog.names()
    return f"{path} contains {', '.join(names)}." if names else f"{path} contains no tables."


def _with_position(statement: str, refused: Any) -> str:
    """Return the error with the line of the statement, and a marker below the position."""
    line, column, length = refused.position
    text = escape_controls(statement.split("\n")[line - 1].replace("\t", " "))
    return f"{refused}\n  {text}\n  {' ' * (column - 1)}{'^' * max(1, length)}"


def _document(answer: StatementResult) -> dict[str, Any]:
    return {
        "access": dataclasses.asdict(answer.access),
        "consumed_units": answer.units,
        "requests": answer.requests,
        "items": answer.items,
        "has_more": answer.has_more,
    }


def _show(answer: StatementResult) -> None:
    if answer.items:
        names = list(dict.fromkeys(name for item in answer.items for name in item))
        rows = [[_cell(item[name]) if name in item else "" for name in names] for item in answer.items]
        print_table(_counted(len(rows), "row"), [escape_controls(name) for name in names], rows)
        print()
    is_write = answer.access.operation.endswith("Item") and answer.access.operation != "GetItem"
    if not answer.items and not is_write:
        print("no rows\n")
    print_heading(escape_controls(str(answer.access)))
    unit = f"{'write' if is_write else 'read'} {'unit' if answer.units == 1 else 'units'}"
    print(f"consumed {_amount(answer.units)} {unit} in {_counted(answer.requests, 'request')}")
    if answer.has_more:
        print("there are more rows; increase --limit to show them")


def _cell(value: dict[str, Any]) -> str:
    text = _value_text(value)
    return text if len(text) <= CELL_CHARACTERS_MAX else f"{text[:CELL_CHARACTERS_MAX]}..."


def _value_text(value: dict[str, Any], *, is_inside: bool = False) -> str:
    """Return a value as text. A string has no quotes, unless it is inside another value."""
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return _quoted(content) if is_inside else escape_controls(content)
        case "NULL":
            return "null"
        case "BOOL":
            return str(content).lower()
        case "L":
            return f"[{_joined(_value_text(inner, is_inside=True) for inner in content)}]"
        case "M":
            entries = (
                f"{escape_controls(name)}: {_value_text(inner, is_inside=True)}" for name, inner in content.items()
            )
            return f"{{{_joined(entries)}}}"
        case "SS" | "NS" | "BS":
            return f"<<{_joined(_value_text({kind[0]: member}, is_inside=True) for member in content)}>>"
        case _:
            return str(content)


def _quoted(text: str) -> str:
    doubled = escape_controls(text).replace("'", "''")
    return f"'{doubled}'"


def _joined(texts: Iterable[str]) -> str:
    return ", ".join(texts)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _amount(units: float) -> str:
    return f"{units:g}" if units != int(units) else f"{int(units):,}"
