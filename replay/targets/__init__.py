"""What answers a case."""
