"""The duration of the long engine tests: SOAK multiplies the number of their rounds."""

from __future__ import annotations

import os

SOAK = int(os.environ.get("SOAK", "1"))


def longer(count: int) -> int:
    """Return the count for `make test`, multiplied by SOAK for `make soak`."""
    return count * SOAK
