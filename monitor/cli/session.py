"""What a command that speaks to the API gets: a connection, and the choice of how to print."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from monitor.cli.gateway import Api, Work, connect
from monitor.cli.options import DEFAULT_CONFIG, AsJson, ConfigPath, TokenFile, Url
from monitor.cli.output import print_json


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


def with_session(command: Callable[..., None]) -> Callable[..., None]:
    """Gives `command` the options --config, --url, --token-file and --json, and a `Session` made of them."""
    return _with_options(command, work=Work.NONE)


def with_storing_session(command: Callable[..., None]) -> Callable[..., None]:
    """The same for a command that stores something; without a daemon the writer and the loops run in this process."""
    return _with_options(command, work=Work.STORING)


def with_replaying_session(command: Callable[..., None]) -> Callable[..., None]:
    """The same for a command that replays; without a daemon everything that is due runs in this process."""
    return _with_options(command, work=Work.REPLAYS)


def _with_options(command: Callable[..., None], *, work: Work) -> Callable[..., None]:
    def run(*, config: Path, url: str | None, token_file: Path | None, as_json: bool, **own: Any) -> None:
        with connect(config_path=config, url=url, token_file=token_file, work=work) as api:
            command(session=Session(api=api, as_json=as_json), **own)

    functools.update_wrapper(run, command, assigned=("__module__", "__name__", "__doc__"), updated=())
    del run.__wrapped__  # type: ignore[attr-defined]  # Typer reads the signature below, not the command's
    run.__signature__ = _signature(command)  # type: ignore[attr-defined]  # how inspect is told
    run.__annotations__ = {p.name: p.annotation for p in _signature(command).parameters.values()}
    return run


def _signature(command: Callable[..., None]) -> inspect.Signature:
    own = [p for p in inspect.signature(command).parameters.values() if p.name != "session"]
    shared = [
        _option("config", ConfigPath, DEFAULT_CONFIG),
        _option("url", Url, None),
        _option("token_file", TokenFile, None),
        _option("as_json", AsJson, False),
    ]
    keyword_only = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    return inspect.Signature([*keyword_only, *shared], return_annotation=None)


def _option(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
