"""`driftd lake`: creates, fills and checks a lake, and shows its size."""

from dataclasses import asdict
from datetime import datetime

import typer

from monitor.api.schema.wire import Wire
from monitor.cli.checks.line import CheckReport, Line, State, report_of
from monitor.cli.lake import importing
from monitor.cli.lake.on_ray import command as on_ray
from monitor.cli.lake.section import lake_config, place_of
from monitor.cli.options import DEFAULT_CONFIG, AsJson, ConfigPath
from monitor.cli.terminal.output import print_facts, print_json, print_line, print_table, text
from monitor.clock import SystemClock
from monitor.config.store import StoreConfig
from monitor.store.lake.checks import check_lake
from monitor.store.lake.create import create_lake
from monitor.store.lake.status import lake_status

app = typer.Typer(
    help="A lake, the store of several processes: init, import, compare, check, status, ray.",
    no_args_is_help=True,
    add_completion=False,
)


class CreatedLake(Wire):
    """The lake of a configuration; `created` is false when it was there."""

    database: str
    data: str
    created: bool


class TableItem(Wire):
    """A table; `files` are its Parquet files, null for a table in PostgreSQL."""

    table: str
    rows: int
    files: int | None
    bytes: int


class PartitionItem(Wire):
    """The position of driftd in a partition of Kafka."""

    topic: str
    partition: int
    next_offset: int
    stored_at: datetime


class ProcessItem(Wire):
    """A process that replays slices of runs or maintains files, seen in the last three minutes."""

    process: str
    role: str
    host: str
    seen_at: datetime


class SlicedRunItem(Wire):
    """A run that several processes replay: its slices that are not done, and those that a process has."""

    run_id: str
    open: int
    at_work: int


class LakeItem(Wire):
    """The content of a lake."""

    id: str
    database: str
    data: str
    schema_version: int
    snapshots: int
    newest_snapshot: int
    newest_at: datetime
    database_bytes: int
    files_read: int
    deferred: int
    import_of: str | None
    import_ended_at: datetime | None
    tables: list[TableItem]
    partitions: list[PartitionItem]
    processes: list[ProcessItem]
    sliced_runs: list[SlicedRunItem]


@app.command("init")
def init(*, config: ConfigPath = DEFAULT_CONFIG, as_json: AsJson = False) -> None:
    """Create the tables of the lake that the configuration names, or migrate the lake of an earlier driftd.

    The PostgreSQL database exists already, and the folder of the data is empty or does not exist. A bucket exists
    already, and nothing is below its prefix. No process may use the lake during its migration. A second call changes
    nothing.
    """
    section = lake_config(config).store
    url, data = place_of(section)
    made = CreatedLake(database=section.name, data=str(data), created=create_lake(url, data, SystemClock().now()))
    if as_json:
        print_json(made)
        return
    done = "the lake is created" if made.created else "the lake is already there"
    print_line(f"{done}: database {made.database}, data {made.data}")


app.command("import")(importing.import_)
app.command("compare")(importing.compare)
app.command("ray")(on_ray.ray)


@app.command("check")
def check(*, config: ConfigPath = DEFAULT_CONFIG, as_json: AsJson = False) -> None:
    """Check PostgreSQL, the tables and the data of the lake, without changes. Below the prefix of a bucket, it writes a
    small object and removes it.

    Exit code: 0 when all checks pass, 1 when a check fails, 2 when the configuration does not load.
    """
    report = report_of(lake_lines(lake_config(config).store))
    if as_json:
        print_json(report)
    else:
        _print_checks(report)
    raise typer.Exit(0 if report.ok else 1)


@app.command("status")
def status(*, config: ConfigPath = DEFAULT_CONFIG, as_json: AsJson = False) -> None:
    """Show the tables of the lake with their rows, files and bytes, the read positions of its sources, the processes of
    the roles work and maintain, and the runs that they replay.
    """
    found = LakeItem.model_validate(asdict(lake_status(*place_of(lake_config(config).store))))
    if as_json:
        print_json(found)
        return
    print_facts(
        [
            ("lake", found.id),
            ("database", f"{found.database}, {_mib(found.database_bytes)}"),
            ("data", f"{found.data}, {_mib(sum(one.bytes for one in found.tables if one.files is not None))}"),
            ("schema version", found.schema_version),
            ("snapshots", f"{found.snapshots}, the newest {found.newest_snapshot} at {text(found.newest_at)}"),
            ("files read to a position", found.files_read),
            ("statements of interrupted writes", found.deferred),
            *_import_facts(found),
        ]
    )
    rows = [(one.table, one.rows, "" if one.files is None else one.files, _mib(one.bytes)) for one in found.tables]
    print_table(("table", "rows", "files", "size"), rows, "no tables")
    if found.partitions:
        offsets = [(one.topic, one.partition, one.next_offset, one.stored_at) for one in found.partitions]
        print_table(("topic", "partition", "next offset", "stored"), offsets, "no positions")
    if found.processes:
        seen = [(one.role, one.host, one.process, one.seen_at) for one in found.processes]
        print_table(("role", "host", "process", "seen"), seen, "no processes")
    if found.sliced_runs:
        runs = [(one.run_id, one.open, one.at_work) for one in found.sliced_runs]
        print_table(("run", "slices open", "at work"), runs, "no runs")


def lake_lines(section: StoreConfig) -> list[Line]:
    """Return the lines of the checks of a lake."""
    return [
        Line(check=one.check, state=State(one.state.value), sentence=one.sentence)
        for one in check_lake(*place_of(section))
    ]


def _print_checks(report: CheckReport) -> None:
    width = max(len(line.check) for line in report.checks)
    for line in report.checks:
        print_line(f"{line.state:<4}  {line.check:<{width}}  {text(line.sentence)}")


def _import_facts(found: LakeItem) -> list[tuple[str, object]]:
    if found.import_of is None:
        return []
    state = "unfinished" if found.import_ended_at is None else f"complete at {text(found.import_ended_at)}"
    return [("import", f"{found.import_of}, {state}")]


def _mib(size: int) -> str:
    return f"{size / 2**20:.1f} MiB"
