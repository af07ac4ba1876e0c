"""What bench/replay.py measures, and how."""
