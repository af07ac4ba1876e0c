"""Requests of the pages to the API, one module a topic."""
