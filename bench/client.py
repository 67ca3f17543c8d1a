"""Measures typed reads beside other Python clients of DynamoDB, in one run on one server, and prints tables of ratios.

    python bench/client.py                              everything, on `singletable serve`
    python bench/client.py --quick                      a look
    python bench/client.py --server dynalite            the same on another server
    python bench/client.py --only pydynox,boto3         some contenders alone, beside ours

docs/benchmarks.md says what the rows mean.
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    # A script sees its own folder; its parts are found from the root, under the names that mypy and the tests use.
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    from bench.client_bench.command import main

    sys.exit(main(sys.argv[1:]))
