"""How long the long tests of the engine run: SOAK is what their short versions are multiplied with."""

from __future__ import annotations

import os

SOAK = int(os.environ.get("SOAK", "1"))


def longer(count: int) -> int:
    """So many for `make test`, and SOAK times as many for `make soak`."""
    return count * SOAK
