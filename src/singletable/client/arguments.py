"""The arguments of a call by name, with their defaults, by a function that is made once for each pattern.

`inspect` binds arguments too, in ten times the time. As with dataclasses, the code is text that is made out of the
declaration and compiled; of the caller's values it is only ever given what it is called with.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any


def binder(name: str, signature: Signature) -> Callable[..., dict[str, Any]]:
    """A function of a pattern's parameters, but its first, that returns them by their names."""
    _, *parameters = signature.parameters.values()
    defaults = {f"_default_{number}": each.default for number, each in enumerate(parameters)}
    written: list[str] = []
    for number, each in enumerate(parameters):
        if each.kind is Parameter.KEYWORD_ONLY and "*" not in written:
            written.append("*")
        written.append(each.name if each.default is Parameter.empty else f"{each.name}=_default_{number}")
        if each.kind is Parameter.POSITIONAL_ONLY and not _is_positional_only(parameters, number + 1):
            written.append("/")
    body = ", ".join(f"{each.name!r}: {each.name}" for each in parameters)
    text = f"def {name}({', '.join(written)}):\n    return {{{body}}}\n"
    made: dict[str, Any] = {}
    exec(compile(text, f"<arguments of {name}>", "exec"), defaults, made)  # noqa: S102  # names are identifiers
    function: Callable[..., dict[str, Any]] = made[name]
    return function


def _is_positional_only(parameters: list[Parameter], number: int) -> bool:
    return number < len(parameters) and parameters[number].kind is Parameter.POSITIONAL_ONLY
