"""A search for private sets where they should not be. Texts go in; ids, places and shares come out, and no text."""

from typing import Annotated, Literal

from pydantic import Field

from monitor.api.schema.wire import Wire


class SearchedText(Wire):
    """`location` is how the answer calls it: a file and the line it begins in."""

    location: Annotated[str, Field(max_length=500)]
    text: str


class SearchLeaks(Wire):
    """Texts to search, and how many days of production traffic (none when null), for one set or all frozen ones."""

    name: str | None = None
    days: Annotated[float, Field(gt=0, le=36_500)] | None = None
    min_similarity: Annotated[float, Field(gt=0, le=1)] = 0.7
    max_calls: Annotated[int, Field(ge=1, le=1_000_000)] = 100_000
    texts: tuple[SearchedText, ...] = ()


class LeakItem(Wire):
    """`line` counts from the beginning of the searched text. `case_id` is null for the canary of the set."""

    set_name: str
    case_id: str | None
    kind: Literal["canary", "copy", "near copy"]
    similarity: float
    location: str
    line: int


class LeaksFound(Wire):
    """`recognized` are calls that held a sealed question word for word; their texts were not stored."""

    sets: list[str]
    calls: int
    texts: int
    recognized: int
    leaks: list[LeakItem]
