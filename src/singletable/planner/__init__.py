"""From an access pattern to the one request that answers it, with the proof."""
