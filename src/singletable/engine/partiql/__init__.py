"""PartiQL statements on the engine: the reads and writes that they become."""
