"""`singletable heat`: what it prints, draws and answers with."""

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


def test_it_names_the_hot_event_type_and_the_shards_that_carry_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["heat", EVENTS, "--times", "1,10"]) == 0
    printed = capsys.readouterr().out
    assert '"EVTTYPE#{kind}" of GSI1, for the most frequent kind' in printed
    assert "throttled 71.5%" in printed
    assert 'shard("id", of=6)' in printed
    assert "simulated with it: served; at today's rates $" in printed


def test_traffic_that_is_too_much_today_is_an_exit_code_of_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["heat", PAGES]) == 1
    assert "cache it, or keep copies of it" in capsys.readouterr().out


def test_the_document_has_every_course_and_advice(capsys: pytest.CaptureFixture[str]) -> None:
    (told,) = _json(capsys, EVENTS, "--times", "10,100")
    hottest = told["partitions"][0]
    assert (hottest["index"], hottest["partition"], hottest["hot_fields"]) == ("GSI1", "EVTTYPE#{kind}", ["kind"])
    assert [course["times"] for course in hottest["courses"]] == [10, 100]
    assert [advice["throttled"] for advice in hottest["advice"]] == [0, 0]
    assert {place["place"] for place in told["places"]} == {"table", "GSI1"}


def test_growth_that_takes_its_time_is_served_by_a_table_that_keeps_up(capsys: pytest.CaptureFixture[str]) -> None:
    at_once, slowly = (_json(capsys, EVENTS, "--times", "10", "--over", over)[0] for over in ("0", "60"))
    assert slowly["places"][0]["courses"][0]["throttled"] < at_once["places"][0]["courses"][0]["throttled"]


def test_a_picture_is_drawn_for_each_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["heat", EVENTS, "--picture", str(tmp_path / "heat.svg")])
    assert ElementTree.parse(tmp_path / "heat.svg").getroot().tag.endswith("svg")
    main(["heat", "tests/heat/models.py", "--picture", str(tmp_path / "all.svg")])
    assert {path.name for path in tmp_path.glob("all-*.svg")} >= {"all-Events.svg", "all-Pages.svg"}


def test_traffic_is_looked_at_until_after_it_has_grown(capsys: pytest.CaptureFixture[str]) -> None:
    (told,) = _json(capsys, EVENTS, "--times", "1000", "--over", "1000")
    assert told["partitions"][0]["courses"][0]["throttled"] > 0.5
    for minutes in ("0", "59", "60"):
        assert main(["heat", EVENTS, "--over", "60", "--minutes", minutes]) == 2
        assert f"--minutes {minutes} ends before traffic has grown (--over 60); look longer" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [["--times", "many"], ["--times", "0"], ["--over", "-1"], ["--minutes", "x"]])
def test_what_is_no_number_is_refused_in_words(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["heat", EVENTS, *wrong])
    assert stopped.value.code == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_region_without_prices_is_refused_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["heat", EVENTS, "--region", "moon-1"]) == 2
    assert "moon-1" in capsys.readouterr().err


def test_a_model_without_rates_says_what_to_declare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "quiet_model.py"
    model.write_text(
        "from dataclasses import dataclass\n"
        "from singletable import Table, entity, get, pattern\n\n\n"
        '@entity(key=("A#{id}", "META"))\n@dataclass\nclass Thing:\n    id: str\n\n\n'
        "class Quiet(Table, entities=[Thing]):\n    @pattern()\n    def thing(self, id: str) -> Thing | None:\n"
        '        """Get a thing."""\n        return get(Thing)\n'
    )
    assert main(["heat", str(model)]) == 0
    assert "declare rate= or frequency=" in capsys.readouterr().out


def test_amounts_have_no_exponent_and_shares_are_parts_of_a_hundred(capsys: pytest.CaptureFixture[str]) -> None:
    main(["heat", "tests/heat/models.py", "--times", "1,1000"])
    printed = capsys.readouterr().out
    assert "e+0" not in printed
    assert "e-0" not in printed
    assert "report: 350 write units a second, 70% of all it asks for" in printed
    assert "by_signup: 115 read units a second, all that it asks for" in printed


def test_every_guess_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    main(["heat", "examples/shop/model.py", "--times", "1"])
    lines = capsys.readouterr().out.split("Guessed\n")[1].splitlines()
    assert "  ≈ how traffic spreads over Customer.id: 10,000 values alike" in lines
    assert "  ≈ the size of Customer" in lines


def test_a_picture_that_is_not_called_svg_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["heat", EVENTS, "--picture", str(tmp_path / "heat.png")])
    assert stopped.value.code == 2
    assert "heat.svg" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_shards_are_priced_by_prices_of_your_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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


def test_a_pattern_that_no_request_answers_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    refused = "examples/shop/seventh_pattern.py:ShopWithoutIndex"
    main(["heat", refused])
    assert "Not counted, as no request answers them: " in capsys.readouterr().out
    assert _json(capsys, refused)[0]["unserved"]


def test_a_call_that_is_too_large_for_a_second_is_named_with_its_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["heat", "tests/heat/models.py:Ledgers", "--times", "1"]) == 1
    assert (
        "one call of whole_ledger asks for 4,901 read units, and a partition gives 3,000 a second: "
        "it takes at least 2 seconds and throttles what else is asked there; a limit makes it smaller"
    ) in capsys.readouterr().out
    (told,) = _json(capsys, "tests/heat/models.py:Ledgers", "--times", "1")
    calls = {each["pattern"]: each["reads_of_one_call"] for each in told["partitions"][0]["patterns"]}
    assert calls["entry"] == 0.5
    assert calls["whole_ledger"] > 3_000


def test_figures_that_rest_on_a_guess_are_marked_and_others_are_not(capsys: pytest.CaptureFixture[str]) -> None:
    main(["heat", "examples/guide/model.py:Guide", "--times", "10"])
    assert "GSI1   ≈2.45     ≈350      throttled ≈71.5%" in capsys.readouterr().out
    main(["heat", EVENTS, "--times", "10"])
    printed = capsys.readouterr().out
    assert "≈" not in printed
    (told,) = _json(capsys, "examples/guide/model.py:Guide", "--times", "10")
    assert told["partitions"][0]["guessed"]
    (told,) = _json(capsys, EVENTS, "--times", "10")
    assert not any(each["guessed"] for each in (*told["partitions"], *told["places"]))


def test_a_whole_table_that_throttles_is_told_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    main(["heat", EVENTS, "--times", "1"])
    assert "warm throughput" not in capsys.readouterr().out
    main(["heat", EVENTS, "--times", "100"])
    assert "let traffic grow slowly (--over 60), or buy warm throughput" in capsys.readouterr().out
    main(["heat", EVENTS, "--times", "100", "--provisioned"])
    assert "Buy more capacity before traffic grows" in capsys.readouterr().out


def test_reads_that_find_copies_are_not_told_of_a_limit(capsys: pytest.CaptureFixture[str]) -> None:
    main(["heat", "tests/heat/models.py:Encyclopedia", "--times", "1"])
    printed = capsys.readouterr().out
    assert '"AUTHOR#{author}" of GSI1' in printed
    assert "one call of rename asks for 18,312 read units" in printed
    assert "a limit makes it smaller" not in printed
