"""SQL files split into statements, each parsed with SQLGlot in a given or detected dialect."""

from __future__ import annotations

import logging
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from singletable.errors import ImportRefused

_HINTS = {
    "mysql": re.compile(r"`|\bENGINE\s*=|\bAUTO_INCREMENT\b|\bUNSIGNED\b", re.IGNORECASE),
    "sqlite": re.compile(r"\bAUTOINCREMENT\b|\bWITHOUT\s+ROWID\b|\bPRAGMA\b", re.IGNORECASE),
    "postgres": re.compile(r""),
}
_TOKEN = re.compile(
    r"--[^\n]*|/\*.*?\*/|'(?:[^'\\]|''|\\.)*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|\$(\w*)\$.*?\$\1\$|;|[^;'\"`$/-]+|.",
    re.DOTALL,
)
_PROGRAM = re.compile(r"\s*CREATE\b.{0,200}?\b(?:TRIGGER|PROCEDURE|FUNCTION|EVENT)\b", re.IGNORECASE | re.DOTALL)
_CLIENT_LINE = re.compile(r"^(?:\\(?!\.)\S.*|DELIMITER\b.*|\s*#.*)$", re.MULTILINE | re.IGNORECASE)
_OTHER_DELIMITER = re.compile(r"^DELIMITER\s+(?!;\s*$)(\S+)\s*$(.*?)^DELIMITER\s+;\s*$", re.M | re.S | re.IGNORECASE)
_DOLLAR_TEXT = re.compile(r"\$(\w*)\$.*?\$\1\$", re.DOTALL)
_COPIED_ROWS = re.compile(r"^(COPY\b[^;]*;)\n.*?^\\\.$", re.MULTILINE | re.DOTALL | re.IGNORECASE)
_TABLE_OPTIONS = re.compile(r"\)\s*(?:(?:WITHOUT\s+ROWID|STRICT)\s*,?\s*)+$", re.IGNORECASE)
_DRIVER_PLACEHOLDER = re.compile(
    r"('(?:[^']|'')*'|\"[^\"]*\"|\$(\w*)\$.*?\$\2\$)|%s|%\((\w+)\)s|(\$\d+)(?=,)", re.DOTALL
)
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True)
class SqlStatement:
    """A statement with its line. If SQLGlot cannot parse it, `tree` is None and `error` is the reason."""

    line: int
    text: str
    tree: exp.Expr | None
    error: str = ""

    @property
    def plain(self) -> str:
        """The text on one line, without comments."""
        return " ".join(_COMMENT.sub(" ", self.text).split())

    @property
    def creates_table(self) -> bool:
        """Whether the statement creates a table of the model. A temporary table is not part of the model."""
        return re.match(r"CREATE (?:UNLOGGED )?TABLE\b", self.plain, re.IGNORECASE) is not None


def statements_of(text: str, name: str, dialect: str | None) -> tuple[list[SqlStatement], str]:
    """Return the statements of a file and their dialect: the given one, or the one that parses the most tables.

    Raise ImportRefused if a CREATE TABLE statement cannot be parsed.
    """
    hinted = next(each for each, hint in _HINTS.items() if hint.search(text))
    candidates = [dialect] if dialect else list(dict.fromkeys([hinted, *_HINTS]))
    best: tuple[int, list[SqlStatement], str] | None = None
    for candidate in candidates:
        found = list(parse_statements(text, candidate))
        failures = sum(1 for each in found if each.creates_table and not isinstance(each.tree, exp.Create))
        if best is None or failures < best[0]:
            best = (failures, found, candidate)
        if failures == 0:
            break
    assert best is not None, "there is always a candidate"
    failed = [each for each in best[1] if each.creates_table and not isinstance(each.tree, exp.Create)]
    if failed:
        problems = "".join(f"\n  line {each.line}: {each.error or 'syntax that is not known'}" for each in failed)
        raise ImportRefused(f"{name}: CREATE TABLE statements that cannot be parsed as {best[2]}:{problems}")
    return best[1], best[2]


def parse_statements(text: str, dialect: str) -> Iterator[SqlStatement]:
    """Yield the statements of a text. A statement that SQLGlot cannot parse contains the error."""
    for line, part in _split(text):
        tree, error = None, ""
        try:
            with _without_log():
                tree = sqlglot.parse_one(_plain_placeholders(_TABLE_OPTIONS.sub(")", part)), dialect=dialect)
        except SqlglotError as problem:
            error = _message(problem)
        except RecursionError:
            error = "it is nested too deeply"
        yield SqlStatement(line, part, tree, error)


def _split(text: str) -> Iterator[tuple[int, str]]:
    """Yield each statement with its line. The body of a trigger or a function is part of its statement."""
    text = _COPIED_ROWS.sub(lambda found: found[1] + "\n" * found[0].count("\n"), text)
    text = _OTHER_DELIMITER.sub(lambda found: _with_one_delimiter(found[2], found[1]), text)
    text = _CLIENT_LINE.sub("", text)
    part, line = "", 1
    for token in _TOKEN.finditer(text):
        part += token[0]
        if token[0] == ";" and not _is_within_program(part):
            yield from _statement(part[:-1], line)
            line, part = line + part.count("\n"), ""
    for rest in part.split(";"):  # the end of a program was not found, and its parts must not hide a table
        yield from _statement(rest, line)
        line += rest.count("\n")


def _with_one_delimiter(text: str, delimiter: str) -> str:
    """Return programs that MySQL's client separates by another delimiter, each as one statement."""
    return ";".join(part.replace(";", " ") for part in text.split(delimiter))


def _statement(part: str, line: int) -> Iterator[tuple[int, str]]:
    if not _COMMENT.sub("", part).strip():
        return
    head = re.match(rf"(?:\s|{_COMMENT.pattern})*", part, re.DOTALL)
    yield line + (head[0].count("\n") if head else 0), part.strip()


def _is_within_program(part: str) -> bool:
    plain = _DOLLAR_TEXT.sub("", _COMMENT.sub("", part))
    if not _PROGRAM.match(plain) or not re.search(r"\bBEGIN\b", plain, re.IGNORECASE):
        return False
    return re.search(r"\bEND\b(?!\s*(?:IF|LOOP|CASE|WHILE|REPEAT)\b)\s*\w*\s*;$", plain, re.IGNORECASE) is None


@contextmanager
def _without_log() -> Generator[None, None, None]:
    """Turn off SQLGlot's log, because statements that it cannot parse become notes of the model."""
    logger = logging.getLogger("sqlglot")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


def _plain_placeholders(text: str) -> str:
    """Write the placeholders of Python drivers, `%s` and `%(id)s`, as in SQL. Quoted text stays unchanged.

    A space after `$1` keeps SQLGlot from reading `$1,$` as the start of a quoted text.
    """
    return _DRIVER_PLACEHOLDER.sub(_placeholder, text)


def _placeholder(found: re.Match[str]) -> str:
    quoted, _, named, numbered = found.groups()
    if quoted:
        return quoted
    if numbered:
        return f"{numbered} "
    return f":{named}" if named else "?"


def _message(problem: SqlglotError) -> str:
    errors = getattr(problem, "errors", None) or []
    text = str(errors[0].get("description", "")) if errors else str(problem)
    return text.split("<Token")[0].splitlines()[0].strip().rstrip(".") if text else "syntax error"


def sql_text(node: exp.Expr, dialect: str) -> str:
    """Return an expression as SQL on one line."""
    return " ".join(node.sql(dialect=dialect, comments=False).split())
