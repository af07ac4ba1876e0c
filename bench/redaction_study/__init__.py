"""What `bench/redaction.py` is made of."""
