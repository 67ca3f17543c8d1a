"""Compiled modules: each is the quick form of something that Python does as well, and may be missing.

They are made out of C when the library is installed where a compiler is. Each knows only what is right and raises for
everything else, which Python then looks at; so they decide nothing. `SINGLETABLE_PURE=1` leaves them out.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

PURE = "SINGLETABLE_PURE"


def compiled(name: str, form: int) -> Any:
    """The module of that name and form; None where it was not built, is of another release, or is not wanted."""
    if os.environ.get(PURE, "0") not in ("", "0"):
        return None
    try:
        module = import_module(name)
    except ImportError:
        return None
    return module if getattr(module, "FORM", None) == form else None
