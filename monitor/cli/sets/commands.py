"""`driftd sets`: revisions of eval sets and the keys of private sets."""

from collections import Counter
from typing import Annotated

import typer

from monitor.api.schema import CaseItem, ListPage, SetItem
from monitor.cli.connection.session import Session, with_session
from monitor.cli.options import Limit
from monitor.cli.sets import access as set_access
from monitor.cli.sets import cases as set_cases
from monitor.cli.sets import content as set_content
from monitor.cli.sets import dynamic as set_dynamic
from monitor.cli.sets import export as set_export
from monitor.cli.sets import files as set_files
from monitor.cli.sets import health as set_health
from monitor.cli.sets import importing as set_importing
from monitor.cli.sets import keys as set_keys
from monitor.cli.sets import leaks as set_leaks
from monitor.cli.sets import refreshes as set_refreshes
from monitor.cli.terminal.output import print_facts, print_line, print_table, short
from monitor.errors import unknown
from monitor.printable import printable

app = typer.Typer(
    help="Eval sets: new, validate, import, formats, diff, list, show, export, health, cases, access, keys.",
    no_args_is_help=True,
    add_completion=False,
)
app.command("import")(set_importing.import_set)
app.command("formats")(set_importing.formats)
app.command("new")(set_files.new)
app.command("validate")(set_files.validate)
app.command("diff")(set_content.diff)
app.command("export")(set_export.export)
app.command("key")(set_keys.key)
app.command("refreshes")(set_refreshes.refreshes)
app.command("refresh")(set_dynamic.refresh)
app.command("graduate")(set_dynamic.graduate)
app.command("health")(set_health.health)
app.command("cases")(set_cases.cases)
app.command("case")(set_cases.case)
app.command("leakcheck")(set_leaks.leakcheck)
app.command("access")(set_access.access)
app.command("rotate")(set_access.rotate)
_MANY = 1_000_000  # lists all revisions and cases


@app.command("list")
@with_session
def list_sets(session: Session, limit: Limit = 50) -> None:
    """List sets with their current revision, newest first."""
    current = _current(session.api.list("/api/v1/sets", SetItem, limit=_MANY).items)
    page = ListPage[SetItem](items=current[:limit], next_cursor=None)
    session.show(page, lambda: _print_sets(page.items))


@app.command("show")
@with_session
def show(
    session: Session, name: Annotated[str, typer.Argument(help="Name of a set with a revision.")], limit: Limit = 50
) -> None:
    """Show the revisions of a set, newest first, and the number of cases of each category."""
    revisions = session.api.list("/api/v1/sets", SetItem, limit=_MANY).items
    if name not in {r.name for r in revisions}:
        raise unknown("eval set", name, {printable(r.name) for r in revisions})
    page = ListPage[SetItem](items=[r for r in revisions if r.name == name][:limit], next_cursor=None)
    session.show(page, lambda: _print_revisions(session, page.items))


def _current(revisions: list[SetItem]) -> list[SetItem]:
    """Return the newest revision of each set; `revisions` are sorted newest first."""
    newest: dict[str, SetItem] = {}
    for revision in revisions:
        newest.setdefault(revision.name, revision)
    return list(newest.values())


def _print_sets(items: list[SetItem]) -> None:
    rows = [(s.name, s.kind, short(s.revision), s.created_at, s.cases, s.sealed, s.origin) for s in items]
    print_table(("set", "kind", "revision", "created", "cases", "sealed", "origin"), rows, "no set yet")
    for item in items:
        if item.measures:
            print_line(f"{item.name} measures: {item.measures}")


def _print_revisions(session: Session, items: list[SetItem]) -> None:
    _print_sets(items)
    cases = session.api.list("/api/v1/cases", CaseItem, limit=_MANY, set_name=items[0].name).items
    current = items[0]
    if current.format is not None:
        canary = "in the data: models may have seen it" if current.has_benchmark_canary else None
        print_line("")
        print_facts(
            [
                ("format", current.format),
                ("licence", current.licence),
                ("source", current.source),
                ("canary", canary),
            ]
        )
    counted = Counter(case.category for case in cases)
    print_line("")
    print_table(("category", "cases"), sorted(counted.items()), "the current revision has no cases")
