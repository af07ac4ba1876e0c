"""The workers on a cluster of Ray. Only this module and the workers import Ray."""

import logging
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from importlib.metadata import version
from time import monotonic
from typing import Any, Final

from monitor.cli.lake.on_ray.worker import SliceWorker, WorkerReport
from monitor.cli.terminal.logs import LogLevel
from monitor.config.tree import Config
from monitor.daemon import STOP_S
from monitor.errors import ConfigError, UsageError

INSTALL: Final = "pip install 'ray>=2.60,<3'"
CONNECT_S: Final = 30.0
ENDS_S: Final = STOP_S + 5.0  # of a stop
RETRY_S: Final = 10.0  # until a worker that cannot work is started again
NO_CLUSTER: Final = "no Ray cluster at the address {!r}: {}; start the command on a node of a cluster"


def connect(address: str) -> Any:
    """Return the module `ray` after it connected to a cluster."""
    if address == "local" or "://" in address:
        raise UsageError("--address: give HOST:PORT, or `auto` on a node of the cluster")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    try:
        ray = import_module("ray")
    except ModuleNotFoundError:
        raise ConfigError(
            f"the package ray is not installed; install driftd[ray] in the version of the cluster: "
            f"{INSTALL}, or requirements-ray.lock"
        ) from None
    leaving = threading.Timer(CONNECT_S, _leave, [address])  # Ray tries for many minutes, and signals do not end it
    leaving.daemon = True
    leaving.start()
    try:
        ray.init(address=address, logging_level=logging.WARNING)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise UsageError(NO_CLUSTER.format(address, str(error).strip().splitlines()[0])) from None
    finally:
        leaving.cancel()
    return ray


def _leave(address: str) -> None:
    sys.stderr.write(NO_CLUSTER.format(address, f"no answer within {CONNECT_S:.0f} s") + "\n")
    sys.stderr.flush()
    os._exit(UsageError.exit_code)


class Workers:
    """The actors of one command. Ray places them, and starts them again after their process or node has ended."""

    def __init__(
        self, ray: Any, config: Config, *, count: int, cpus: float, level: LogLevel, note: Callable[[str], None]
    ) -> None:
        assert config.source is not None
        self._ray, self._note, self.count, self._cpus = ray, note, count, cpus
        self._sha256, self._version = config.source.sha256, version("driftd")
        self._arguments = (str(config.source.path), cpus, level.value)
        self._actor = ray.remote(SliceWorker).options(
            num_cpus=cpus, max_restarts=-1, max_concurrency=2, scheduling_strategy="SPREAD"
        )
        self._actors = {number: self._actor.remote(*self._arguments) for number in range(1, count + 1)}
        self._asked: dict[int, Any] = {}
        self._again_s: dict[int, float] = {}  # when a worker that cannot work is started again
        self.here: dict[int, WorkerReport] = {}  # that can work now
        self.reports: dict[str, WorkerReport] = {}  # the newest of each process, also of ended ones

    @property
    def nodes(self) -> int:
        """Return on how many nodes they are."""
        return len({one.node for one in self.here.values()})

    def ask(self, wait_s: float, *, starting: bool = False) -> None:
        """Ask every worker for a report, and wait `wait_s` seconds at most. Raises ConfigError for one that cannot work
        when they are `starting`; later it is started again.
        """
        for number, actor in self._actors.items():
            if number not in self._asked and self._is_due(number):
                self._asked[number] = actor.report.remote()
        asked = {ref: number for number, ref in self._asked.items()}
        ready, _ = self._ray.wait(list(asked), num_returns=len(asked), timeout=wait_s) if asked else ([], [])
        for ref in ready:
            number = asked[ref]
            del self._asked[number]
            problem = self._problem(number, ref)
            if problem is not None:
                if starting:
                    raise ConfigError(problem)
                self._note(f"worker {number}: {problem}; it is started again in {RETRY_S:.0f} s")
                self._again_s[number] = monotonic() + RETRY_S

    def room(self) -> str:
        """Return a sentence about the CPUs of the cluster."""
        total, free = self._ray.cluster_resources().get("CPU", 0.0), self._ray.available_resources().get("CPU", 0.0)
        nodes = sum(node["Alive"] for node in self._ray.nodes())
        return (
            f"{len(self.here)} of {self.count} run with {self._cpus:g} CPUs each; the cluster has {total:g} CPUs on "
            f"{nodes} nodes, of which {free:g} are free"
        )

    def stop(self) -> None:
        """Let all workers put back their slices, and end them."""
        stopped = {actor.stop.remote(): number for number, actor in self._actors.items() if number in self.here}
        ready, _ = self._ray.wait(list(stopped), num_returns=len(stopped), timeout=ENDS_S) if stopped else ([], [])
        for ref in ready:
            with suppress(self._ray.exceptions.RayActorError):
                last: WorkerReport = self._ray.get(ref)
                self.reports[last.process] = last
        if len(ready) < len(stopped):
            self._note(f"{len(stopped) - len(ready)} workers did not stop in time; others take their slices after 10 s")
        for actor in self._actors.values():
            self._ray.kill(actor)

    def _is_due(self, number: int) -> bool:
        """Return whether a worker can be asked; one that could not work gets a new actor after a while."""
        if number in self._again_s:
            if self._again_s[number] > monotonic():
                return False
            del self._again_s[number]
            self._ray.kill(self._actors[number])
            self._actors[number] = self._actor.remote(*self._arguments)
        return True

    def _problem(self, number: int, ref: Any) -> str | None:
        """Read a report. Return why its worker cannot work, None when it can, and while Ray starts it again."""
        was_here = self.here.pop(number, None)
        try:
            report: WorkerReport = self._ray.get(ref)
        except self._ray.exceptions.ActorUnavailableError:
            if was_here is not None:
                self._note(f"worker {number} on {was_here.host} has ended; Ray starts it again")
            return None
        except self._ray.exceptions.RayActorError as error:
            return f"it cannot run: {str(error).strip().splitlines()[-1].strip()}"
        if (problem := self._why_not(report)) is not None:
            return f"node {report.host}: {problem}"
        if was_here is None:
            self._note(f"worker {number} is {report.process} on {report.host}, Ray node {report.node[:8]}")
        self.here[number] = self.reports[report.process] = report
        return None

    def _why_not(self, report: WorkerReport) -> str | None:
        if report.version != self._version:
            return f"it has driftd {report.version}, this command is {self._version}; install the same version"
        if report.problem is not None:
            return report.problem
        if report.config_sha256 != self._sha256:
            return (
                f"{self._arguments[0]} differs from the file here; give all nodes the same, and start the command again"
            )
        return None
