"""`driftd sets cases` and `driftd sets case`: the cases of a set over its runs, and one of them."""

from typing import Annotated

import typer

from monitor.api.schema.case_histories import (
    CaseHistoryItem,
    CaseRepliesItem,
    CaseTrendItem,
    CaseTrendsItem,
    CaseVersionItem,
)
from monitor.cli.connection.session import Session, with_session
from monitor.cli.options import Deployment
from monitor.cli.replays.case_view import ShownCase, print_case
from monitor.cli.terminal.output import percent, print_facts, print_line, print_table, short
from monitor.domain.case_history import CaseOrder, CaseState

Name = Annotated[str, typer.Argument(metavar="SET", help="A set.")]
Runs = Annotated[int, typer.Option("--runs", min=1, max=200, help="The newest complete runs that count.")]


@with_session
def cases(
    *,
    session: Session,
    name: Name,
    deployment: Deployment = None,
    runs: Runs = 60,
    text: Annotated[str | None, typer.Option("--text", help="A part of the id or the category.")] = None,
    category: Annotated[str | None, typer.Option("--category", help="Filter by category.")] = None,
    severity: Annotated[str | None, typer.Option("--severity", help="Filter by severity.")] = None,
    part: Annotated[str | None, typer.Option("--part", help="Filter by part of a dynamic set.")] = None,
    failure_category: Annotated[
        str | None, typer.Option("--failure-category", help="Filter by failure category on the newest run.")
    ] = None,
    run: Annotated[str | None, typer.Option("--run", help="The newest run that counts.")] = None,
    state: Annotated[CaseState | None, typer.Option("--state", help="Filter by state.")] = None,
    order: Annotated[CaseOrder, typer.Option("--order", help="The order of the list.")] = CaseOrder.SEVERITY,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=500, help="Maximum number of cases.")] = 50,
) -> None:
    """List the cases of a set with their difficulty, flakiness and newest verdict."""
    found = session.api.get(
        "/api/v1/cases/trends",
        CaseTrendsItem,
        set_name=name,
        deployment=deployment,
        runs=runs,
        text=text,
        category=category,
        severity=severity,
        part=part,
        failure_category=failure_category,
        run_id=run,
        state=state and state.value,
        order=order.value,
        limit=limit,
    )
    session.show(found, lambda: _print_trends(found))


@with_session
def case(
    *,
    session: Session,
    name: Name,
    case_id: Annotated[str, typer.Argument(metavar="CASE", help="Id of a case of the current revision.")],
    deployment: Deployment = None,
    runs: Runs = 60,
    run: Annotated[str | None, typer.Option("--run", help="Also show the replies of this run.")] = None,
    reveal: Annotated[
        bool, typer.Option("--reveal", help="Show sealed texts. Requires the role reveal; each look is logged.")
    ] = False,
) -> None:
    """Show one case over versions and repeats: difficulty, flakiness, exposure, origin, variants."""
    query = {"set_name": name, "case_id": case_id, "deployment": deployment}
    found = session.api.get("/api/v1/cases/history", CaseHistoryItem, runs=runs, **query)
    if run is None:
        session.show(found, lambda: _print_history(found))
        return
    replies = session.api.get("/api/v1/cases/replies", CaseRepliesItem, run_id=run, case_id=case_id, reveal=reveal)
    session.show(replies, lambda: _print_replies(found, replies))


def _print_trends(found: CaseTrendsItem) -> None:
    states = ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in found.states.items())
    print_line(f"{found.total} cases, {found.runs} runs on {found.deployment or 'no deployment'}: {states}")
    rows = [
        (
            item.case_id,
            item.category,
            item.severity,
            verdict(item),
            f"{item.failed} of {item.runs}",
            f"{item.flips} of {item.night_pairs}",
            f"{item.disagreeing} of {item.pairs}",
            ", ".join(state.replace("_", " ") for state in item.states),
        )
        for item in found.items
    ]
    columns = ("case", "category", "severity", "newest", "failed runs", "flips", "disagreements", "states")
    print_table(columns, rows, "no case matches")


def verdict(item: CaseTrendItem) -> str:
    if item.passed is None:
        return "no score"
    return "pass" if item.passed else f"fail: {item.failure_category}"


def _print_history(found: CaseHistoryItem) -> None:
    trend = found.trend
    print_facts(
        [
            ("case", trend.case_id),
            ("set", f"{found.set_name}, revision {short(found.revision)}"),
            ("category", trend.category),
            ("severity", trend.severity),
            ("newest verdict", verdict(trend)),
            ("difficulty", _difficulty(found)),
            ("flakiness", _flakiness(trend)),
            ("exposure", _exposure(found)),
            ("origin", found.origin and f"candidate {found.origin.candidate_id}"),
            ("variants", ", ".join(item.case_id for item in found.variants) or None),
        ]
    )
    print_line("")
    rows = [_version(row) for row in found.versions]
    print_table(("version", "failed runs", "answers passed", "pass rate", "95 % interval"), rows, "no scored run")
    print_line("")
    history = [
        (row.run_id, row.at, row.version_label or row.version, _answers(found, at)) for at, row in enumerate(found.runs)
    ]
    print_table(("run", "ended", "version", "answers"), history[::-1], "no run")


def _version(row: CaseVersionItem) -> tuple[object, ...]:
    interval = f"{percent(row.ci_low)} to {percent(row.ci_high)}"
    failed, passed = f"{row.failed} of {row.nights}", f"{row.passes} of {row.answers}"
    return row.version_label or row.version, failed, passed, percent(row.pass_rate), interval


def _difficulty(found: CaseHistoryItem) -> str:
    trend = found.trend
    share = percent(trend.fail_share) or "unknown"
    versions = f"{found.failed_versions} of {len(found.versions)} versions"
    return f"{share}: {trend.failed} of {trend.runs} runs and {versions} failed"


def _flakiness(trend: CaseTrendItem) -> str:
    return (
        f"{trend.disagreeing} of {trend.pairs} pairs of answers of one run disagree; {trend.flips} of "
        f"{trend.night_pairs} pairs of consecutive runs of one version flip"
    )


def _exposure(found: CaseHistoryItem) -> str | None:
    if found.exposure is None:
        return None
    count = found.exposure
    budget = "no budget" if count.budget is None else f"budget {count.budget}"
    revealed = f"{count.reveals} reveals to {count.people} people"
    return f"{count.calls} calls to {count.providers} endpoints, {revealed}; {budget}"


def _answers(found: CaseHistoryItem, at: int) -> str:
    """Return one letter an answer: P passed, F failed, - unscored."""
    run = found.runs[at]
    letters = "".join("-" if row.passed is None else "P" if row.passed else "F" for row in run.answers)
    return letters if run.same_content else f"{letters} (other content)"


def _print_replies(found: CaseHistoryItem, replies: CaseRepliesItem) -> None:
    _print_history(found)
    print_line("")
    print_case(ShownCase(case=replies.case, outcomes=replies.outcomes))
