"""Decides which conditions of driftd itself need a person: replays, targets, budgets, ingest, disk and sets."""
