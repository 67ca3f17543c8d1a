"""Walkthroughs: each script shows a task from start to end, and prints what it does."""
