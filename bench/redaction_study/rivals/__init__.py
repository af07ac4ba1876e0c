"""Other programs that find private data, each in its own environment."""
