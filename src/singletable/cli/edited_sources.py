"""Load a model from edited source text before the text is written to its files."""

from __future__ import annotations

import linecache
import sys
import sysconfig
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType

_PACKAGE = str(Path(__file__).resolve().parents[1])


class _EditedLoader(SourceFileLoader):
    """Loads a module from text instead of its file, without cached bytecode."""

    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self._text = text

    def get_data(self, path: str) -> bytes:
        return self._text.encode()

    def path_stats(self, path: str) -> Mapping[str, float]:
        raise OSError("edited source has no file time, so it is never cached")


class _EditedFinder(MetaPathFinder):
    """Finds modules as usual, and loads modules with edited source from their text."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.origin is not None and spec.origin in self.texts:
            spec.loader = _EditedLoader(fullname, spec.origin, self.texts[spec.origin])
            return spec
        return None


def edited_loader(name: str, path: str) -> SourceFileLoader | None:
    """Return the loader of a file with edited source. Return None for every other file."""
    for finder in sys.meta_path:
        if isinstance(finder, _EditedFinder) and path in finder.texts:
            return _EditedLoader(name, path, finder.texts[path])
    return None


@contextmanager
def edited_sources(texts: Mapping[str, str], loaded_before: frozenset[str]) -> Generator[None, None, None]:
    """Import the user's modules from these texts (by path) instead of their files, while the context is open.

    A text is the decoded source of its file. Modules imported since `loaded_before` are imported again, except Python's
    own modules and installed packages.
    """
    unload_user_modules(loaded_before)
    finder = _EditedFinder(texts)
    sys.meta_path.insert(0, finder)
    for path, text in texts.items():
        # Error messages and source locations read lines from this cache.
        linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for path in texts:
            linecache.cache.pop(path, None)


def unload_user_modules(loaded_before: frozenset[str]) -> None:
    """Remove the user's modules that are not in `loaded_before`, so that the next import reads their source again."""
    libraries = (_PACKAGE, *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")))
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if name not in loaded_before and file and not file.startswith(libraries):
            del sys.modules[name]
