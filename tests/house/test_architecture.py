"""ARCHITECTURE.md shows the layers that the import contracts check, and stays short."""

from __future__ import annotations

import re
import tomllib

from tools.pages import ROOT

TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
BYTES_MAX = 11_000


def test_architecture_lists_the_packages_of_each_layer_in_the_order_of_the_contract() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = (each for each in project["tool"]["importlinter"]["contracts"] if each["id"] == "layers")
    table = TEXT.partition("| Layer, top to bottom |")[2].partition("\n\n")[0]
    shown = [set(re.findall(r"`(\w+)`(?= \(|:)", row)) for row in table.splitlines()[2:]]
    assert shown == [set(layer.split(" | ")) for layer in contract["layers"] if layer != "__main__"]


def test_architecture_is_short_enough_to_read_at_once() -> None:
    assert len(TEXT.encode()) <= BYTES_MAX
