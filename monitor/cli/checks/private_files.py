"""The files that hold what users wrote: no other user of the machine reads them."""

import stat
from collections.abc import Iterator
from pathlib import Path

from monitor.cli.checks.line import Line, ok, warn
from monitor.config.tree import Config
from monitor.parts import traffic_reports_folder

CHECK = "private files"


def check_private_files(config: Config) -> list[Line]:
    """Return a warning for each file or folder that every user of the machine may read; nothing before the first start.

    The database, its log, its copies and backups of that name in its folder, and the folder of the reports.
    """
    there = list(_private(config))
    open_to_all = [path for path in there if _readable_by_others(path)]
    if open_to_all:
        return [warn(CHECK, _sentence(path)) for path in open_to_all]
    return [ok(CHECK, f"no other user may read {config.store.path} and what belongs to it")] if there else []


def _private(config: Config) -> Iterator[Path]:
    store = config.store.path
    if store.parent.is_dir():
        yield from sorted({*store.parent.glob(f"{store.name}*"), *store.parent.glob(f"*{store.suffix or store.name}")})
    if (reports := traffic_reports_folder(config)).is_dir():
        yield reports


def _readable_by_others(path: Path) -> bool:
    """Its own bits, and those of its folder: in one that others may not enter the bits of a file do not matter."""
    try:
        return bool(path.stat().st_mode & stat.S_IROTH and path.absolute().parent.stat().st_mode & stat.S_IXOTH)
    except FileNotFoundError:  # a log that was folded in meanwhile
        return False


def _sentence(path: Path) -> str:
    return f"every user of this machine may read {path}; chmod {700 if path.is_dir() else 600} keeps it to the owner"
