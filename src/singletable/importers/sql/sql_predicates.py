"""The WHERE clause of a statement: parameters with their ranges, fixed values, and parts that DynamoDB cannot serve."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from singletable.expressions.tree import And, Comparator, Compare, Condition, Constant, Function, Path
from singletable.importers.draft import RangeKind
from singletable.importers.sql.sql_schema import SqlColumn, SqlTable, literal_of

_COMPARATORS: Mapping[type[exp.Expr], Comparator] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_FLIPPED: Mapping[Comparator, Comparator] = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_PLACEHOLDERS = (exp.Placeholder, exp.Parameter)
_SUBQUERY = "a subquery is a second read; store the value that it looks up in the item, or read twice"
_PROBLEMS: Mapping[type[exp.Expr], str] = {
    exp.Is: "no key finds items without a value (IS NULL); store a value for it",
    exp.Or: "OR needs one request for each side; declare one pattern for each side",
    exp.Exists: _SUBQUERY,
    exp.Subquery: _SUBQUERY,
}


@dataclass
class Predicates:
    """The content of a WHERE clause that concerns one table."""

    parameters: dict[str, RangeKind | None] = field(default_factory=dict)
    """The columns that are compared with parameters, each with its range."""
    fixed: dict[str, Any] = field(default_factory=dict)
    """The columns that must equal a constant."""
    present: list[str] = field(default_factory=list)
    filters: list[Condition] = field(default_factory=list)
    joined: list[tuple[exp.Column, exp.Column]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    problem: str = ""
    """The reasons why DynamoDB cannot serve the clause."""

    def where(self, table: SqlTable) -> Condition | None:
        """Return the fixed values and the required columns as one condition."""
        parts: list[Condition] = [
            Compare("=", Path((table.columns[name].field,)), Constant(value)) for name, value in self.fixed.items()
        ]
        parts += [Function("attribute_exists", (Path((table.columns[name].field,)),)) for name in self.present]
        return joined_condition(parts)

    @property
    def filter(self) -> Condition | None:
        """The filters as one condition."""
        return joined_condition(self.filters)


def joined_condition(parts: list[Condition]) -> Condition | None:
    """Return all parts as one condition, or None for none."""
    return parts[0] if len(parts) == 1 else And(tuple(parts)) if parts else None


def read_predicates(where: exp.Expr | None, table: SqlTable) -> Predicates:
    """Parse a WHERE clause. Columns of other tables are only allowed in join conditions."""
    found = Predicates()
    if where is None:
        return found
    condition = where.this if isinstance(where, exp.Where) else where
    for part in conjuncts(condition):
        _predicate(part, table, found)
        if found.problem:
            break
    return found


def conjuncts(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the conditions that AND connects."""
    plain = node.unnest()
    if isinstance(plain, exp.And):
        yield from conjuncts(plain.left)
        yield from conjuncts(plain.right)
    else:
        yield plain


def _predicate(node: exp.Expr, table: SqlTable, found: Predicates) -> None:
    match node:
        case exp.Between():
            _between(node, table, found)
        case exp.In():
            _in(node, table, found)
        case exp.Not() if isinstance(node.this, exp.Is):
            if column := _column(node.this.this, table, found):
                found.present.append(column.name.lower())
        case exp.Like() | exp.ILike():
            _like(node, table, found)
        case exp.Column():
            if (column := _column(node, table, found)) and column.type == "bool":
                found.fixed[column.name.lower()] = True
        case _ if type(node) in _COMPARATORS:
            _comparison(node, table, found)
        case _:
            found.problem = _PROBLEMS.get(type(node), f"{type(node).__name__.upper()} is not a condition on a key")


def _between(node: exp.Between, table: SqlTable, found: Predicates) -> None:
    column = _column(node.this, table, found)
    ends = (node.args.get("low"), node.args.get("high"))
    if column and all(isinstance(end, _PLACEHOLDERS) for end in ends):
        found.parameters[column.name.lower()] = "Between"
    elif column:
        found.problem = "BETWEEN needs two parameters"


def _in(node: exp.In, table: SqlTable, found: Predicates) -> None:
    column = _column(node.this, table, found)
    if node.args.get("query") is not None:
        found.problem = _SUBQUERY
    elif column:
        found.parameters[column.name.lower()] = None
        found.notes.append(f"IN takes several values of {column.field}; call the pattern once for each value")


def _column(node: Any, table: SqlTable, found: Predicates) -> SqlColumn | None:
    plain = node.unnest() if isinstance(node, exp.Expr) else node
    if not isinstance(plain, exp.Column):
        found.problem = "a condition on an expression is not a condition on a key; store its value in a field"
        return None
    column = table.columns.get(plain.name.lower())
    if column is None:
        found.problem = f"{table.name} has no column {plain.name}"
    return column


def _like(node: exp.Expr, table: SqlTable, found: Predicates) -> None:
    column = _column(node.this, table, found)
    pattern = node.args.get("expression")
    text = str(pattern.this) if isinstance(pattern, exp.Literal) else ""
    if column is None:
        return
    if isinstance(node, exp.Like) and text.endswith("%") and not set(text[:-1]) & {"%", "_"}:
        found.parameters[column.name.lower()] = "Prefix"
        found.notes.append(f"{column.field} is a parameter, but the query always uses the value {text[:-1]!r}")
    else:
        found.problem = "no key finds text inside a value (LIKE); use a search index for it"


def _comparison(node: exp.Expr, table: SqlTable, found: Predicates) -> None:
    left, right, comparator = node.this.unnest(), node.expression.unnest(), _COMPARATORS[type(node)]
    if isinstance(left, exp.Column) and isinstance(right, exp.Column):
        found.joined.append((left, right))
        return
    if isinstance(right, exp.Column):
        left, right, comparator = right, left, _FLIPPED[comparator]
    column = _column(left, table, found)
    if column is None:
        return
    name = column.name.lower()
    if isinstance(right, _PLACEHOLDERS):
        _compare_with_parameter(column, comparator, found)
        return
    value = literal_of(right, column.type)
    if value is None or (column.choices and value not in column.choices):
        found.problem = f"the value with which {column.field} is compared is neither a parameter nor a {column.type}"
    elif comparator == "=":
        found.fixed[name] = value
    else:
        found.filters.append(Compare(comparator, Path((column.field,)), Constant(value)))


def _compare_with_parameter(column: SqlColumn, comparator: Comparator, found: Predicates) -> None:
    name = column.name.lower()
    if comparator == "=":
        found.parameters[name] = None
    elif comparator == "<>":
        found.problem = f"no key finds the items whose {column.field} differs from a value"
    else:
        kind: RangeKind = "Since" if comparator.startswith(">") else "Until"
        known = found.parameters.get(name)
        found.parameters[name] = "Between" if known in ("Since", "Until") and known != kind else kind
        if comparator in ("<", ">"):
            found.notes.append(f"{kind} includes its bound, but {comparator} does not")
