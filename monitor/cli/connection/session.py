"""What a command that speaks to the API gets: a connection, and the choice of how to print."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from monitor.cli.connection.client import READING, Access, Api, Work, connect
from monitor.cli.options import DEFAULT_CONFIG, ActingAs, AsJson, ConfigPath, TokenFile, Url
from monitor.cli.terminal.output import print_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """`api` reaches the daemon, or the file when none runs."""

    api: Api
    as_json: bool

    def show(self, document: BaseModel, print_text: Callable[[], None]) -> None:
        """The one JSON document, or what a person reads."""
        if self.as_json:
            print_json(document)
        else:
            print_text()


Command = Callable[..., None]


def with_session(command: Command) -> Command:
    """Gives `command` the options --config, --url, --token-file and --json, and a `Session` made of them.

    Without a daemon it opens an existing database; it creates none. For a command that only reads.
    """
    return _with_options(command, READING)


def with_writing_session(command: Command) -> Command:
    """The same for a command that changes an existing database, with --as; no loop runs."""
    return _with_options(command, Access(writes=True))


def with_creating_session(command: Command) -> Command:
    """The same for a command that may be the first one: it creates the database."""
    return _with_options(command, Access(writes=True, creates=True))


def with_storing_session(command: Command) -> Command:
    """The same for a command whose change has consequences; without a daemon the writer and the loops run here."""
    return _with_options(command, Access(work=Work.STORING, writes=True))


def with_ingesting_session(command: Command) -> Command:
    """The same for a command that takes records in: it creates the database, and the writer and the loops run here."""
    return _with_options(command, Access(work=Work.STORING, writes=True, creates=True))


def with_replaying_session(command: Command) -> Command:
    """The same for a command that replays; without a daemon everything that is due runs in this process."""
    return _with_options(command, Access(work=Work.REPLAYS, writes=True, creates=True))


def _with_options(command: Command, access: Access) -> Command:
    def run(
        *,
        config: Path,
        url: str | None,
        token_file: Path | None,
        as_json: bool,
        acting_as: str | None = None,
        **own: Any,
    ) -> None:
        with connect(config_path=config, url=url, token_file=token_file, access=access, user=acting_as) as api:
            command(session=Session(api=api, as_json=as_json), **own)

    signature = _signature(command, access)
    functools.update_wrapper(run, command, assigned=("__module__", "__name__", "__doc__"), updated=())
    del run.__wrapped__  # type: ignore[attr-defined]  # Typer reads the signature below, not the command's
    run.__signature__ = signature  # type: ignore[attr-defined]  # how inspect is told
    run.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()}
    return run


def _signature(command: Command, access: Access) -> inspect.Signature:
    own = [p for p in inspect.signature(command).parameters.values() if p.name != "session"]
    shared = [
        _option("config", ConfigPath, DEFAULT_CONFIG),
        _option("url", Url, None),
        _option("token_file", TokenFile, None),
        *([_option("acting_as", ActingAs, None)] if access.writes else []),
        _option("as_json", AsJson, False),
    ]
    keyword_only = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    return inspect.Signature([*keyword_only, *shared], return_annotation=None)


def _option(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
