from __future__ import annotations

import re

import pytest

from singletable.document.picture_style import HUES
from singletable.studio.design_tokens import tokens_css

AA = 4.5
ON_PAPER = ("text", "muted", "read-ink", "ok", "warn", "bad")
PAIRS = [
    *((ink, ground) for ink in ON_PAPER for ground in ("page", "paper", "drawer")),
    ("text", "label"), ("muted", "label"), ("text", "read-tint"), ("muted", "read-tint"), ("on-read", "read"),
    ("ok", "ok-tint"), ("warn", "warn-tint"), ("bad", "bad-tint"), ("muted", "ok-tint"), ("text", "warn-tint"),
    ("muted", "hover"), ("text", "hover"), ("text", "bad-tint"),
    *((f"hue-ink-{number}", f"hue-tint-{number}") for number in range(len(HUES))),
]  # fmt: skip


def variables(dark: bool) -> dict[str, str]:
    light, _, night = tokens_css().partition("@media")
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", night if dark else light))


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(("ink", "ground"), PAIRS)
def test_design_tokens_give_texts_enough_contrast(dark: bool, ink: str, ground: str) -> None:
    colours = variables(dark)
    assert contrast(colours[ink], colours[ground]) >= AA


def test_both_themes_have_the_same_design_tokens() -> None:
    assert variables(dark=False).keys() == variables(dark=True).keys()
