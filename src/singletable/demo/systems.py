"""Finds the example systems in the repository or in the installed package, and imports them on demand."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from singletable.client.table import Table
from singletable.errors import ArgumentRefused, ModelNotLoaded

PACKAGE = "singletable.examples"
_INSTALLED = Path(__file__).resolve().parents[1]
_SENTENCE = re.compile(r".+?[.!?](?=\s|$)")


class Script(Protocol):
    """The SCRIPT of an example module: calls to one table, the rows in the table, and how to print the result."""

    @property
    def model(self) -> type[Table]:
        """The table class."""
        ...

    @property
    def rows(self) -> Iterable[Any]:
        """The rows in the table."""
        ...

    @property
    def execute(self) -> Callable[[Any], Any]:
        """The function that makes the calls and returns the result."""
        ...

    @property
    def show(self) -> Callable[[Any], None]:
        """The function that prints the result."""
        ...


@dataclass(frozen=True)
class NamedScript:
    """A script with the name of its module and the first sentence of the module's docstring."""

    name: str
    title: str
    script: Script


@dataclass(frozen=True)
class System:
    """One example: its folder name, the first sentence of its docstring, and its scripts in order."""

    name: str
    title: str
    tour: tuple[str, ...]

    def scripts(self) -> tuple[NamedScript, ...]:
        """Import and return the scripts; raise NeedsPackage if a library that their models use is missing."""
        return tuple(self._script(name) for name in self.tour)

    def _script(self, name: str) -> NamedScript:
        module_name = f"{PACKAGE}.{self.name}.{name}"
        try:
            module = importlib.import_module(module_name)
        except ModuleNotFoundError as problem:
            if problem.name is None or problem.name.startswith(PACKAGE):
                raise
            raise NeedsPackage(self.name, problem.name) from problem
        return NamedScript(name, first_sentence(module), module.SCRIPT)


class NeedsPackage(ModelNotLoaded):
    """An example or a walkthrough needs a package that is not installed."""

    def __init__(
        self, name: str, package: str, *, use: str = "declares its entities with", extra: str = "demo"
    ) -> None:
        self.name = name
        self.package = package
        super().__init__(
            f"{name} {use} {package}, which is not installed.\n  Install it with: pip install 'singletable[{extra}]'"
        )


def all_systems() -> tuple[System, ...]:
    """Return every example in reading order, without importing the models."""
    examples = examples_package()
    return tuple(_system(name) for name in examples.SYSTEMS)


def systems_named(names: Sequence[str]) -> tuple[System, ...]:
    """Return the examples with these names, or all examples. `shop.whole_order` selects a single script."""
    known = {system.name: system for system in all_systems()}
    chosen: dict[str, tuple[str, ...]] = {}
    for given in names:
        name, _, script = given.partition(".")
        if name not in known:
            raise ArgumentRefused(
                f"unknown example {name!r}; the examples are {', '.join(known)}, and the walkthroughs are "
                f"{', '.join(examples_package().WALKTHROUGHS)}"
            )
        tour = known[name].tour
        if script and script not in tour:
            raise ArgumentRefused(f"{name} has no script {script!r}; its scripts are {', '.join(tour)}")
        chosen[name] = (*chosen.get(name, ()), *((script,) if script else tour))
    return tuple(replace(known[name], tour=tuple(dict.fromkeys(tour))) for name, tour in chosen.items()) or tuple(
        known.values()
    )


def model_argument(name: str) -> str:
    """Return the model of an example as a MODEL argument: an installed module, or a file."""
    file = Path(examples_package().__path__[0]) / name / "model.py"
    if _INSTALLED in file.parents:
        return f"{PACKAGE}.{name}.model"
    return (file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file).as_posix()


def first_sentence(module: ModuleType) -> str:
    """Return the first sentence of a module's docstring, on one line."""
    opening = " ".join((module.__doc__ or "").split("\n\n", 1)[0].split())
    found = _SENTENCE.match(opening)
    return found.group() if found else opening


def _system(name: str) -> System:
    module = importlib.import_module(f"{PACKAGE}.{name}")
    return System(name, first_sentence(module), tuple(getattr(module, "TOUR", ())))


def examples_package() -> ModuleType:
    """Return the package of the examples: a subpackage in a wheel, the folder `examples` in the repository."""
    known = sys.modules.get(PACKAGE)
    if known is not None:
        return known
    if importlib.util.find_spec(PACKAGE) is not None:
        return importlib.import_module(PACKAGE)
    folder = _INSTALLED.parents[1] / "examples"
    opening = folder / "__init__.py"
    spec = importlib.util.spec_from_file_location(PACKAGE, opening, submodule_search_locations=[str(folder)])
    if not opening.is_file() or spec is None or spec.loader is None:
        raise ModelNotLoaded(
            f"The examples are neither installed nor in {folder}.\n"
            "  Reinstall singletable: pip install --force-reinstall singletable"
        )
    module = importlib.util.module_from_spec(spec)
    sys.modules[PACKAGE] = module
    spec.loader.exec_module(module)
    return module
