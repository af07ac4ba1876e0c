"""The panels of the overview: one row per deployment."""
