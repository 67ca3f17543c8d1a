"""The planner: finds the one request that serves an access pattern, and proves that this request serves it."""
