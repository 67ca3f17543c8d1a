"""Finds the tables that MODEL names: `module:Table`, `module`, `path/model.py` or `path/model.py:Table`."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType

from singletable.client.table import Table
from singletable.errors import DesignError, Location, ModelNotLoaded


def load_tables(model: str) -> tuple[type[Table], ...]:
    """The tables of a model, in order of definition; raises ModelNotLoaded or DesignError with file and line."""
    place, _, name = model.partition(":")
    module = _import(place)
    tables = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Table) and value is not Table
    ]
    if name:
        tables = [table for table in tables if table.__name__ == name]
    else:
        tables = [table for table in tables if table.__module__ == module.__name__]
    if not tables:
        wanted = f"no table called {name}" if name else "no table"
        raise ModelNotLoaded(f"{place} holds {wanted}; a table is a class that derives from singletable.Table")
    return tuple(dict.fromkeys(tables))


def _import(place: str) -> ModuleType:
    path = Path(place)
    is_file = place.endswith(".py") or path.exists()
    if is_file and not path.is_file():
        raise ModelNotLoaded(f"{place}: there is no such file; MODEL is a Python file, or module:Table")
    try:
        sys.path.insert(0, str(path.parent.resolve()) if is_file else str(Path.cwd()))
        return _import_file(path) if is_file else importlib.import_module(place)
    except (DesignError, ModelNotLoaded):
        raise
    except SyntaxError as problem:
        where = Location(problem.filename or place, problem.lineno or 1)
        raise ModelNotLoaded(f"{where.full}: {problem.msg}") from problem
    except SystemExit as problem:
        raise ModelNotLoaded(f"{place}: the model ends the program ({problem}) while it is imported") from problem
    except Exception as problem:
        raise ModelNotLoaded(_message(problem, place)) from problem


def _import_file(path: Path) -> ModuleType:
    name = path.stem
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        raise ModelNotLoaded(f"{path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _message(problem: Exception, place: str) -> str:
    """What went wrong, at the innermost line of the user's own code."""
    frames = traceback.extract_tb(problem.__traceback__)
    own = [frame for frame in frames if "importlib" not in frame.filename and "singletable/" not in frame.filename]
    theirs = [frame for frame in own if "site-packages" not in frame.filename] or own
    if not theirs:
        return f"{place}: {type(problem).__name__}: {problem}"
    where = Location(theirs[-1].filename, theirs[-1].lineno or 1)
    return f"{where.full}: {type(problem).__name__}: {problem}"
