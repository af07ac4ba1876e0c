"""Commands that are imported when they are called: `driftd --help` reads this table alone."""

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperGroup


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One word after `driftd`, and where its command or its group of commands is."""

    name: str
    help: str
    module: str
    attribute: str = "app"

    def load(self) -> Any:
        """The command as Typer runs it."""
        found = getattr(importlib.import_module(self.module), self.attribute)
        if not isinstance(found, typer.Typer):
            command: Callable[..., Any] = found
            found = typer.Typer(add_completion=False)
            found.command(self.name)(command)
        return typer.main.get_command(found)


ENTRIES: Sequence[Entry] = (
    Entry(name="serve", help="Run the daemon.", module="monitor.cli.serve", attribute="serve"),
    Entry(
        name="dashboard",
        help="Serve the dashboard's pages for a running daemon.",
        module="monitor.cli.dashboard.commands",
        attribute="dashboard",
    ),
    Entry(
        name="demo",
        help="Watch a real model change being noticed, on recorded data.",
        module="monitor.cli.demo.command",
        attribute="demo",
    ),
    Entry(
        name="check",
        help="Try everything the configuration names, and change nothing.",
        module="monitor.cli.check",
        attribute="check",
    ),
    Entry(
        name="ingest",
        help="Read interactions and feedback from files.",
        module="monitor.cli.ingest",
        attribute="ingest",
    ),
    Entry(
        name="sets",
        help="Eval sets: new, validate, import, diff, show, export; who has seen them; keys.",
        module="monitor.cli.sets.commands",
    ),
    Entry(
        name="candidates",
        help="Review proposed cases: list, show, accept, edit, reject, decide.",
        module="monitor.cli.candidates.commands",
    ),
    Entry(name="replay", help="Replays: run, resume, status, list, show.", module="monitor.cli.replays.commands"),
    Entry(name="changes", help="Changes of what is deployed: list, announce.", module="monitor.cli.changes"),
    Entry(
        name="compare",
        help="Compare two runs case by case.",
        module="monitor.cli.findings.compare",
        attribute="compare",
    ),
    Entry(
        name="drift",
        help="Findings: list, show, explain, accept; baselines and pinned runs.",
        module="monitor.cli.findings.commands",
    ),
    Entry(
        name="backtest",
        help="What would have alerted on a history?",
        module="monitor.cli.findings.backtest",
        attribute="backtest",
    ),
    Entry(
        name="plan",
        help="How many cases, repeats and nights show an effect?",
        module="monitor.cli.findings.plan",
        attribute="plan",
    ),
    Entry(name="alerts", help="Alerts: list, show.", module="monitor.cli.findings.alerts"),
    Entry(
        name="report", help="The card of a run, and reports on production traffic.", module="monitor.cli.replays.report"
    ),
    Entry(name="db", help="The database: info, dead letters, erase, compact, rewrites.", module="monitor.cli.db"),
)


class LazyGroup(TyperGroup):
    """Lists the stubs that `register` made of the entries, and runs the commands they stand for."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, _, rest = super().resolve_command(ctx, args)
        entry = next((entry for entry in ENTRIES if entry.name == name), None)
        return name, entry.load() if entry else None, rest


def register(app: typer.Typer) -> None:
    """One stub for each entry, which help and suggestions show and nobody runs."""
    for entry in ENTRIES:
        app.command(entry.name, help=entry.help)(_stub)


def _stub() -> None:
    raise AssertionError("LazyGroup runs the command itself")
