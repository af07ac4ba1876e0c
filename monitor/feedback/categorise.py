"""The failure category of a correction."""

from collections.abc import Collection

from replay.types import UNCATEGORISED


def categorise(name: str | None, taxonomy: Collection[str]) -> str:
    """The given name when the deployment's taxonomy has it, else `uncategorised`.

    Case and surrounding space do not count, and the taxonomy's spelling is what is kept. The name as it was given
    stays on the feedback itself.
    """
    normalized = (name or "").strip().casefold()
    return next((name for name in taxonomy if name.casefold() == normalized), UNCATEGORISED)
