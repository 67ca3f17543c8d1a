"""Modules of `bench/client.py`: contenders, worker processes, rows and tables."""
