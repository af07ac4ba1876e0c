"""Builds the parts that import results of other tools. app.py connects them."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from monitor.api.uploads import ResultUploads
from monitor.clock import Clock
from monitor.config import tree
from monitor.domain.deployment_limit import DeploymentLimit, limit_of
from monitor.domain.evalset import SetKind
from monitor.domain.policy import Policy
from monitor.domain.result_import import ResultImport, StoredRun
from monitor.ingest.results.import_limits import ImportLimits
from monitor.ingest.results.progress import ImportProgress
from monitor.ingest.results.source import ResultSource
from monitor.ingest.results.spool import Spool
from monitor.ingest_parts import MIB
from monitor.jobs.results.import_loop import Importer, ResultImportLoop
from monitor.results.conditions import Conditions, conditions_of
from monitor.results.importing import import_run
from monitor.results.plan import ImportPlan
from monitor.store.engine.database import Store
from monitor.telemetry import Recorder
from replay.evalsets.sealing import Sealer
from replay.results.types import ToolRun

SealerOf = Callable[[str], Sealer | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultParts:
    """The sources of results, the loop that imports, and what the API needs for uploads."""

    sources: Sequence[ResultSource]
    loop: ResultImportLoop
    uploads: ResultUploads


def result_parts(
    config: tree.Config,
    policy: Policy,
    *,
    store: Store,
    clock: Clock,
    telemetry: Recorder,
    code_version: str,
    sealer_of: SealerOf,
) -> ResultParts:
    """Return one source for each configured folder, and the loop that imports."""
    spool = Spool(config.store.folder / "results-spool", require_space=store.disk.require)
    section = config.ingest.result_limits
    limits = ImportLimits(max_bytes=section.max_mb * MIB, max_files=section.max_files)
    progress = ImportProgress()
    sources = [
        ResultSource(
            name,
            source,
            store=store,
            clock=clock,
            spool=spool,
            limits=limits,
            code_version=code_version,
            telemetry=telemetry,
        )
        for name, source in config.ingest.results.items()
    ]
    loop = ResultImportLoop(
        store=store,
        clock=clock,
        spool=spool,
        max_bytes=limits.max_bytes,
        import_run=_importer(config, policy, store, clock, sealer_of),
        progress=progress,
        telemetry=telemetry,
    )
    return ResultParts(sources=sources, loop=loop, uploads=ResultUploads(spool=spool, limits=limits, progress=progress))


def _importer(config: tree.Config, policy: Policy, store: Store, clock: Clock, sealer_of: SealerOf) -> Importer:
    def imported(run: ToolRun, row: ResultImport, progress: Callable[[int, int], None]) -> StoredRun:
        plan = plan_of(config, row, row.set_name or run.set_name, sealer_of)
        if row.limited_to is not None:
            _require_within(limit_of(policy, frozenset(row.limited_to)), conditions_of(run, plan, clock.now()))
        done = import_run(store, run, plan, clock=clock, progress=progress)
        return StoredRun(
            id=done.run_id,
            state=done.state.value,
            set_name=done.set_name,
            model=done.model,
            rows=done.rows,
            unknown_conditions=tuple(done.unknown_conditions),
            details={**asdict(done), "format": run.format, "key": run.key, "started_at": done.started_at.isoformat()},
        )

    return imported


def _require_within(limit: DeploymentLimit | None, conditions: Conditions) -> None:
    """Raise Forbidden when the sender of the results may not change the deployment and the set that they name."""
    if limit is not None:
        limit.require([conditions.deployment])
        limit.require_own_sets([conditions.set_name])


def plan_of(config: tree.Config, row: ResultImport, set_name: str | None, sealer_of: SealerOf) -> ImportPlan:
    """Return the plan of an import: the options of the row, and what the configuration has about deployment and set."""
    deployment, eval_set = config.deployments.get(row.deployment), config.sets.get(set_name or "")
    known = {} if deployment is None else {"identity": deployment.identity}
    return ImportPlan(
        deployment=row.deployment,
        set_name=row.set_name,
        version=row.options.version,
        scales=dict(row.options.scales),
        primary=row.options.primary,
        model=row.options.model,
        started_at=row.modified_at if row.options.file_time else row.options.started_at,
        accept_unknown=row.options.accept_unknown,
        kind=SetKind.DYNAMIC if eval_set is None else eval_set.kind,
        sealer=sealer_of(set_name) if set_name is not None else None,
        source=row.name,
        content=row.digest,
        code_version=row.reader,
        **known,
    )
