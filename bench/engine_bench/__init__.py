"""Modules of `bench/engine.py`: workload, load generator, peers, rows and tables."""
