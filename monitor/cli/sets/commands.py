"""`driftd sets`: the revisions of eval sets, and the keys that seal the private ones."""

from collections import Counter
from typing import Annotated

import typer

from monitor.api.schema import CaseItem, ImportResult, ImportSet, ListPage, SetItem
from monitor.cli.connection.session import Session, with_creating_session, with_session
from monitor.cli.options import Limit
from monitor.cli.sets import access as set_access
from monitor.cli.sets import content as set_content
from monitor.cli.sets import files as set_files
from monitor.cli.sets import health as set_health
from monitor.cli.sets import keys as set_keys
from monitor.cli.sets import leaks as set_leaks
from monitor.cli.sets import refreshes as set_refreshes
from monitor.cli.sets.drop_confirmation import confirm_drop
from monitor.cli.terminal.output import print_table, say, short
from monitor.errors import unknown
from replay.evalsets.case_codec import case_to_json
from replay.evalsets.formats.case_file import read_cases

app = typer.Typer(
    help="Eval sets: new, validate, import, diff, show, export; who has seen them; keys.", no_args_is_help=True
)
app.command("new")(set_files.new)
app.command("validate")(set_files.validate)
app.command("diff")(set_content.diff)
app.command("export")(set_content.export)
app.command("key")(set_keys.key)
app.command("refreshes")(set_refreshes.refreshes)
app.command("health")(set_health.health)
app.command("leakcheck")(set_leaks.leakcheck)
app.command("access")(set_access.access)
app.command("rotate")(set_access.rotate)
SHOWN = 20  # cases that a warning lists
_MANY = 1_000_000  # revisions and cases are listed whole


@app.command("import")
@with_creating_session
def import_set(
    session: Session,
    name: Annotated[str, typer.Argument(help="Name of a configured set.")],
    file: set_files.CaseFile,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask when many cases leave the set.")] = False,
    allow_sealed: Annotated[
        bool, typer.Option("--allow-sealed", help="Store questions of a sealed set in an unsealed one.")
    ] = False,
) -> None:
    """Store a file of cases as a revision of a set. Content that is already there makes no new one.

    When more than a fifth of the current cases would leave the set, the command asks; without a terminal it stops with
    exit code 2 unless --yes is given.
    """
    read = read_cases(file)
    if not yes:
        confirm_drop(session.api, name, {case.id for case in read}, file.name)
    order = ImportSet(
        name=name, cases=[case_to_json(case) for case in read], origin=file.name, allow_sealed=allow_sealed
    )
    result = session.api.post("/api/v1/sets", order, ImportResult)
    session.show(result, lambda: _print_import(result))


def _print_import(result: ImportResult) -> None:
    state = "new" if result.new else "already there"
    say(f"{result.name}: revision {short(result.revision)}, {result.cases} cases, {state}")
    if result.unscored:
        rows = [(case.case_id, case.reason) for case in result.unscored[:SHOWN]]
        rest = len(result.unscored) - len(rows)
        say(f"warning: {len(result.unscored)} of {result.cases} cases are never scored by the scorers of {result.name}")
        print_table(("case", "remark"), rows, "")
        if rest:
            say(f"and {rest} more; --json lists all")


@app.command("show")
@with_session
def show(
    session: Session,
    name: Annotated[
        str | None, typer.Argument(help="Every revision of this set; the current one of each without.")
    ] = None,
    limit: Limit = 50,
) -> None:
    """List sets, or the revisions of one, newest first."""
    revisions = session.api.list("/api/v1/sets", SetItem, limit=_MANY).items
    if name is not None and name not in {r.name for r in revisions}:
        raise unknown("eval set", name, {r.name for r in revisions})
    chosen = [r for r in revisions if r.name == name] if name else _current(revisions)
    page = ListPage[SetItem](items=chosen[:limit], next_cursor=None)
    session.show(page, lambda: _print_sets(session, page.items, with_categories=name is not None))


def _current(revisions: list[SetItem]) -> list[SetItem]:
    """The newest revision of each name; the list comes newest first."""
    newest: dict[str, SetItem] = {}
    for revision in revisions:
        newest.setdefault(revision.name, revision)
    return list(newest.values())


def _print_sets(session: Session, items: list[SetItem], *, with_categories: bool) -> None:
    rows = [(s.name, s.kind, short(s.revision), s.created_at, s.cases, s.sealed, s.origin) for s in items]
    print_table(
        ("set", "kind", "revision", "created", "cases", "sealed", "origin"), rows, "no set has been imported yet"
    )
    if with_categories:
        cases = session.api.list("/api/v1/cases", CaseItem, limit=_MANY, set_name=items[0].name).items
        counted = Counter(case.category for case in cases)
        say("")
        print_table(("category", "cases"), sorted(counted.items()), "the current revision has no cases")
