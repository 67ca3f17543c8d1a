"""Table design: chooses keys for entities that have none, and proves that fewer indexes do not suffice."""
