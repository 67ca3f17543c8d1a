"""Reads names, paths and parameters from the tokens of a statement, and collects the checks that need values."""

from __future__ import annotations

from singletable.errors import invalid
from singletable.expressions.operand_checks import Check, FailedCheck
from singletable.expressions.tree import Parameter, Path
from singletable.partiql.statement_lexer import (
    StatementRefused,
    StatementToken,
    TokenPosition,
    not_well_formed,
    tokens_of,
)
from singletable.partiql.statements import StatementSource, parameter_name
from singletable.values.limits import NESTING_LEVELS_MAX

LIST_INDEX_MAX = 2**31 - 1
OPERATORS_MAX = 300
SOURCE_NAMES_MAX = 2

# Operators that stand between two terms, so a term cannot start with them.
_INFIX = frozenset({"=", "<>", "<", "<=", ">", ">=", "AND", "OR", "IN", "IS", "BETWEEN", "LIKE", "*", "+", "-"})


class StatementReader:
    """The position of the parser in a statement, and the parameters and checks found so far."""

    def __init__(self, text: str) -> None:
        self.tokens = tokens_of(text)
        self.at = 0
        self.checks: list[Check] = []
        self.parameters: list[TokenPosition] = []
        self.operators = 0

    @property
    def next(self) -> StatementToken:
        """The next token."""
        return self.tokens[self.at]

    @property
    def kind(self) -> str:
        """The kind of the next token."""
        return self.tokens[self.at].kind

    def kind_after_next(self) -> str:
        """Return the kind of the token after the next one."""
        return self.tokens[min(self.at + 1, len(self.tokens) - 1)].kind

    def take(self, kind: str, otherwise: str) -> StatementToken:
        """Take the next token. If it is not of this kind, raise an error with the message `otherwise`."""
        token = self.tokens[self.at]
        if token.kind != kind:
            raise not_well_formed(otherwise, token)
        self.at += 1
        return token

    def accept(self, kind: str) -> bool:
        """Take the next token if it is of this kind. Return whether it was taken."""
        if self.kind != kind:
            return False
        self.at += 1
        return True

    def accept_word(self, word: str) -> bool:
        """Take the next token if it is this word, which PartiQL does not reserve. Return whether it was taken."""
        token = self.tokens[self.at]
        if token.kind != "name" or token.text.upper() != word:
            return False
        self.at += 1
        return True

    def count_operator(self) -> None:
        """Count an operator or a function. Reject a statement with more than OPERATORS_MAX of them."""
        self.operators += 1
        if self.operators > OPERATORS_MAX:
            raise invalid(f"The expression contains too many operators; operator count: {self.operators}")

    def no_term(self) -> StatementRefused:
        """Return the error for the next token, which cannot start a term."""
        token = self.next
        if token.kind in _INFIX:
            return not_well_formed("Unexpected operator", token)
        return not_well_formed("Unexpected keyword" if token.kind.isalpha() and token.kind != "end" else _TERM, token)

    def parameter(self) -> Parameter:
        """Take a `?` and return its parameter. Parameters are numbered from left to right."""
        self.parameters.append(self.take("?", _TERM).position)
        return Parameter(parameter_name(len(self.parameters)))

    def source(self) -> StatementSource:
        """Take the name of a table, or the names of a table and its index."""
        names = [self.take("name", "Expected identifier for simple path").value]
        while self.accept("."):
            names.append(self.take("name", "Invalid path dot component").value)
        if not all(names):
            raise invalid("Path component cannot be an empty string")
        if len(names) > SOURCE_NAMES_MAX:
            raise invalid("A path may contain at most 2 components in the FROM clause")
        return StatementSource(*names)

    def path(self, otherwise: str = "Expected identifier for simple path") -> Path:
        """Take a document path."""
        steps: list[str | int] = [self._name_of(self.take("name", otherwise))]
        while self.kind in (".", "["):
            if self.accept("."):
                steps.append(self._name_of(self.take("name", "Invalid path dot component")))
            else:
                self.at += 1
                steps.append(self._index())
        if len(steps) > NESTING_LEVELS_MAX:
            levels = f"nesting levels: {len(steps)}"
            self.checks.append(FailedCheck(f"The document path has too many nesting levels; {levels}"))
        return Path(tuple(steps))

    def _name_of(self, token: StatementToken) -> str:
        if not token.value:
            raise invalid("Path component cannot be an empty string")
        return str(token.value)

    def _index(self) -> int:
        is_negative = self.accept("-")
        token = self.take("number", "Invalid path component")
        if not token.text.isdigit():
            raise not_well_formed("Invalid path component", token)
        digits = token.text.lstrip("0") or "0"
        # Count the digits first, because int() is slow for thousands of digits, or raises an error.
        index = int(digits) if len(digits) <= len(str(LIST_INDEX_MAX)) else LIST_INDEX_MAX + 1
        if index > LIST_INDEX_MAX or (is_negative and index):
            shown = f"-{token.text}" if is_negative else token.text
            rule = "List index is not within the allowable range"
            raise StatementRefused(f"{rule}; index: [{shown}] at {token.position}", token.position)
        self.take("]", "Expected RIGHT_BRACKET")
        return index


_TERM = "Unexpected term"
