"""Build the daemon from its configuration.

`build` creates the parts in the order of their dependencies. daemon.py starts and stops them.
"""

import sys
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from importlib.metadata import version as distribution_version
from typing import TextIO

from monitor import (
    access_parts,
    check_parts,
    gauges,
    guard_parts,
    ingest_parts,
    judge_parts,
    lake_parts,
    notify_parts,
    otlp_parts,
    parts,
    result_parts,
    sandbox_parts,
    tls_parts,
)
from monitor.api.app import OnDemand
from monitor.api.context import ApiContext
from monitor.clock import Clock
from monitor.config.policy import to_policy, to_retention_policy, to_traffic_report_policy
from monitor.config.prices import read_prices
from monitor.config.resources import resources
from monitor.config.tree import Config
from monitor.daemon import STOP_S, App
from monitor.guards.audit_counts import AuditCounts
from monitor.guards.failed_logins import FailedLogins
from monitor.guards.wrong_port import Ports
from monitor.ingest.counts import IngestCounts
from monitor.ingest.http.memory_budget import BodyMemoryBudget
from monitor.ingest.intake import Intake
from monitor.ingest.normalize.cost import PriceLookup
from monitor.ingest.normalize.known_runs import KnownRuns
from monitor.ingest.normalize.normalizer import Normalizer
from monitor.ingest.normalize.replay_echo import EchoFilter
from monitor.ingest.normalize.unread_counts import UnreadCounts
from monitor.ingest.redact.settings import redactor_of
from monitor.ingest.sources import Sources
from monitor.ingest.writer import Writer
from monitor.jobs.alerting.alert_loop import AlertLoop
from monitor.jobs.alerting.change_event_loop import ChangeEventLoop
from monitor.jobs.linking.change_loop import ChangeLoop
from monitor.jobs.linking.link_loop import LinkLoop
from monitor.jobs.maintenance.audit_loop import AuditLoop
from monitor.jobs.maintenance.backup_loop import BackupLoop
from monitor.jobs.maintenance.checkpoint_loop import CheckpointLoop
from monitor.jobs.maintenance.failure_group_loop import FailureGroupLoop
from monitor.jobs.maintenance.fold_loop import FoldLoop
from monitor.jobs.maintenance.noise_loop import NoiseLoop
from monitor.jobs.maintenance.refusal_loop import RefusalLoop
from monitor.jobs.maintenance.retention_loop import RetentionLoop
from monitor.jobs.maintenance.rollup_loop import RollupLoop
from monitor.jobs.maintenance.set_health_loop import SetHealthLoop
from monitor.jobs.maintenance.settle_loop import SettleLoop
from monitor.jobs.maintenance.token_use_loop import TokenUseLoop
from monitor.jobs.maintenance.waiting_spans_loop import WaitingSpansLoop
from monitor.jobs.replay.cancel_loop import CancelLoop
from monitor.jobs.replay.on_change_loop import ChangeReplayLoop
from monitor.jobs.replay.run_loop import ReplayLoop
from monitor.jobs.replay.run_queue import RunQueue
from monitor.jobs.replay.schedule_loop import ScheduleLoop
from monitor.jobs.replay.spending import Spending
from monitor.jobs.reproduce.loop import ReproductionLoop
from monitor.jobs.traffic_reports.available import missing_package
from monitor.jobs.traffic_reports.loop import TrafficReportLoop
from monitor.jobs.turns.turn_loop import TurnLoop
from monitor.jobs.verdict.production_loop import ProductionLoop
from monitor.jobs.verdict.verdict_loop import VerdictLoop
from monitor.lake_parts import WORK
from monitor.leadership import leadership
from monitor.roles import Role
from monitor.store.backup.backups import Backups
from monitor.store.engine.database import Store
from monitor.store.engine.file_store import FileStore
from monitor.supervisor import Loop, Supervisor
from replay.scorers.must import forbidden_categories

# Loops that store or read the memory of this process, or have work of their own.
IN_EACH_PROCESS = (AuditLoop.name, TokenUseLoop.name, CancelLoop.name, WORK)
COMMAND_BODY_MB = 256  # limit of a body that a command sends to itself: the file is in memory already


def build(
    config: Config,
    *,
    clock: Clock,
    console: TextIO | None = None,
    stop_s: float = STOP_S,
    serving: bool = True,
    role: Role = Role.ALL,
) -> App:
    """Return the application with every part of `config` connected, but not running.

    The console receiver writes to `console`. `serving` is false for a command, which serves no metrics. `stop_s` limits
    the time of a stop, in seconds. When a part cannot be created, the parts that exist already are closed.
    """
    with ExitStack() as opened:
        app = _wire(config, clock, console or sys.stderr, stop_s, opened, serving=serving, role=role)
        opened.pop_all()
    return app


def _wire(
    config: Config, clock: Clock, console: TextIO, stop_s: float, opened: ExitStack, *, serving: bool, role: Role
) -> App:
    teardown = ExitStack()
    opened.callback(teardown.close)
    policy, code_version = to_policy(config), distribution_version("driftd")
    if not serving:  # a command sends its notifications before it ends
        policy = replace(policy, alerts=replace(policy.alerts, group_wait_s=0.0))
    telemetry = IngestCounts(parts.telemetry(config, code_version, serving=serving), clock)
    teardown.callback(telemetry.close)
    limits = resources(config)
    store = parts.open_store(config, clock)
    teardown.callback(store.close)
    led = leadership(store, serving=serving, maintains=role.maintains)
    backups, of_a_file = _parts_of_a_file(store, config, clock, code_version, teardown)
    auditing = AuditLoop(store=store, clock=clock, counts=AuditCounts(clock, logins=serving))
    teardown.callback(auditing.close)
    failures = FailedLogins(telemetry, audit=auditing.counts)
    tokens = access_parts.tokens(config, failures, clock, store if serving else None, telemetry)
    token_uses = TokenUseLoop(store=store, clock=clock, uses=tokens.uses)
    teardown.callback(token_uses.close)

    sealed, identify = parts.sealers(config), ingest_parts.identify(config)
    echo = KnownRuns(store, clock, lambda: list(sealed.values()))
    normalizer = Normalizer(
        rules=ingest_parts.deployment_rules(config),
        identify=identify,
        echo=EchoFilter(known_run=echo.run_of, sealed=echo.is_sealed),
        redactor=redactor_of(config),
        prices=PriceLookup(read_prices(config.ingest.prices_file)),
    )
    intake = Intake(
        config.ingest.intake_max_rows,
        max_bytes=limits.intake_mb.value * ingest_parts.MIB,
        commit_bytes=config.ingest.commit_max_mb * ingest_parts.MIB,
        refusal=store.disk.refusal,
    )
    unread = UnreadCounts(clock)
    commit_rows, commit_delay_s = ingest_parts.commit_limits(config)
    writer = Writer(
        store,
        intake,
        clock,
        max_batch_rows=commit_rows,
        max_delay_s=commit_delay_s,
        early=ingest_parts.early_commit(config),
        telemetry=telemetry,
        unread=unread,
    )

    results = result_parts.result_parts(
        config,
        policy,
        store=store,
        clock=clock,
        telemetry=telemetry,
        code_version=code_version,
        sealer_of=sealed.get,
    )
    kafka = ingest_parts.kafka_sources(
        config, store=store, intake=intake, normalizer=normalizer, clock=clock, telemetry=telemetry
    )
    gauges.observe(telemetry, config, policy, store=store, intake=intake, clock=clock)

    receivers = parts.receivers(config, console, teardown, store, clock)
    judges = judge_parts.judges(config, clock, store=store, sealer_of=sealed.get, telemetry=telemetry)
    teardown.callback(judges.close)
    dependencies = partial(
        parts.replay_dependencies,
        config,
        sealed,
        echo.announce,
        judges,
        sandbox=sandbox_parts.remote_sandbox(config, teardown),
    )
    replay_parts = dependencies(led.store)
    lake = lake_parts.lake_parts(store, led, role=role, policy=policy, clock=clock, telemetry=telemetry)
    spending = Spending(led.store, policy, clock, elsewhere=lake.sliced_runs if lake else frozenset)
    replays = RunQueue(parts.target_names(config), must_wait=lambda: store.disk.reached or not led.leads())
    measuring = judge_parts.measuring(
        config,
        judges,
        store=led.store,
        policy=policy,
        clock=clock,
        scorers_of=replay_parts.scorers_of,
        sealer_of=sealed.get,
        stopping=replays.stopping,
    )
    loops = [
        ReplayLoop(
            store=led.store,
            policy=policy,
            clock=clock,
            dependencies=replay_parts,
            queue=replays,
            spending=spending,
            code_version=code_version,
            number=number,
            workers=lake.workers(spending) if lake else None,
            telemetry=telemetry,
        )
        for number in range(1, parts.replay_loops(config) + 1)
    ]
    retention = RetentionLoop(store=led.store, policy=to_retention_policy(config), clock=clock)
    traffic_reports = TrafficReportLoop(
        store=led.store,
        policy=policy,
        settings=to_traffic_report_policy(config),
        folder=parts.traffic_reports_folder(config),
        clock=clock,
        telemetry=telemetry,
        missing=missing_package(),
    )
    unjudged = parts.candidate_judge(config)
    certificates = tls_parts.certificates(config, clock, telemetry)
    checks = check_parts.checks(
        store=led.store,
        audit=auditing.chain,
        policy=policy,
        clock=clock,
        telemetry=telemetry,
        sources=kafka,
        result_sources=results.sources,
        intake=intake,
        receivers=parts.receivers(config, console, teardown, store, clock),  # its loop sends from a thread of its own
        states=lambda: app.states(),  # noqa: PLW0108  the application is constructed below
        sealer_of=sealed.get,
        not_ready=lambda: app.not_ready(),  # noqa: PLW0108
        failing_peers=notify_parts.failing_peers(receivers),
        certificates=certificates.all,
    )
    supervisor = Supervisor(
        [
            LinkLoop(
                store=led.store,
                policy=policy,
                clock=clock,
                identify=lambda item: identify(item.deployment, item),
                patience=ingest_parts.feedback_retry(config),
                unjudged=unjudged,
                sealers=lambda: sealed,
                stored_as=normalizer.redactor.user,
            ),
            results.loop,
            TurnLoop(store=led.store, policy=policy, clock=clock, telemetry=telemetry),
            ChangeLoop(store=led.store, policy=policy, clock=clock),
            ScheduleLoop(store=led.store, policy=policy, clock=clock, telemetry=telemetry),
            ChangeReplayLoop(store=led.store, policy=policy, clock=clock),
            *loops,
            ReproductionLoop(
                store=led.store,
                policy=policy,
                clock=clock,
                dependencies=replay_parts,
                queue=replays,
                spending=spending,
                telemetry=telemetry,
            ),
            VerdictLoop(
                store=led.store,
                policy=policy,
                clock=clock,
                dependencies=parts.investigation_dependencies(
                    config,
                    replay_parts,
                    led.store,
                    clock,
                    stop=replays.stopping,
                    spending=spending,
                    telemetry=telemetry,
                ),
                forbidden_of=lambda name: forbidden_categories(replay_parts.scorers_of(name)),
                telemetry=telemetry,
            ),
            *measuring.loops,
            AlertLoop(store=led.store, policy=policy, clock=clock, telemetry=telemetry),
            ChangeEventLoop(store=led.store, policy=policy, clock=clock),
            *notify_parts.loops(
                config,
                store=led.store,
                policy=policy,
                clock=clock,
                receivers=receivers,
                unstored=checks.unstored,
                telemetry=telemetry,
            ),
            *checks.loops,
            ProductionLoop(store=led.store, policy=policy, clock=clock, telemetry=telemetry),
            traffic_reports,
            retention,
            FoldLoop(store=led.store),
            WaitingSpansLoop(store=led.store, clock=clock),
            RefusalLoop(store=led.store),
            SettleLoop(store=led.store, clock=clock),
            RollupLoop(store=led.store, policy=policy, clock=clock),
            SetHealthLoop(store=led.store, policy=policy, clock=clock, sealer_of=sealed.get, code_version=code_version),
            NoiseLoop(store=led.store, policy=policy, clock=clock, code_version=code_version),
            FailureGroupLoop(store=led.store, policy=policy, clock=clock),
            *of_a_file,
            *(lake.loops(replays, dependencies, telemetry) if lake else ()),
            auditing,
            token_uses,
        ],
        telemetry,
        turn=led.turn,
        in_each_process=IN_EACH_PROCESS,
    )
    gauges.observe_loops(telemetry, supervisor)
    app = App(
        config=config,
        store=store,
        intake=intake,
        writer=writer,
        supervisor=supervisor,
        sources=Sources([*kafka, *results.sources], telemetry, turn=led.turn, in_each_process=[s.name for s in kafka]),
        replays=replays,
        loops=[loop.name for loop in loops],
        retention=retention,
        backups=backups,
        traffic_reports=traffic_reports,
        echo=echo,
        certificates=certificates,
        telemetry=telemetry,
        teardown=teardown,
        stop_s=stop_s,
        role=role,
        leadership=led,
    )
    context = ApiContext(
        store=store,
        intake=intake,
        normalizer=normalizer,
        policy=policy,
        clock=clock,
        tokens=tokens,
        sealer_of=sealed.get,
        scorers_of=lambda name: parts.scorers_of(config, name),
        rescorer_of=measuring.rescorers,
        costs_of=lambda name: parts.target_costs(config, name),
        wake=app.wake,
        loop_states=app.states,
        replaying=lambda: replays.sets,
        cancel_replay=replays.cancel,
        receivers=receivers,
        callback_secrets=parts.callback_secrets(config),
        reports=parts.traffic_reports_folder(config),
        ready=app.not_ready,
        troubles=app.sources.troubles,
        conditions=checks.conditions,
        metrics=telemetry.exposition,
        code_version=code_version,
        room=BodyMemoryBudget(limits.bodies_mb.value * ingest_parts.MIB),
        max_body_bytes=(config.ingest.max_body_mb if serving else COMMAND_BODY_MB) * ingest_parts.MIB,
        limits=ingest_parts.limits_of(config),
        telemetry=telemetry,
        ports=Ports(api=config.api.port, otlp=config.ingest.otlp.port, grpc=config.ingest.otlp_grpc.port),
        config_path=config.source.path if config.source else None,
        config_sha256=config.source.sha256 if config.source else None,
        unjudged=unjudged,
        uploads=results.uploads,
        backups=backups,
        unread=unread if serving else None,
        audit=auditing.counts,
        audit_chain=auditing.chain,
        judge_pairs=parts.pair_judging(config, store, clock, judges, sealed).judge,
    )
    app.api = OnDemand(context)
    app.guard = guard_parts.guard(config, has_tokens=tokens.required)
    app.make_otlp = lambda: otlp_parts.receivers_of(context)
    return app


def _parts_of_a_file(
    store: Store, config: Config, clock: Clock, code_version: str, teardown: ExitStack
) -> tuple[Backups | None, list[Loop]]:
    """Return the backups of a file and the loops that only a file has. A lake is backed up with its database."""
    if not isinstance(store, FileStore):
        return None, []
    backups = Backups(store, parts.backup_folder(config), clock, code_version)
    teardown.callback(backups.close)
    return backups, [CheckpointLoop(store=store), BackupLoop(backups)]
