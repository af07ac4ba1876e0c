"""Options that many commands share."""

from pathlib import Path
from typing import Annotated

import typer

from monitor.cli.terminal.logs import LogLevel

ConfigPath = Annotated[Path, typer.Option("--config", "-c", help="The configuration file.")]
Url = Annotated[str | None, typer.Option("--url", help="Address of a running daemon. The configuration is not read.")]
TokenFile = Annotated[Path | None, typer.Option("--token-file", help="File with the API token.")]
CaFile = Annotated[
    Path | None,
    typer.Option(
        "--ca-file",
        envvar="DRIFTD_CA_FILE",
        help="File with the certificate authority of the daemon, PEM. The default is the certificate in the "
        "configuration, with --url the authorities of the system.",
    ),
]
ActingAs = Annotated[
    str | None,
    typer.Option("--as", metavar="NAME", help="Your name in the audit log. The default is the operating system user."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")]
Deployment = Annotated[str | None, typer.Option("--deployment", "-d", help="Filter by deployment.")]
MetricName = Annotated[
    str | None, typer.Option("--metric", "-m", help="A metric: a scorer, or a component of it as SCORER.COMPONENT.")
]
Level = Annotated[LogLevel, typer.Option("--log-level", help="Lowest level of the log records on standard error.")]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, help="Maximum number of items, newest first.")]

DEFAULT_CONFIG = Path("driftd.yaml")
