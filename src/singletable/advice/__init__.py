"""Advice: when a single table is the wrong call for a model, by rules that give their reasons."""
