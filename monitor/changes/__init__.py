"""Detects which version serves, and when it changes. Pure."""
