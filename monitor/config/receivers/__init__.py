"""Settings of receivers. Each kind is one file and one line in kinds.py."""
