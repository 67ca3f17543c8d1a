"""The example systems: found beside the sources or inside the installed package, and imported when they are shown."""

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
    """What a module of an example holds as SCRIPT: a question to one table, with its rows and how its answer reads."""

    @property
    def model(self) -> type[Table]:
        """The table that is asked."""
        ...

    @property
    def rows(self) -> Iterable[Any]:
        """What is in it."""
        ...

    @property
    def ask(self) -> Callable[[Any], Any]:
        """Makes the calls and returns the answer."""
        ...

    @property
    def tell(self) -> Callable[[Any], None]:
        """Prints the answer."""
        ...


@dataclass(frozen=True)
class NamedScript:
    """A script, by the name of its module, with the sentence that its module opens with."""

    name: str
    title: str
    script: Script


@dataclass(frozen=True)
class System:
    """One example: its folder's name, the sentence that it opens with, and the names of its scripts in their order."""

    name: str
    title: str
    tour: tuple[str, ...]

    def scripts(self) -> tuple[NamedScript, ...]:
        """The scripts, imported; raises NeedsPackage where their models are made with a library that is missing."""
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
    """An example that cannot be shown before a package is installed."""

    def __init__(self, system: str, package: str) -> None:
        self.system = system
        self.package = package
        super().__init__(
            f"{system} declares its entities with {package}, which is not installed.\n"
            "  Install it with: pip install 'singletable[demo]'"
        )


def all_systems() -> tuple[System, ...]:
    """Every example, in the order in which one should read them; nothing of their models is imported yet."""
    examples = _examples()
    return tuple(_system(name) for name in examples.SYSTEMS)


def systems_named(names: Sequence[str]) -> tuple[System, ...]:
    """The examples of these names, or all of them; `shop.whole_order` is one with that script alone."""
    known = {system.name: system for system in all_systems()}
    chosen: dict[str, tuple[str, ...]] = {}
    for given in names:
        name, _, script = given.partition(".")
        if name not in known:
            raise ArgumentRefused(f"there is no example called {name!r}; the examples are {', '.join(known)}")
        tour = known[name].tour
        if script and script not in tour:
            raise ArgumentRefused(f"{name} has no script called {script!r}; its scripts are {', '.join(tour)}")
        chosen[name] = (*chosen.get(name, ()), *((script,) if script else tour))
    return tuple(replace(known[name], tour=tuple(dict.fromkeys(tour))) for name, tour in chosen.items()) or tuple(
        known.values()
    )


def model_argument(name: str) -> str:
    """An example's model as `singletable check` takes it: a module that is installed, or a file."""
    file = Path(_examples().__path__[0]) / name / "model.py"
    if _INSTALLED in file.parents:
        return f"{PACKAGE}.{name}.model"
    return (file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file).as_posix()


def first_sentence(module: ModuleType) -> str:
    """The sentence that a module's docstring opens with, on one line."""
    opening = " ".join((module.__doc__ or "").split("\n\n", 1)[0].split())
    found = _SENTENCE.match(opening)
    return found.group() if found else opening


def _system(name: str) -> System:
    module = importlib.import_module(f"{PACKAGE}.{name}")
    return System(name, first_sentence(module), tuple(getattr(module, "TOUR", ())))


def _examples() -> ModuleType:
    """The package of the examples: in a wheel it is a part of ours, in the repository it stands at the root."""
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
            f"the examples are neither installed nor at {folder}.\n"
            "  Install singletable anew: pip install --force-reinstall singletable"
        )
    module = importlib.util.module_from_spec(spec)
    sys.modules[PACKAGE] = module
    spec.loader.exec_module(module)
    return module
