"""CREATE TABLE statements: columns with Python types, primary keys, unique columns and references."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from sqlglot import exp

from singletable.importers import names as python_names
from singletable.importers.sql.sql_statements import SqlStatement, sql_text

_TYPES = {
    "int": "INT BIGINT SMALLINT TINYINT MEDIUMINT UINT UBIGINT USMALLINT UTINYINT UMEDIUMINT SERIAL BIGSERIAL "
    "SMALLSERIAL YEAR INT128 INT256 BIT",
    "bool": "BOOLEAN",
    "Decimal": "DECIMAL UDECIMAL MONEY SMALLMONEY BIGDECIMAL DECIMAL32 DECIMAL64 DECIMAL128",
    "float": "FLOAT DOUBLE UDOUBLE",
    "str": "TEXT VARCHAR CHAR NCHAR NVARCHAR BPCHAR LONGTEXT MEDIUMTEXT TINYTEXT NAME XML INET CIDR ENUM SET TIME "
    "TIMETZ INTERVAL",
    "date": "DATE DATE32",
    "datetime": "TIMESTAMP TIMESTAMPTZ TIMESTAMPLTZ TIMESTAMPNTZ DATETIME DATETIME2 SMALLDATETIME",
    "bytes": "BINARY VARBINARY BLOB LONGBLOB MEDIUMBLOB TINYBLOB VARBIT",
    "UUID": "UUID",
    "dict[str, Any]": "JSON JSONB OBJECT HSTORE",
    "list[Any]": "ARRAY LIST",
}
_BY_NAME = {name: python for python, names in _TYPES.items() for name in names.split()}
_SILENT = (exp.Comment, exp.Drop, exp.Pragma, exp.Set, exp.Transaction, exp.Commit, exp.Use, exp.EndStatement)


@dataclass
class SqlColumn:
    """A column as a field: its Python type, whether it can be NULL, its closed set of texts and its default."""

    name: str
    field: str
    type: str
    is_required: bool = False
    choices: tuple[str, ...] = ()
    has_default: bool = False
    default: Any = None


@dataclass(frozen=True)
class SqlReference:
    """A foreign key: columns of this table, and the columns of another table to which they refer."""

    columns: tuple[str, ...]
    table: str
    their_columns: tuple[str, ...]


@dataclass
class SqlTable:
    """A table as an entity. Names of columns are compared in lower case."""

    name: str
    class_name: str
    columns: dict[str, SqlColumn] = field(default_factory=dict)
    primary_key: tuple[str, ...] = ()
    unique: list[tuple[str, ...]] = field(default_factory=list)
    references: list[SqlReference] = field(default_factory=list)

    def fields_of(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the fields of columns that the table has."""
        return tuple(self.columns[each].field for each in columns if each in self.columns)


@dataclass
class SqlSchema:
    """The tables of a schema by lower-case name, and a note for everything that is not in the model."""

    dialect: str
    tables: dict[str, SqlTable] = field(default_factory=dict)
    enums: dict[str, tuple[str, ...]] = field(default_factory=dict)
    indexes: list[str] = field(default_factory=list)
    numbered: list[str] = field(default_factory=list)
    defaults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_schema(statements: Sequence[SqlStatement], dialect: str) -> SqlSchema:
    """Read the schema. Statements that declare no table and no constraint become notes."""
    schema = SqlSchema(dialect)
    for each in statements:  # a column can use a type that is created after its table
        tree = each.tree
        if isinstance(tree, exp.Create) and tree.kind == "TYPE":
            values = tree.expression.expressions if tree.expression else []
            schema.enums[_table_name(tree.this)] = tuple(str(value.this) for value in values)
    others: dict[str, list[str]] = {}
    for statement in statements:
        tree = statement.tree
        if statement.creates_table and isinstance(tree, exp.Create):
            _create_table(tree, schema)
        elif isinstance(tree, exp.Create) and tree.kind == "INDEX":
            _create_index(tree, schema)
        elif isinstance(tree, exp.Alter) and _table_name(tree.this) in schema.tables:
            _alter(tree, schema)
        elif not isinstance(tree, _SILENT) and not (isinstance(tree, exp.Create) and tree.kind in ("TYPE", "DATABASE")):
            words = statement.plain.split()
            others.setdefault(" ".join(words[:2]).upper(), []).append(_short(statement.plain))
    schema.notes += [_other_statements(kind, texts) for kind, texts in others.items()]
    for head, names in (
        ("DynamoDB does not number items; use a UUID or a ULID for", schema.numbered),
        ("Defaults that the database computes are not in the model:", schema.defaults),
        ("SQL indexes are not in the model, because the keys are chosen for access patterns:", schema.indexes),
    ):
        schema.notes += [f"{head} {', '.join(names)}."] if names else []
    return schema


def _other_statements(kind: str, texts: Sequence[str]) -> str:
    if len(texts) == 1:
        return f"Not in the model: {texts[0]}."
    return f"Not in the model: {len(texts):,} statements {kind}, such as {texts[0]}."


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:60]}..."


def _leave_out(schema: SqlSchema, node: exp.Expr, reason: str) -> None:
    schema.notes.append(f"Not in the model: {_short(sql_text(node, schema.dialect))}: {reason}.")


def _table_name(node: Any) -> str:
    found = node if isinstance(node, exp.Table) else node.find(exp.Table)
    return str(found.name).lower() if found is not None else ""


def _create_table(statement: exp.Create, schema: SqlSchema) -> None:
    name = _table_name(statement.this)
    if not isinstance(statement.this, exp.Schema) or not name or name in schema.tables:
        reason = "the table is declared twice" if name in schema.tables else "it declares no columns"
        _leave_out(schema, statement, reason)
        return
    own = str(statement.this.this.name)
    taken = [each.class_name for each in schema.tables.values()]
    table = SqlTable(own, python_names.class_name(python_names.singular(own), taken))
    schema.tables[name] = table
    for each in statement.this.expressions:
        if isinstance(each, exp.ColumnDef):
            _column(each, table, schema)
        elif isinstance(each, exp.Identifier):
            _add_column(table, SqlColumn(each.name, "", "Any"))
        else:
            _constraint(each, table, schema)
    for name in table.primary_key:
        if name in table.columns:
            table.columns[name].is_required = True


def _add_column(table: SqlTable, column: SqlColumn) -> None:
    column.field = python_names.field_name(column.name, [each.field for each in table.columns.values()])
    table.columns[column.name.lower()] = column


def _column(node: exp.ColumnDef, table: SqlTable, schema: SqlSchema) -> None:
    kind = node.args.get("kind")
    column = SqlColumn(node.name, "", "Any")
    if isinstance(kind, exp.DataType):
        column.type, column.choices = _type(kind, table, column.name, schema)
        if "SERIAL" in str(kind.this):
            schema.numbered.append(f"{table.name}.{column.name}")
    _add_column(table, column)
    for constraint in node.args.get("constraints") or ():
        _column_constraint(constraint.kind, column, table, schema)


def _type(kind: exp.DataType, table: SqlTable, column: str, schema: SqlSchema) -> tuple[str, tuple[str, ...]]:
    name = str(kind.this.name if hasattr(kind.this, "name") else kind.this)
    if name == "USERDEFINED":
        given = kind.args.get("kind")
        declared = str(getattr(given, "name", given)).lower()
        if declared in schema.enums:
            return "str", schema.enums[declared]
        schema.notes.append(f"{table.name}.{column}: the type {declared} is not known; the field is str.")
        return "str", ()
    if name in ("ENUM", "SET"):
        return "str", tuple(str(each.this) for each in kind.expressions if isinstance(each, exp.Literal))
    if name == "TINYINT" and [str(each.this) for each in kind.expressions] == ["1"]:
        return "bool", ()  # MySQL's BOOLEAN
    if name not in _BY_NAME:
        schema.notes.append(f"{table.name}.{column}: the type {name} is not known; the field is str.")
    return _BY_NAME.get(name, "str"), ()


def _column_constraint(kind: Any, column: SqlColumn, table: SqlTable, schema: SqlSchema) -> None:
    own = column.name.lower()
    match kind:
        case exp.PrimaryKeyColumnConstraint():
            table.primary_key = (*table.primary_key, own)
        case exp.NotNullColumnConstraint():
            column.is_required = not kind.args.get("allow_null")
        case exp.UniqueColumnConstraint():
            table.unique.append((own,))
        case exp.Reference():
            table.references.append(_reference((own,), kind))
        case exp.DefaultColumnConstraint():
            _default(kind.this, column, table, schema)
        case exp.CheckColumnConstraint():
            _check(kind, table, schema)
        case exp.AutoIncrementColumnConstraint() | exp.GeneratedAsIdentityColumnConstraint():
            schema.numbered.append(f"{table.name}.{column.name}")
        case exp.CollateColumnConstraint() | exp.CommentColumnConstraint() | exp.CharacterSetColumnConstraint():
            pass
        case exp.OnUpdateColumnConstraint():
            schema.defaults.append(f"{table.name}.{column.name} ({sql_text(kind, schema.dialect)})")
        case _:
            _leave_out(schema, kind, f"a constraint of {table.name}.{column.name}")


def _default(node: exp.Expr, column: SqlColumn, table: SqlTable, schema: SqlSchema) -> None:
    if isinstance(node, exp.Null):
        return
    value = literal_of(node, column.type)
    if value is None:
        text = sql_text(node, schema.dialect)
        found = schema.numbered if "NEXTVAL" in text.upper() else schema.defaults
        found.append(f"{table.name}.{column.name}" + (f" ({text})" if found is schema.defaults else ""))
        return
    column.has_default, column.default = True, value


def literal_of(node: exp.Expr | None, python: str) -> Any:
    """Return a literal as a value of a field's type, or None if it is not a literal of that type."""
    negative = isinstance(node, exp.Neg)
    inner = node.this if isinstance(node, exp.Neg) else node
    if isinstance(inner, exp.Boolean) and python == "bool":
        return bool(inner.this)
    if not isinstance(inner, exp.Literal):
        return None
    text = str(inner.this)
    if inner.is_string:
        return text if python == "str" else None
    if python == "bool":
        return {"0": False, "1": True}.get(text)
    try:
        made = {"int": int, "Decimal": Decimal, "float": float}[python](text)
    except (KeyError, ValueError, ArithmeticError):
        return None
    return -made if negative else made


def _reference(columns: tuple[str, ...], node: exp.Reference) -> SqlReference:
    schema = node.this
    theirs = tuple(each.name.lower() for each in schema.expressions) if isinstance(schema, exp.Schema) else ()
    return SqlReference(columns, _table_name(schema), theirs)


def _constraint(node: exp.Expr, table: SqlTable, schema: SqlSchema) -> None:
    match node:
        case exp.Constraint():
            for each in node.expressions:
                _constraint(each, table, schema)
        case exp.PrimaryKey():
            table.primary_key = tuple(_columns(node))
        case exp.UniqueColumnConstraint():
            table.unique.append(tuple(_columns(node.this)))
        case exp.ForeignKey():
            reference = node.args.get("reference")
            if isinstance(reference, exp.Reference):
                table.references.append(_reference(tuple(_columns(node)), reference))
        case exp.CheckColumnConstraint():
            _check(node, table, schema)
        case exp.IndexColumnConstraint():
            _index_note(str(node.name), table, _columns(node), schema)
        case _:
            _leave_out(schema, node, f"a constraint of {table.name}")


def _columns(node: Any) -> Iterator[str]:
    for each in node.expressions:
        found = each.find(exp.Identifier) if not isinstance(each, exp.Identifier) else each
        if found is not None:
            yield str(found.name).lower()


def _check(node: exp.CheckColumnConstraint, table: SqlTable, schema: SqlSchema) -> None:
    """Convert a check for a list of texts into a closed set of the field. Other checks become notes."""
    condition = node.this.unnest() if isinstance(node.this, exp.Expr) else node.this
    if isinstance(condition, exp.In) and isinstance(condition.this, exp.Column):
        column = table.columns.get(condition.this.name.lower())
        values = condition.expressions
        if column and column.type == "str" and all(isinstance(v, exp.Literal) and v.is_string for v in values):
            column.choices = tuple(str(value.this) for value in values)
            return
    _leave_out(schema, node, f"a rule of {table.name}; validate it in the class")


def _create_index(statement: exp.Create, schema: SqlSchema) -> None:
    index = statement.this
    table = schema.tables.get(_table_name(index.args.get("table") or index))
    parameters = index.args.get("params")
    columns = [str(each.find(exp.Identifier).name).lower() for each in (parameters.args.get("columns") or ())]
    if table is None or not columns:
        _leave_out(schema, statement, "its table is not declared")
    elif statement.args.get("unique") and not parameters.args.get("where"):
        table.unique.append(tuple(columns))
    else:
        _index_note(index.name, table, columns, schema)


def _index_note(name: str, table: SqlTable, columns: Iterator[str] | Sequence[str], schema: SqlSchema) -> None:
    schema.indexes.append(f"{name or 'an index'} of {table.name} ({', '.join(columns)})")


def _alter(statement: exp.Alter, schema: SqlSchema) -> None:
    table = schema.tables.get(_table_name(statement.this))
    for action in statement.args.get("actions") or ():
        if table is not None and isinstance(action, exp.AddConstraint):
            for each in action.expressions:
                _constraint(each, table, schema)
        elif table is not None and isinstance(action, exp.ColumnDef):
            _column(action, table, schema)
        else:
            _leave_out(schema, statement, "the change is not known")
            return
    for name in table.primary_key if table is not None else ():
        if table is not None and name in table.columns:
            table.columns[name].is_required = True
