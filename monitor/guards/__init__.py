"""Checks that every listener applies before a request reaches a route: the caller's origin and its credentials."""
