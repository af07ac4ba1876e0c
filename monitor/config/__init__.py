"""Reads settings from one YAML file and the environment; nobody else does."""
