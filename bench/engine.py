"""Measures the engine beside its peers, side by side in one run, and prints a table of ratios with their targets.

    python bench/engine.py                          everything
    python bench/engine.py --quick                  a look, in about a minute
    python bench/engine.py --only dynalite          one peer alone
    python bench/engine.py --rows GetItem,PutItem   some rows alone

docs/benchmarks.md says what the rows mean.
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    # A script sees its own folder; its parts are found from the root, under the names that mypy and the tests use.
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    from bench.engine_bench.command import main

    sys.exit(main(sys.argv[1:]))
