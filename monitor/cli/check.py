"""`driftd check`: tests everything that the configuration refers to, without changes."""

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Annotated

import typer

from monitor.cli.checks import (
    budgets,
    candidates,
    connections,
    database,
    false_alarms,
    judges,
    kafka,
    login,
    prices,
    private_files,
    receivers,
    results,
    sandbox,
    schedules,
    secret_files,
    sets,
    targets,
    tls,
    traffic_reports,
    turns,
)
from monitor.cli.checks.line import CheckReport, Line, State, fail, ok, report_of, warn
from monitor.cli.checks.places import Found, find_daemon
from monitor.cli.lake.commands import lake_lines
from monitor.cli.options import DEFAULT_CONFIG, AsJson, CaFile, ConfigPath, TokenFile
from monitor.cli.terminal.output import print_json, print_line, text
from monitor.clock import SystemClock
from monitor.config.load import load
from monitor.config.resources import resources
from monitor.config.tree import Config
from monitor.errors import ConfigError, DriftdError
from monitor.servers.descriptors import current_limit
from monitor.store.engine.connect import open_read_only

AT_ONCE = 8  # parallel calls to targets and receivers
Ask = Annotated[
    bool, typer.Option("--call-targets", help="Request one token of each target, and one verdict of each judge.")
]
Notify = Annotated[bool, typer.Option("--notify", help="Send each receiver a notification that is marked as a test.")]


def check(
    *,
    config: ConfigPath = DEFAULT_CONFIG,
    ask: Ask = False,
    notify: Notify = False,
    token_file: TokenFile = None,
    ca_file: CaFile = None,
    as_json: AsJson = False,
) -> None:
    """Check the configuration and everything it refers to, without changes.

    Exit code: 0 when all checks pass, 1 when a check fails, 2 when the configuration does not load.
    """
    try:
        settings = load(config, os.environ)
    except ConfigError as error:
        _show(report_of([fail("config", line) for line in str(error).splitlines()]), as_json=as_json)
        raise typer.Exit(2) from None
    lines = [ok("config", f"{config} loads"), *secret_files.check_secret_files(config, os.environ)]
    with find_daemon(settings, token_file, ca_file) as found:
        lines += [*found.lines, *_stored(settings, found), *kafka.check_kafka(settings, found.api)]
        lines += results.check_results(settings, found.api)
        lines += budgets.check_budgets(settings, found.api, SystemClock().now())
    lines += [
        *private_files.check_private_files(settings),
        connections.check_open_files(settings, current_limit()),
        *tls.check_tls(settings, SystemClock().now()),
        *sets.check_deployments(settings),
        *sandbox.check_sandbox(settings),
        *traffic_reports.check_traffic_reports(settings),
        *false_alarms.check_false_alarms(settings),
        prices.check_prices(settings),
        *_called(settings, ask=ask, notify=notify),
    ]
    lines += [*receivers.check_unused(settings), *schedules.check_schedules(settings, SystemClock().now())]
    report = report_of(lines)
    _show(report, as_json=as_json)
    raise typer.Exit(0 if report.ok else 1)


def _stored(settings: Config, found: Found) -> list[Line]:
    """Check the database file and its sets. If a daemon has the file open, ask the daemon instead."""
    if settings.store.url is not None:
        return _in_lake(settings, found)
    path, daemon = settings.store.path, found.api.where if found.api else None
    if not path.exists():
        return [
            database.check_absent(path, daemon=daemon),
            *sets.check_without_file(settings),
            *candidates.check_without_file(settings),
        ]
    try:
        with open_read_only(path, resources(settings).memory_limit_mb.value) as opened:
            line = database.check_file(path, opened, daemon=daemon)
            if opened.pending:
                return [line, warn("sets", "not checked: the next start of the daemon updates the schema first")]
            complete = database.check_complete(path, opened.tx, SystemClock().now())
            found_sets = [
                *sets.check_in_file(settings, opened.tx),
                *turns.check_turns(settings, opened.tx),
                *candidates.check_in_file(settings, opened.tx),
            ]
            return [line, complete, *found_sets]
    except DriftdError as error:
        line = database.check_unopened(path, error, daemon=daemon)
    if found.api is None or line.state is not State.OK:
        return [line]
    return [
        line,
        *database.check_complete_at_daemon(found.api),
        *sets.check_at_daemon(settings, found.api),
        *candidates.check_at_daemon(settings, found.api),
    ]


def _in_lake(settings: Config, found: Found) -> list[Line]:
    """Check a lake, and its sets by its daemon."""
    lines = lake_lines(settings.store)
    if found.api is None:
        return [*lines, warn("sets", "not checked: no daemon of this lake runs on this machine")]
    return [*lines, *sets.check_at_daemon(settings, found.api), *candidates.check_at_daemon(settings, found.api)]


def _called(settings: Config, *, ask: bool, notify: bool) -> list[Line]:
    """Check targets, receivers and the provider in parallel, so that a slow one does not delay the others."""
    now = SystemClock().now()
    calls: list[Callable[[], Line]] = [
        partial(targets.check_target, name, section, ask=ask) for name, section in settings.targets.items()
    ]
    calls += [partial(login.check_login, settings)] if settings.api.oidc is not None else []
    calls += [partial(judges.check_judge, name, settings, ask=ask) for name in settings.judges]
    calls += [
        partial(receivers.check_receiver, name, section, sys.stderr, notify=notify, now=now)
        for name, section in settings.receivers.items()
    ]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda call: call(), calls))


def _show(report: CheckReport, *, as_json: bool) -> None:
    if as_json:
        print_json(report)
        return
    width = max(len(line.check) for line in report.checks)
    for line in report.checks:
        print_line(f"{line.state:<4}  {line.check:<{width}}  {text(line.sentence)}")
