"""Model watch: loads the tables of a model again when its files change, and keeps the last version that loads.

A changed model is first loaded in a child process with a timeout. So an endless loop or a crash in the user's code does
not stop the studio.
"""

from __future__ import annotations

import importlib
import linecache
import re
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread, current_thread, main_thread
from types import ModuleType

from singletable.errors import SingletableError
from singletable.model.design import Design
from singletable.verify.design_check import reject_unknown_codes

LoadDesigns = Callable[[], Sequence[Design]]
CHECK_SECONDS = 0.4
LOAD_SECONDS_MAX = 10.0
_PACKAGE = Path(__file__).resolve().parents[1]
_PLACE = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+): (?P<message>.*)$")


@dataclass(frozen=True)
class ModelProblem:
    """One error in a model, with its file and line if they are known."""

    message: str
    file: str = ""
    line: int = 0
    remedy: str = ""

    @property
    def place(self) -> str:
        """The text `path:line`."""
        return f"{self.file}:{self.line}" if self.file else ""


@dataclass(frozen=True)
class LoadedModel:
    """A version of the model that could be loaded, with its designs by table name."""

    version: int = 0
    designs: Mapping[str, Design] = field(default_factory=dict)
    loaded_at: datetime | None = None


class ModelWatch:
    """Keeps the current version of a model and the problems of its files."""

    def __init__(self, load: LoadDesigns, probe: Sequence[str] = (), *, seconds_max: float = LOAD_SECONDS_MAX) -> None:
        """Store the settings.

        `probe` is a command that loads the model in a child process; if it fails, its messages are on standard error.
        """
        self._load, self._probe, self._seconds_max = load, tuple(probe), seconds_max
        self.current = LoadedModel()
        self.problems: tuple[ModelProblem, ...] = ()
        self.changes = 0
        """The number of loads, successful or not. The pages compare it to notice changes."""
        self._modules: dict[str, ModuleType] = {}
        self._times: dict[Path, int] = {}
        self._stopped = Event()

    @property
    def follows_files(self) -> bool:
        """Whether the model comes from files that may change."""
        return bool(self._probe)

    def load_first(self) -> None:
        """Load the model; its problems are reported on the pages."""
        # Python compares only seconds and sizes of cached bytecode. After a quick edit, it would load the old version.
        sys.dont_write_bytecode = True
        with _time_limit(self._seconds_max):
            self._replace()

    def start(self) -> None:
        """Watch the files of the model in a thread."""
        if self._probe:
            Thread(target=self._watch, name="model watch", daemon=True).start()

    def stop(self) -> None:
        """Stop watching."""
        self._stopped.set()

    def _watch(self) -> None:
        while not self._stopped.wait(CHECK_SECONDS):
            if self._changed_times() != self._times:
                self.reload()

    def reload(self) -> None:
        """Load the model again, if it loads in a child process."""
        self._times = self._changed_times()
        problems = self._probe_problems()
        if problems:
            self.problems = problems
            self.changes += 1
        else:
            self._replace()

    def _probe_problems(self) -> tuple[ModelProblem, ...]:
        try:
            probed = subprocess.run(  # noqa: S603  # our own command line, with the model that the user named
                self._probe, capture_output=True, text=True, timeout=self._seconds_max, check=False
            )
        except subprocess.TimeoutExpired:
            return (ModelProblem(f"The model does not load within {self._seconds_max:g} seconds.", remedy=_ENDLESS),)
        return tuple(problems_of(probed.stderr)) if probed.returncode not in (0, 1) else ()

    def _replace(self) -> None:
        """Load the model in this process. After an error, keep the current version and its modules."""
        kept = {name: sys.modules.pop(name) for name in self._modules if name in sys.modules}
        known = set(sys.modules)
        importlib.invalidate_caches()
        linecache.checkcache()
        try:
            designs = self._load()
            for design in designs:
                reject_unknown_codes(design)
        except SingletableError as problem:
            found = {name: sys.modules[name] for name in set(sys.modules) - known}
            self._follow(found | kept, problem)
            sys.modules.update(kept)
            self.problems = tuple(problems_of(str(problem)))
        else:
            self._follow({name: sys.modules[name] for name in set(sys.modules) - known}, None)
            version = self.current.version + 1
            self.current = LoadedModel(version, {each.name: each for each in designs}, datetime.now(UTC))
            self.problems = ()
        self.changes += 1

    def _follow(self, modules: Mapping[str, ModuleType], problem: SingletableError | None) -> None:
        """Watch the files of the model and of its local imports."""
        self._modules = {name: module for name, module in modules.items() if _local_file(module) is not None}
        files = {file for module in self._modules.values() if (file := _local_file(module)) is not None}
        if problem is not None:
            named = (Path(each.file).resolve() for each in problems_of(str(problem)) if each.file)
            files |= {file for file in named if file.is_file()}
        self._times = {file: _time_of(file) for file in files}

    def _changed_times(self) -> dict[Path, int]:
        return {file: _time_of(file) for file in self._times}


@contextmanager
def _time_limit(seconds: float) -> Generator[None, None, None]:
    """Raise TimeoutError in the block after some seconds, so that a loop in a model does not stop the studio.

    The first load has no child process, because that takes twice as long. Only the main thread has signals.
    """
    if not hasattr(signal, "setitimer") or current_thread() is not main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise TimeoutError(f"the model does not load within {seconds:g} seconds. {_ENDLESS}")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


_ENDLESS = "Look for a loop, a network call or an input() that runs during the import; then save the file."


def problems_of(text: str) -> Iterator[ModelProblem]:
    """Yield the problems in an error message.

    Each is a line with a file and line number, followed by indented remedies.
    """
    found: list[ModelProblem] = []
    for line in text.strip().splitlines():
        place = _PLACE.match(line)
        if place is not None:
            found.append(ModelProblem(place["message"], place["file"], int(place["line"])))
        elif found and line.startswith(" "):
            last = found.pop()
            remedy = f"{last.remedy}\n{line.strip()}".strip()
            found.append(ModelProblem(last.message, last.file, last.line, remedy))
        elif line.strip():
            found.append(ModelProblem(line.strip()))
    yield from found or [ModelProblem("The model does not load, and Python reported no reason.")]


def _local_file(module: ModuleType) -> Path | None:
    """Return the source file of a module of the user. Return None for libraries and for this package."""
    name = getattr(module, "__file__", None)
    if not name or not name.endswith(".py"):
        return None
    file = Path(name).resolve()
    libraries = [Path(sysconfig.get_path(each)).resolve() for each in ("stdlib", "purelib", "platlib")]
    is_library = any(file.is_relative_to(each) for each in (_PACKAGE, *libraries))
    return None if is_library or "site-packages" in file.parts else file


def _time_of(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:  # an editor may be replacing the file at this moment
        return 0
