"""The parts of `bench/client.py`."""
