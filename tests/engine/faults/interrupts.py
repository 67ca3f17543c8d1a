"""Raises KeyboardInterrupt at the n-th line or instruction of a call, as Ctrl-C can do at any moment."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


class Interrupts:
    """Counts the lines (with `opcodes`, the instructions) of a call, and raises KeyboardInterrupt at one of them.

    Python ends the trace when the interrupt is raised. A second interrupt is raised at the `second`-th function call
    after it, which is part of the cleanup. With `only`, only the lines of files with this text in their path count.
    """

    def __init__(
        self, at: int | None = None, *, opcodes: bool = False, second: int | None = None, only: str = ""
    ) -> None:
        self.count = 0
        self._at = at
        self._opcodes = opcodes
        self._second = second
        self._only = only

    def run(self, call: Callable[[], object]) -> bool:
        """Run a call; return whether an interrupt has ended it."""
        gc.disable()  # Python ignores exceptions that are raised in a finalizer
        sys.settrace(self._trace)
        try:
            call()
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(None)
            sys.setprofile(None)
            gc.enable()
        return False

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if self._opcodes:
            frame.f_trace_opcodes = True
        path = frame.f_code.co_filename
        if event == ("opcode" if self._opcodes else "line") and path != __file__ and self._only in path:
            self.count += 1
            if self.count == self._at:
                if self._second is not None:
                    sys.setprofile(self._profile)
                raise KeyboardInterrupt
        return self._trace

    def _profile(self, frame: FrameType, event: str, argument: Any) -> None:
        if event in ("call", "c_call") and "singletable" in frame.f_globals["__name__"]:
            assert self._second is not None
            self._second -= 1
            if self._second == 0:
                raise KeyboardInterrupt
