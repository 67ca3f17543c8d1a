"""SVG output: shapes, escaped text, and text width estimates for system fonts."""

from __future__ import annotations

import re
import unicodedata
from xml.sax.saxutils import escape, quoteattr

_MONO = 0.61  # cell width relative to the font size, for the widest common font
_SANS = 0.64  # average character width in a wide bold font
# Characters that XML 1.0 does not allow: controls, lone surrogates and noncharacters.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


class Svg:
    """An SVG document, built shape by shape. CSS classes define its look."""

    def __init__(self, width: float, height: float, title: str, root_class: str, style: str) -> None:
        self.width = width
        self.height = height
        self._opening = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{root_class}" role="img"'
            f" aria-label={quoteattr(clean(title))}"
            f' viewBox="0 0 {_number(width)} {_number(height)}" width="{_number(width)}" height="{_number(height)}">'
        )
        self._lines = [f"<title>{_text(title)}</title>", f"<style>\n{style}</style>"]

    def rect(self, x: float, y: float, width: float, height: float, class_: str, *, radius: float = 0) -> None:
        """Add a rectangle with rounded corners."""
        place = _attributes(x=x, y=y, width=width, height=height, rx=radius)
        self._lines.append(f'<rect class="{class_}" {place}/>')

    def left_rounded(self, x: float, y: float, width: float, height: float, class_: str, *, radius: float) -> None:
        """Add a rectangle with rounded corners on the left."""
        r, right = _number(radius), _number(x + width)
        path = (
            f"M{right} {_number(y)}H{_number(x + radius)}a{r} {r} 0 0 0 -{r} {r}"
            f"V{_number(y + height - radius)}a{r} {r} 0 0 0 {r} {r}H{right}z"
        )
        self._lines.append(f'<path class="{class_}" d="{path}"/>')

    def line(self, x1: float, y1: float, x2: float, y2: float, class_: str) -> None:
        """Add a line."""
        self._lines.append(f'<line class="{class_}" {_attributes(x1=x1, y1=y1, x2=x2, y2=y2)}/>')

    def bracket(self, x: float, top: float, bottom: float, depth: float, class_: str) -> None:
        """Add a bracket that opens to the left."""
        path = f"M{_number(x)} {_number(top)}h{_number(depth)}V{_number(bottom)}h-{_number(depth)}"
        self._lines.append(f'<path class="{class_}" d="{path}"/>')

    def text(self, x: float, y: float, text: str, class_: str, *, anchor: str = "start") -> None:
        """Add a line of text. Spaces are preserved."""
        where = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self._lines.append(f'<text class="{class_}" {_attributes(x=x, y=y)}{where}>{_text(text)}</text>')

    def document(self) -> str:
        """Return the SVG source."""
        return "\n".join([self._opening, *self._lines, "</svg>", ""])


def cells(text: str) -> int:
    """Return the number of monospace cells of a text. A wide character takes two cells, a combining character none."""
    return sum(
        0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text
    )


def mono_width(text: str, size: float) -> float:
    """Return the width of a text in a monospace font."""
    return cells(text) * size * _MONO


def sans_width(text: str, size: float) -> float:
    """Return the approximate width of a text in a proportional font."""
    return cells(text) * size * _SANS


def cut(text: str, most: int) -> str:
    """Truncate a text to this many cells, with an ellipsis."""
    if cells(text) <= most:
        return text
    shown = ""
    for each in text:
        if cells(shown + each) > most - 1:
            break
        shown += each
    return shown + "…"


def wrap(text: str, most: int) -> list[str]:
    """Wrap a text into at most six lines of this many cells, preferably after a `#`."""
    lines = [""]
    for piece in re.findall(r"[^#]*#|[^#]+$", text):
        if lines[-1] and cells(lines[-1] + piece) > most:
            lines.append("")
        for each in piece:
            if cells(lines[-1] + each) > most:
                lines.append("")
            lines[-1] += each
    return [*lines[:5], lines[5] + "…"] if len(lines) > 6 else lines


def _attributes(**numbers: float) -> str:
    return " ".join(f'{name}="{_number(value)}"' for name, value in numbers.items())


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _text(text: str) -> str:
    return escape(clean(text))


def clean(text: str) -> str:
    """Replace control characters with visible symbols."""
    return _NOT_XML.sub(_visible, text).replace("\n", "␊").replace("\r", "␍").replace("\t", "␉")


def _visible(match: re.Match[str]) -> str:
    """Return the symbol of a control character, or the replacement character."""
    code = ord(match.group())
    return chr(0x2400 + code) if code < 0x20 else "\N{REPLACEMENT CHARACTER}"
