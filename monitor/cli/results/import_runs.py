"""`driftd results import`: store the runs of other tools, and judge them."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version as distribution_version
from pathlib import Path

import typer

from monitor.cli.connection.client import Access, Api, Work, configuration, connect
from monitor.cli.options import DEFAULT_CONFIG, ActingAs, AsJson, CaFile, ConfigPath, TokenFile, Url
from monitor.cli.results import options
from monitor.cli.results.imported import ImportedRuns, item_of, print_imported
from monitor.cli.results.show import FormatName, ResultPaths
from monitor.cli.results.upload import query_of, show_uploads, upload
from monitor.cli.terminal.output import note, print_json
from monitor.cli.terminal.progress import progress
from monitor.clock import SystemClock
from monitor.config.tree import Config
from monitor.errors import Permanent, UsageError
from monitor.ingest.results.spool import digest_of
from monitor.results.conditions import conditions_of
from monitor.results.importing import import_run
from monitor.results.plan import ImportedRun, ImportPlan
from monitor.results.preview import preview_run
from monitor.store.engine.database import Store
from replay.errors import ReplayError
from replay.results.table import read_runs
from replay.results.types import ToolRun

MEMORY_LIMIT_MB = 256  # of DuckDB: more memory makes an import no faster
IMPORTING = Access(work=Work.STORING, writes=True, creates=True, without_config=True, memory_limit_mb=MEMORY_LIMIT_MB)
PREVIEWING = Access(without_config=True)
_LAST = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A run in a file, with the options of its import."""

    path: Path
    run: ToolRun
    plan: ImportPlan


def import_runs(
    *,
    paths: ResultPaths,
    deployment: options.DeploymentName,
    set_name: options.SetName = None,
    version: options.VersionName = None,
    model: options.Model = None,
    time: options.Time = None,
    scales: options.Scales = None,
    primary: options.Primary = None,
    format_name: FormatName = None,
    accept_unknown: options.AcceptUnknown = False,
    dry_run: options.DryRun = False,
    wait: options.Wait = True,
    config: ConfigPath = DEFAULT_CONFIG,
    url: Url = None,
    token_file: TokenFile = None,
    ca_file: CaFile = None,
    acting_as: ActingAs = None,
    as_json: AsJson = False,
) -> None:
    """Store the runs in result files of other tools as nights of a deployment, the oldest first, and judge them.

    A run that is stored already adds nothing. An import that broke off continues. Neither the deployment nor the set
    has to be configured, and without a driftd.yaml the defaults apply. A daemon that runs gets the files and imports
    them.
    """
    plan = ImportPlan(
        deployment=deployment,
        set_name=set_name,
        version=version,
        scales=options.scales_of(scales or ()),
        primary=primary,
        model=model,
        started_at=options.time_of(time),
        accept_unknown=accept_unknown,
        code_version=distribution_version("driftd"),
    )
    found = sorted(_runs(paths, format_name, plan), key=lambda each: each.run.started_at or plan.started_at or _LAST)
    _demand_one_set(found, set_name)
    _demand_conditions(found)
    _hint_at_models(found, deployment)
    access = PREVIEWING if dry_run else IMPORTING
    if dry_run and url is None and _without_store(config, access):
        document = _previews(None, found, configuration(config, access))
    else:
        with connect(
            config_path=config, url=url, token_file=token_file, access=access, user=acting_as, ca_file=ca_file
        ) as api:
            if api.app is None and not dry_run:
                oldest_first = list(dict.fromkeys(each.path for each in found))
                sent = upload(api, oldest_first, query_of(plan, scales or (), format_name), wait=wait)
                show_uploads(api, sent, as_json=as_json)
                return
            document = _work(api, found, dry_run=dry_run)
    if as_json:
        print_json(document)
    else:
        print_imported(document)
    for failure in document.failures:
        note(failure)
    if document.failures:
        raise typer.Exit(2)


def _without_store(path: Path, access: Access) -> bool:
    """Return whether the configuration names a file that does not exist."""
    section = configuration(path, access).store
    return section.url is None and not section.path.exists()


def _runs(paths: Sequence[Path], format_name: str | None, plan: ImportPlan) -> Iterator[Found]:
    for path in paths:
        for run in read_runs(path, format_name):
            file = run.file or path
            content = _content(file) if run.started_at is None and plan.started_at is None else ""
            yield Found(path=path, run=run, plan=replace(plan, source=file.name, content=content))


def _content(path: Path) -> str:
    """Return a digest of the content of a file, or of the files of a run in a folder."""
    files = [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file())
    return digest_of([_sha256(each) for each in files])


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _demand_one_set(found: Sequence[Found], set_name: str | None) -> None:
    """Raise UsageError if runs of several sets of the tool would become runs of one set."""
    names = sorted({each.run.set_name for each in found if each.run.set_name is not None})
    if set_name is not None and len(names) > 1:
        raise UsageError(
            f"--set {set_name}: the files have runs of {len(names)} sets ({', '.join(names[:5])}); leave out --set to "
            "store each under its own name, or import the files of one set"
        )


def _hint_at_models(found: Sequence[Found], deployment: str) -> None:
    """Name files with several models in one set: as nights of one deployment they would be compared with each other."""
    models: dict[tuple[Path | None, str | None], set[str]] = {}
    for each in found:
        models.setdefault((each.run.file, each.run.set_name), set()).add(each.run.model or "")
    several = [(file, names) for (file, _), names in models.items() if len(names) > 1 and file is not None]
    if several and "{model}" not in deployment:
        file, names = several[0]
        note(
            f"{file.name} has runs of {len(names)} models, which become nights of {deployment!r} and are compared with "
            f"each other; --deployment '{deployment}-{{model}}' keeps them apart"
        )


def _demand_conditions(found: Sequence[Found]) -> None:
    """Raise UsageError with one line for each run that lacks a condition, before anything is stored."""
    now, problems = SystemClock().now(), list[str]()
    for each in found:
        try:
            conditions_of(each.run, each.plan, now)
        except UsageError as error:
            problems.append(str(error))
    if problems:
        raise UsageError("\n".join(problems))


def _work(api: Api, found: Sequence[Found], *, dry_run: bool) -> ImportedRuns:
    if api.app is None or api.config is None:
        raise UsageError(
            f"--dry-run compares with the database, which the daemon at {api.where} uses; see the files with "
            "`driftd results show`, or stop the daemon"
        )
    if dry_run:
        return _previews(api.app.store, found, api.config)
    store, config = api.app.store, api.config
    document = _each(found, lambda each: _imported(store, each, _plan_of(each, config)), dry_run=False)
    api.settle()
    return document.model_copy(update={"runs": [each.with_finding(api) for each in document.runs]})


def _each(found: Sequence[Found], ended: Callable[[Found], ImportedRun], *, dry_run: bool) -> ImportedRuns:
    """Return the result of each run. One that cannot be imported does not prevent the others."""
    document = ImportedRuns(dry_run=dry_run, runs=[])
    for each in found:
        try:
            document.runs.append(item_of(ended(each), each.run, each.path))
        except (Permanent, ReplayError) as error:
            document.failures.append(str(error))
    return document


def _imported(store: Store, found: Found, plan: ImportPlan) -> ImportedRun:
    with progress(f"{found.path.name}: {found.run.key}") as advance:
        return import_run(store, found.run, plan, clock=SystemClock(), progress=advance)


def _previews(store: Store | None, found: Sequence[Found], config: Config) -> ImportedRuns:
    now = SystemClock().now()
    return _each(found, lambda each: preview_run(store, each.run, _plan_of(each, config), now=now), dry_run=True)


def _plan_of(found: Found, config: Config) -> ImportPlan:
    """Return the plan with what the configuration has about the deployment and the set."""
    from monitor.parts import sealers

    conditions = conditions_of(found.run, found.plan, SystemClock().now())
    deployment, eval_set = config.deployments.get(conditions.deployment), config.sets.get(conditions.set_name)
    return replace(
        found.plan,
        identity=found.plan.identity if deployment is None else deployment.identity,
        kind=found.plan.kind if eval_set is None else eval_set.kind,
        sealer=sealers(config).get(conditions.set_name),
    )
