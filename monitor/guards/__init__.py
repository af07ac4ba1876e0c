"""Checks that every listener applies to a request before a route: the origin of the caller and its credentials."""
