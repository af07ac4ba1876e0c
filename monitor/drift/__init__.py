"""Drift detection: baselines, tests and verdicts. Pure functions: no store, no clock."""
