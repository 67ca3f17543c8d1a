"""Measure `check` on generated models: processor time and language intersections by number of entities.

    python bench/check.py                       50, 100 and 200 entities, with three patterns each
    python bench/check.py --entities 400        another size
    python bench/check.py --unsupported 0.1     a tenth of the entities also has a pattern that no index serves
    python bench/check.py --write model.py      write the generated model to a file

The entities share the table and two overloaded indexes. Every fourth entity is a parent, and the other three are in its
item collection. Processor time depends less on other load on the machine than elapsed time does.
"""

from __future__ import annotations

import argparse
import sys
import time
import types
from pathlib import Path
from typing import Any

from singletable.model import regular_language
from singletable.verify.design_check import check

SIZES = (50, 100, 200)
_GROUP = 4
_HEADER = '''"""A generated model."""

from dataclasses import dataclass
from datetime import datetime

from singletable import Page, Table, collection, entity, get, pattern, query
'''
_PARENT = """

@entity(
    key=("P{n}#{{id}}", "META"),
    gsi1=("OWNER#{{owner}}", "P{n}#{{created_at}}#{{id}}"),
    expected_per_partition={{"key": 1, "gsi1": 50}},
)
@dataclass
class Entity{n}:
    id: str
    owner: str
    kind: str
    created_at: datetime
"""
_CHILD = """

@entity(
    key=("P{parent}#{{parent_id}}", "C{n}#{{id}}"),
    gsi1=("C{n}#{{id}}", "META"),
    gsi2=("STATUS#{{status}}", "C{n}#{{created_at}}#{{id}}"),
    expected_per_partition={{"key": 20, "gsi1": 1, "gsi2": 500}},
)
@dataclass
class Entity{n}:
    id: str
    parent_id: str
    status: str
    owner: str
    created_at: datetime
"""
_SHAPE = """

@dataclass
class Whole{n}:
    parent: Entity{n}
    children: list[Entity{child}]
"""
_PARENT_PATTERNS = """
    @pattern()
    def get_{n}(self, id: str) -> Entity{n} | None:
        return get(Entity{n})

    @pattern()
    def owned_{n}(self, owner: str, *, limit: int = 20, cursor: str | None = None) -> Page[Entity{n}]:
        return query(Entity{n}, newest_first=True)

    @pattern()
    def whole_{n}(self, id: str) -> Whole{n} | None:
        return collection(Whole{n})
"""
_CHILD_PATTERNS = """
    @pattern()
    def children_{n}(self, parent_id: str) -> Page[Entity{n}]:
        return query(Entity{n})

    @pattern()
    def get_{n}(self, id: str) -> Entity{n} | None:
        return get(Entity{n})

    @pattern()
    def in_status_{n}(self, status: str, *, limit: int = 20, cursor: str | None = None) -> Page[Entity{n}]:
        return query(Entity{n}, newest_first=True)
"""
_UNSUPPORTED = """
    @pattern()
    def owned_by_{n}(self, owner: str, *, limit: int = 20, cursor: str | None = None) -> Page[Entity{n}]:
        return query(Entity{n}, newest_first=True)
"""


def model_text(entities: int, unsupported: float = 0.0) -> str:
    """Return the source of a model with this many entities, a multiple of four, and three patterns for each."""
    numbers = range(entities - entities % _GROUP)
    parts = [_HEADER]
    for n in numbers:
        parts.append(_CHILD.format(n=n, parent=n - n % _GROUP) if n % _GROUP else _PARENT.format(n=n))
    parts += [_SHAPE.format(n=n, child=n + 1) for n in numbers if not n % _GROUP]
    names = ", ".join(f"Entity{n}" for n in numbers)
    parts.append(f"\n\nclass Generated(Table, entities=[{names}]):")
    parts += [(_CHILD_PATTERNS if n % _GROUP else _PARENT_PATTERNS).format(n=n) for n in numbers]
    children = [n for n in numbers if n % _GROUP][: round(unsupported * len(numbers))]
    return "".join([*parts, *(_UNSUPPORTED.format(n=n) for n in children)])


def load_table(text: str) -> Any:
    """Execute the source of a model, and return its table class."""
    module = types.ModuleType("generated_model")
    sys.modules[module.__name__] = module
    exec(compile(text, "generated_model.py", "exec"), module.__dict__)  # noqa: S102  # the text is made above
    return module.__dict__["Generated"]


def main(arguments: list[str]) -> int:
    """Print one line per size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entities", type=int, action="append", help="the number of entities; repeat for several")
    parser.add_argument("--unsupported", type=float, default=0.0, help="the share of entities, from 0 to 0.75")
    parser.add_argument("--write", type=Path, help="write the model of the first size to this file and stop")
    options = parser.parse_args(arguments)
    sizes = options.entities or list(SIZES)
    if options.write is not None:
        options.write.write_text(model_text(sizes[0], options.unsupported), encoding="utf-8")
        return 0
    print(f"{'entities':>8} {'patterns':>8} {'load':>8} {'check':>8} {'intersections':>13} {'findings':>8}")
    for size in sizes:
        start = time.process_time()
        table = load_table(model_text(size, options.unsupported))
        loaded, before = time.process_time(), regular_language.intersections()
        report = check(table.design)
        seconds, count = time.process_time() - loaded, regular_language.intersections() - before
        print(
            f"{len(table.design.entities):>8} {len(report.outcomes):>8} {loaded - start:>6.2f} s {seconds:>6.2f} s "
            f"{count:>13,} {len(report.findings):>8}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
