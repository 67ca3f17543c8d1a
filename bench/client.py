"""Compare typed reads and writes with other Python clients of DynamoDB, and print tables of ratios.

    python bench/client.py                              everything, on `singletable serve`
    python bench/client.py --quick                      fewer and shorter rounds
    python bench/client.py --rows writes                only the write rows
    python bench/client.py --server dynalite            on another server
    python bench/client.py --only pydynox,boto3         some libraries only, compared with ours

docs/explanation/client-benchmarks.md describes the rows.
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    # Import from the root of the repository, as mypy and the tests do. A script starts with its own folder on the path.
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    from bench.client_bench.command import main

    sys.exit(main(sys.argv[1:]))
