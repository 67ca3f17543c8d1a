"""Examples are found by name, with their titles and scripts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from examples import SYSTEMS
from singletable.demo.systems import all_systems, first_sentence, model_argument, systems_named
from singletable.errors import ArgumentRefused

ROOT = Path(__file__).resolve().parents[2]


def test_demo_systems_include_every_example_folder_in_reading_order() -> None:
    assert tuple(system.name for system in all_systems()) == SYSTEMS


def test_demo_systems_are_all_returned_without_a_name() -> None:
    assert systems_named([]) == all_systems()


def test_demo_systems_can_be_limited_to_a_script_that_runs_once() -> None:
    (shop,) = systems_named(["shop.whole_order", "shop.whole_order"])
    assert shop.tour == ("whole_order",)
    (named,) = shop.scripts()
    assert named.title == "Get an order with all line items: the order and its lines share one partition."
    assert named.script.model.design.name == "Shop"


def test_an_unknown_name_of_demo_systems_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(ArgumentRefused, match="unknown example 'shops'; the examples are customers, commerce"):
        systems_named(["shops"])
    with pytest.raises(ArgumentRefused, match=r"shop has no script 'order'; its scripts are .*whole_order"):
        systems_named(["shop.order"])


def test_demo_systems_have_the_first_sentence_of_the_docstring_as_title() -> None:
    module = ModuleType("example", "One thing:\n    and v1.5 of it. Another one.\n\nMore.")
    assert first_sentence(module) == "One thing: and v1.5 of it."


def test_demo_systems_name_a_model_as_an_argument_of_the_check_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    assert model_argument("shop") == "examples/shop/model.py"
    monkeypatch.chdir(tmp_path)
    assert Path(model_argument("shop")).is_file()


def test_listing_the_systems_imports_none_of_their_models() -> None:
    script = (
        "import sys; from singletable.demo.systems import all_systems; all_systems(); print('pydantic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
