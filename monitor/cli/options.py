"""Options that many commands share."""

from pathlib import Path
from typing import Annotated

import typer

ConfigPath = Annotated[Path, typer.Option("--config", "-c", help="The configuration file.")]
Url = Annotated[
    str | None, typer.Option("--url", help="Address of a running daemon; the configuration is not read then.")
]
TokenFile = Annotated[Path | None, typer.Option("--token-file", help="File that holds the API token.")]
ActingAs = Annotated[
    str | None,
    typer.Option("--as", metavar="NAME", help="Your name for the records; by default the user of the system."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")]
Deployment = Annotated[str | None, typer.Option("--deployment", "-d", help="Only of this deployment.")]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, help="How many at most, newest first.")]

DEFAULT_CONFIG = Path("driftd.yaml")
