"""Write path: plan and validate writes, and keep index keys and derived data in sync."""
