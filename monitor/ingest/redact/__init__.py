"""Replace secrets and personal data by placeholders before a record is stored."""
