"""Results and counts that are stored once, so that pages do not compute them from every row."""
