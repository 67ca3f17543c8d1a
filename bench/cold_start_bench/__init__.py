"""Programs that bench/cold_start.py starts in new processes. Each prints the seconds of its steps."""
