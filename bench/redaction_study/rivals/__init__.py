"""Other ways to find private data, each in an environment of its own."""
