"""What served an interaction, and when that changed. Pure."""
