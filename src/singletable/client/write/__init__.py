"""Write path: plans and validates writes, and keeps index keys and derived data in sync."""
