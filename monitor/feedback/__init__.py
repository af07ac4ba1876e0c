"""Feedback: links it to interactions, finds corrections, and proposes cases. Pure."""
