"""The parts of `bench/redaction.py`."""
