"""The answer of GET /api/v1/overview: one row per deployment."""
