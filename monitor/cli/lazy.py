"""The table of commands. A command is imported when it runs: `driftd --help` reads this table only."""

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperGroup


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A command or a group of commands: its name after `driftd`, its help and its module."""

    name: str
    help: str
    module: str
    attribute: str = "app"

    def load(self) -> Any:
        """Import the module and return the command for Typer."""
        found = getattr(importlib.import_module(self.module), self.attribute)
        if not isinstance(found, typer.Typer):
            command: Callable[..., Any] = found
            found = typer.Typer(add_completion=False)
            found.command(self.name)(command)
        return without_flag_types(typer.main.get_command(found))


def without_flag_types(command: Any) -> Any:
    """Return the command with no `<bool>` after its flags, `--help` included, in it and in the commands inside it."""
    for param in command.get_params(typer.Context(command)):
        if getattr(param, "is_bool_flag", False):
            param.metavar = ""
    for inner in getattr(command, "commands", {}).values():
        without_flag_types(inner)
    return command


ENTRIES: Sequence[Entry] = (
    Entry(
        name="init",
        help="Write driftd.yaml, a token and a key for a first product.",
        module="monitor.cli.init.command",
        attribute="init",
    ),
    Entry(name="serve", help="Run the daemon.", module="monitor.cli.serve", attribute="serve"),
    Entry(
        name="dashboard",
        help="Serve the dashboard for a running daemon.",
        module="monitor.cli.dashboard.commands",
        attribute="dashboard",
    ),
    Entry(
        name="demo",
        help="Detect a real model change in recorded data.",
        module="monitor.cli.demo.command",
        attribute="demo",
    ),
    Entry(
        name="status",
        help="Show the state of each deployment: verdicts, open alerts, next replay.",
        module="monitor.cli.status.command",
        attribute="status",
    ),
    Entry(
        name="check",
        help="Check the configuration and everything it refers to, without changes.",
        module="monitor.cli.check",
        attribute="check",
    ),
    Entry(
        name="ingest",
        help="Ingest interactions and feedback from files.",
        module="monitor.cli.ingest",
        attribute="ingest",
    ),
    Entry(
        name="lake",
        help="A lake, the store of several processes: init, import, compare, check, status, ray.",
        module="monitor.cli.lake.commands",
    ),
    Entry(
        name="sets",
        help="Eval sets: new, validate, import, diff, list, show, export, health, access, keys.",
        module="monitor.cli.sets.commands",
    ),
    Entry(
        name="score",
        help="Score one reply by hand.",
        module="monitor.cli.score",
        attribute="score",
    ),
    Entry(
        name="candidates",
        help="Review proposed cases: list, show, accept, edit, reject, decide.",
        module="monitor.cli.candidates.commands",
    ),
    Entry(
        name="review",
        help="Review candidates with single keys, and outcomes that a judge judged.",
        module="monitor.cli.review.commands",
    ),
    Entry(
        name="judges",
        help="Judges of eval sets: list, show, bias, accept, sentinels, rescores.",
        module="monitor.cli.judges.commands",
    ),
    Entry(
        name="rescore",
        help="Judge stored outcomes with another judge or rubric.",
        module="monitor.cli.judges.rescore",
        attribute="rescore",
    ),
    Entry(
        name="interactions",
        help="Logged calls: search, show.",
        module="monitor.cli.interactions.commands",
    ),
    Entry(
        name="turns",
        help="Turns of users: list, show, review, sample, export, rate, recalibrate.",
        module="monitor.cli.turns.commands",
    ),
    Entry(
        name="categories",
        help="Failure categories of corrections: list, groups, accept, dismiss.",
        module="monitor.cli.candidates.categories",
    ),
    Entry(
        name="replay",
        help="Replays: run, resume, cancel, status, list, show, budget.",
        module="monitor.cli.replays.commands",
    ),
    Entry(
        name="schedule",
        help="Schedules: list, preview, pause, resume, run.",
        module="monitor.cli.schedules",
    ),
    Entry(
        name="changes",
        help="Changes of deployments: list, current, announce, verdict.",
        module="monitor.cli.changes.commands",
    ),
    Entry(
        name="compare",
        help="Compare two runs case by case.",
        module="monitor.cli.findings.compare",
        attribute="compare",
    ),
    Entry(
        name="compare-versions",
        help="Compare two versions over all their nights.",
        module="monitor.cli.findings.compare_versions",
        attribute="compare_versions",
    ),
    Entry(
        name="scorecard",
        help="Compare versions or deployments side by side.",
        module="monitor.cli.choice.scorecard",
        attribute="scorecard",
    ),
    Entry(
        name="rank",
        help="Rank versions or models by pairwise verdicts.",
        module="monitor.cli.choice.rank",
        attribute="rank",
    ),
    Entry(
        name="drift",
        help="Findings: list, show, explain, accept; baselines and pinned runs.",
        module="monitor.cli.findings.commands",
    ),
    Entry(
        name="backtest",
        help="Compute which alerts a recorded history raises.",
        module="monitor.cli.findings.backtest",
        attribute="backtest",
    ),
    Entry(
        name="plan",
        help="Compute how many cases, repeats and nights detect an effect.",
        module="monitor.cli.findings.plan",
        attribute="plan",
    ),
    Entry(
        name="alerts",
        help="Alerts: list, show, acknowledge, resolve, judge, silence, test.",
        module="monitor.cli.alerts.commands",
    ),
    Entry(
        name="results",
        help="Results of other evaluation tools: show, formats.",
        module="monitor.cli.results.commands",
    ),
    Entry(
        name="tokens",
        help="API tokens: create, list, rotate, revoke.",
        module="monitor.cli.tokens.commands",
    ),
    Entry(name="report", help="Reports on runs and on production traffic.", module="monitor.cli.replays.report"),
    Entry(
        name="db",
        help="The database: info, dead letters and their retry, losses, erase, compact, compactions.",
        module="monitor.cli.db",
    ),
)


class LazyGroup(TyperGroup):
    """The root command. It lists a stub for each entry and runs the command of the entry."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, _, rest = super().resolve_command(ctx, args)
        entry = next((entry for entry in ENTRIES if entry.name == name), None)
        return name, entry.load() if entry else None, rest


def register(app: typer.Typer) -> None:
    """Add a stub for each entry, for help and suggestions. `LazyGroup` never runs a stub."""
    for entry in ENTRIES:
        app.command(entry.name, help=entry.help)(_stub)


def _stub() -> None:
    raise AssertionError("LazyGroup runs the command itself")
