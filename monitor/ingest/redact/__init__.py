"""Secrets and personal data become placeholders before anything is stored."""
