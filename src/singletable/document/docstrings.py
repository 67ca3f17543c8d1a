"""Docstrings that users wrote for their classes and modules."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable


def own_doc(cls: type) -> str:
    """Return the docstring of a class. Return an empty text if it is inherited or generated."""
    text = vars(cls).get("__doc__")
    # The generated docstring of a dataclass is its signature.
    if not isinstance(text, str) or text.startswith(f"{cls.__name__}("):
        return ""
    return inspect.cleandoc(text).rstrip()


def module_doc(cls: type) -> str:
    """Return the docstring of the module that defines a class."""
    module = sys.modules.get(cls.__module__)
    text = None if module is None else module.__doc__
    return inspect.cleandoc(text).rstrip() if isinstance(text, str) else ""


def introduction(classes: Iterable[type]) -> str:
    """Return the docstrings of the modules that define these classes, each once."""
    modules = {cls.__module__: module_doc(cls) for cls in classes}
    return "\n\n".join(text for text in modules.values() if text)
