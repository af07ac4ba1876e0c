"""Ingestion: decode records to interactions and feedback, write them as rows, and acknowledge them."""
