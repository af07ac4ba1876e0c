"""`driftd sets diff` and `export`: the content of revisions and their differences."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from monitor.api.schema import ImportSet, SetDiff
from monitor.cli.connection.client import Api, connect
from monitor.cli.options import DEFAULT_CONFIG, AsJson, CaFile, ConfigPath, TokenFile, Url
from monitor.cli.sets.files import FormatName
from monitor.cli.terminal.output import print_json, print_line, print_table, short
from monitor.errors import UsageError
from replay.evalsets.canonical import revision_hash
from replay.evalsets.case_codec import case_to_json
from replay.evalsets.difference import difference
from replay.evalsets.formats.native.case_file import READERS
from replay.evalsets.formats.registry import cases_of, read_set

_FILES = tuple(READERS)


def diff(
    *,
    before: Annotated[str, typer.Argument(help="A file, a set, or SET@REVISION.")],
    after: Annotated[
        str | None,
        typer.Argument(help="A file, a set, or SET@REVISION. The default is the current revision of the set."),
    ] = None,
    format_name: FormatName = None,
    config: ConfigPath = DEFAULT_CONFIG,
    url: Url = None,
    token_file: TokenFile = None,
    ca_file: CaFile = None,
    as_json: AsJson = False,
) -> None:
    """Show which cases were added, removed or changed, and in which fields, without their content.

    SET FILE shows what an import of the file changes; SET alone shows what the newest revision changed. Exit code 1
    when there is a difference.
    """
    if _is_file(before):
        if after is None or not _is_file(after):
            raise UsageError("the second argument must be a file too; to compare a file with a set, give the set first")
        found = _of_files(Path(before), Path(after), format_name)
    else:
        order = _order_of(before, after, format_name)
        with connect(config_path=config, url=url, token_file=token_file, ca_file=ca_file) as api:
            found = order(api)
    if as_json:
        print_json(found)
    else:
        _print(found)
    raise typer.Exit(1 if found.entered or found.left or found.changed else 0)


def _is_file(given: str) -> bool:
    """Return whether this is a file, or a folder that is written with a slash: a set may have the name of a folder."""
    path = Path(given)
    return path.suffix.lower() in _FILES or path.is_file() or ("/" in given and path.is_dir())


def _parted(given: str) -> tuple[str, str | None]:
    name, _, revision = given.partition("@")
    return name, revision or None


def _of_files(before: Path, after: Path, form: str | None) -> SetDiff:
    old, new = cases_of(read_set(before, form)), cases_of(read_set(after, form))
    found = difference(old, new)
    return SetDiff(
        before=revision_hash(old),
        after=revision_hash(new),
        entered=list(found.entered),
        left=list(found.left),
        changed={case_id: list(fields) for case_id, fields in found.changed.items()},
        same=found.same,
    )


def _order_of(before: str, after: str | None, form: str | None) -> Callable[[Api], SetDiff]:
    """Return the request to send. Raises UsageError for invalid arguments before a connection is opened."""
    path = "/api/v1/sets/diff"
    name, revision = _parted(before)
    if after is not None and _is_file(after):
        if revision is not None:
            raise UsageError(f"a file is compared with the current revision; use {name} without @{revision}")
        cases = [case_to_json(case) for case in cases_of(read_set(Path(after), form))]
        order = ImportSet(name=name, cases=cases, origin=Path(after).name)
        return lambda api: api.post(path, order, SetDiff)
    if after is None:
        return lambda api: api.get(path, SetDiff, set_name=name, **({"before": revision} if revision else {}))
    other, newer = _parted(after)
    if other != name:
        raise UsageError(f"only revisions of one set can be compared; {name!r} and {other!r} are different sets")
    return lambda api: api.get(path, SetDiff, set_name=name, before=revision, after=newer)


def _print(found: SetDiff) -> None:
    rows = [
        *(("entered", case_id, None) for case_id in found.entered),
        *(("left", case_id, None) for case_id in found.left),
        *(("changed", case_id, ", ".join(fields)) for case_id, fields in found.changed.items()),
    ]
    print_table(("what", "case", "fields"), rows, "no difference")
    print_line(
        f"{short(found.before)} to {short(found.after)}: {len(found.entered)} entered, {len(found.left)} left, "
        f"{len(found.changed)} changed, {found.same} unchanged"
    )
