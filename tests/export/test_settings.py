"""Settings that no table could have are refused with what to give instead."""

from __future__ import annotations

from typing import Any

import pytest

from singletable import ExportRefused
from singletable.export.settings import Settings, Units


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"index_units": {"GSI1": Units(1, 1)}}, "only if the table has"),
        ({"tags": {"": "x"}}, "is no tag"),
        ({"tags": {"aws:mine": "x"}}, "does not begin with aws:"),
        ({"tags": {"a": "${b}"}}, "use letters, digits"),
        ({"tags": {"a": "b" * 257}}, "at most 256"),
        ({"tags": {f"t{number}": "" for number in range(51)}}, "at most 50"),
    ],
)
def test_what_no_table_could_have_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ExportRefused, match=message):
        Settings(**given)


def test_provisioned_capacity_is_at_least_one_unit() -> None:
    with pytest.raises(ExportRefused, match="at least 1 unit"):
        Units(0, 1)
