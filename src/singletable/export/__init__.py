"""Designs as the text of other tools: infrastructure and policies, made without touching anything."""
