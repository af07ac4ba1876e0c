"""Targets: they answer the cases of a replay."""
