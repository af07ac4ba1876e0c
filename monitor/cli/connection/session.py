"""The session of a command: its connection to the API and its output format."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from monitor.cli.connection.client import READING, Access, Api, Work, connect
from monitor.cli.options import DEFAULT_CONFIG, ActingAs, AsJson, CaFile, ConfigPath, TokenFile, Url
from monitor.cli.terminal.output import print_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """The connection to the daemon, or to the file if no daemon runs."""

    api: Api
    as_json: bool

    def show(self, document: BaseModel, print_text: Callable[[], None]) -> None:
        """Print the JSON document with --json, else call `print_text`."""
        if self.as_json:
            print_json(document)
        else:
            print_text()


Command = Callable[..., None]


def with_session(command: Command) -> Command:
    """Add the options --config, --url, --token-file, --ca-file and --json to `command` and pass it a `Session`.

    For commands that only read. Without a daemon it opens an existing database and never creates one.
    """
    return _with_options(command, READING)


def with_writing_session(command: Command) -> Command:
    """The same for a command that changes an existing database, with --as. No loop runs."""
    return _with_options(command, Access(writes=True))


def with_creating_session(command: Command) -> Command:
    """The same for a command that creates a missing database."""
    return _with_options(command, Access(writes=True, creates=True))


def with_storing_session(command: Command) -> Command:
    """The same for a command whose change triggers work. Without a daemon, the writer and the loops run in this
    process.
    """
    return _with_options(command, Access(work=Work.STORING, writes=True))


def with_ingesting_session(command: Command) -> Command:
    """The same for a command that ingests records. It creates a missing database and runs the writer and the loops
    here.
    """
    return _with_options(command, Access(work=Work.STORING, writes=True, creates=True))


def with_replaying_session(command: Command) -> Command:
    """The same for a command that replays. Without a daemon, everything that is due runs in this process."""
    return _with_options(command, Access(work=Work.REPLAYS, writes=True, creates=True))


def with_judging_session(command: Command) -> Command:
    """The same for a command that judges stored outcomes: it creates no database."""
    return _with_options(command, Access(work=Work.REPLAYS, writes=True))


def with_announcing_session(command: Command) -> Command:
    """The same for a command that creates a missing database, and that replays if its option `wait` is given."""
    return _with_options(
        command,
        Access(writes=True, creates=True),
        waiting=Access(work=Work.REPLAYS, writes=True, creates=True),
    )


def _with_options(command: Command, access: Access, *, waiting: Access | None = None) -> Command:
    def run(
        *,
        config: Path,
        url: str | None,
        token_file: Path | None,
        ca_file: Path | None = None,
        as_json: bool,
        acting_as: str | None = None,
        **own: Any,
    ) -> None:
        needed = waiting if waiting is not None and own.get("wait") else access
        with connect(
            config_path=config, url=url, token_file=token_file, access=needed, user=acting_as, ca_file=ca_file
        ) as api:
            command(session=Session(api=api, as_json=as_json), **own)

    signature = _signature(command, access)
    functools.update_wrapper(run, command, assigned=("__module__", "__name__", "__doc__"), updated=())
    del run.__wrapped__  # type: ignore[attr-defined]  # Typer reads the signature below, not the command's
    run.__signature__ = signature  # type: ignore[attr-defined]  # read by inspect
    run.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()}
    return run


def _signature(command: Command, access: Access) -> inspect.Signature:
    own = [p for p in inspect.signature(command).parameters.values() if p.name != "session"]
    shared = [
        _option("config", ConfigPath, DEFAULT_CONFIG),
        _option("url", Url, None),
        _option("token_file", TokenFile, None),
        _option("ca_file", CaFile, None),
        *([_option("acting_as", ActingAs, None)] if access.writes else []),
        _option("as_json", AsJson, False),
    ]
    keyword_only = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    return inspect.Signature([*keyword_only, *shared], return_annotation=None)


def _option(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
