"""Replays an eval set against a target and scores every reply. A library: it knows nothing of the daemon."""
