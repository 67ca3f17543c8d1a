"""`singletable heat`: its output, chart and exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from singletable.cli.main import main

EVENTS = "tests/heat/models.py:Events"
PAGES = "tests/heat/models.py:Pages"


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])


def _json(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    main(["heat", *arguments, "--json"])
    return json.loads(capsys.readouterr().out)["tables"]


def test_the_heat_command_names_the_hot_event_type_and_its_shards(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["heat", EVENTS, "--times", "1,10"]) == 0
    printed = capsys.readouterr().out
    assert '"EVTTYPE#{kind}" of GSI1, for the most frequent kind' in printed
    assert "throttled 71.5%" in printed
    assert 'shard("id", of=6)' in printed
    assert "simulated result: served; at today's traffic $" in printed


def test_the_heat_command_exits_with_1_for_traffic_that_is_throttled_today(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["heat", PAGES]) == 1
    assert "cache the item, or store copies of it" in capsys.readouterr().out


def test_the_heat_command_json_has_every_simulation_and_advice(capsys: pytest.CaptureFixture[str]) -> None:
    (told,) = _json(capsys, EVENTS, "--times", "10,100")
    hottest = told["partitions"][0]
    assert (hottest["index"], hottest["partition"], hottest["hot_fields"]) == ("GSI1", "EVTTYPE#{kind}", ["kind"])
    assert [course["times"] for course in hottest["simulations"]] == [10, 100]
    assert [advice["throttled"] for advice in hottest["advice"]] == [0, 0]
    assert {place["place"] for place in told["places"]} == {"table", "GSI1"}


def test_the_heat_command_shows_less_throttling_for_slow_growth(capsys: pytest.CaptureFixture[str]) -> None:
    at_once, slowly = (_json(capsys, EVENTS, "--times", "10", "--over", over)[0] for over in ("0", "60"))
    assert slowly["places"][0]["simulations"][0]["throttled"] < at_once["places"][0]["simulations"][0]["throttled"]


@pytest.mark.slow
def test_the_heat_command_draws_a_picture_for_each_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["heat", EVENTS, "--picture", str(tmp_path / "output path must end in .svg")])
    assert ElementTree.parse(tmp_path / "output path must end in .svg").getroot().tag.endswith("svg")
    main(["heat", "tests/heat/models.py", "--picture", str(tmp_path / "all.svg")])
    assert {path.name for path in tmp_path.glob("all-*.svg")} >= {"all-Events.svg", "all-Pages.svg"}


def test_the_heat_command_needs_a_simulation_that_outlasts_the_growth(capsys: pytest.CaptureFixture[str]) -> None:
    (told,) = _json(capsys, EVENTS, "--times", "1000", "--over", "1000")
    assert told["partitions"][0]["simulations"][0]["throttled"] > 0.5
    for minutes in ("0", "59", "60"):
        assert main(["heat", EVENTS, "--over", "60", "--minutes", minutes]) == 2
        assert f"--minutes {minutes} must be longer than --over 60" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [["--times", "many"], ["--times", "0"], ["--over", "-1"], ["--minutes", "x"]])
def test_the_heat_command_rejects_invalid_numbers(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["heat", EVENTS, *wrong])
    assert stopped.value.code == 2
    assert "Traceback" not in capsys.readouterr().err


def test_the_heat_command_rejects_a_region_without_prices(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["heat", EVENTS, "--region", "moon-1"]) == 2
    assert "moon-1" in capsys.readouterr().err


def test_the_heat_command_names_the_missing_options_of_a_model_without_rates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "quiet_model.py"
    model.write_text(
        "from dataclasses import dataclass\n"
        "from singletable import Table, entity, get, pattern\n\n\n"
        '@entity(key=("A#{id}", "META"))\n@dataclass\nclass Thing:\n    id: str\n\n\n'
        "class Quiet(Table, entities=[Thing]):\n    @pattern()\n    def thing(self, id: str) -> Thing | None:\n"
        '        """Get a thing."""\n        return get(Thing)\n'
    )
    assert main(["heat", str(model)]) == 0
    assert "no pattern declares rate= or frequency=" in capsys.readouterr().out


def test_the_heat_command_prints_amounts_without_exponent_and_shares_as_percentages(
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(["heat", "tests/heat/models.py", "--times", "1,1000"])
    printed = capsys.readouterr().out
    assert "e+0" not in printed
    assert "e-0" not in printed
    assert "report: 350 write units per second, 70% of its traffic" in printed
    assert "by_signup: 115 read units per second, 100% of its traffic" in printed


def test_the_heat_command_prints_a_line_for_every_assumption(capsys: pytest.CaptureFixture[str]) -> None:
    main(["heat", "examples/shop/model.py", "--times", "1"])
    lines = capsys.readouterr().out.split("Assumptions\n")[1].splitlines()
    assert "  ≈ the traffic over Customer.id: uniform over 10,000 values" in lines
    assert "  ≈ the size of Customer" in lines


def test_the_heat_command_needs_a_picture_path_that_ends_in_svg(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["heat", EVENTS, "--picture", str(tmp_path / "heat.png")])
    assert stopped.value.code == 2
    assert "output path must end in .svg" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_heat_command_prices_shards_with_custom_prices(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known = Path("src/singletable/cost/prices/us-east-1.json")
    prices = json.loads(known.read_text(encoding="utf-8"))
    prices["classes"]["standard"]["million_write_units"] *= 2
    own = tmp_path / "own.json"
    own.write_text(json.dumps(prices), encoding="utf-8")
    usual, doubled = (_json(capsys, EVENTS, "--times", "10", *given)[0] for given in ([], ["--prices", str(own)]))
    before = [told["partitions"][0]["advice"][0]["dollars_before"] for told in (usual, doubled)]
    assert before[1] == pytest.approx(2 * before[0], rel=0.01)
    assert main(["heat", EVENTS, "--prices", str(tmp_path / "none.json")]) == 2
    assert "No such file" in capsys.readouterr().err


def test_the_heat_command_names_a_pattern_that_no_request_serves(capsys: pytest.CaptureFixture[str]) -> None:
    refused = "examples/shop/seventh_pattern.py:ShopWithoutIndex"
    main(["heat", refused])
    assert "Not counted, because no request serves them: " in capsys.readouterr().out
    assert _json(capsys, refused)[0]["unserved"]


def test_the_heat_command_reports_a_call_larger_than_a_second_of_capacity(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["heat", "tests/heat/models.py:Ledgers", "--times", "1"]) == 1
    assert (
        "one call of whole_ledger needs 4,901 read units, and a partition serves 3,000 per second: "
        "it takes at least 2 seconds and throttles other requests to the partition; add a limit to make it smaller"
    ) in capsys.readouterr().out
    (told,) = _json(capsys, "tests/heat/models.py:Ledgers", "--times", "1")
    calls = {each["pattern"]: each["reads_of_one_call"] for each in told["partitions"][0]["patterns"]}
    assert calls["entry"] == 0.5
    assert calls["whole_ledger"] > 3_000


def test_the_heat_command_marks_only_figures_based_on_assumptions(capsys: pytest.CaptureFixture[str]) -> None:
    main(["heat", "examples/guide/model.py:Guide", "--times", "10"])
    assert "GSI1   ≈2.45     ≈350      throttled ≈71.5%" in capsys.readouterr().out
    main(["heat", EVENTS, "--times", "10"])
    printed = capsys.readouterr().out
    assert "≈" not in printed
    (told,) = _json(capsys, "examples/guide/model.py:Guide", "--times", "10")
    assert told["partitions"][0]["guessed"]
    (told,) = _json(capsys, EVENTS, "--times", "10")
    assert not any(each["guessed"] for each in (*told["partitions"], *told["places"]))


def test_the_heat_command_gives_advice_for_a_throttled_table(capsys: pytest.CaptureFixture[str]) -> None:
    main(["heat", EVENTS, "--times", "1"])
    assert "warm throughput" not in capsys.readouterr().out
    main(["heat", EVENTS, "--times", "100"])
    assert "Increase traffic slowly (--over 60), or raise the warm throughput" in capsys.readouterr().out
    main(["heat", EVENTS, "--times", "100", "--provisioned"])
    assert "Raise the provisioned capacity before traffic grows" in capsys.readouterr().out


def test_the_heat_command_gives_no_limit_advice_for_reads_that_find_copies(capsys: pytest.CaptureFixture[str]) -> None:
    main(["heat", "tests/heat/models.py:Encyclopedia", "--times", "1"])
    printed = capsys.readouterr().out
    assert '"AUTHOR#{author}" of GSI1' in printed
    assert "one call of rename needs 18,312 read units" in printed
    assert "add a limit to make it smaller" not in printed
