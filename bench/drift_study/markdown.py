"""A Markdown table."""

from collections.abc import Iterable, Sequence

Row = Sequence[str]


def table(title: str, head: Row, rows: Iterable[Row]) -> str:
    """A heading and the rows under it.

    >>> print(table("Speed", ["cell", "seconds"], [["9", "0.1"]]))
    <BLANKLINE>
    ### Speed
    <BLANKLINE>
    | cell | seconds |
    | --- | --- |
    | 9 | 0.1 |
    <BLANKLINE>
    """
    lines = [head, ["---"] * len(head), *rows]
    return f"\n### {title}\n\n" + "".join("| " + " | ".join(line) + " |\n" for line in lines)
