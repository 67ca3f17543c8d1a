"""The demo: runs the example systems and measures every access pattern, compared with one table per entity."""
