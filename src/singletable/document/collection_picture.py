"""Item collections drawn as SVG: one drawer per collection, with its partition key on the left and its rows in order.

The same collections always produce the same bytes, so a stored picture can be compared with its source. A picture has a
light and a dark background, and uses only system fonts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from singletable.document.item_collections import CollectionRow, ItemCollection
from singletable.document.picture_style import CLASS, ENTITY_COLOURS, style
from singletable.document.svg import Svg, cut, mono_width, sans_width, wrap

_MARGIN = 20
_GAP = 16  # between drawers, and between columns
_ROW = 46
_INSET = 14
_KEY_SIZE, _VALUE_SIZE, _NAME_SIZE, _TITLE_SIZE, _PILL_SIZE = 13.0, 12.0, 10.5, 16.0, 11.5
_LABEL_CELLS = 26  # a longer partition key is wrapped
_SORT_CELLS = 46  # a longer sort key is truncated
_VALUE_CELLS = 28
_ATTRIBUTES_MAX = 5
_WIDTH_MIN = 520.0
_LINE = 18


@dataclass(frozen=True)
class _Columns:
    """The positions of the columns. They are the same in every drawer."""

    label: float
    sort: float
    pill: float
    attributes: float
    widths: dict[tuple[str, str], float]
    """The widths of attributes by entity and name. They are the same in all rows, so that the attributes align."""

    @property
    def width(self) -> float:
        """The width of a drawer."""
        return self.label + self.sort + self.pill + self.attributes + _INSET


def draw_collections(
    title: str,
    index: str,
    partitions: Sequence[ItemCollection],
    *,
    keys: tuple[str, ...] = ("PK", "SK"),
    entities: Sequence[str] = (),
    read_by: str | None = None,
) -> str:
    """Return the item collections of a table or an index as an SVG document.

    `keys` are the names of the key attributes. `entities` determines the order of the colours, so that an entity has
    the same colour in every picture of its table. A bracket marks the rows that are read, and `read_by` names the
    request.
    """
    rows = [row for partition in partitions for row in partition.rows]
    columns = _columns(partitions, rows, keys)
    colours = _colours(rows, entities)
    subtitle = f"{index} · {', '.join(keys)}"
    head = sans_width(title, _TITLE_SIZE) + _GAP + sans_width(subtitle, _PILL_SIZE)
    caption = mono_width(read_by or "", _PILL_SIZE) + 40
    bracket_width = _GAP if any(row.is_read for row in rows) else 0
    inner = max(columns.width + bracket_width, head, caption, _WIDTH_MIN)
    heights = [max(len(partition.rows) * _ROW, _label_height(partition)) for partition in partitions]
    top = _MARGIN + 38.0 + (26 if read_by else 0)
    height = top + sum(heights) + _GAP * max(len(heights) - 1, 0) + _MARGIN
    svg = Svg(inner + 2 * _MARGIN, height, title, CLASS, style(sorted(set(colours.values()))))
    svg.rect(0.5, 0.5, svg.width - 1, height - 1, "paper", radius=10)
    svg.text(_MARGIN, _MARGIN + 16, title, "title")
    svg.text(svg.width - _MARGIN, _MARGIN + 16, subtitle, "where", anchor="end")
    if read_by:
        _read_caption(svg, read_by)
    for partition, drawer_height in zip(partitions, heights, strict=True):
        _drawer(svg, top, inner - bracket_width, drawer_height, partition, columns, colours, keys)
        top += drawer_height + _GAP
    return svg.document()


def _read_caption(svg: Svg, read_by: str) -> None:
    y = _MARGIN + 42
    svg.rect(_MARGIN, y - 11, 4, 14, "read", radius=2)
    svg.text(_MARGIN + 12, y, "read by", "where")
    svg.text(_MARGIN + 12 + sans_width("read by", _PILL_SIZE) + 6, y, read_by, "call")


def _drawer(
    svg: Svg,
    top: float,
    width: float,
    height: float,
    partition: ItemCollection,
    columns: _Columns,
    colours: dict[str, int],
    keys: tuple[str, ...],
) -> None:
    left = float(_MARGIN)
    svg.rect(left, top, width, height, "drawer", radius=8)
    svg.left_rounded(left, top, columns.label, height, "label", radius=8)
    lines = wrap(partition.key, _LABEL_CELLS)
    middle = top + height / 2 - (len(lines) - 1) * _LINE / 2
    svg.text(left + _INSET, middle - 5, keys[0], "name")
    for number, line in enumerate(lines):
        svg.text(left + _INSET, middle + 11 + number * _LINE, line, "partition")
    row_height = height / max(len(partition.rows), 1)
    for number, row in enumerate(partition.rows):
        y = top + number * row_height
        if number:
            svg.line(left + columns.label, y, left + width, y, "rule")
        _row(svg, left + columns.label, y + (row_height - _ROW) / 2, row, columns, colours[row.entity])
    for first, last in _read_runs(partition.rows):
        svg.bracket(left + width + 5, top + first * row_height + 4, top + (last + 1) * row_height - 4, 7, "bracket")
    svg.rect(left, top, width, height, "edge", radius=8)


def _row(svg: Svg, left: float, y: float, row: CollectionRow, columns: _Columns, colour: int) -> None:
    svg.rect(left, y + 5, 3, _ROW - 10, f"bar{colour}", radius=1.5)
    if row.sort_key is not None:
        svg.text(left + _INSET, y + 27.5, cut(row.sort_key, _SORT_CELLS), "sort")
    pill = sans_width(row.entity, _PILL_SIZE) + 18
    x = left + columns.sort
    svg.rect(x, y + 12, pill, 22, f"pill{colour}", radius=11)
    svg.text(x + pill / 2, y + 27, row.entity, f"ink{colour}", anchor="middle")
    x = left + columns.sort + columns.pill
    shown = row.attributes[:_ATTRIBUTES_MAX]
    for name, value in shown:
        svg.text(x, y + 18, name, "name")
        svg.text(x, y + 34, cut(value, _VALUE_CELLS), "value")
        x += columns.widths[row.entity, name] + _GAP
    if len(row.attributes) > len(shown):
        svg.text(x, y + 34, f"+{len(row.attributes) - len(shown)}", "name")


def _columns(partitions: Sequence[ItemCollection], rows: Sequence[CollectionRow], keys: tuple[str, ...]) -> _Columns:
    labels = [line for partition in partitions for line in wrap(partition.key, _LABEL_CELLS)]
    label = max([mono_width(line, _KEY_SIZE) for line in labels] + [sans_width(keys[0], _NAME_SIZE)])
    sorts = [mono_width(cut(row.sort_key, _SORT_CELLS), _KEY_SIZE) for row in rows if row.sort_key is not None]
    pills = [sans_width(row.entity, _PILL_SIZE) + 18 for row in rows]
    widths = _attribute_widths(rows)
    attributes = 0.0
    for row in rows:
        shown = row.attributes[:_ATTRIBUTES_MAX]
        more = 24.0 if len(row.attributes) > len(shown) else 0.0
        attributes = max(attributes, sum(widths[row.entity, name] + _GAP for name, _ in shown) + more)
    return _Columns(
        label + 2 * _INSET,
        max(sorts, default=0.0) + _INSET + (_GAP if sorts else 0),
        max(pills, default=0.0) + _GAP,
        attributes,
        widths,
    )


def _attribute_widths(rows: Sequence[CollectionRow]) -> dict[tuple[str, str], float]:
    widths: dict[tuple[str, str], float] = {}
    for row in rows:
        for name, value in row.attributes[:_ATTRIBUTES_MAX]:
            needed = max(sans_width(name, _NAME_SIZE), mono_width(cut(value, _VALUE_CELLS), _VALUE_SIZE))
            widths[row.entity, name] = max(widths.get((row.entity, name), 0.0), needed)
    return widths


def _colours(rows: Sequence[CollectionRow], entities: Sequence[str]) -> dict[str, int]:
    names = list(dict.fromkeys([*entities, *(row.entity for row in rows)]))
    return {name: number % ENTITY_COLOURS for number, name in enumerate(names)}


def _read_runs(rows: Sequence[CollectionRow]) -> list[tuple[int, int]]:
    """Return the first and last row of every contiguous run of rows that are read."""
    read = [number for number, row in enumerate(rows) if row.is_read]
    firsts = [number for number in read if number - 1 not in read]
    lasts = [number for number in read if number + 1 not in read]
    return list(zip(firsts, lasts, strict=True))


def _label_height(partition: ItemCollection) -> float:
    return _ROW + (len(wrap(partition.key, _LABEL_CELLS)) - 1) * _LINE
