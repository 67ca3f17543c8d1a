"""Programs that bench/cold_start.py starts in new processes; each prints the seconds of its steps."""
