"""Owns the DuckDB file: the only importer of duckdb."""
