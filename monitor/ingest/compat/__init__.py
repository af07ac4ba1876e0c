"""Endpoints with the paths of other products. Their clients only need a new base URL."""
