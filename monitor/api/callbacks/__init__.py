"""Callbacks of receivers: people acknowledge alerts in the service that notified them."""
