"""`driftd sets access` and `rotate`: the access log of a private set, and the cases to replace."""

from typing import Annotated

import typer

from monitor.api.schema import AccessItem, ExposureItem
from monitor.cli.connection.session import Session, with_session, with_writing_session
from monitor.cli.options import Limit
from monitor.cli.sets.keys import rotate_key
from monitor.cli.terminal.output import print_facts, print_line, print_table, short


@with_session
def access(
    session: Session,
    name: Annotated[str, typer.Argument(help="A frozen set.")],
    case: Annotated[str | None, typer.Option("--case", help="Filter by case.")] = None,
    limit: Limit = 50,
) -> None:
    """List who or what has read cases of a set, newest first: replays, and reveals to people."""
    page = session.api.list("/api/v1/sets/access", AccessItem, limit=limit, set_name=name, case_id=case)
    rows = [(e.at, e.kind, e.who, e.what, e.provider, e.model, short(e.revision), e.cases, e.calls) for e in page.items]
    columns = ("last", "kind", "who", "what", "provider", "model", "revision", "cases", "calls")
    session.show(page, lambda: print_table(columns, rows, "no access yet"))


@with_writing_session
def rotate(
    session: Session,
    name: Annotated[str, typer.Argument(help="A frozen set.")],
    key: Annotated[bool, typer.Option("--key", help="Rotate the key: seal all cases with the configured key.")] = False,
) -> None:
    """List the cases whose exposure budget is used up, to be replaced. Exit code 1 when there is one.

    With --key, rotate the key of the set instead. Before: set the new key as key_file and the old key under old_keys.
    After: the old key cannot open the set, nor any remaining bytes of the database file.
    """
    if key:
        rotate_key(session, name)
        return
    found = session.api.get("/api/v1/sets/exposure", ExposureItem, set_name=name)
    session.show(found, lambda: _print(found))
    raise typer.Exit(1 if found.over_budget else 0)


def _print(found: ExposureItem) -> None:
    days = None if found.days_left is None else f"{found.days_left:.0f} days at the rate of the last 30"
    print_facts(
        [
            ("set", found.set_name),
            ("revision", short(found.revision)),
            ("budget", "none" if found.budget is None else f"{found.budget} calls and reveals per case"),
            ("most seen", f"{found.max_exposure} (median {found.median:g})"),
            ("shown to people", f"{found.revealed_cases} of {len(found.cases)} cases"),
            ("sent to", ", ".join(f"{name} {calls}" for name, calls in found.providers.items()) or "no provider"),
            ("budget lasts", days),
        ]
    )
    if not found.over_budget:
        print_line("no case has reached its budget")
        return
    exposures = {case.case_id: case for case in found.cases}
    print_line("")
    rows = [
        (i, exposures[i].category, exposures[i].severity, exposures[i].calls, exposures[i].reveals)
        for i in found.to_replace
    ]
    print_table(("replace", "category", "severity", "calls", "shown"), rows, "")
    print_line(
        f"{len(found.over_budget)} of {len(found.cases)} cases have reached the budget; replace these first and keep "
        "the others, so that the next revision can be compared with this one"
    )
