"""`driftd compare-versions`: compares two versions over all their nights."""

from typing import Annotated

import typer

from monitor.api.schema.version_comparisons import PooledVersionItem, VersionComparisonItem
from monitor.cli.connection.session import Session, with_session
from monitor.cli.options import MetricName
from monitor.cli.terminal.output import percent, points, print_facts, print_line, print_table

MOST_LISTED = 10  # runs that are not pooled


@with_session
def compare_versions(
    *,
    session: Session,
    deployment: Annotated[str, typer.Argument(metavar="DEPLOYMENT", help="Name of the deployment.")],
    set_name: Annotated[str, typer.Argument(metavar="SET", help="Name of the set.")],
    baseline: Annotated[str, typer.Argument(metavar="VERSION_A", help="Id or label of the baseline version.")],
    candidate: Annotated[str, typer.Argument(metavar="VERSION_B", help="Id or label of the candidate version.")],
    runs: Annotated[
        int, typer.Option(min=1, max=400, help="The newest runs of each version that are considered.")
    ] = 60,
    alpha: Annotated[float, typer.Option(min=0.0, max=1.0, help="False alarm probability over all tests.")] = 0.05,
    metric: MetricName = None,
) -> None:
    """Compare two versions of a deployment over all their runs under the same conditions, with the case as the unit.
    Exit code 1 when the second is worse, overall or in a category.
    """
    found = session.api.get(
        "/api/v1/comparisons/versions",
        VersionComparisonItem,
        deployment=deployment,
        set_name=set_name,
        baseline=baseline,
        candidate=candidate,
        runs=str(runs),
        metric=metric,
    )
    session.show(found, lambda: _print(found))
    if is_worse(found, alpha):
        raise typer.Exit(1)


def is_worse(found: VersionComparisonItem, alpha: float) -> bool:
    """Return whether the score fell overall or in a category: t tests, Holm over the overall test and all categories,
    p below `alpha`.
    """
    tests = [(found.effect, found.p_value_adjusted), *((row.effect, row.p_value_adjusted) for row in found.categories)]
    return any(effect < 0 and p_value is not None and p_value < alpha for effect, p_value in tests)


def _print(found: VersionComparisonItem) -> None:
    p_value, mde = found.p_value, found.mde
    conditions = [f"{name} {value}" for name, value in found.conditions.items() if value != "unset"]
    print_facts(
        [
            ("before", _side(found.baseline)),
            ("after", _side(found.candidate)),
            ("score", f"{percent(found.baseline.rate)} to {percent(found.candidate.rate)}"),
            ("difference", f"{points(found.effect)} points, 95 % interval {_interval(found.ci_low, found.ci_high)}"),
            ("p", None if p_value is None else f"{p_value:.3g} (t test, two-sided)"),
            ("cases", f"{found.n}, {found.clusters} of them independent"),
            ("could see", None if mde is None else f"{points(mde).removeprefix('+')} points with 80 % power"),
            ("conditions", ", ".join(conditions)),
        ]
    )
    for note in found.notes:
        print_line(note)
    print_line("")
    print_table(
        ("category", "cases", "before", "after", "points", "95 % interval", "p"),
        [
            (
                row.category,
                row.n,
                percent(row.baseline),
                percent(row.candidate),
                points(row.effect),
                _interval(row.ci_low, row.ci_high),
                "-" if row.p_value_adjusted is None else f"{row.p_value_adjusted:.3g}",
            )
            for row in found.categories
        ],
        "No category was compared.",
    )
    if found.left_out:
        print_line("")
        rows = [(row.run_id, row.reason) for row in found.left_out[-MOST_LISTED:]]
        print_table((f"not pooled ({_count(len(found.left_out), 'run')})", "different condition"), rows, "")


def _side(side: PooledVersionItem) -> str:
    runs = f"{_count(side.nights, 'night')}, {_count(len(side.runs), 'run')}"
    return f"{side.label}: {runs}, {side.first_at:%Y-%m-%d} to {side.last_at:%Y-%m-%d}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _interval(low: float | None, high: float | None) -> str:
    return "unknown" if low is None or high is None else f"{points(low)} to {points(high)}"
