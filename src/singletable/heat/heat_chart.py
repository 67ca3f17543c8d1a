"""The heat chart as SVG: the demand on the hottest partitions, and the throttled share of one of them per minute."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from singletable.heat.heat_report import HeatReport, PartitionHeat
from singletable.heat.sharding import Sharding
from singletable.heat.simulation import Growth, SimulationResult

_WIDTH, _LEFT, _RIGHT = 960, 345, 910
_BAR, _GAP = 13, 3
_SHOWN_MAX = 6
_LEAST, _MOST = 0.001, 1000.0
"""The lowest and the highest demand on the scale. 1 is the full capacity of one partition."""
_COOL, _WARM, _HOT, _AFTER = "#2a9d8f", "#e9a23b", "#d1495b", "#2a9d8f"
_STYLE = (
    "<style>text{font:13px system-ui,sans-serif;fill:#22303c}.small{font-size:11px;fill:#5b6b79}"
    ".title{font-size:16px;font-weight:600}.key{font:12px ui-monospace,monospace}"
    ".paper{fill:#ffffff}.line{stroke:#d5dce2;stroke-width:1}.limit{stroke:#d1495b;stroke-width:1.5;"
    "stroke-dasharray:5 4}</style>"
)


def heat_chart(report: HeatReport) -> str:
    """Return the chart."""
    shown = report.hot[:_SHOWN_MAX]
    body: list[str] = [_text(20, 30, f"{report.design.name}: the hottest partitions", "title")]
    top = 62
    body += _scale(top, top + len(shown) * _row_height(report) + 4)
    for place, hot in enumerate(shown):
        body += _row(report, hot, top + place * _row_height(report))
    bottom = top + len(shown) * _row_height(report) + 24
    throttled = next((hot for hot in report.hot if hot.advice), None)
    if throttled is not None:
        body += _hour(report.growths, throttled, bottom + 24)
        bottom += 214
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {bottom + 12}" role="img">{_STYLE}'
        f'<rect class="paper" width="100%" height="100%" rx="8"/>{"".join(body)}</svg>\n'
    )


def _row_height(report: HeatReport) -> int:
    return max(2, len(report.growths)) * (_BAR + _GAP) + 18


def _x(partitions: float) -> float:
    """Return the position of a demand on the logarithmic scale."""
    clamped = min(max(partitions, _LEAST), _MOST)
    return _LEFT + (_RIGHT - _LEFT) * math.log(clamped / _LEAST) / math.log(_MOST / _LEAST)


def _scale(top: int, bottom: int) -> Iterator[str]:
    for exponent in range(-3, 4):
        x = _x(10.0**exponent)
        kind = "limit" if exponent == 0 else "line"
        yield f'<line class="{kind}" x1="{x:.1f}" y1="{top - 8}" x2="{x:.1f}" y2="{bottom}"/>'
        label = "limit of one partition" if exponent == 0 else f"{10.0**exponent * 100:,g} %"
        yield _text(x, top - 12, label, "small", "middle")


def _row(report: HeatReport, hot: PartitionHeat, top: int) -> Iterator[str]:
    partition = hot.partition
    yield _text(20, top + 14, partition.template, "key")
    yield _text(20, top + 31, f"{partition.index.display_name}: {_figures(hot)}", "small")
    for place, (growth, course) in enumerate(zip(report.growths, hot.results, strict=True)):
        demand = partition.demand.times(growth.times).partitions
        y, end = top + place * (_BAR + _GAP), _x(demand)
        colour = _HOT if course.share else _WARM if demand > 0.7 else _COOL
        yield (
            f'<rect x="{_LEFT}" y="{y}" width="{max(end - _LEFT, 2):.1f}" height="{_BAR}" rx="2" fill="{colour}">'
            f"<title>{escape(_tooltip(growth.times, demand, course))}</title></rect>"
        )
        label = f"x{growth.times:g}" + (f"  {course.share:.1%} throttled" if course.share else "")
        inside = end > _RIGHT - 120
        yield _text(end - 6 if inside else end + 6, y + 11, label, "small", "end" if inside else "start", white=inside)


def _figures(hot: PartitionHeat) -> str:
    demand = hot.partition.demand
    label = [f"{amount:,.3g} {what}" for amount, what in ((demand.reads, "read"), (demand.writes, "write")) if amount]
    return " and ".join(label) + " units per second"


def _tooltip(times: float, demand: float, course: SimulationResult) -> str:
    return f"{times:g} times the current traffic: {demand:.1%} of a partition, {course.share:.1%} throttled"


def _hour(growths: Sequence[Growth], hot: PartitionHeat, top: int) -> Iterator[str]:
    """Draw the throttled share per minute, for the current design and for the first recommended sharding."""
    advice = next((each for each in hot.advice if isinstance(each.what, Sharding)), hot.advice[0])
    course = next(course for growth, course in zip(growths, hot.results, strict=True) if growth == advice.growth)
    title = f"{hot.partition.template} at {advice.growth.times:g} times the current traffic: throttled share per minute"
    yield _text(20, top, title, "")
    yield from _curve(course.throttled, top, _HOT, "current design")
    if isinstance(advice.what, Sharding):
        yield from _curve(advice.what.course.throttled, top, _AFTER, f"with {advice.what.shards} shards")
    for share in (0.0, 0.5, 1.0):
        y = top + 150 - 120 * share
        yield f'<line class="line" x1="70" y1="{y}" x2="{_RIGHT}" y2="{y}"/>'
        yield _text(62, y + 4, f"{share:.0%}", "small", "end")
    yield _text(70, top + 168, f"{len(course.throttled)} minutes", "small")


def _curve(minutes: Sequence[float], top: int, colour: str, label: str) -> Iterator[str]:
    step = (_RIGHT - 70 - 130) / max(1, len(minutes) - 1)
    points = " ".join(f"{70 + place * step:.1f},{top + 150 - 120 * share:.1f}" for place, share in enumerate(minutes))
    yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5"/>'
    last = minutes[-1] if minutes else 0.0
    yield _text(_RIGHT - 122, top + 154 - 120 * last - (0 if last else 6), label, "small")


def _text(x: float, y: float, text: str, kind: str, anchor: str = "start", *, white: bool = False) -> str:
    fill = ' style="fill:#ffffff"' if white else ""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{fill}>{escape(text)}</text>'
