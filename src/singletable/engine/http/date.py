"""The date as HTTP writes it; the standard library's own way there imports a whole mail program."""

from __future__ import annotations

import time

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def http_date(seconds: float) -> str:
    """`Fri, 10 Apr 2026 12:00:00 GMT` for a time since the epoch."""
    moment = time.gmtime(seconds)
    day = f"{_DAYS[moment.tm_wday]}, {moment.tm_mday:02} {_MONTHS[moment.tm_mon - 1]} {moment.tm_year:04}"
    return f"{day} {moment.tm_hour:02}:{moment.tm_min:02}:{moment.tm_sec:02} GMT"
