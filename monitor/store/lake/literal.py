"""Literals of SQL, for statements that take no parameters."""


def literal(value: str) -> str:
    """Return a text as a literal of SQL.

    >>> literal("it's")
    "'it''s'"
    """
    return "'" + value.replace("'", "''") + "'"
