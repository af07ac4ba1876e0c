"""Corrections: which interaction they belong to, what failed, which case they propose. Pure."""
