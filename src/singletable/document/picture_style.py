"""Colours, fonts and CSS rules of pictures; the studio uses the same colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

CLASS = "singletable-collections"
"""The class of the root element. Every CSS rule applies only inside it, so that a picture can be embedded in a page."""

_MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace'
_SANS = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif'

# For each entity: bar, label background and label text, in the light and in the dark theme.
# Text and background have a contrast of at least 5 to 1.
HUES = (
    ("#2f6fde", "#e3edfd", "#1c4fa8", "#6ea2ff", "#1d3156", "#b5d0ff"),
    ("#d9730d", "#fdecd9", "#8f4a05", "#f2a25c", "#4a2f14", "#ffd5ad"),
    ("#2e9e5b", "#dff4e7", "#1a6639", "#63cf90", "#173d29", "#b2efcb"),
    ("#8b4fd1", "#f0e6fb", "#6231a0", "#b98cf2", "#37234f", "#dec7ff"),
    ("#d23f72", "#fce4ec", "#992250", "#f285a9", "#4d1d30", "#ffc6d9"),
    ("#0f93a3", "#dcf3f6", "#0a5c67", "#4fc6d5", "#113c43", "#aeeaf2"),
    ("#a58a00", "#f7f0cc", "#655400", "#d8c04a", "#3c350f", "#f3e7a3"),
    ("#64748b", "#e8ebf0", "#3d4a5d", "#9aa9bf", "#2c3441", "#d3dce9"),
)
ENTITY_COLOURS = len(HUES)

_SHAPES = f"""\
.title {{ font: 600 16px {_SANS}; }}
.where {{ font: 500 11.5px {_SANS}; }}
.call {{ font: 500 11.5px {_MONO}; }}
.partition {{ font: 600 13px {_MONO}; }}
.sort {{ font: 400 13px {_MONO}; }}
.value {{ font: 400 12px {_MONO}; }}
.name {{ font: 400 10.5px {_SANS}; }}
.edge, .bracket {{ fill: none; }}
.bracket {{ stroke-width: 2.5; stroke-linecap: round; stroke-linejoin: round; }}
text {{ white-space: pre; }}
"""

LIGHT: Mapping[str, str] = {
    "paper": "#f7f8fa",
    "paper edge": "#dfe2e8",
    "drawer": "#ffffff",
    "label": "#eceff4",
    "edge": "#c9ced8",
    "rule": "#e7eaef",
    "text": "#1b2230",
    "muted": "#5d6879",
    "read": "#2f6fde",
}
DARK: Mapping[str, str] = {
    "paper": "#14181f",
    "paper edge": "#2b323d",
    "drawer": "#1b2029",
    "label": "#262d39",
    "edge": "#3a4350",
    "rule": "#2a313c",
    "text": "#e7ebf3",
    "muted": "#9fa9ba",
    "read": "#7fb0ff",
}


def _colour_rules(look: Mapping[str, str], hues: Sequence[int], *, dark: bool) -> list[str]:
    rules = [
        f".paper {{ fill: {look['paper']}; stroke: {look['paper edge']}; }}",
        *(f".{name} {{ fill: {look[name]}; }}" for name in ("drawer", "label", "read")),
        *(f".{name} {{ stroke: {look[name]}; }}" for name in ("edge", "rule")),
        f".bracket {{ stroke: {look['read']}; }}",
        f".title, .partition, .sort, .value, .call {{ fill: {look['text']}; }}",
        f".name, .where {{ fill: {look['muted']}; }}",
    ]
    for number in hues:
        bar, tint, ink = HUES[number][3:] if dark else HUES[number][:3]
        rules.append(f".bar{number} {{ fill: {bar}; }}")
        rules.append(f".pill{number} {{ fill: {tint}; }}")
        rules.append(f".ink{number} {{ fill: {ink}; font: 600 11.5px {_SANS}; }}")
    return rules


def _scoped(rule: str) -> str:
    selectors, _, body = rule.partition(" {")
    return ", ".join(f".{CLASS} {selector.strip()}" for selector in selectors.split(",")) + " {" + body


def style(hues: Sequence[int]) -> str:
    """Return the CSS rules of a picture that uses these hues."""
    light = [_scoped(rule) for rule in (*_SHAPES.splitlines(), *_colour_rules(LIGHT, hues, dark=False))]
    dark = [f"  {_scoped(rule)}" for rule in _colour_rules(DARK, hues, dark=True)]
    lines = [*light, "@media (prefers-color-scheme: dark) {", *dark, "}"]
    return "".join(f"{line}\n" for line in lines)
