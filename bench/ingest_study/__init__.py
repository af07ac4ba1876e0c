"""The measurements of bench/ingest.py."""
