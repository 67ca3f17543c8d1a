"""Heat: the hottest partitions of a design, the traffic at which they throttle, and the effect of sharding."""
