"""What bench/replay_speed.py measures, and how."""
