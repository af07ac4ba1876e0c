"""Receivers of notifications. Each kind of receiver is one file and one line in table.py."""
