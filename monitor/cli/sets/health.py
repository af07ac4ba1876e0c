"""`driftd sets health`: does a set still separate versions, meet production, and stay private?"""

from typing import Annotated

import typer

from monitor.api.schema import OverfittingItem, SetHealthItem
from monitor.cli.connection.session import Session, with_session
from monitor.cli.options import Deployment
from monitor.cli.terminal.output import percent, points, print_facts, print_table, say, short

SHOWN = 10


@with_session
def health(
    session: Session,
    name: Annotated[str, typer.Argument(help="A set.")],
    deployment: Deployment = None,
    days: Annotated[float, typer.Option("--days", min=0.01, help="Days of production traffic to analyze.")] = 30.0,
    items: Annotated[
        bool, typer.Option("--items", help="List every case with its difficulty and discrimination.")
    ] = False,
) -> None:
    """Show the health of an eval set: saturation, label noise, staleness, redundancy, exposure, overfitting.

    Exit code 1 when the set needs attention.
    """
    found = session.api.get("/api/v1/sets/health", SetHealthItem, set_name=name, deployment=deployment, days=days)
    session.show(found, lambda: _print(found, items=items))
    raise typer.Exit(1 if found.concerns else 0)


def _print(found: SetHealthItem, *, items: bool) -> None:
    print_facts(
        [
            ("set", found.set_name),
            ("revision", f"{short(found.revision)}, {found.cases} cases"),
            ("read from", f"{found.runs} runs of {', '.join(found.deployments) or 'no deployment'}"),
            ("saturation", _saturation(found)),
            ("label noise", _label_noise(found)),
            ("staleness", _staleness(found)),
            ("redundancy", f"{found.redundancy.redundant} cases to redundant ({percent(found.redundancy.share)})"),
            ("exposure", _exposure(found)),
            ("overfitting", _overfitting(found.overfitting)),
        ]
    )
    say("")
    for concern in found.concerns:
        say(f"- {concern}")
    if not found.concerns:
        say("nothing to look at")
    _print_suspects(found)
    if items:
        rows = [(i.case_id, i.versions, percent(i.pass_rate), _number(i.discrimination)) for i in found.items]
        say("")
        print_table(("case", "versions", "passed", "discrimination"), rows, "no run has scored a case yet")


def _saturation(found: SetHealthItem) -> str:
    told = found.saturation
    if told.share is None:
        return f"not known: {told.versions} versions seen, 2 are needed"
    separating = "8 versions are needed to tell which do" if told.separating is None else f"{told.separating} surely do"
    return (
        f"{percent(told.share)} of {told.judged} cases never separated {told.versions} versions "
        f"({told.always_pass} always pass, {told.always_fail} always fail); {separating}"
    )


def _label_noise(found: SetHealthItem) -> str:
    noise = found.label_noise
    said = [
        _counted(
            noise.failed_by_better_versions,
            "failed by better versions",
            "8 versions are needed to tell what better ones fail",
        ),
        _counted(noise.never_passed, "passed by no version", "4 versions, one of them good, to doubt what none passes"),
        _counted(noise.unstable, "unstable within a version", "4 runs of a version to tell what is unstable"),
    ]
    return "; ".join(said)


def _counted(cases: list[str] | None, what: str, otherwise: str) -> str:
    return otherwise if cases is None else f"{len(cases)} {what}"


def _staleness(found: SetHealthItem) -> str:
    told = found.staleness
    if told.distant is None:
        return f"not known: {told.cases} cases and {told.calls} production calls, 20 and 30 are needed"
    return (
        f"{percent(told.distant)} of {told.calls} production calls are near no case "
        f"({percent(told.distant_low)} to {percent(told.distant_high)}; up to 10 % is usual); "
        f"about {percent(told.uncovered)} ask about something else"
    )


def _exposure(found: SetHealthItem) -> str:
    told = found.exposure
    if told is None:
        return "not private"
    budget = "no budget" if told.budget is None else f"of {told.budget}"
    return (
        f"most exposed case {told.max_exposure} times, {budget}; {len(told.over_budget)} over budget; "
        f"{told.revealed_cases} shown to people"
    )


def _overfitting(told: OverfittingItem | None) -> str:
    if told is None:
        return "not asked of a dynamic set"
    if told.rise is None or told.rise_low is None or told.rise_high is None:
        return f"{told.trend}: {told.runs} runs"
    interval = f"{points(told.rise_low)} to {points(told.rise_high)}"
    said = f"{told.trend}: the set moved {points(told.rise)} points ({interval})"
    if told.corrections is None or told.corrections_low is None or told.corrections_high is None:
        return said
    span = f"{points(told.corrections_low)} to {points(told.corrections_high)}"
    return f"{said}, corrected calls {points(told.corrections)} ({span}; {points(told.expected or 0.0)} would fit)"


def _print_suspects(found: SetHealthItem) -> None:
    noise = found.label_noise
    named = {
        "failed by better versions": noise.failed_by_better_versions,
        "passed by no version": noise.never_passed,
        "unstable": noise.unstable,
        "ask the same": [", ".join(group) for group in found.redundancy.groups],
    }
    rows = [(what, case) for what, cases in named.items() for case in (cases or [])[:SHOWN]]
    if rows:
        say("")
        print_table(("suspect", "case"), rows, "")


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:+.2f}"
