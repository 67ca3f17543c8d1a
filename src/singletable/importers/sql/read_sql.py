"""The conversion of an SQL schema, and optionally its queries, into a draft model without keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from singletable.errors import ImportRefused
from singletable.importers import names as python_names
from singletable.importers.draft import Draft, DraftEntity, DraftField, DraftTable
from singletable.importers.sql.sql_queries import query_patterns
from singletable.importers.sql.sql_schema import SqlColumn, SqlSchema, SqlTable, read_schema
from singletable.importers.sql.sql_statements import parse_statements, statements_of


def read_sql(text: str, name: str, *, queries: str | None = None, dialect: str | None = None) -> Draft:
    """Return the model of a schema. `queries` is the text of a file with statements.

    Raise ImportRefused for a CREATE TABLE statement that cannot be parsed, or if the file declares no table.
    """
    statements, chosen = statements_of(text, name, dialect)
    schema = read_schema(statements, chosen)
    if not schema.tables:
        raise ImportRefused(f"{name}: no CREATE TABLE statement found")
    made = query_patterns(parse_statements(queries, chosen) if queries is not None else (), schema)
    entities = tuple(_entity(table, schema) for table in schema.tables.values())
    stem = "Database" if name == "standard input" else PurePath(name).stem
    taken = [each.class_name for each in entities]
    class_name = python_names.class_name(stem, ())
    if class_name in taken:
        class_name = python_names.class_name(f"{stem} table", taken)
    notes = [*schema.notes, *made.notes]
    table = DraftTable(
        class_name,
        python_names.table_name(class_name),
        entities,
        patterns=tuple(made.patterns),
        notes=tuple(dict.fromkeys(notes)),
    )
    return Draft(f"The SQL schema {stem}", (table,))


def _entity(table: SqlTable, schema: SqlSchema) -> DraftEntity:
    identity = table.fields_of(table.primary_key or _unique_and_required(table))
    defaults = ("id", f"{python_names.variable_name(table.class_name)}_id")
    own = next((each for each in defaults if any(each == column.field for column in table.columns.values())), None)
    if not identity:
        schema.notes.append(f"{table.name} has no primary key: declare identity=(...) on {table.class_name}.")
    unique = (table.fields_of(each) for each in table.unique)
    others = dict.fromkeys(each for each in unique if each and set(each) != set(identity))
    return DraftEntity(
        table.class_name,
        tuple(_field(column) for column in table.columns.values()),
        {},
        doc=" ".join(_sentences(table, schema)),
        identity=identity if identity and identity != (own,) else None,
        options={"unique": list(others)} if others else {},
    )


def _unique_and_required(table: SqlTable) -> tuple[str, ...]:
    fitting = (each for each in table.unique if all(n in table.columns and table.columns[n].is_required for n in each))
    return next(fitting, ())


def _field(column: SqlColumn) -> DraftField:
    optional = not column.is_required and not column.has_default and column.type != "Any"
    return DraftField(
        column.field,
        column.type,
        optional,
        choices=column.choices,
        has_default=column.has_default,
        default=column.default,
    )


def _sentences(table: SqlTable, schema: SqlSchema) -> Iterator[str]:
    """Return the origin of the entity, and the references of its fields."""
    yield f"{table.class_name}, from the SQL table {table.name}."
    for reference in table.references:
        other = schema.tables.get(reference.table)
        ours = " and ".join(table.fields_of(reference.columns))
        if other is None:
            schema.notes.append(f"{table.name}: {ours} refers to {reference.table}, which the schema does not declare.")
            continue
        theirs = " and ".join(other.fields_of(reference.their_columns or other.primary_key))
        yield f"{ours} refers to {other.class_name}.{theirs}."
