"""`driftd sets leakcheck`: searches production traffic and files for private sets."""

import gzip
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from monitor.api.schema import LeakItem, LeaksFound, SearchedText, SearchLeaks
from monitor.cli.connection.session import Session, with_session
from monitor.cli.terminal.output import percent, print_line, print_table
from monitor.errors import UsageError

SHOWN = 20  # matches in the list
BLOCK_CHARACTERS = 200_000
OVERLAP_CHARACTERS = 8_000  # a case at the end of a block is complete in the next one
BATCH_CHARACTERS = 2_000_000


@with_session
def leakcheck(
    *,
    session: Session,
    name: Annotated[str | None, typer.Argument(help="A frozen set. The default is all frozen sets.")] = None,
    corpus: Annotated[
        list[Path] | None,
        typer.Option("--corpus", help="Also search this file or folder of texts; .gz files are decompressed."),
    ] = None,
    days: Annotated[float, typer.Option("--days", help="Days of production traffic to search; 0 for none.")] = 90.0,
    min_similarity: Annotated[
        float,
        typer.Option(
            "--min-similarity", min=0.3, max=1.0, help="Share of a case that a text must contain to be a near copy."
        ),
    ] = 0.7,
    everything: Annotated[bool, typer.Option("--all", help=f"List every match, not the first {SHOWN}.")] = False,
) -> None:
    """Search production traffic and files for canaries and copies of sealed cases. Exit code 1 when it finds one.

    The output starts with a summary: matches and cases by set and kind. --json has every match. Cases are named by id;
    their content is never printed, logged or written to a file.
    """
    if days < 0:
        raise UsageError(f"--days {days:g}: must be 0 (no traffic) or more")
    total = _search(session, SearchLeaks(name=name, min_similarity=min_similarity, days=days or None))
    for batch in _batches(corpus or []):
        part = _search(session, SearchLeaks(name=name, min_similarity=min_similarity, texts=tuple(batch)))
        leaks = [*total.leaks, *(_placed(leak) for leak in part.leaks)]
        total = total.model_copy(update={"texts": total.texts + part.texts, "leaks": leaks})
    total = total.model_copy(update={"leaks": _each_once(total.leaks)})
    session.show(total, lambda: _print(total, most=len(total.leaks) if everything else SHOWN))
    raise typer.Exit(1 if total.leaks else 0)


def _search(session: Session, order: SearchLeaks) -> LeaksFound:
    return session.api.post("/api/v1/sets/leaks", order, LeaksFound)


def _placed(leak: LeakItem) -> LeakItem:
    """Return the match with its line in the file: the response counts from the start of the block."""
    place, _, first = leak.location.rpartition(" from line ")
    return leak.model_copy(update={"location": f"{place} near line {int(first) + leak.line}"})


def _each_once(leaks: list[LeakItem]) -> list[LeakItem]:
    """Remove duplicates: two overlapping blocks can report the same match."""
    return list({(leak.set_name, leak.case_id, leak.kind, leak.location): leak for leak in leaks}.values())


def _batches(places: list[Path]) -> Iterator[list[SearchedText]]:
    batch: list[SearchedText] = []
    size = 0
    for block in (block for place in places for file in _files(place) for block in _blocks(file)):
        if batch and size + len(block.text) > BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
        batch.append(block)
        size += len(block.text)
    if batch:
        yield batch


def _files(place: Path) -> Iterator[Path]:
    if place.is_dir():
        yield from sorted(path for path in place.rglob("*") if path.is_file())
    elif place.is_file():
        yield place
    else:
        raise UsageError(f"--corpus {place}: no such file or folder")


def _blocks(path: Path) -> Iterator[SearchedText]:
    """Yield overlapping blocks of a file; bytes that are not UTF-8 are skipped."""
    opened = gzip.open if path.suffix == ".gz" else open
    line, kept = 1, ""
    try:
        with opened(path, "rt", encoding="utf-8", errors="ignore") as file:
            while read := file.read(BLOCK_CHARACTERS):
                text = kept + str(read)
                yield SearchedText(location=f"{str(path)[-400:]} from line {line}", text=text)
                kept = text[-OVERLAP_CHARACTERS:]
                line += text.count("\n", 0, len(text) - len(kept))
    except (OSError, EOFError, zlib.error) as error:
        raise UsageError(f"--corpus {path} cannot be read: {error}") from None


def _print(found: LeaksFound, *, most: int) -> None:
    print_line(
        f"searched for {', '.join(found.sets) or 'no set (none is imported)'} in {found.calls} production calls "
        f"and {found.texts} parts of files"
    )
    if found.recognized:
        print_line(f"{found.recognized} calls contained a sealed question; they are not counted as traffic")
    if not found.leaks:
        print_line("no canary and no copy found")
        return
    cases = {(leak.set_name, leak.case_id) for leak in found.leaks}
    print_line(f"{len(found.leaks)} matches of {len(cases)} cases:")
    print_table(("set", "kind", "matches", "cases", "locations"), _summary(found.leaks), "")
    print_line("")
    rows = [(leak.set_name, leak.case_id, leak.kind, percent(leak.similarity), leak.location) for leak in found.leaks]
    print_table(("set", "case", "kind", "share", "location"), rows[:most], "")
    if len(rows) > most:
        print_line(f"{len(rows) - most} more matches; --all lists all")


def _summary(leaks: Sequence[LeakItem]) -> list[tuple[object, ...]]:
    """Return one row for each set and kind: matches, cases and locations."""
    groups: dict[tuple[str, str], list[LeakItem]] = {}
    for leak in leaks:
        groups.setdefault((leak.set_name, leak.kind), []).append(leak)
    return [
        (name, kind, len(group), len({leak.case_id for leak in group}), len({leak.location for leak in group}))
        for (name, kind), group in sorted(groups.items())
    ]
