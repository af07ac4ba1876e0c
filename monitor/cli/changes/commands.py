"""`driftd changes`: observed and announced changes of deployments, and the verdict on each."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from monitor.api.schema import AnnounceChange, ChangeItem, DeploymentItem, VersionItem
from monitor.cli.changes.gate import Timeout, Wait, never_one, pass_gate, seconds_of_timeout
from monitor.cli.connection.session import Session, with_announcing_session, with_session
from monitor.cli.options import Deployment, Limit
from monitor.cli.terminal.output import print_line, print_table
from monitor.errors import UsageError

app = typer.Typer(
    help="Changes of deployments: list, current, announce, verdict.", no_args_is_help=True, add_completion=False
)


@app.command("list")
@with_session
def list_changes(session: Session, deployment: Deployment = None, limit: Limit = 50) -> None:
    """List changes, newest first."""
    page = session.api.list("/api/v1/changes", ChangeItem, limit=limit, deployment=deployment)
    rows = [
        (c.id, c.deployment, c.at, c.kind, c.how, c.from_label or c.from_version, c.to_label or c.to_version)
        for c in page.items
    ]
    columns = ("change", "deployment", "at", "kind", "how", "from", "to")
    session.show(page, lambda: print_table(columns, rows, "no change yet"))


@app.command("current")
@with_session
def current(session: Session, deployment: Deployment = None, limit: Limit = 50) -> None:
    """Show the current version of each deployment: announced, observed in traffic, and where they disagree."""
    page = session.api.list("/api/v1/deployments", DeploymentItem, deployment=deployment, limit=limit)
    session.show(page, lambda: _print_current(page.items))


def _print_current(found: list[DeploymentItem]) -> None:
    rows = [
        (
            row.name,
            _label(row.current_version),
            _label(row.announced_version),
            _label(row.observed_version),
            row.today.calls if row.today else None,
            row.today.corrections if row.today else None,
        )
        for row in found
    ]
    columns = ("deployment", "current", "announced", "observed since", "calls today", "corrections today")
    print_table(columns, rows, "no deployment is configured")
    for row in found:
        if row.contradiction is not None:
            print_line(f"{row.name}: {row.contradiction}")


def _label(version: VersionItem | None) -> str | None:
    return None if version is None else version.label


@app.command("announce")
@with_announcing_session
def announce(
    *,
    session: Session,
    deployment: Annotated[str, typer.Argument(help="Name of a deployment.")],
    model: Annotated[str | None, typer.Option(help="The model, as its responses name it.")] = None,
    prompt_id: Annotated[str | None, typer.Option(help="Id of the prompt.")] = None,
    prompt_version: Annotated[str | None, typer.Option(help="Version of the prompt.")] = None,
    prompt_file: Annotated[
        Path | None,
        typer.Option(help="File with the system prompt. Its hash identifies it."),
    ] = None,
    at: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%dT%H:%M:%S%z"], help="Time of the change. The default is now.")
    ] = None,
    note: Annotated[str | None, typer.Option(help="Note for the readers of an alert.")] = None,
    wait: Wait = False,
    timeout: Timeout = "1h",
) -> None:
    """Announce a new version of a deployment; a replay follows. Fields without an option keep their current value.

    With --wait the command is a gate for a deploy: it waits for the verdict on every set of the deployment, and its
    exit code is the verdict. Without a daemon the replays run in this process.
    """
    timeout_s = seconds_of_timeout(timeout)
    order = AnnounceChange(
        deployment=deployment,
        at=at,
        model=model,
        prompt_id=prompt_id,
        prompt_version=prompt_version,
        prompt_text=None if prompt_file is None else _read(prompt_file),
        note=note,
    )
    if wait:
        with never_one():
            pass_gate(session, session.api.post("/api/v1/changes", order, ChangeItem), timeout_s)
        return
    change = session.api.post("/api/v1/changes", order, ChangeItem)
    step = f"{change.from_label or change.from_version or 'nothing'} to {change.to_label or change.to_version}"
    sentence = f"{change.id}: {change.kind} change of {change.deployment}, {step}"
    session.show(change, lambda: print_line(sentence))


@app.command("verdict")
@with_session
def verdict(
    session: Session,
    change_id: Annotated[str, typer.Argument(metavar="CHANGE", help="Id of a change.")],
    wait: Wait = False,
    timeout: Timeout = "1h",
) -> None:
    """Show the verdict on a change: the worst verdict of the replays of its sets. The exit code is the verdict.

    Exit code 0 on ok or improvement, 1 on regression, 3 without a verdict.
    """
    timeout_s = seconds_of_timeout(timeout)
    with never_one():
        change = session.api.get(f"/api/v1/changes/{change_id}", ChangeItem)
        pass_gate(session, change, timeout_s if wait else None)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--prompt-file {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"--prompt-file {path} cannot be read: it is not UTF-8 text") from None
