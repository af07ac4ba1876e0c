"""What bench/ingest.py measures, and how."""
