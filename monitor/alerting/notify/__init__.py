"""Thin senders, one receiver kind a file."""
