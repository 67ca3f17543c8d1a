"""Advice: rules that recognise when a single table is the wrong choice, with their reasons."""
