"""The sandbox in Kubernetes: each program runs in a Job of its own, and its report is the output of the pod."""

import json
import logging
import secrets
import socket
import threading
import time
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, Final
from urllib.parse import urlsplit

from replay.sandbox.base import SandboxError
from replay.sandbox.kubernetes.api import Cluster
from replay.sandbox.kubernetes.job import SELECTOR, Object, job, order_of, secret
from replay.sandbox.kubernetes.settings import ClusterSettings
from replay.sandbox.limits import Ending, Executed, SandboxLimits

log = logging.getLogger(__name__)
_MARGIN_S: Final = 10.0  # from the end of a program to the report of its node
_LEFT_OVER: Final = timedelta(hours=1)  # the age from which a Job that never started belongs to a killed process
_REFUSED_S: Final = 60.0  # a failed probe is not repeated for this time
_SIGKILL: Final = 137
PROBE: Final = """
import socket
for host, port in {addresses!r}:
    try:
        socket.create_connection((host, port), 2).close()
    except OSError:
        continue
    print("reached", host)
print(42)
"""


class _LostPodError(SandboxError):
    """The pod ended without its program, for example because its node was drained."""


class ClusterSandbox:
    """Runs programs in a namespace of a cluster, up to `at_once` at the same time.

    Before the first program it checks that a pod starts there and does not reach the API server over the network.
    """

    def __init__(self, settings: ClusterSettings) -> None:
        self._settings = settings
        self._pool = ThreadPoolExecutor(settings.at_once, thread_name_prefix="code-sandbox")
        self._closing = threading.Event()
        self._probing = threading.Lock()
        self._probed: tuple[float, SandboxError | None] | None = None

    @cached_property
    def _cluster(self) -> Cluster:
        """The API server. A command that runs no program needs none."""
        return Cluster(self._settings)

    def close(self) -> None:
        """Drop the programs. A caller that waits for one gets a CancelledError, so that a reply is scored later."""
        self._closing.set()
        self._pool.shutdown(cancel_futures=True)
        if "_cluster" in self.__dict__:
            self._cluster.close()

    def submit(self, program: str, limits: SandboxLimits, *, stdin: str = "") -> "Future[Executed]":
        return self._pool.submit(self._safely, program, limits, stdin)

    def require(self) -> None:
        with self._probing:
            if self._probed is not None:
                at, problem = self._probed
                if problem is None:
                    return
                if time.monotonic() - at < _REFUSED_S:
                    raise SandboxError(str(problem))
            try:
                self._probe()
            except SandboxError as error:
                self._probed = (time.monotonic(), error)
                raise
            self._probed = (time.monotonic(), None)

    def _safely(self, program: str, limits: SandboxLimits, stdin: str) -> Executed:
        self.require()
        try:
            return self._run(program, limits, stdin)
        except _LostPodError as error:
            log.info("a program runs again: %s", error)
            return self._run(program, limits, stdin)

    def _probe(self) -> None:
        """Run a program that tries to reach the API server. Remove the Jobs of processes that were killed."""
        probe = self._run(PROBE.format(addresses=_addresses(self._cluster.url)), SandboxLimits(), "")
        if "reached" in probe.stdout:
            raise SandboxError(
                f"pods in the namespace {self._settings.namespace!r} reach the network, so programs of models would "
                "too; add a NetworkPolicy that denies all traffic there, and use a network plugin that enforces it"
            )
        if probe.stdout != "42\n":
            raise SandboxError(
                f"a pod in the namespace {self._settings.namespace!r} does not run Python: "
                f"{probe.stderr.strip()[-200:] or probe.ending}; sandbox.image needs python3, version 3.11 or later"
            )
        before = datetime.now(UTC) - _LEFT_OVER
        for item in self._cluster.jobs(SELECTOR):
            created = datetime.fromisoformat(item["metadata"]["creationTimestamp"])
            if item["spec"].get("suspend") and created < before:
                self._cluster.remove(item["metadata"]["name"])

    def _run(self, program: str, limits: SandboxLimits, stdin: str) -> Executed:
        name, nonce = f"driftd-code-{secrets.token_hex(8)}", secrets.token_hex(16)
        order = order_of(program, stdin, limits, nonce)
        made = self._cluster.create("jobs", job(name, self._settings, limits))
        try:
            self._cluster.create("secrets", secret(name, made["metadata"]["uid"], order))
            self._cluster.begin(name)
            pod = self._ended(name, limits)
            output = self._cluster.log(pod["metadata"]["name"], 12 * 1024 * limits.output_kb + 4096)
        finally:
            self._remove(name)
        _, found, report = output.rpartition(f"\n{nonce}")
        return _executed(json.loads(report)) if found else _without_report(pod, output)

    def _ended(self, name: str, limits: SandboxLimits) -> Object:
        """Return the pod of a Job after its end."""
        wait_s = self._settings.start_timeout_s + limits.seconds + _MARGIN_S
        last: Object | None = None
        for pod in self._cluster.pods(name, time.monotonic() + wait_s, self._closing):
            if pod is None:
                raise _LostPodError("the pod of the program was removed before it ended")
            if pod["status"].get("phase") in ("Succeeded", "Failed"):
                return pod
            last = pod
        if self._closing.is_set():
            raise CancelledError
        raise SandboxError(
            f"a program did not end in Kubernetes within {wait_s:g} s (namespace {self._settings.namespace!r}, image "
            f"{self._settings.image}): {_waiting(last) or next(iter(self._cluster.events(name)), 'it has no pod')}"
        )

    def _remove(self, name: str) -> None:
        try:
            self._cluster.remove(name)
        except SandboxError as error:  # Kubernetes removes it five minutes after its end
            log.warning("a Job of a program is left over: %s", error)


def _executed(report: dict[str, Any]) -> Executed:
    return Executed(
        ending=Ending(report["ending"]),
        exit_code=report["exit_code"],
        stdout=report["stdout"],
        stderr=report["stderr"],
        seconds=report["seconds"],
    )


def _without_report(pod: Object, output: str) -> Executed:
    """Return the end of a program that took all the memory of its pod. Raise SandboxError for any other reason."""
    status = pod["status"]
    states = [
        each["state"]["terminated"] for each in status.get("containerStatuses", []) if "terminated" in each["state"]
    ]
    code = states[0]["exitCode"] if states else None
    reason = status.get("reason") or (states[0].get("reason") if states else None)
    if reason == "OOMKilled":
        return Executed(ending=Ending.KILLED, exit_code=None, stdout="", stderr="", seconds=0.0)
    if status.get("reason") or code in (None, _SIGKILL):  # such as Evicted, NodeShutdown, Preempting
        raise _LostPodError(f"the pod of a program ended early: {reason}: {status.get('message', 'without a message')}")
    raise SandboxError(f"the pod of a program ended with exit code {code} ({reason}): {output.strip()[-200:]}")


def _waiting(pod: Object | None) -> str:
    """Return why a pod waits: its container, or its schedule. Empty if it runs."""
    if pod is None:
        return ""
    states = [each["state"].get("waiting") for each in pod["status"].get("containerStatuses", [])]
    unmet = [each for each in pod["status"].get("conditions", []) if each["status"] == "False" and "message" in each]
    found = [state for state in states if state] + unmet
    return ": ".join(str(found[0][key]) for key in ("reason", "message") if found[0].get(key)) if found else ""


def _addresses(url: str) -> list[tuple[str, int]]:
    parts = urlsplit(url)
    port = parts.port or 443
    try:
        found = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise SandboxError(f"the API server of Kubernetes at {url} is not found: {error}") from None
    return sorted({(str(address[0]), port) for *_, address in found})
