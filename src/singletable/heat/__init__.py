"""Heat: which partitions of a design grow hot, when they throttle, and what would carry the traffic."""
