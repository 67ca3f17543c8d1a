"""What hatchling does beside packing: compiles the C of the library where there is a compiler, and goes on where not.

`SINGLETABLE_PURE=1` in the environment makes a wheel without it, for every platform.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

EXTENSIONS = {"singletable.client.items._quick_rows": "src/singletable/client/items/_quick_rows.c"}


class CompiledHook(BuildHookInterface):
    """Adds the compiled modules to a wheel, or puts them beside their sources where those are used as they are."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """What hatchling calls before it packs."""
        if self.target_name != "wheel" or os.environ.get("SINGLETABLE_PURE", "0") not in ("", "0"):
            return
        with tempfile.TemporaryDirectory() as folder:
            try:
                built = compiled(Path(self.root), Path(folder))
            except Exception as problem:  # of a compiler, or for want of one
                print(f"singletable is installed without its compiled part: {problem}", file=sys.stderr)
                return
            kept = Path(self.root) / "build" / "compiled" / sys.implementation.cache_tag
            for name, path in built.items():
                beside = Path(self.root, EXTENSIONS[name]).parent / path.name
                target = beside if version == "editable" else kept / path.name
                target.parent.mkdir(parents=True, exist_ok=True)
                # A new file in place of the old one, which a running program may have mapped.
                target.unlink(missing_ok=True)
                shutil.copy2(path, target)
                if version != "editable":
                    inside = Path(*name.split(".")[:-1], path.name).as_posix()
                    build_data["force_include"][str(target)] = inside
        if version != "editable":
            build_data["pure_python"] = False
            build_data["infer_tag"] = True


def compiled(root: Path, folder: Path) -> dict[str, Path]:
    """The extensions as files in a folder, by their names."""
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    flags = [] if sys.platform == "win32" else ["-O3"]
    extensions = [Extension(name, [str(root / path)], extra_compile_args=flags) for name, path in EXTENSIONS.items()]
    command = build_ext(Distribution({"name": "singletable", "ext_modules": extensions}))
    command.build_lib = str(folder / "lib")
    command.build_temp = str(folder / "temp")
    command.ensure_finalized()
    command.run()
    return {name: Path(command.get_ext_fullpath(name)) for name in EXTENSIONS}
