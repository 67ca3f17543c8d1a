"""Access patterns from SQL statements (SELECT, INSERT, UPDATE and DELETE), or the reason why a statement is none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from singletable.expressions.tree import Change, Parameter, Path
from singletable.importers import names as python_names
from singletable.importers.draft import DraftParameter, DraftPattern, RangeKind, paging
from singletable.importers.sql.sql_predicates import Predicates, conjuncts, read_predicates
from singletable.importers.sql.sql_schema import SqlColumn, SqlSchema, SqlTable
from singletable.importers.sql.sql_statements import SqlStatement

_NAME_MAX, _TITLE_MAX = 60, 120
_NAMED = re.compile(r"\s*name:\s*(\w+)\s*(?::\w+)?\s*", re.IGNORECASE)
_PLACEHOLDERS = (exp.Placeholder, exp.Parameter)


class NotAPattern(Exception):
    """A statement that is not an access pattern of DynamoDB; the message is the reason."""


@dataclass
class QueryPatterns:
    """The patterns of the statements, and a note for everything that is not in them."""

    patterns: list[DraftPattern] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def query_patterns(statements: Iterable[SqlStatement], schema: SqlSchema) -> QueryPatterns:
    """Return a pattern for each statement that can be one. The planner decides later whether keys serve it."""
    made = QueryPatterns()
    for statement in statements:
        title = _title(statement)
        name = python_names.pattern_name(title[:_NAME_MAX], [each.name for each in made.patterns])
        try:
            if statement.tree is None:
                raise NotAPattern(f"it cannot be parsed as {schema.dialect}: {statement.error}")
            pattern, notes = _pattern(statement.tree, schema)
        except NotAPattern as reason:
            made.notes.append(f"{title} is not in the model: {reason}.")
            continue
        made.notes += [f"{title}: {note}." for note in notes]
        made.patterns.append(replace(pattern, name=name, title=title))
    return made


def _title(statement: SqlStatement) -> str:
    """Return the comment above a statement (`-- name: GetOrder :one`, or a sentence). Without one, return its SQL."""
    head = re.match(r"(?:\s*(?:--[^\n]*|/\*.*?\*/))*", statement.text, re.DOTALL)
    lines = re.findall(r"--([^\n]*)|/\*(.*?)\*/", head[0] if head else "", re.DOTALL)
    comments = [text for line, block in lines if (text := " ".join((line or block).split()))]
    if comments:
        named = next((found[1] for each in comments if (found := _NAMED.fullmatch(each))), None)
        return named or " ".join(comments)[:_TITLE_MAX].rstrip(".")
    return statement.plain if len(statement.plain) <= _TITLE_MAX else f"{statement.plain[:_TITLE_MAX]}..."


def _pattern(statement: exp.Expr, schema: SqlSchema) -> tuple[DraftPattern, list[str]]:
    match statement:
        case exp.Select():
            return _select(statement, schema)
        case exp.Insert():
            table = _table(statement.this, schema)
            conflict = statement.args.get("conflict")
            is_put = conflict is not None and "NOTHING" not in str(conflict.args.get("action"))
            if not isinstance(statement.expression, exp.Values):
                raise NotAPattern("INSERT ... SELECT reads and writes many items; do it in your program")
            return _draft("put" if is_put else "create", table), []
        case exp.Update():
            return _update(statement, schema)
        case exp.Delete():
            table = _table(statement.this, schema)
            found = _checked(statement.args.get("where"), table)
            parameters = _key_parameters(table, found, "DELETE")
            return _draft("delete", table, parameters, found), found.notes
        case exp.SetOperation():
            raise NotAPattern(
                f"{type(statement).__name__.upper()} combines several reads; declare one pattern for each"
            )
        case _:
            raise NotAPattern("it is not a SELECT, INSERT, UPDATE or DELETE")


def _draft(
    kind: str,
    table: SqlTable,
    parameters: Sequence[DraftParameter] = (),
    found: Predicates | None = None,
    changes: Sequence[Change] = (),
) -> DraftPattern:
    where = found.where(table) if found is not None else None
    return DraftPattern("", "", kind, (table.class_name,), tuple(parameters), changes=tuple(changes), where=where)  # type: ignore[arg-type]  # the callers pass kinds


def _table(node: exp.Expr | None, schema: SqlSchema) -> SqlTable:
    found = node if isinstance(node, exp.Table) else node.find(exp.Table) if node is not None else None
    if found is None:
        raise NotAPattern("it reads no table")
    table = schema.tables.get(found.name.lower())
    if table is None:
        raise NotAPattern(f"the schema has no table {found.name}")
    return table


def _checked(where: exp.Expr | None, table: SqlTable) -> Predicates:
    found = read_predicates(where, table)
    if found.problem:
        raise NotAPattern(found.problem)
    if found.joined:
        raise NotAPattern("it compares two columns, and DynamoDB does not join or compare fields in keys")
    return found


def _parameter(column: SqlColumn, kind: RangeKind | None = None) -> DraftParameter:
    return DraftParameter(column.field, column.type, kind, () if kind else column.choices)


def _key_parameters(table: SqlTable, found: Predicates, verb: str) -> list[DraftParameter]:
    """Return the parameters of a write, which must be the primary key."""
    equal = {name for name, kind in found.parameters.items() if kind is None}
    if not table.primary_key or equal != set(table.primary_key) or len(equal) != len(found.parameters):
        raise NotAPattern(
            f"{verb} by other columns than the primary key writes many items; query them and write each one"
        )
    if found.filters:
        raise NotAPattern("a comparison in a write is not imported; add it to the pattern as where=")
    return [_parameter(table.columns[name]) for name in table.primary_key]


def _update(statement: exp.Update, schema: SqlSchema) -> tuple[DraftPattern, list[str]]:
    table = _table(statement.this, schema)
    found = _checked(statement.args.get("where"), table)
    parameters = _key_parameters(table, found, "UPDATE")
    taken = {each.name for each in parameters}
    changes: list[Change] = []
    for each in statement.expressions:
        column = table.columns.get(each.this.name.lower()) if isinstance(each, exp.EQ) else None
        if column is None:
            raise NotAPattern("it sets something other than a column")
        path, value = Path((column.field,)), each.expression.unnest()
        if isinstance(value, exp.Null):
            changes.append(Change("REMOVE", path))
        elif isinstance(value, _PLACEHOLDERS) and column.field not in taken:
            changes.append(Change("SET", path, Parameter(column.field)))
            parameters.append(_parameter(column))
        elif isinstance(value, exp.Add | exp.Sub) and isinstance(value.right, _PLACEHOLDERS) and "amount" not in taken:
            changes.append(Change("ADD", path, Parameter("amount")))
            parameters.append(DraftParameter("amount", column.type))
            if isinstance(value, exp.Sub):
                found.notes.append("it subtracts; pass a negative amount")
        else:
            raise NotAPattern(f"the new value of {column.field} is neither a parameter nor a sum with one")
        taken = {parameter.name for parameter in parameters}
    return _draft("update", table, parameters, found, changes), found.notes


def _select(statement: exp.Select, schema: SqlSchema) -> tuple[DraftPattern, list[str]]:
    _reject_computed(statement)
    source = statement.args.get("from_") or statement.args.get("from")
    if source is None or not isinstance(source.this, exp.Table):
        raise NotAPattern("it reads a subquery; DynamoDB reads items")
    if joins := statement.args.get("joins"):
        return _joined(statement, source.this, joins, schema)
    table = _table(source.this, schema)
    found = _checked(statement.args.get("where"), table)
    key = set(table.primary_key)
    equal = {name for name, kind in found.parameters.items() if kind is None}
    if key and equal == key == set(found.parameters) and not (found.fixed or found.present or found.filters):
        return _draft("get", table, [_parameter(table.columns[name]) for name in table.primary_key]), found.notes
    return _query(statement, table, found)


def _reject_computed(statement: exp.Select) -> None:
    """Raise NotAPattern for an expression that DynamoDB cannot compute."""
    if statement.args.get("with_") or statement.args.get("with"):
        raise NotAPattern("WITH combines several reads; declare one pattern for each")
    if statement.args.get("group") or any(each.find(exp.AggFunc) for each in statement.expressions):
        raise NotAPattern("DynamoDB does not aggregate; keep the number in an item (counted=), or export the table")
    if statement.args.get("distinct"):
        raise NotAPattern("DynamoDB does not remove duplicates (DISTINCT); store one item for each value")
    if any(each.find(exp.Subquery, exp.Window) for each in statement.expressions):
        raise NotAPattern("DynamoDB does not compute subqueries and windows")


def _query(statement: exp.Select, table: SqlTable, found: Predicates) -> tuple[DraftPattern, list[str]]:
    parameters = [_parameter(table.columns[name], kind) for name, kind in found.parameters.items()]
    order, is_descending = _order(statement, table, found.notes)
    limit = _limit(statement, found.notes)
    times = [each.field for each in table.columns.values() if each.type in ("date", "datetime")]
    is_newest = is_descending and order in times and len(times) == 1
    made = DraftPattern(
        "",
        "",
        "query",
        (table.class_name,),
        (*parameters, *(paging() if limit is None else ())),
        newest_first=is_descending,
        where=found.where(table),
        filter=found.filter,
        order_by=Path((order,)) if order and not is_newest else None,
        limit=limit,
    )
    return made, found.notes


def _order(statement: exp.Select, table: SqlTable, notes: list[str]) -> tuple[str | None, bool]:
    order = statement.args.get("order")
    terms = order.expressions if order is not None else []
    if not terms:
        return None, False
    first = terms[0]
    if not isinstance(first.this, exp.Column) or first.this.name.lower() not in table.columns:
        raise NotAPattern("it sorts by an expression; store its value in a field")
    if len(terms) > 1:
        notes.append("it sorts by several columns; the pattern uses only the first")
    return table.columns[first.this.name.lower()].field, bool(first.args.get("desc"))


def _limit(statement: exp.Select, notes: list[str]) -> int | None:
    if statement.args.get("offset") is not None:
        notes.append("there is no OFFSET in DynamoDB; pages continue with cursor=")
    limit = statement.args.get("limit")
    value = limit.args.get("expression") if limit is not None else None
    is_number = isinstance(value, exp.Literal) and str(value.this).isdigit() and int(str(value.this)) > 0
    return int(str(value.this)) if is_number and value is not None else None


def _joined(
    statement: exp.Select, first: exp.Table, joins: Sequence[exp.Join], schema: SqlSchema
) -> tuple[DraftPattern, list[str]]:
    """Return an item collection for a join of a parent with its children by the key of the parent."""
    aliases: dict[str, SqlTable] = {}
    for node in (first, *(join.this for join in joins)):
        aliases[node.alias_or_name.lower()] = _table(node, schema)
    tables = list(aliases.values())
    parent = next((table for table in tables if _is_parent_of_all(table, tables, schema)), None)
    reason = "DynamoDB does not join; read each table with its own pattern, or copy the fields that you need (copies=)"
    if parent is None or len(set(map(id, tables))) != len(tables):
        raise NotAPattern(reason)
    found = dict(_key_of_parent(statement.args.get("where"), aliases, parent, tables))
    if set(found) != set(parent.primary_key):
        raise NotAPattern(reason)
    children = [table for table in tables if table is not parent]
    names = tuple(table.class_name for table in (parent, *children))
    parameters = [_parameter(parent.columns[name]) for name in parent.primary_key]
    return DraftPattern("", "", "collection", names, tuple(parameters)), ["the join is read as one item collection"]


def _is_parent_of_all(parent: SqlTable, tables: Sequence[SqlTable], schema: SqlSchema) -> bool:
    return bool(parent.primary_key) and all(
        _references(child, parent, schema) for child in tables if child is not parent
    )


def _references(child: SqlTable, parent: SqlTable, schema: SqlSchema) -> bool:
    return any(schema.tables.get(each.table) is parent for each in child.references)


def _key_of_parent(
    where: exp.Expr | None, aliases: dict[str, SqlTable], parent: SqlTable, tables: Sequence[SqlTable]
) -> Iterator[tuple[str, exp.Expr]]:
    """Yield the primary key columns of the parent that the WHERE clause fixes, directly or in a child's reference."""
    for part in conjuncts(where.this) if where is not None else ():
        left, right = (part.this, part.expression) if isinstance(part, exp.EQ) else (None, None)
        if not isinstance(left, exp.Column) or not isinstance(right, _PLACEHOLDERS):
            raise NotAPattern("a join with other conditions than the key of the parent is not one item collection")
        table = aliases.get(left.table.lower()) if left.table else None
        name = left.name.lower()
        if table is None:
            owners = [each for each in tables if name in each.columns]
            table = owners[0] if len(owners) == 1 else None
        if table is parent:
            yield name, right
        elif table is not None:
            for reference in table.references:
                if name in reference.columns and len(reference.columns) == len(parent.primary_key):
                    yield parent.primary_key[reference.columns.index(name)], right
