"""`driftd sets health`: whether a set still separates versions, resembles production and stays private."""

from typing import Annotated

import typer

from monitor.api.schema import OverfittingItem, SetHealthItem
from monitor.api.schema.set_health import HealthDayItem, HealthDaysItem, SetStateItem, SetStatesItem
from monitor.cli.connection.session import Session, with_session
from monitor.cli.options import Deployment
from monitor.cli.terminal.output import percent, points, print_facts, print_line, print_table, short
from monitor.errors import UsageError

SHOWN = 10
ALL = ("set", "kind", "health", "newest result", "cases", "exposure", "median age (days)", "saturation", "staleness")
DAYS = ("day", "cases", "runs", "concerns", "saturation", "staleness", "redundancy", "exposure", "median age (days)")


@with_session
def health(  # noqa: PLR0917 - one parameter for each option
    session: Session,
    name: Annotated[str | None, typer.Argument(help="A set. Default: one line for each set, the worst first.")] = None,
    deployment: Deployment = None,
    days: Annotated[float, typer.Option("--days", min=0.01, help="Days of production traffic to analyze.")] = 30.0,
    items: Annotated[
        bool, typer.Option("--items", help="List every case with its difficulty and discrimination.")
    ] = False,
    over_time: Annotated[
        bool, typer.Option("--over-time", help="List the figures of each of the last 90 UTC days.")
    ] = False,
) -> None:
    """Show the health of an eval set: saturation, label noise, staleness, redundancy, exposure, overfitting.

    Exit code 1 when the set, or one of all sets, needs attention.
    """
    if name is None:
        if deployment is not None or items or over_time:
            raise UsageError("--deployment, --items and --over-time need the name of a set")
        every = session.api.get("/api/v1/sets/health/all", SetStatesItem)
        session.show(every, lambda: _print_all(every.items))
        raise typer.Exit(1 if any(one.concerns for one in every.items) else 0)
    if over_time:
        series = session.api.get("/api/v1/sets/health/days", HealthDaysItem, set_name=name, deployment=deployment)
        session.show(series, lambda: _print_days(series.days))
        return
    found = session.api.get("/api/v1/sets/health", SetHealthItem, set_name=name, deployment=deployment, days=days)
    session.show(found, lambda: _print(found, items=items))
    raise typer.Exit(1 if found.concerns else 0)


def _print_all(items: list[SetStateItem]) -> None:
    print_table(ALL, [_state_row(one) for one in items], "no set has cases yet")
    for one in items:
        for concern in one.concerns:
            print_line(f"{one.set_name}: {concern}")
        if one.measures:
            print_line(f"{one.set_name} measures: {one.measures}")


def _state_row(one: SetStateItem) -> tuple[object, ...]:
    exposed = None if one.max_exposure is None else f"{one.max_exposure} of {one.budget or 'no budget'}"
    state = {"concerns": f"concerns: {len(one.concerns)}", "unknown": "not measured"}.get(one.state, one.state)
    age = None if one.median_age_days is None else f"{one.median_age_days:.0f}"
    figures = one.cases, exposed, age, percent(one.saturation), percent(one.distant)
    return one.set_name, one.kind, state, _results(one), *figures


def _results(one: SetStateItem) -> str | None:
    """Return `bot 84.0 % (81.0 % to 86.6 %)` for each deployment; None without a result."""
    found = [
        f"{row.deployment} {percent(row.rate)} ({percent(row.low)} to {percent(row.high)})"
        for row in one.results
        if row.rate is not None
    ]
    return ", ".join(found) or None


def _print_days(days: list[HealthDayItem]) -> None:
    rows = [
        (
            each.day.isoformat(),
            each.cases,
            each.runs,
            each.concerns,
            percent(each.saturation),
            percent(each.distant),
            percent(each.redundancy),
            each.max_exposure,
            None if each.median_age_days is None else f"{each.median_age_days:.0f}",
        )
        for each in days
    ]
    print_table(DAYS, rows, "no day is measured yet")


def _print(found: SetHealthItem, *, items: bool) -> None:
    print_facts(
        [
            ("set", found.set_name),
            ("revision", f"{short(found.revision)}, {found.cases} cases"),
            ("read from", f"{found.runs} runs of {', '.join(found.deployments) or 'no deployment'}"),
            ("saturation", _saturation(found)),
            ("label noise", _label_noise(found)),
            ("staleness", _staleness(found)),
            ("redundancy", f"{found.redundancy.redundant} redundant cases ({percent(found.redundancy.share)})"),
            ("exposure", _exposure(found)),
            ("age", _age(found)),
            ("overfitting", _overfitting(found.overfitting)),
        ]
    )
    print_line("")
    for concern in found.concerns:
        print_line(f"- {concern}")
    if not found.concerns:
        print_line("none")
    _print_suspects(found)
    _print_categories(found)
    if items:
        rows = [(i.case_id, i.versions, percent(i.pass_rate), _number(i.discrimination)) for i in found.items]
        print_line("")
        print_table(("case", "versions", "passed", "discrimination"), rows, "no scored run yet")


def _print_categories(found: SetHealthItem) -> None:
    """Print the share of each category in production next to its share in the set, when calls have categories."""
    categories = found.staleness.categories
    calls, cases = sum(one.calls for one in categories), sum(one.cases for one in categories)
    if calls:
        rows = [
            (
                one.category,
                percent(one.calls / calls),
                percent(one.cases / cases if cases else 0.0),
                one.calls,
                one.cases,
            )
            for one in categories
        ]
        print_line("")
        print_table(("category", "of production", "of the set", "calls", "cases"), rows, "no category")


def _saturation(found: SetHealthItem) -> str:
    report = found.saturation
    if report.share is None:
        return f"unknown: {report.versions} versions, 2 are needed"
    separating = (
        "8 versions are needed for discrimination"
        if report.separating is None
        else f"{report.separating} separate them significantly"
    )
    return (
        f"{percent(report.share)} of {report.judged} cases never separated {report.versions} versions "
        f"({report.always_pass} always pass, {report.always_fail} always fail); {separating}"
    )


def _label_noise(found: SetHealthItem) -> str:
    noise = found.label_noise
    sentence = [
        _counted(
            noise.failed_by_better_versions,
            "failed by better versions",
            "at least 8 versions are needed",
        ),
        _counted(noise.never_passed, "passed by no version", "at least 4 versions, one of them good, are needed"),
        _counted(noise.unstable, "unstable within a version", "at least 4 runs of one version are needed"),
    ]
    return "; ".join(sentence)


def _counted(cases: list[str] | None, what: str, otherwise: str) -> str:
    return otherwise if cases is None else f"{len(cases)} {what}"


def _staleness(found: SetHealthItem) -> str:
    report = found.staleness
    if report.distant is None:
        return f"unknown: {report.cases} cases and {report.calls} production calls, 20 and 30 are needed"
    return (
        f"{percent(report.distant)} of {report.calls} production calls are near no case "
        f"({percent(report.distant_low)} to {percent(report.distant_high)}; up to 10 % is usual); "
        f"about {percent(report.uncovered)} are other questions"
    )


def _age(found: SetHealthItem) -> str:
    if found.median_age_days is None or found.oldest_age_days is None:
        return "no case"
    return f"half of the cases are older than {found.median_age_days:.1f} days; the oldest {found.oldest_age_days:.1f}"


def _exposure(found: SetHealthItem) -> str:
    report = found.exposure
    if report is None:
        return "not private"
    budget = "no budget" if report.budget is None else f"of {report.budget}"
    return (
        f"highest exposure {report.max_exposure}, {budget}; {len(report.over_budget)} over budget; "
        f"{report.revealed_cases} shown to people"
    )


def _overfitting(report: OverfittingItem | None) -> str:
    if report is None:
        return "not computed for a dynamic set"
    if report.rise is None or report.rise_low is None or report.rise_high is None:
        return f"{report.trend}: {report.runs} runs"
    interval = f"{points(report.rise_low)} to {points(report.rise_high)}"
    sentence = f"{report.trend}: the set moved {points(report.rise)} points ({interval})"
    if report.corrections is None or report.corrections_low is None or report.corrections_high is None:
        return sentence
    span = f"{points(report.corrections_low)} to {points(report.corrections_high)}"
    return (
        f"{sentence}, corrected calls {points(report.corrections)} ({span}; expected {points(report.expected or 0.0)})"
    )


def _print_suspects(found: SetHealthItem) -> None:
    noise = found.label_noise
    named = {
        "failed by better versions": noise.failed_by_better_versions,
        "passed by no version": noise.never_passed,
        "unstable": noise.unstable,
        "same question": [", ".join(group) for group in found.redundancy.groups],
    }
    rows = [(what, case) for what, cases in named.items() for case in (cases or [])[:SHOWN]]
    if rows:
        print_line("")
        print_table(("suspect", "case"), rows, "")


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:+.2f}"
