"""Heat: the hottest partitions of a design, when they throttle, and how sharding helps."""
