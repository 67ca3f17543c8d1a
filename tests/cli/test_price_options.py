"""Prices come from a region or from a file. An unreadable file is an error."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from singletable.cli.price_options import add_price_options, chosen_prices
from singletable.cost.prices import Prices, prices_of
from singletable.errors import ArgumentRefused


def _chosen(*arguments: str) -> Prices:
    parser = argparse.ArgumentParser()
    add_price_options(parser)
    return chosen_prices(parser.parse_args(arguments))


def test_price_options_default_to_the_prices_of_us_east_1() -> None:
    assert _chosen() == prices_of("us-east-1")


def test_price_options_let_a_price_file_override_the_region(tmp_path: Path) -> None:
    own = tmp_path / "own.json"
    known = Path(__file__).parents[2] / "src" / "singletable" / "cost" / "prices" / "us-east-1.json"
    own.write_text(known.read_text(encoding="utf-8").replace('"us-east-1"', '"moon-1"'), encoding="utf-8")
    assert _chosen("--region", "moon-2", "--prices", str(own)).regions == ("moon-1",)


def test_price_options_name_an_unreadable_price_file_once(tmp_path: Path) -> None:
    (tmp_path / "latin.json").write_bytes(b"\xff")
    for name, reason in (("none.json", "No such file or directory"), ("latin.json", "it is not UTF-8")):
        path = tmp_path / name
        with pytest.raises(ArgumentRefused) as refused:
            _chosen("--prices", str(path))
        assert str(refused.value) == f"cannot read the prices in {path}: {reason}"
