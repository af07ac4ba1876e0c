"""Panels of the page Sets."""
