"""`driftd sets key` and `rotate --key`: the keys of private sets."""

import os
from pathlib import Path
from typing import Annotated

import typer

from monitor.api.schema import CompactionItem, RotatedKey, RotateKey
from monitor.cli.connection.session import Session
from monitor.cli.db import compacted
from monitor.cli.terminal.output import print_line
from monitor.errors import UsageError
from replay.evalsets.sealing import key_text, new_key


def key(
    path: Annotated[Path, typer.Argument(help="Path of the new file. An existing file is never replaced.")],
) -> None:
    """Write a new random key for a frozen set. Only its owner can read the file.

    Keep a copy in a safe place: without the key the set cannot be opened.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise UsageError(f"{path} exists already; choose another path; a key is never replaced") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(key_text(new_key()) + "\n")
    print_line(f"wrote {path}; set it as key_file of a frozen set, and keep a copy in a safe place")


def rotate_key(session: Session, name: str) -> None:
    """Encrypt everything of the set with its configured key, and wait until the file is compacted."""
    done = session.api.post("/api/v1/sets/key", RotateKey(name=name), RotatedKey)
    item = None
    if done.compaction is not None:
        session.api.tidy()
        item = compacted(session.api, session.api.get(f"/api/v1/compactions/{done.compaction}", CompactionItem))
    session.show(done, lambda: print_line(_result_text(done, item)))


def _result_text(done: RotatedKey, item: CompactionItem | None) -> str:
    if done.compaction is None:
        return f"{done.name}: everything is already sealed with key {done.key_id}; remove its old_keys"
    return (
        f"{done.name}: {done.cases} cases, {done.outcomes} replies and {done.scores} reasons are sealed with key "
        f"{done.key_id}{_compacted(item)}; remove its old_keys"
    )


def _compacted(item: CompactionItem | None) -> str:
    return ", and the file was compacted" if item is not None and item.compacted_at is not None else ""
