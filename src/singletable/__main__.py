"""`python -m singletable`: the program, where its folder is not on the path."""

from __future__ import annotations

import sys

from singletable.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
