"""Compare the engine with its peers in one run, and print tables of ratios with their targets.

    python bench/engine.py                          all parts and peers
    python bench/engine.py --quick                  fewer and shorter rounds, about a minute
    python bench/engine.py --only dynalite          one peer only
    python bench/engine.py --rows GetItem,PutItem   some rows only

docs/explanation/benchmarks.md describes the rows.
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    # Import from the root of the repository, as mypy and the tests do. A script starts with its own folder on the path.
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    from bench.engine_bench.command import main

    sys.exit(main(sys.argv[1:]))
