"""`driftd lake ray`: runs workers on a cluster of Ray until SIGTERM."""

import sys
from contextlib import redirect_stdout
from math import inf
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Final

import typer

from monitor.api.schema.wire import Wire
from monitor.cli.lake.section import lake_config
from monitor.cli.options import DEFAULT_CONFIG, AsJson, ConfigPath, Level
from monitor.cli.terminal.logs import LogLevel
from monitor.cli.terminal.output import note, print_json, print_line
from monitor.config.calendar.schedules import seconds_of
from monitor.errors import UsageError

if TYPE_CHECKING:
    from monitor.cli.lake.on_ray.cluster import Workers

POLL_S: Final = 1.0
REPORT_S: Final = 10.0  # between two lines about the progress
Count = Annotated[int, typer.Option("--workers", "-w", min=1, help="Number of workers.")]
Cpus = Annotated[
    float, typer.Option(min=0.01, help="CPUs that Ray reserves for each worker, and threads of its DuckDB.")
]
Address = Annotated[
    str, typer.Option(help="Address of the cluster, HOST:PORT; auto: RAY_ADDRESS, or the cluster of this machine.")
]
Timeout = Annotated[str, typer.Option(help="Longest wait until all workers have started, with the unit s, m, h or d.")]
IdleExit = Annotated[
    str | None,
    typer.Option("--idle-exit", help="Stop after this time without a slice, with the unit s, m, h or d."),
]


class RayWorkItem(Wire):
    """What the workers of one command did. `restarts` are of their processes; a slice at work when a process was
    killed is in neither of the counts.
    """

    workers: int
    restarts: int
    slices_done: int
    slices_put_back: int
    seconds: float


def ray(
    *,
    workers: Count,
    cpus: Cpus = 1.0,
    address: Address = "auto",
    timeout: Timeout = "2m",
    idle_exit: IdleExit = None,
    config: ConfigPath = DEFAULT_CONFIG,
    log_level: Level = LogLevel.WARNING,
    as_json: AsJson = False,
) -> None:
    """Replay slices of runs in workers on a Ray cluster, as processes of `driftd serve --role work` do.

    Every node has driftd and the same configuration at the same path. Ray spreads the workers over the nodes, and
    starts one again whose process or node has ended. PostgreSQL has the slices, their leases and the budgets.

    SIGTERM and Ctrl-C stop the workers within 30 seconds: calls in flight end, and slices are put back. Exit code: 0
    after that and after --idle-exit, 2 when the configuration or the cluster is not usable.
    """
    from monitor.cli.lake.on_ray.cluster import Workers, connect  # other commands do not need the whole daemon
    from monitor.daemon import stop_signals

    settings = lake_config(config)
    idle_s = inf if idle_exit is None else _seconds("--idle-exit", idle_exit)
    _seconds("--timeout", timeout)
    began_s = monotonic()
    with redirect_stdout(sys.stderr):  # Ray prints messages of the cluster on standard output, at any time
        library = connect(address)
        stop = stop_signals()
        made = Workers(library, settings, count=workers, cpus=cpus, level=log_level, note=note)
        progress = _Progress(made)
        try:
            _start(made, progress, stop, timeout)
            while not stop.is_set() and progress.idle_s < idle_s:
                made.ask(POLL_S)
                progress.show()
                stop.wait(POLL_S)
            note("the workers stop, and put back the slices that are at work")
        finally:
            made.stop()
            library.shutdown()
    item = RayWorkItem(
        workers=workers,
        restarts=max(0, len(made.reports) - workers),
        slices_done=progress.done,
        slices_put_back=progress.put_back,
        seconds=round(monotonic() - began_s, 1),
    )
    if as_json:
        print_json(item)
    else:
        print_line(f"{item.slices_done} slices done, {item.slices_put_back} put back in {item.seconds:.0f} s")


def _start(made: "Workers", progress: "_Progress", stop: Event, timeout: str) -> None:
    """Wait until all workers have started. Raises UsageError after `timeout`, ConfigError when one cannot work."""
    until_s = monotonic() + _seconds("--timeout", timeout)
    while not stop.is_set() and len(made.here) < made.count:
        made.ask(POLL_S, starting=True)
        if monotonic() > until_s and len(made.here) < made.count:
            raise UsageError(f"not all workers have started within {timeout}: {made.room()}")
        progress.show()
        stop.wait(POLL_S)
    progress.busy_s = monotonic()


def _seconds(option: str, text: str) -> float:
    try:
        return seconds_of(text)
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from None


class _Progress:
    """Counts slices, and prints on standard error what the workers do: after a change, and at most every 10 s."""

    def __init__(self, workers: "Workers") -> None:
        self._workers = workers
        self._taken = 0
        self.busy_s = monotonic()  # when a worker last had a slice
        self._shown, self._shown_s = "", -inf

    @property
    def done(self) -> int:
        return sum(one.slices.done for one in self._workers.reports.values())

    @property
    def put_back(self) -> int:
        return sum(one.slices.ended - one.slices.done for one in self._workers.reports.values())

    @property
    def idle_s(self) -> float:
        """Return the seconds since a worker had a slice."""
        at_work, taken = self._at_work(), sum(one.slices.taken for one in self._workers.reports.values())
        if at_work or taken != self._taken:
            self._taken, self.busy_s = taken, monotonic()
        return monotonic() - self.busy_s

    def show(self) -> None:
        line = (
            f"{len(self._workers.here)} of {self._workers.count} workers on {self._workers.nodes} nodes, "
            f"{self._at_work()} slices at work, {self.done} done, {self.put_back} put back"
        )
        if line != self._shown and monotonic() >= self._shown_s + REPORT_S:
            self._shown, self._shown_s = line, monotonic()
            note(line)

    def _at_work(self) -> int:
        return sum(one.slices.taken - one.slices.ended for one in self._workers.here.values())
