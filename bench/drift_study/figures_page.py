"""The page docs/figures.md: its prose is written by hand, the tables below it are those of `--report`."""

from bench.drift_study.ledger import ROOT

PAGE = ROOT / "docs" / "figures.md"
FIRST = "## Figure 1\n"


def page_with(tables: str, page: str) -> str:
    r"""The page with its tables replaced; raises ValueError when it has none.

    >>> print(page_with("\n### Figure 1\n\nnew\n", "# Figures\n\n## Figure 1\n\nold\n"))
    # Figures
    <BLANKLINE>
    ## Figure 1
    <BLANKLINE>
    new
    <BLANKLINE>
    """
    prose, found, _old = page.partition(FIRST)
    if not found:
        raise ValueError(f"{PAGE.name}: has no heading {FIRST.strip()!r} where the tables begin")
    return prose + tables.replace("\n### ", "\n## ").removeprefix("\n")
