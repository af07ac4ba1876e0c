"""A process of the role `work` as an actor of Ray. It opens no port."""

import gc
import os
import socket
import tempfile
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from math import ceil
from pathlib import Path

from monitor.app import build
from monitor.cli.main import GC_THRESHOLDS, PRIVATE
from monitor.cli.terminal.logs import LogLevel, log_to_stderr
from monitor.clock import SystemClock
from monitor.config.load import load
from monitor.config.tree import Config
from monitor.daemon import App
from monitor.errors import DriftdError
from monitor.jobs.replay.work_loop import SliceCounts, WorkLoop
from monitor.lake_parts import WORK
from monitor.roles import Role
from monitor.store.lake.lake_store import LakeStore
from replay.errors import ReplayError


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerReport:
    """What a worker is and did. `process` is its name in `driftd lake status`, and `problem` why it cannot work."""

    node: str
    host: str
    process: str
    version: str
    config_sha256: str
    problem: str | None
    slices: SliceCounts


class SliceWorker:
    """Replays slices from its creation until `stop`. An error at its start is its problem: Ray would not create an
    actor again whose constructor raises.
    """

    def __init__(self, config: str, cpus: float, level: str) -> None:
        """`config` is the path of the configuration on this node; DuckDB uses `cpus` threads unless it names others."""
        os.umask(PRIVATE)
        gc.set_threshold(*GC_THRESHOLDS)
        log_to_stderr(LogLevel(level))
        self._node = str(import_module("ray").get_runtime_context().get_node_id())
        self._folder = tempfile.TemporaryDirectory(prefix="driftd-ray-")
        self._app: App | None = None
        self._session = self._sha256 = self._problem = ""
        try:
            self._start(load(Path(config), os.environ), ceil(cpus))
        except (DriftdError, ReplayError, OSError) as error:
            self._problem = str(error)

    def report(self) -> WorkerReport:
        app, problem, slices = self._app, self._problem, SliceCounts()
        if app is not None:
            work = app.supervisor.loop(WORK)
            assert isinstance(work, WorkLoop)
            slices = work.slices
            if app.supervisor.crashed.is_set():
                problem = app.not_ready() or "a loop has crashed"
        return WorkerReport(
            node=self._node,
            host=socket.gethostname(),
            process=self._session,
            version=version("driftd"),
            config_sha256=self._sha256,
            problem=problem or None,
            slices=slices,
        )

    def stop(self) -> WorkerReport:
        """End the calls in flight, put the slice back, and close the store. Return the last report."""
        if self._app is not None:
            self._app.stop()
        self._folder.cleanup()
        return self.report()

    def _start(self, config: Config, threads: int) -> None:
        self._sha256 = config.source.sha256 if config.source else ""
        own = {"work_folder": Path(self._folder.name), "threads": config.store.threads or threads}
        config = config.model_copy(update={"store": config.store.model_copy(update=own)})
        app = build(config, clock=SystemClock(), serving=False, role=Role.WORK)
        try:
            app.start_local()
        except BaseException:
            app.stop()
            raise
        assert isinstance(app.store, LakeStore)
        self._app, self._session = app, app.store.session
