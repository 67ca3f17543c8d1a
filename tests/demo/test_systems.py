"""The examples are found by their names, with the sentences and scripts that they have."""

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


def test_every_folder_is_a_system_in_the_order_to_read_them() -> None:
    assert tuple(system.name for system in all_systems()) == SYSTEMS


def test_no_name_means_all_of_them() -> None:
    assert systems_named([]) == all_systems()


def test_a_script_can_be_named_alone_and_is_not_told_twice() -> None:
    (shop,) = systems_named(["shop.whole_order", "shop.whole_order"])
    assert shop.tour == ("whole_order",)
    (named,) = shop.scripts()
    assert named.title == "Get an order with all line items: the header and every line lie in one partition."
    assert named.script.model.design.name == "Shop"


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ArgumentRefused, match="no example called 'shops'; the examples are customers, commerce"):
        systems_named(["shops"])
    with pytest.raises(ArgumentRefused, match=r"shop has no script called 'order'; its scripts are .*whole_order"):
        systems_named(["shop.order"])


def test_a_title_is_the_first_sentence_on_one_line() -> None:
    module = ModuleType("example", "One thing:\n    and v1.5 of it. Another one.\n\nMore.")
    assert first_sentence(module) == "One thing: and v1.5 of it."


def test_a_model_is_named_as_check_takes_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
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
