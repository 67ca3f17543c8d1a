"""Translates PartiQL statements into reads and writes of the engine."""
