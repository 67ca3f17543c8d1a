"""What people have written about their classes: docstrings of their own, and no others."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable


def own_doc(cls: type) -> str:
    """A class's own docstring; none where it is inherited, or made up by a library."""
    said = vars(cls).get("__doc__")
    if not isinstance(said, str) or said.startswith(f"{cls.__name__}("):  # a dataclass repeats its signature
        return ""
    return inspect.cleandoc(said).rstrip()


def module_doc(cls: type) -> str:
    """The docstring of the module that a class stands in."""
    module = sys.modules.get(cls.__module__)
    said = None if module is None else module.__doc__
    return inspect.cleandoc(said).rstrip() if isinstance(said, str) else ""


def introduction(classes: Iterable[type]) -> str:
    """What the modules of some classes say, each module once."""
    modules = {cls.__module__: module_doc(cls) for cls in classes}
    return "\n\n".join(text for text in modules.values() if text)
