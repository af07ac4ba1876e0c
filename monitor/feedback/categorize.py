"""The failure category of a correction."""

from collections.abc import Collection

from replay.types import UNCATEGORIZED


def categorize(name: str | None, taxonomy: Collection[str]) -> str:
    """Return the name as the taxonomy of the deployment has it, else `uncategorised`.

    Case and surrounding space are ignored. The original name stays on the feedback.
    """
    normalized = (name or "").strip().casefold()
    return next((name for name in taxonomy if name.casefold() == normalized), UNCATEGORIZED)
