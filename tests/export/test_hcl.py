"""Texts in Terraform's language are what Terraform reads back."""

from __future__ import annotations

import json
import os
import shutil
import subprocess

import pytest

from singletable.export.hcl import Block, Expression, template, to_hcl

TEXTS = [
    "plain",
    '"',
    "\\",
    "${",
    "%{",
    "$${",
    "$%{",
    "a$",
    "%",
    "${a}",
    "\n\t\r",
    "\x00",
    "\u2028",
    "é☃🐍",
    "\\${",
    "}",
]


def test_terraform_reads_every_text_as_it_was() -> None:
    program = shutil.which("terraform") or shutil.which("tofu")
    if program is None:
        pytest.skip("there is no terraform or tofu on this machine")
    asked = f"jsonencode(jsonencode([{', '.join(map(template, TEXTS))}]))\n"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}
    finished = subprocess.run(
        [program, "console"], input=asked, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    # The console shows a text with its own escapes around JSON's, which were made twice to be told apart from them.
    shown = finished.stdout.strip().replace("$${", "${").replace("%%{", "%{")
    assert json.loads(json.loads(json.loads(shown))) == [
        text.replace("$${", "${").replace("%%{", "%{") for text in TEXTS
    ]


def test_equal_signs_stand_in_one_column_until_a_value_takes_several_lines() -> None:
    block = Block("a", ("b",), ({"x": 1, "long_name": Expression("y"), "map": {"k": True}, "z": [1, "two"]},))
    assert to_hcl([block], ["A heading"]) == (
        '# A heading\n\na "b" {\n  x         = 1\n  long_name = y\n  map = {\n    k = true\n  }\n  z = [1, "two"]\n}\n'
    )
