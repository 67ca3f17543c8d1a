"""Loads the tables of a MODEL argument: `module:Table`, `module`, `path/model.py` or `path/model.py:Table`."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
import sysconfig
import traceback
from keyword import iskeyword
from pathlib import Path
from types import ModuleType

from singletable.cli.edited_sources import edited_loader
from singletable.client.table import Table
from singletable.errors import DesignError, Location, ModelNotLoaded, without_secrets

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")  # not a drive letter
_PACKAGE = Path(__file__).resolve().parents[1]


def load_tables(model: str) -> tuple[type[Table], ...]:
    """Return the tables of a model in definition order; raises ModelNotLoaded or DesignError with file and line."""
    if _URL.match(model):
        raise ModelNotLoaded(f"{without_secrets(model)} is a URL; MODEL is a Python file or module:Table")
    place, _, name = model.partition(":")
    module = load_module(place)
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
        missing = f"no table {name}" if name else "no table"
        raise ModelNotLoaded(f"{place} contains {missing}; a table is a subclass of singletable.Table")
    return tuple(dict.fromkeys(tables))


def load_table(model: str) -> type[Table]:
    """Return the only table of a model; raise ModelNotLoaded if there are several."""
    table, *others = load_tables(model)
    if others:
        names = ", ".join(each.__name__ for each in (table, *others))
        raise ModelNotLoaded(f"{model} contains {names}; select one table with {model}:{table.__name__}")
    return table


def load_module(place: str) -> ModuleType:
    """Import a file or a dotted name. Raise ModelNotLoaded or DesignError with file and line."""
    path = Path(place)
    is_file = place.endswith(".py") or path.is_file()
    if not place or (is_file and not path.is_file()):
        raise ModelNotLoaded(f"{place}: no such file; MODEL is a Python file or module:Table")
    try:
        sys.path.insert(0, str(path.parent.resolve()) if is_file else str(Path.cwd()))
        return _import_file(path) if is_file else importlib.import_module(place)
    except (DesignError, ModelNotLoaded):
        raise
    except SyntaxError as problem:
        where = Location(problem.filename or place, problem.lineno or 1)
        raise ModelNotLoaded(f"{where.full}: {problem.msg}") from problem
    except SystemExit as problem:
        what = f"the model calls sys.exit({problem}) when it is imported"
        raise ModelNotLoaded(f"{_where(problem, place)}: {what}") from problem
    except ModuleNotFoundError as problem:
        if not is_file and f"{place}.".startswith(f"{problem.name}."):
            found = "is a folder" if path.is_dir() else "no such file or module"
            what = f"{found}; MODEL is a Python file or module:Table"
            raise ModelNotLoaded(f"{place}: {what}") from problem
        raise ModelNotLoaded(_message(problem, place)) from problem
    except Exception as problem:
        raise ModelNotLoaded(_message(problem, place)) from problem


def _import_file(path: Path) -> ModuleType:
    if (path.resolve().parent / "__init__.py").is_file():
        return _import_from_package(path.resolve())
    name = path.stem if path.stem not in sys.modules else f"{path.stem}_model"
    file = str(path.resolve())
    spec = importlib.util.spec_from_file_location(name, file, loader=edited_loader(name, file))
    if spec is None or spec.loader is None:
        raise ModelNotLoaded(f"{path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _import_from_package(path: Path) -> ModuleType:
    """Import a file of a package under its full name, so that its relative imports work."""
    name, folder = _in_package(path)
    sys.path.insert(0, str(folder))
    module = importlib.import_module(name)
    if module.__file__ is None or Path(module.__file__).resolve() != path:
        raise ModelNotLoaded(f"{path}: another module named {name} is already imported from {module.__file__}")
    return module


def _in_package(path: Path) -> tuple[str, Path]:
    """Return the full module name of a file in a package, and the folder that contains the package."""
    names, folder = [path.stem], path.parent
    while (folder / "__init__.py").is_file():
        names.insert(0, folder.name)
        folder = folder.parent
    return ".".join(names), folder


def importable_name(place: str) -> str:
    """Return the module name under which generated code imports a file or a dotted name."""
    path = Path(place)
    name = _in_package(path.resolve())[0] if place.endswith(".py") or path.is_file() else place
    if not all(each.isidentifier() and not iskeyword(each) for each in name.split(".")):
        raise ModelNotLoaded(f"{place}: {name} is not a valid module name, so a model cannot import it")
    return name


def _message(problem: Exception, place: str) -> str:
    """Return the error with the innermost line of the user's code."""
    return f"{_where(problem, place)}: {type(problem).__name__}: {problem}"


def _where(problem: BaseException, place: str) -> str:
    frames = traceback.extract_tb(problem.__traceback__)
    libraries = tuple(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    outside = [frame for frame in frames if not frame.filename.startswith(("<", str(_PACKAGE)))]
    users = [frame for frame in outside if not frame.filename.startswith(libraries)]
    users = users or [frame for frame in outside if Path(frame.filename).parent.name != "importlib"]
    return Location(users[-1].filename, users[-1].lineno or 1).full if users else place
