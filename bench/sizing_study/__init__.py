"""The measurements of bench/sizing.py."""
