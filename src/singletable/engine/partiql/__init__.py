"""PartiQL statements on the engine, translated into reads and writes."""
