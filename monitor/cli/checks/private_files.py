"""Checks the permissions of files with user texts: other users of the machine must not read them."""

import stat
from collections.abc import Iterator
from pathlib import Path

from monitor.cli.checks.line import Line, ok, warn
from monitor.config.salt import NAME as SALT
from monitor.config.tree import Config
from monitor.parts import traffic_reports_folder

CHECK = "private files"


def check_private_files(config: Config) -> list[Line]:
    """Return a warning for each file or folder that every user of the machine may read. Before the first start: no
    line.

    The files are the database, its log, copies and backups with its name in its folder, and the folder of the reports.
    """
    there = list(_private(config))
    open_to_all = [path for path in there if _readable_by_others(path)]
    if open_to_all:
        return [warn(CHECK, _sentence(path)) for path in open_to_all]
    what = config.store.folder if config.store.url is not None else config.store.path
    return [ok(CHECK, f"no other user can read {what} and its files")] if there else []


def _private(config: Config) -> Iterator[Path]:
    store = config.store.path
    if config.store.url is not None:
        yield from (path for path in (config.store.folder, config.store.folder / SALT) if path.exists())
    elif store.parent.is_dir():
        yield from sorted({*store.parent.glob(f"{store.name}*"), *store.parent.glob(f"*{store.suffix or store.name}")})
    if (reports := traffic_reports_folder(config)).is_dir():
        yield reports


def _readable_by_others(path: Path) -> bool:
    """Return whether other users can read it. In a folder that they cannot enter, the permissions of the file do not
    matter.
    """
    try:
        return bool(path.stat().st_mode & stat.S_IROTH and path.absolute().parent.stat().st_mode & stat.S_IXOTH)
    except FileNotFoundError:  # a log that a checkpoint has removed
        return False


def _sentence(path: Path) -> str:
    return f"every user of this machine can read {path}; run chmod {700 if path.is_dir() else 600} {path}"
