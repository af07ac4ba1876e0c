"""The loops: each reads tables, calls pure code, writes tables."""
