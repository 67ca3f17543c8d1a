"""The workflow files for GitHub have the form that GitHub requires."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def validate(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_workflows_match_the_schema_of_github() -> None:
    checked = validate(*sorted((ROOT / ".github" / "workflows").glob("*.yml")))
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_an_invalid_workflow_is_rejected(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yml"
    broken.write_text("name: broken\non: push\njobs: {test: {steps: 5}}\n", encoding="utf-8")
    assert validate(broken).returncode == 1
