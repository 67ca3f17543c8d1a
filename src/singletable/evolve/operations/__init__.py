"""The operations of `singletable diff`, one per file."""
