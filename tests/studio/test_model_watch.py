from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from singletable.studio.model_watch import ModelProblem, ModelWatch, problems_of
from singletable.studio.workspace import Workspace
from tests.studio.opened_studio import studio, text_of, workspace

KEYS = '"""Key parts."""\n\nPREFIX = "NOTE#"\n'
MODEL = '''
from dataclasses import dataclass

from note_keys import PREFIX
from singletable import Table, entity, get, pattern


@entity(key=(PREFIX + "{id}",))
@dataclass
class Note:
    id: str
    text: str = ""


class Notes(Table, entities=[Note], keys=("PK",)):
    @pattern()
    def note(self, id: str) -> Note | None:
        """Get a note."""
        return get(Note)
'''


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "note_keys.py").write_text(KEYS)
    (tmp_path / "notes.py").write_text(MODEL)
    known, path, bytecode = set(sys.modules), list(sys.path), sys.dont_write_bytecode
    yield tmp_path
    for name in set(sys.modules) - known:
        if name in {"notes", "note_keys"}:
            del sys.modules[name]
    sys.path[:], sys.dont_write_bytecode = path, bytecode


def opened(folder: Path) -> Workspace:
    return workspace(str(folder / "notes.py"))


def rewrite(file: Path, text: str) -> None:
    file.write_text(text)


def template(space: Workspace) -> str:
    (note,) = space.watch.current.designs["Notes"].entities
    return str(note.base.partition[0])


def test_a_changed_model_is_loaded_again_and_the_data_stays(folder: Path) -> None:
    space = opened(folder)
    shown = studio(space)
    before = shown.ask("column", "Notes", place="table")["rows"]
    rewrite(folder / "notes.py", MODEL.replace('text: str = ""', 'text: str = ""\n    author: str = "me"'))
    space.watch.reload()
    assert space.watch.current.version == 2
    assert "author" in space.watch.current.designs["Notes"].entities[0].fields
    assert [row["id"] for row in shown.ask("column", "Notes", place="table")["rows"]] == [row["id"] for row in before]
    space.close()


def test_the_model_watch_follows_a_changed_import(folder: Path) -> None:
    space = opened(folder)
    rewrite(folder / "note_keys.py", KEYS.replace("NOTE#", "N#"))
    space.watch.reload()
    assert template(space) == "N#{id}"
    space.close()


def test_the_model_watch_shows_the_errors_of_a_broken_model_and_keeps_the_last_version(folder: Path) -> None:
    space = opened(folder)
    rewrite(folder / "notes.py", MODEL.replace("class Note:", "class Note"))
    space.watch.reload()
    (problem,) = space.watch.problems
    assert problem.file.endswith("notes.py")
    assert problem.line == 10
    text = text_of(studio(space).page("/Notes/overview"))
    assert "The model does not load" in text
    assert "notes.py:10" in text
    assert "NOTE#{id}" in text
    rewrite(folder / "notes.py", MODEL)
    space.watch.reload()
    assert space.watch.problems == ()
    space.close()


def test_the_model_watch_shows_the_errors_of_a_model_that_is_broken_at_the_start(folder: Path) -> None:
    rewrite(folder / "notes.py", MODEL.replace("{id}", "{ident}"))
    space = opened(folder)
    shown = studio(space)
    assert "notes.py" in text_of(shown.page("/"))
    assert "No table yet" in text_of(shown.page("/Notes/overview"))
    rewrite(folder / "notes.py", MODEL)
    space.watch.reload()
    assert space.table_names == ("Notes",)
    space.close()


def test_a_store_in_memory_builds_an_index_that_the_model_adds(folder: Path) -> None:
    space = opened(folder)
    shown = studio(space)
    before = shown.ask("column", "Notes", place="table")["rows"]
    added = '@entity(key=(PREFIX + "{id}",), gsi1=("TEXT#{text}", "{id}"))'
    rewrite(folder / "notes.py", MODEL.replace('@entity(key=(PREFIX + "{id}",))', added))
    space.watch.reload()
    assert [row["id"] for row in shown.ask("column", "Notes", place="table")["rows"]] == [row["id"] for row in before]
    assert len(shown.ask("column", "Notes", place="GSI1")["rows"]) == len(before) > 0
    rewrite(folder / "notes.py", MODEL.replace('"{id}"', '"MORE#{id}"'))
    space.watch.reload()
    keys = [row["id"] for row in shown.ask("column", "Notes", place="table")["rows"]]
    assert len(keys) == len(before)
    assert all("NOTE#MORE#" in key for key in keys)
    space.close()


def test_the_model_watch_reports_an_accepted_finding_that_does_not_exist(folder: Path) -> None:
    rewrite(folder / "notes.py", MODEL.replace("@pattern()", '@pattern(accept={"ST999": "no such finding"})'))
    space = opened(folder)
    assert "ST999" in space.watch.problems[0].message
    assert "ST999" in text_of(studio(space).page("/"))
    space.close()


def test_the_model_watch_shows_patterns_and_findings_of_a_model_without_keys(folder: Path) -> None:
    rewrite(folder / "notes.py", MODEL.replace('@entity(key=(PREFIX + "{id}",))', "@entity()"))
    space = opened(folder)
    shown = studio(space)
    text = text_of(shown.page("/Notes/overview"))
    assert "ST004" in text
    assert "Note has no key yet" in text
    assert "not supported" in text_of(shown.page("/Notes/patterns/note"))
    assert "error" in shown.ask("column", "Notes", place="table")
    shown.page("/Notes/collections")
    space.close()


def test_the_model_watch_stops_an_endless_model(folder: Path) -> None:
    space = opened(folder)
    rewrite(folder / "notes.py", MODEL + "\nwhile True:\n    pass\n")
    space.watch._seconds_max = 0.8
    space.watch.reload()
    assert "does not load within 0.8 seconds" in space.watch.problems[0].message
    assert space.watch.current.version == 1
    space.close()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no interval timers")
def test_the_model_watch_shows_the_line_of_a_model_that_is_endless_at_the_start(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(cast(dict[str, object], ModelWatch.__init__.__kwdefaults__), "seconds_max", 0.8)
    rewrite(folder / "notes.py", MODEL + "\nwhile True:\n    pass\n")
    space = opened(folder)
    (problem,) = space.watch.problems
    assert "the model does not load within 0.8 seconds" in problem.message
    assert (Path(problem.file).name, problem.line >= len(MODEL.splitlines())) == ("notes.py", True)
    space.watch._seconds_max = 60.0
    rewrite(folder / "notes.py", MODEL)
    space.watch.reload()
    assert space.table_names == ("Notes",)
    space.close()


def test_the_thread_of_the_model_watch_follows_the_file(folder: Path) -> None:
    space = opened(folder)
    space.watch.start()
    rewrite(folder / "note_keys.py", KEYS.replace("NOTE#", "THREAD#"))
    until = time.monotonic() + 30
    while space.watch.current.version == 1 and time.monotonic() < until:
        time.sleep(0.05)
    space.watch.stop()
    assert template(space) == "THREAD#{id}"
    space.close()


def test_every_problem_of_the_model_watch_has_its_place_and_remedy() -> None:
    text = "a.py:3: one\n  do this\n  or that\nb/c.py:7: two: three\nfour"
    assert list(problems_of(text)) == [
        ModelProblem("one", "a.py", 3, "do this\nor that"),
        ModelProblem("two: three", "b/c.py", 7),
        ModelProblem("four"),
    ]
    assert list(problems_of("")) != []


def test_the_model_watch_ignores_a_model_without_files() -> None:
    watch = ModelWatch(lambda: ())
    watch.load_first()
    watch.start()
    assert watch.current.version == 1
