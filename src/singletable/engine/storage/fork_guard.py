"""Keeps a forked process away from the stores of its parent, which SQLite does not let it share.

A child inherits SQLite's notes about which locks the process holds, but not the locks. With those it could use a file
whose log its parent, knowing of nobody else, removes. So what was open when the process forked is refused in the child.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol
from weakref import WeakSet

from singletable.engine.storage.connection import Connection
from singletable.errors import StoreRefused

_REFUSAL = (
    "{name} was open when this process was forked, and a child cannot use it.\n"
    "  Open it after the fork, in each process, or start processes by spawning (multiprocessing: 'spawn')."
)


class Watched(Protocol):
    """What has a store open."""

    @property
    def name(self) -> str:
        """The path of the store."""
        ...

    def disown(self, refusal: str) -> list[Connection]:
        """Refuses everything from now on, and returns what it had open, untouched."""
        ...


_watched: WeakSet[Watched] = WeakSet()
_inherited_paths: set[str] = set()
# Closing a connection of the parent would touch the files, so they are kept from being collected.
_inherited: list[Connection] = []


def watch(pool: Watched) -> None:
    """Has a store refused in children that are forked while it exists."""
    _watched.add(pool)


def unwatch(pool: Watched) -> None:
    """Lets children open what is closed here."""
    _watched.discard(pool)


def refuse_inherited(path: Path) -> None:
    """Refuses a path that the parent of this process had open when it forked."""
    if str(path) in _inherited_paths:
        raise StoreRefused(_REFUSAL.format(name=path))


def _after_fork() -> None:
    for pool in _watched:
        _inherited_paths.add(pool.name)
        _inherited.extend(pool.disown(_REFUSAL.format(name=pool.name)))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
