"""Reads paths, values and functions from the tokens of an expression, and finds errors in DynamoDB's order.

DynamoDB checks an expression in several passes over the whole text: first the syntax and redundant parentheses; then
functions, reserved words and indexes, from left to right; then operands, the innermost first. This reader makes one
pass. It raises syntax errors at once, and collects all other errors until the end of the text. It does not use
recursion, because an expression of 4096 bytes can be nested more deeply than Python's stack.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from singletable.errors import RequestRefused, invalid
from singletable.expressions.lexer import RESERVED_WORDS, Token, syntax_error, tokens_of
from singletable.expressions.operand_checks import FUNCTION_OPERANDS, Check, FailedCheck, definition_check
from singletable.expressions.tree import Function, Operand, Parameter, Path
from singletable.lazy_dataclass import dataclass
from singletable.values.limits import NESTING_LEVELS_MAX

OPERATORS_MAX = 300
LIST_INDEX_MAX = 2**31 - 1


@dataclass(frozen=True)
class AllowedFunctions:
    """The functions that one kind of expression may use, and the checks of their arguments."""

    kind: str
    names: frozenset[str]
    checks: Callable[[Function], list[Check]]


NO_FUNCTIONS = AllowedFunctions("a projection", frozenset(), lambda function: [])


@dataclass
class OpenCall:
    """A function call whose arguments are being read."""

    name: str
    at: int
    arguments: list[Operand] = field(default_factory=list)


class ExpressionReader:
    """The position of the parser in an expression, and the errors, checks and placeholders found so far."""

    def __init__(
        self, parameter: str, text: str, names: Mapping[str, str], functions: AllowedFunctions = NO_FUNCTIONS
    ) -> None:
        self.parameter = parameter
        self.text = text
        self.tokens = tokens_of(parameter, text)
        self.at = 0
        self.called_at = 0  # the position of the function that was read last
        self.checks: list[Check] = []
        self.operators = 0
        self.attributes: set[str] = set()
        self.nested_attributes: set[str] = set()
        self.used_names: set[str] = set()
        self.used_values: set[str] = set()
        self._names = names
        self._functions = functions
        self._closed: dict[int, int] = {}  # the positions of parentheses: opening to closing
        self._has_redundant_parentheses = False
        self._is_check_postponed = False
        self._errors: list[tuple[int, str]] = []

    @property
    def kind(self) -> str:
        """The kind of the next token."""
        return self.tokens[self.at].kind

    def take(self, *kinds: str) -> Token:
        """Take the next token, which must be of one of these kinds."""
        token = self.tokens[self.at]
        if token.kind not in kinds:
            raise self.unexpected()
        self.at += 1
        return token

    def unexpected(self) -> RequestRefused:
        """Return the syntax error for the next token."""
        return syntax_error(self.parameter, self.text, self.tokens, self.at)

    def open(self) -> int:
        """Take an opening parenthesis, and return the position of its token."""
        self.take("(")
        return self.at - 1

    def close(self, opened: int) -> None:
        """Take the closing parenthesis that belongs to the opening parenthesis at this position."""
        closing = self.at
        self.take(")")
        self._closed[opened] = closing
        if self._closed.get(opened + 1) == closing - 1:
            self._has_redundant_parentheses = True
        if not self._is_check_postponed:
            self.reject_redundant_parentheses()

    def postpone_parentheses_check(self) -> None:
        """Postpone the check for redundant parentheses, because DynamoDB reports a following syntax error first."""
        self._is_check_postponed = True

    def reject_redundant_parentheses(self) -> None:
        """Reject redundant parentheses, such as `((a = :b))`. This check is no longer postponed."""
        self._is_check_postponed = False
        if self._has_redundant_parentheses:
            raise invalid(f"Invalid {self.parameter}: The expression has redundant parentheses;")

    def add_error(self, at: int, message: str) -> None:
        """Collect an error about the token at this position; `finish` raises the leftmost error."""
        self._errors.append((at, message))

    def add_misuse(self, at: int) -> None:
        """Collect an error about a function that is not allowed where it stands."""
        message = "The function is not allowed to be used this way in an expression"
        self.add_error(at, f"{message}; function: {self.tokens[at].text}")

    def finish(self) -> None:
        """Raise the leftmost collected error; call this after the whole text was read."""
        if self._errors:
            raise invalid(f"Invalid {self.parameter}: {min(self._errors)[1]}")
        if self.operators > OPERATORS_MAX:
            # DynamoDB stops counting at the first operator above the limit, so its message never has a higher number.
            message = f"The expression contains too many operators; operator count: {OPERATORS_MAX + 1}"
            self.checks.append(FailedCheck(message))

    def path(self) -> Path:
        """Take a path without checking it."""
        steps: list[str | int] = [self._step()]
        while self.kind in (".", "["):
            if self.take(".", "[").kind == ".":
                steps.append(self._step())
            else:
                steps.append(self._index())
        return Path(tuple(steps))

    def path_checks(self, path: Path, first: int) -> list[Check]:
        """Return the checks of a path; `first` is the position of its first token."""
        if len(path.steps) > NESTING_LEVELS_MAX:
            levels = f"nesting levels: {len(path.steps)}"
            return [FailedCheck(f"The document path has too many nesting levels; {levels}")]
        for token in self.tokens[first : self.at]:
            if token.kind == "name" and token.text not in self._names:
                rule = "An expression attribute name used in the document path is not defined"
                return [FailedCheck(f"{rule}; attribute name: {token.text}")]
        self.attributes.add(path.attribute)
        if len(path.steps) > 1:
            self.nested_attributes.add(path.attribute)
        return []

    def value(self) -> Parameter:
        """Take the placeholder of a value, and add the check that the request defines it."""
        token = self.take("value")
        self.used_values.add(token.text)
        parameter = Parameter(token.text)
        self.checks.append(definition_check(parameter))
        return parameter

    def operand(self) -> Operand:
        """Take a path, a value or a function, with or without parentheses, and add all its checks."""
        opened: list[int | OpenCall] = []
        while True:
            while (group := self._open_group()) is not None:
                opened.append(group)
            node = self._path_or_value()
            while opened:
                group = opened[-1]
                if isinstance(group, int):
                    self.close(group)
                else:
                    group.arguments.append(node)
                    if self.take(",", ")").kind == ",":
                        break
                    node = self._function_of(group, enclosing=self._enclosing_call(opened))
                opened.pop()
            else:
                return node

    def _open_group(self) -> int | OpenCall | None:
        if self.kind == "(":
            return self.open()
        if self.kind == "word" and self.tokens[self.at + 1].kind == "(":
            call = OpenCall(self.take("word").text, self.at - 1)
            self.take("(")
            return call
        return None

    def _path_or_value(self) -> Operand:
        if self.kind == "value":
            return self.value()
        first = self.at
        path = self.path()
        self.checks += self.path_checks(path, first)
        return path

    def _enclosing_call(self, opened: list[int | OpenCall]) -> OpenCall | None:
        """Return the function call whose argument is the innermost open call, or None."""
        return next((group for group in reversed(opened[:-1]) if isinstance(group, OpenCall)), None)

    def _function_of(self, call: OpenCall, enclosing: OpenCall | None) -> Function:
        function = Function(call.name, tuple(call.arguments))
        self.operators += 1
        self.called_at = call.at
        if call.name not in FUNCTION_OPERANDS:
            self.add_error(call.at, f"Invalid function name; function: {call.name}")
        elif call.name not in self._functions.names:
            rule = f"The function is not allowed in {self._functions.kind} expression"
            self.add_error(call.at, f"{rule}; function: {call.name}")
        else:
            # Only a function that returns a value can be an argument.
            if enclosing is not None and call.name not in ("size", "if_not_exists"):
                self.add_misuse(call.at)
            self.checks += self._functions.checks(function)
        return function

    def _step(self) -> str:
        token = self.take("word", "name")
        if token.kind == "name":
            self.used_names.add(token.text)
            return self._names.get(token.text, token.text)
        if token.text.upper() in RESERVED_WORDS:
            self.add_error(self.at - 1, f"Attribute name is a reserved keyword; reserved keyword: {token.text}")
        return token.text

    def _index(self) -> int:
        token = self.take("index")
        # Count the digits first, because int() is slow for thousands of digits, or raises an error.
        index = int(token.text) if len(token.text) <= len(str(LIST_INDEX_MAX)) else LIST_INDEX_MAX + 1
        if index > LIST_INDEX_MAX:
            self.add_error(self.at - 1, f"List index is not within the allowable range; index: [{token.text}]")
        self.take("]")
        return index
