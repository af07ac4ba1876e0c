"""Readers of eval set files."""
