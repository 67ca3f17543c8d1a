"""Run the example systems and measure every access pattern, compared with one table per entity."""
