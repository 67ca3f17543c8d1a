"""The table on the geo page is correct: cell sizes, and the number of cells per circle."""

from __future__ import annotations

from pathlib import Path

from singletable.model.geohash import cell_size_m, cells_within

PAGE = Path(__file__).resolve().parents[2] / "docs" / "patterns" / "geo.md"
TOKYO = (35.7074, 139.7745)


def length(meters: float) -> str:
    return f"{meters / 1000:.3g} km" if meters >= 1000 else f"{meters:.3g} m"


def row(precision: int) -> str:
    height, width = cell_size_m(precision, 0)
    queries = [len(cells_within(*TOKYO, radius_m, precision, 10**6)) for radius_m in (500, 2_000, 10_000)]
    shown = [f"{count:,}" if count <= 1_000 else "too many" for count in queries]
    columns = [str(precision), length(height), length(width), length(cell_size_m(precision, 60)[1]), *shown]
    return f"| {' | '.join(columns)} |"


def test_the_cell_table_of_the_geo_page_is_correct() -> None:
    text = PAGE.read_text(encoding="utf-8")
    table = text.partition("<!-- cells:start -->\n")[2].partition("<!-- cells:end -->")[0]
    assert table.splitlines()[2:] == [row(precision) for precision in range(3, 9)]
