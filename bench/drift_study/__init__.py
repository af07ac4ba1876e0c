"""The study behind docs/statistics.md: a world to simulate, the figures measured in it, and the rivals beside ours."""
