"""Walkthroughs print what their titles promise."""

from __future__ import annotations

from importlib import import_module

import pytest

from examples import WALKTHROUGHS
from singletable.demo.systems import first_sentence
from singletable.demo.walkthroughs import all_walkthroughs, split_names
from tests.cli.program import ROOT, singletable

EXPECTED = ROOT / "examples" / "walkthroughs" / "expected"


def output(name: str) -> list[str]:
    _, (walkthrough,) = split_names([name])
    return walkthrough.output()


def test_walkthroughs_are_all_listed_in_order() -> None:
    assert [(each.name, each.title) for each in all_walkthroughs()] == list(WALKTHROUGHS.items())


@pytest.mark.parametrize("name", WALKTHROUGHS)
def test_a_walkthrough_has_the_title_of_its_script(name: str) -> None:
    assert first_sentence(import_module(f"examples.walkthroughs.{name}")) == WALKTHROUGHS[name]


def test_names_are_split_into_examples_and_walkthroughs() -> None:
    names, walkthroughs = split_names(["streams", "shop.customer", "unknown", "streams"])
    assert names == ["shop.customer", "unknown"]
    assert [each.name for each in walkthroughs] == ["streams"]


@pytest.mark.parametrize("name", ["streams", "analytics"])
def test_a_walkthrough_prints_the_expected_output(name: str) -> None:
    assert output(name) == (EXPECTED / f"{name}.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.slow
def test_the_evolve_walkthrough_loses_no_write_of_old_or_new_code() -> None:
    done = singletable("demo", "evolve")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.rstrip().splitlines()
    assert lines[-1].endswith("orders were written. Missing in the new index: 0. Wrong reads: 0.")
    start = lines.index("Successful calls in each phase")
    table = {line.split()[0]: line.split()[1:] for line in lines[start + 3 : lines.index("", start)]}
    phases = ["before", "pending", "expand", "backfill", "switch", "contract", "after"]
    assert [phase for phase in table if phase != "verify"] == phases  # the phase `verify` can be too short to be seen
    calls = {phase: ["rejected" if each == "rejected" else int(each) > 0 for each in table[phase]] for phase in phases}
    stopped = ["rejected", "rejected", True, True, True]
    assert calls == {
        "before": [True, True],
        "pending": [True, True, True, True, "rejected"],
        "expand": [True, True, True, True, "rejected"],
        "backfill": ["rejected", True, True, True, "rejected"],
        "switch": stopped,
        "contract": stopped,
        "after": stopped,
    }
