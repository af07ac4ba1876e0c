"""`driftd compare`: two runs of one set, case by case."""

from typing import Annotated

import typer

from monitor.api.schema import ComparisonItem
from monitor.cli.comparison import is_worse, print_comparison
from monitor.cli.session import Session, with_session


@with_session
def compare(
    session: Session,
    baseline: Annotated[str, typer.Argument(metavar="RUN_A", help="Id of the run before.")],
    candidate: Annotated[str, typer.Argument(metavar="RUN_B", help="Id of the run after.")],
    alpha: Annotated[float, typer.Option(min=0.0, max=1.0, help="Chance of a false alarm, over all tests.")] = 0.05,
) -> None:
    """Compare two runs of one set. Exit 1 when the second is worse, overall or in a category."""
    found = session.api.get("/api/v1/comparisons", ComparisonItem, baseline=baseline, candidate=candidate)
    session.show(found, lambda: print_comparison(found))
    if is_worse(found, alpha):
        raise typer.Exit(1)
