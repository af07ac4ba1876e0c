"""Paths of other products, served so that their clients need only a new base URL."""
