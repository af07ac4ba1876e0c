"""How bad an alert is, as an order."""

MILDEST_FIRST = ("info", "warning", "critical")


def rank(severity: str) -> int:
    """0 for info to 2 for critical; a name nobody knows is a bug of whoever made the finding."""
    if severity not in MILDEST_FIRST:
        raise ValueError(f"severity {severity!r} is unknown; known: {', '.join(MILDEST_FIRST)}")
    return MILDEST_FIRST.index(severity)


def worst(one: str, other: str) -> str:
    return max(one, other, key=rank)
