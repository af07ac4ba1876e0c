"""Eval sets: canonical content, sealing, canaries, building a revision."""
