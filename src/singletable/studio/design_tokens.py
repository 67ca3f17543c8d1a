"""Design tokens: the colours of the studio as CSS variables, in a light and a dark theme."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from singletable.document.picture_style import DARK, HUES, LIGHT

# The colours that pictures do not need: the page, text on a selected row, verdicts and differences.
_LIGHT_ADDED = {
    "page": "#ffffff",
    "read-ink": "#1c4fa8",
    "read-tint": "#eaf1fd",
    "on-read": "#ffffff",
    "ok": "#1a7040",
    "ok-tint": "#e4f4ea",
    "warn": "#8a5200",
    "warn-tint": "#fcf0dc",
    "bad": "#b3261e",
    "bad-tint": "#fdeceb",
    "hover": "#f1f3f7",
    "shadow": "0 1px 2px rgb(20 28 45 / 5%)",
}
_DARK_ADDED = {
    "page": "#10141a",
    "read-ink": "#a9c9ff",
    "read-tint": "#1a2a45",
    "on-read": "#0d1522",
    "ok": "#7fd6a2",
    "ok-tint": "#14281c",
    "warn": "#f0b869",
    "warn-tint": "#3a2a10",
    "bad": "#ff9a90",
    "bad-tint": "#351b1a",
    "hover": "#212733",
    "shadow": "none",
}


def tokens_css() -> str:
    """Return the style sheet with all variables, and one class per entity colour."""
    lines = [":root {", "  color-scheme: light dark;", *_variables(LIGHT, _LIGHT_ADDED, 0), "}"]
    lines += ["@media (prefers-color-scheme: dark) {", "  :root {"]
    lines += [f"  {line}" for line in _variables(DARK, _DARK_ADDED, 3)]
    lines += ["  }", "}"]
    for number in range(len(HUES)):
        lines.append(
            f".hue-{number} {{ --hue: var(--hue-{number}); --hue-tint: var(--hue-tint-{number}); "
            f"--hue-ink: var(--hue-ink-{number}); }}"
        )
    return "\n".join([*lines, ""])


def _variables(look: Mapping[str, str], added: Mapping[str, str], offset: int) -> Iterator[str]:
    for name, colour in {**look, **added}.items():
        yield f"  --{name.replace(' ', '-')}: {colour};"
    for number, hue in enumerate(HUES):
        for name, colour in zip(("hue", "hue-tint", "hue-ink"), hue[offset : offset + 3], strict=True):
            yield f"  --{name}-{number}: {colour};"
