"""Copy the package and compile its C modules with gcc's sanitizers; `make sanitize` tests the copy."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parent.parent
FLAGS = (
    *("-g", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers", "-Wno-unused-parameter"),
    *("-Wno-cast-function-type", "-fsanitize=address,undefined", "-shared", "-fPIC"),
)


def extensions() -> dict[str, list[str]]:
    """Return EXTENSIONS of hatch_build.py without importing it, because hatchling is only in the build environment."""
    for statement in ast.parse((ROOT / "hatch_build.py").read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "EXTENSIONS":
            found: dict[str, list[str]] = ast.literal_eval(statement.value)
            return found
    raise LookupError("hatch_build.py has no EXTENSIONS")


def build(folder: Path) -> None:
    """Copy the package to a folder, and compile its modules there."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "src" / "singletable", folder / "singletable", ignore=shutil.ignore_patterns("*.so"))
    include, suffix = sysconfig.get_path("include"), sysconfig.get_config_var("EXT_SUFFIX")
    for name, sources in extensions().items():
        package = folder.joinpath(*name.split(".")[:-1])
        target = package / f"{name.rpartition('.')[2]}{suffix}"
        command = ["gcc", *FLAGS, f"-I{include}", *(str(package / each) for each in sources), "-o", str(target)]
        subprocess.run(command, check=True)  # noqa: S603  # our own flags and files


if __name__ == "__main__":
    build(Path(sys.argv[1]))
