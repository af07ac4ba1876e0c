"""Certificates of listeners, and the trust of clients."""
