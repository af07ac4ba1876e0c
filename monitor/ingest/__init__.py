"""Bytes to interactions and feedback, to rows, to receipts."""
