from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.program import ROOT
from tests.studio.opened_studio import COMMERCE, Studio, store_of, studio, text_of, view_of, workspace

MODEL = '''
from dataclasses import dataclass

from singletable import Table, entity, get, pattern


@entity(key=("MEMO#{id}",))
@dataclass
class Memo:
    id: str
    text: str = ""


class Memos(Table, entities=[Memo], keys=("PK",)):
    @pattern()
    def memo(self, id: str) -> Memo | None:
        """Get a memo."""
        return get(Memo)
'''


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    found = studio(workspace(COMMERCE, store_of(tmp_path_factory.mktemp("store"))))
    yield found
    found.space.close()


def test_the_model_page_has_worksheet_keys_matrix_and_findings(shown: Studio) -> None:
    text = text_of(shown.page("/Commerce/design"))
    assert "recent_orders needs" not in text
    assert "Worksheet # access pattern entry entity" in text
    assert "USER#{user_id}#{status}" in text
    assert "ST122 one partition for a growing list accepted" in text
    assert "orders_in_status needs equality on status" in text.replace("  ", " ")


def test_the_design_page_computes_the_cost_at_the_chosen_rates(shown: Studio) -> None:
    declared = text_of(shown.page("/Commerce/design/traffic"))
    assert "≈$648.79 a month on demand" in declared
    assert "≈$6,487.88 a month on demand" in text_of(shown.page("/Commerce/design/traffic?times=10"))
    only = "&".join(f"r.{each.name}=0" for each in view_of(shown.space).design.patterns)
    nothing = text_of(shown.page(f"/Commerce/design/traffic?{only}"))
    assert "≈$0.00 a month on demand" in nothing
    profile = text_of(shown.page(f"/Commerce/design/traffic?{only}&r.profile=2000"))
    assert "1,000 RRU 0 WRU" in profile or "1,000 RRU and 0 WRU" in profile
    assert "throttled" in text_of(shown.page("/Commerce/design/traffic?times=100"))


@pytest.mark.parametrize("query", ["times=many", "times=-1", "r.profile=1e99", "times=nan"])
def test_design_pages_report_an_invalid_rate(shown: Studio, query: str) -> None:
    assert "must be a number from 0 to" in text_of(shown.page(f"/Commerce/design/traffic?{query}"))


def test_the_design_page_compares_measured_units_with_the_estimates(shown: Studio) -> None:
    text = text_of(shown.ask("measure")["html"])
    assert "profile 1 ≈0.5 RRU 0.5 RRU \N{MULTIPLICATION SIGN}1" in text
    assert "orders_placed 1 ≈5 RRU 0.5 RRU \N{MULTIPLICATION SIGN}0.1" in text
    shown.ask("run", pattern="profile", values={"id": "42"})
    assert "profile 2 ≈0.5 RRU 0.5 RRU \N{MULTIPLICATION SIGN}1" in text_of(shown.page("/Commerce/design/traffic"))


def test_the_key_choice_page_explains_the_fewest_indexes_and_compares_declared_keys(shown: Studio) -> None:
    text = text_of(shown.page("/Commerce/design/keys"))
    assert "Fewest indexes for these patterns: 2 GSIs (proved minimal: Order needs 3 keys" in text
    assert "The declared keys use 2 indexes" in text
    assert "No two of these reads of Order can share a key" in text
    assert "<details><summary>Alternatives</summary>" in shown.page("/Commerce/design/keys")


def test_the_key_choice_page_says_why_a_table_has_none(tmp_path: Path) -> None:
    model = tmp_path / "memos.py"
    model.write_text(MODEL)
    found = studio(workspace(str(model)))
    text = text_of(found.page("/Memos/design/keys"))
    assert "Memos: chosen keys need a table with a partition key and a sort key" in text
    found.space.close()


def test_the_key_choice_page_names_a_member_of_a_collection_that_nothing_identifies(tmp_path: Path) -> None:
    model = tmp_path / "hotels.py"
    text = (ROOT / "tests/design/workloads/hotel_reviews.py").read_text(encoding="utf-8")
    model.write_text(text.replace('identity=("hotel_id", "number"), ', ""), encoding="utf-8")
    found = studio(workspace(str(model)))
    text = text_of(found.page("/HotelReviews/design/keys"))
    assert "Room: no declaration says which fields identify an item" in text
    assert 'Add identity=("...",) to @entity' in text
    found.space.close()


def committed_model(folder: Path) -> Path:
    """Return the file of the model, which the first commit of a git repository contains."""
    model = folder / "memos.py"
    model.write_text(MODEL)
    for arguments in (["init"], ["add", "."], ["commit", "-m", "first"]):
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *arguments]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return model


def test_the_design_page_shows_changes_since_a_git_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = committed_model(tmp_path)
    model.write_text(MODEL.replace('text: str = ""', 'text: str = ""\n    stars: int = 0'))
    monkeypatch.chdir(tmp_path)
    found = studio(workspace(str(model)))
    text = text_of(found.page("/Memos/design/changes?against=HEAD"))
    assert "1 change since HEAD" in text
    assert "field added" in text
    assert "git has no revision 'nothing'; write HEAD" in text_of(found.page("/Memos/design/changes?against=nothing"))
    for revision in ("--output=x", "HEAD:memos.py", "nothing", "../memos.py", "<script>"):
        page = found.client.get("/Memos/design/changes", params={"against": revision}).text
        assert "The designs cannot be compared" in page
        assert "<script>" not in page
    found.space.close()


def test_the_design_page_reports_a_change_that_no_migration_can_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = committed_model(tmp_path)
    model.write_text(MODEL.replace("    id: str\n    text", "    id: str\n    stars: int\n    text"))
    monkeypatch.chdir(tmp_path)
    found = studio(workspace(str(model)))
    text = text_of(found.page("/Memos/design/changes?against=HEAD"))
    assert "1 change is not supported: change the model as the table says" in text
    assert "singletable migrate make" not in text
    assert "During the migration" not in text
    found.space.close()


def test_the_design_page_shows_the_phase_and_progress_of_an_open_migration(tmp_path: Path) -> None:
    from singletable.client.design_state import DesignState
    from singletable.client.request_steps import run
    from singletable.evolve.phases import Phase
    from singletable.migrations.control_items import Progress, control_items

    found = studio(workspace(COMMERCE, store_of(tmp_path)))
    view = view_of(found.space)
    assert "No migration has run on this table" in text_of(found.page("/Commerce/design/changes"))
    opened = view.opened()
    control = control_items(view.design, opened.reader.name)
    state = DesignState("abc", ("0001_first:x",), "0002_second", "def", Phase.BACKFILL)
    run(control.create(state), opened.session)
    run(control.put_progress(Progress("0002_second", "backfill", (None, {"a": {"S": "b"}}), 12, 5), 0), opened.session)
    text = text_of(found.ask("migration")["html"])
    assert "0002_second is open" in text
    assert "60%" in text
    assert "12 of about 20 items read, 5 written in this phase; 1 of 2 segments finished" in text
    assert "0001_first applied" in text
    found.space.close()


def test_the_design_page_reads_nothing_on_dynamodb_before_a_click() -> None:
    found = studio(workspace(COMMERCE, "dynamodb://eu-west-1"))
    for part in ("model", "traffic", "changes"):
        found.page(f"/Commerce/design/{part}")
    assert "costs money" in found.ask("measure")["error"]
    assert found.space.store.total.cost.requests == 0


def test_design_pages_have_no_page_for_an_unknown_part(shown: Studio) -> None:
    assert "does not exist" in shown.page("/Commerce/design/nothing", 404)
