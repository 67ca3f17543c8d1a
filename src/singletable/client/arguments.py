"""Arguments: what a call was given, by the names of its parameters, as Python itself binds them.

`inspect` binds too, by a loop over the parameters that takes longer than reading an item. A function with the same
parameters that returns them all has Python do it; nothing but the names of the parameters is in its text.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any


def binder(signature: Signature) -> Callable[..., dict[str, Any]]:
    """A function that takes what the signature takes behind its first parameter, and returns every argument by name."""
    _, *parameters = signature.parameters.values()
    defaults = {each.name: each.default for each in parameters if each.default is not Parameter.empty}
    written = []
    for place, each in enumerate(parameters):
        before = parameters[place - 1].kind if place else Parameter.POSITIONAL_OR_KEYWORD
        if before is Parameter.POSITIONAL_ONLY and each.kind is not Parameter.POSITIONAL_ONLY:
            written.append("/")
        if each.kind is Parameter.KEYWORD_ONLY and before is not Parameter.KEYWORD_ONLY:
            written.append("*")
        written.append(f"{each.name}=defaults[{each.name!r}]" if each.name in defaults else each.name)
    if parameters and parameters[-1].kind is Parameter.POSITIONAL_ONLY:
        written.append("/")
    names = ", ".join(f"{each.name!r}: {each.name}" for each in parameters)
    known: dict[str, Any] = {"defaults": defaults}
    exec(f"def bind({', '.join(written)}): return {{{names}}}", known)  # noqa: S102  # our own text: see above
    bind: Callable[..., dict[str, Any]] = known["bind"]
    return bind
