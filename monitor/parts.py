"""Build targets, scorers, sealers, receivers and tokens from the configuration. app.py connects them."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO

from pydantic import SecretStr

from monitor.alerting.notify.base import Receiver
from monitor.alerting.notify.memory import GroupMemory, ProcessMemory
from monitor.alerting.notify.table import build_receiver
from monitor.api.context import TargetCosts
from monitor.clock import Clock
from monitor.config import tree
from monitor.config.keys import read_key
from monitor.config.model_targets import ModelTarget
from monitor.config.policy import to_policy
from monitor.config.resources import resources
from monitor.domain.evalset import SetKind
from monitor.domain.policy import refusal
from monitor.feedback.candidates.case import case_of
from monitor.feedback.candidates.review import Judge
from monitor.jobs.judging.judges import Judges
from monitor.jobs.judging.pairs import PairJudging
from monitor.jobs.replay.counterfactual_target import CounterfactualTarget, RestoredCondition
from monitor.jobs.replay.dependencies import ReplayDependencies
from monitor.jobs.replay.deployed_prompt import keep_prompt, prompt_options, replayed_prompt
from monitor.jobs.replay.rescoring import Rescoring
from monitor.jobs.replay.spending import Spending
from monitor.jobs.verdict.experiments import InvestigationDependencies
from monitor.sandbox_parts import placed
from monitor.store.engine.database import Store
from monitor.store.engine.disk_reserve import MIB, ReserveSize
from monitor.store.findings.receiver_state import StoredMemory
from monitor.telemetry import NO_TELEMETRY, Instruments, Recorder
from replay.errors import TargetError
from replay.evalsets.sealing import Sealer
from replay.run.forecast import Prices
from replay.run.limits import Limits
from replay.run.pause import StopSignal
from replay.run.rate_limit import PaceLimits
from replay.sandbox.base import RemoteSandbox
from replay.scorers.judging import why_unjudged
from replay.scorers.scorer_set import ScorerSet
from replay.scorers.table import build_scorer
from replay.targets.base import Target
from replay.targets.table import build_target

GRACE_S = 5.0  # added to the timeout of the target, so that the more precise error of the target comes first


def sealers(config: tree.Config) -> dict[str, Sealer]:
    """Return the sealer of each set that has a key, by the name of the set. A dynamic set has none."""
    return {name: _sealer(section, f"sets.{name}") for name, section in config.sets.items() if section.has_key}


def _sealer(section: tree.SetConfig, where: str) -> Sealer:
    older = [Sealer(read_key(old, f"{where}.old_keys[{n}]")) for n, old in enumerate(section.old_keys)]
    return Sealer(read_key(section, where), older=older)


def scorers_of(config: tree.Config, set_name: str) -> ScorerSet:
    """Return the scorers of a set with the rule of its verdict."""
    return config.sets[set_name].scorer_set


def replay_dependencies(
    config: tree.Config,
    sealed: dict[str, Sealer],
    announce: Callable[[], None],
    judges: Judges,
    store: Store,
    *,
    sandbox: RemoteSandbox | None = None,
) -> ReplayDependencies:
    def target_config(deployment: str) -> tree.TargetConfig:
        return config.targets[config.deployments[deployment].target]

    share = call_share(config)

    return ReplayDependencies(
        target_of=lambda deployment: deployed(store, deployment, target_config(deployment)),
        scorers_of=lambda name: judges.connect(placed(scorers_of(config, name), sandbox), name),
        charge=judges.charge,
        sealer_of=sealed.get,
        limits_of=lambda deployment: _limits(target_config(deployment)),
        concurrency_of=lambda deployment: min(target_config(deployment).concurrency, share),
        pace_of=lambda deployment: _pace(target_config(deployment)),
        prices_of=lambda deployment: _prices(target_config(deployment)),
        announce=announce,
    )


def pair_judging(
    config: tree.Config, store: Store, clock: Clock, judges: Judges, sealed: dict[str, Sealer]
) -> PairJudging:
    """Return what compares the outcomes of two runs."""
    return PairJudging(
        store=store,
        clock=clock,
        judges=judges,
        sealer_of=sealed.get,
        scorers_of=lambda name: scorers_of(config, name),
    )


def candidate_judge(config: tree.Config) -> Judge:
    """Return a function from a candidate to the reason why no scorer of its deployment's dynamic sets can judge it.

    A deployment without a dynamic set accepts every candidate.
    """
    scorers = {
        name: [
            build_scorer(scorer.kind, scorer.options)
            for each in section.sets
            if config.sets[each].kind is SetKind.DYNAMIC
            for scorer in config.sets[each].scorers
        ]
        for name, section in config.deployments.items()
    }
    return lambda candidate: why_unjudged(case_of(candidate), scorers.get(candidate.deployment, []))


def replay_loops(config: tree.Config) -> int:
    """Return how many runs may work at the same time: one for each deployment, within the limits of `replay`."""
    return max(1, min(config.replay.max_parallel, config.replay.max_calls, len(config.deployments)))


def call_share(config: tree.Config) -> int:
    """Return how many calls each run may have in flight, so that all runs together stay within `replay.max_calls`.

    The cause analysis of an alarm runs at the same time as replays. Where it may call a target, it counts as one more
    run.
    """
    attributing = any(deployment.drift.attribution_calls for deployment in config.deployments.values())
    return max(1, config.replay.max_calls // (replay_loops(config) + attributing))


def target_names(config: tree.Config) -> Callable[[str], str | None]:
    """Return the lookup from the name of a deployment to the name of its target."""
    return {name: deployment.target for name, deployment in config.deployments.items()}.get


def investigation_dependencies(
    config: tree.Config,
    replays: ReplayDependencies,
    store: Store,
    clock: Clock,
    *,
    stop: StopSignal,
    spending: Spending,
    telemetry: Recorder,
) -> InvestigationDependencies:
    """Return what the cause analysis of an alarm uses: the current scorers of a set, and the target with one old
    condition.
    """
    policy = to_policy(config)

    def target_of(deployment: str, restored: RestoredCondition) -> Target:
        section = config.targets[config.deployments[deployment].target]
        if restored != RestoredCondition() and not isinstance(section, ModelTarget):
            raise TargetError(f"a target of kind {section.kind} has a model and a prompt of its own")
        if restored.model is not None:
            return deployed(store, deployment, section.model_copy(update={"model": restored.model}))
        if restored.prompt_of is not None:
            old = replayed_prompt(store, deployment, restored.prompt_of)
            return build_target(section.kind, section.options() | {"prompt_from": section.prompt_from} | old)
        return deployed(store, deployment, section)

    return InvestigationDependencies(
        rejudge_of=lambda name: Rescoring(store, replays.scorers_of(name), replays.sealer_of(name)),
        arm_of=lambda run, before: CounterfactualTarget(
            store=store,
            clock=clock,
            run=run,
            before=before,
            dependencies=replays,
            target_of=target_of,
            refused=refusal(policy.deployments[run.deployment], policy.sets[run.set_name]),
            stop=stop,
            spending=spending,
            telemetry=telemetry,
        ),
    )


def receivers(
    config: tree.Config, console: TextIO, teardown: ExitStack, store: Store, clock: Clock
) -> dict[str, Receiver]:
    """Return the configured receivers by name. `teardown` closes them. Their memory is in the store."""
    built = {
        name: receiver(name, section, console, StoredMemory(store, clock, name))
        for name, section in config.receivers.items()
    }
    for one in built.values():
        teardown.callback(one.close)
    return built


def callback_secrets(config: tree.Config) -> dict[tuple[str, str], SecretStr]:
    """Return the secrets that sign callbacks, by kind and name of the receiver."""
    secrets = {(section.kind, name): section.callback_secret for name, section in config.receivers.items()}
    return {key: secret for key, secret in secrets.items() if secret is not None}


def open_store(config: tree.Config, clock: Clock) -> Store:
    """Open the store of the configuration: the file, or the lake."""
    section, memory_limit_mb = config.store, resources(config).memory_limit_mb.value
    section.folder.mkdir(parents=True, exist_ok=True)
    if section.url is None:
        return Store.open(
            section.path,
            memory_limit_mb=memory_limit_mb,
            threads=section.threads,
            clock=clock,
            reserve=disk_reserve(config),
        )
    return Store.open(
        section.url.get_secret_value(),
        data=section.files,
        memory_limit_mb=memory_limit_mb,
        threads=section.threads,
        clock=clock,
    )


def backup_folder(config: tree.Config) -> Path:
    """Return the folder of the temporary copy of a backup. driftd removes everything in it at each start."""
    name = config.store.path.name + ".backup"
    return (config.store.backup_folder or config.store.path.parent) / name


def disk_reserve(config: tree.Config) -> ReserveSize:
    """Return the free space that the disk of the database keeps."""
    section = config.store
    size = None if section.disk_reserve_mb is None else section.disk_reserve_mb * MIB
    return ReserveSize(bytes_=size, share=section.disk_reserve_share)


def traffic_reports_folder(config: tree.Config) -> Path:
    """Return the folder of the pages of traffic reports.

    A store of an older release has its pages in the folder `exhibits`. That folder stays in use where it exists.
    """
    store_folder = config.store.folder
    older = store_folder / "exhibits"
    return config.traffic_reports.folder or (older if older.is_dir() else store_folder / "traffic_reports")


def telemetry(config: tree.Config, version: str, *, serving: bool) -> Instruments:
    """Return the telemetry of the daemon. A command serves no `/metrics`; it has telemetry only when an OTLP endpoint
    is configured.
    """
    section = config.telemetry
    if not serving and not section.otlp_endpoint:
        return NO_TELEMETRY
    from monitor.telemetry.instruments import Telemetry  # imports the SDK
    from monitor.telemetry.otlp import OtlpExport

    export = section.otlp_endpoint and OtlpExport(
        endpoint=section.otlp_endpoint,
        headers=section.headers(),
        interval_s=section.otlp_interval_s,
        ingest_sample_ratio=section.ingest_sample_ratio,
    )
    return Telemetry(version=version, export=export or None)


def target(section: tree.TargetConfig) -> Target:
    return build_target(section.kind, section.options())


def deployed(store: Store, deployment: str, section: tree.TargetConfig) -> Target:
    """Return the target with the prompt that the deployment uses now, and store the prompt for later counterfactual
    replays.
    """
    options = section.options() | prompt_options(store, deployment, section.prompt_from)
    target = build_target(section.kind, options)
    keep_prompt(store, deployment, options, target.conditions)
    return target


def _pace(section: tree.TargetConfig) -> PaceLimits:
    return PaceLimits(requests_per_minute=section.requests_per_minute, tokens_per_minute=section.tokens_per_minute)


def target_costs(config: tree.Config, deployment: str) -> TargetCosts:
    """Return what the forecast of a deployment without an earlier run needs to know of its target."""
    section = config.targets[config.deployments[deployment].target]
    max_tokens = section.max_tokens if isinstance(section, ModelTarget) else None
    return TargetCosts(max_tokens=max_tokens, prices=_prices(section))


def _prices(section: tree.TargetConfig) -> Prices | None:
    price = section.price
    if price is None:
        return None
    return Prices(input_usd_per_mtok=price.input_usd_per_mtok, output_usd_per_mtok=price.output_usd_per_mtok)


def _limits(section: tree.TargetConfig) -> Limits:
    return Limits(max_attempts=section.max_attempts, call_timeout_s=section.timeout_s + GRACE_S)


def receiver(name: str, section: tree.ReceiverConfig, console: TextIO, memory: GroupMemory | None = None) -> Receiver:
    """Return a receiver. Without `memory` it remembers groups of alerts until the process ends."""
    remembered = {"memory": memory or ProcessMemory()} if section.REMEMBERS else {}
    return build_receiver(section.kind, name, section.options() | remembered, console)
