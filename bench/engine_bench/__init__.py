"""The parts of `bench/engine.py`: workload, load generator, peers, rows and the table of ratios."""
