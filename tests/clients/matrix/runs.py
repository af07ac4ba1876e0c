"""Run a family: one daemon, and for each scenario a provider and the driver; then read the rows."""

import hashlib
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx
import yaml

from monitor.clock import SystemClock
from monitor.domain.feedback import Feedback
from monitor.domain.interaction import Interaction
from monitor.jobs.linking.join import JoinStep
from monitor.store.engine.database import Store
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import dead_letters, feedback, interactions
from monitor.store.traffic.dead_letters import DeadLetter
from tests.clients.matrix.declaration import Family
from tests.clients.matrix.environments import Driver
from tests.clients.matrix.tap import Tap, tapped
from tests.clients.provider.call import Call
from tests.clients.provider.server import provider
from tests.clients.tokens import SECRET
from tests.kills.process import Daemon

DRIVER_S: Final = 600  # seconds; a driver takes 2 to 5 on an idle machine
LINKED_S: Final = 30
QUIET: Final = {"DO_NOT_TRACK": "1", "ANONYMIZED_TELEMETRY": "false"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioRun:
    """The rows of one scenario. `rows` are all reports of its calls, the oldest first; counted ones
    have no `duplicate_of`.
    """

    calls: Sequence[Call]
    rows: Sequence[Interaction]
    feedback: Sequence[Feedback]
    conversation: str
    exit_code: int
    output: str  # stdout and stderr of the driver
    was_sent: Callable[[str], bool]  # whether the driver sent a text to the daemon

    @property
    def counted(self) -> list[Interaction]:
        return [row for row in self.rows if row.duplicate_of is None]


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyRun:
    scenarios: Mapping[str, ScenarioRun]
    letters: Sequence[DeadLetter]
    exit_code: int  # of the daemon


@dataclass(frozen=True, slots=True)
class _DriverResult:
    calls: Sequence[Call]
    exit_code: int
    output: str
    taps: Sequence[Tap]

    def was_sent(self, text: str) -> bool:
        return any(tap.was_sent(text) for tap in self.taps)


def service_name(family: Family, scenario: str) -> str:
    return f"{family.name}.{scenario}"


def conversation(family: Family, scenario: str) -> str:
    return f"conversation-{family.name}-{scenario}"


def run_family(family: Family, driver: Driver, folder: Path) -> FamilyRun:
    """Run every scenario of the family, one after the other."""
    with Daemon(folder=folder, model_url="http://127.0.0.1:9/v1") as daemon:
        tree = yaml.safe_load(daemon.config.read_text())
        secret = hashlib.sha256(SECRET.encode()).hexdigest()
        tree["api"]["tokens"] = [{"name": "team", "sha256": secret, "roles": ["admin"]}]
        daemon.config.write_text(yaml.safe_dump(tree))
        daemon.start()
        daemon.wait_ready()
        ended = {name: _drive(family, driver, name, daemon) for name in family.declared.scenarios}
        _wait_linked(daemon)
        exit_code = daemon.stop()
    return _read(family, ended, daemon.file, exit_code)


def _drive(family: Family, driver: Driver, scenario: str, daemon: Daemon) -> _DriverResult:
    with provider(scenario) as served, tapped(daemon.otlp) as http, tapped(daemon.grpc) as grpc:
        addresses = _addresses(provider=served.url, http=http.url, grpc=grpc.url)
        env = {**_environment(family, driver, scenario, daemon.api), **addresses}
        code, output = _run([*driver.command, scenario], daemon.folder, env)
    return _DriverResult(served.calls, code, output, (http, grpc))


def _run(command: Sequence[str], folder: Path, env: Mapping[str, str]) -> tuple[int, str]:
    """Return the exit code and the output of the driver. A timeout fails only its scenario."""
    with subprocess.Popen(
        command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            output, _ = process.communicate(timeout=DRIVER_S)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
            return -1, f"{output}\nthe driver did not end within {DRIVER_S} s"
        return process.returncode, output


def _addresses(*, provider: str, http: str, grpc: str) -> dict[str, str]:
    return {
        "DRIFTD_PROVIDER_URL": provider,
        "DRIFTD_OTLP_URL": http,
        "DRIFTD_OTLP_GRPC_URL": grpc,
        "OTEL_EXPORTER_OTLP_ENDPOINT": http,
    }


def _environment(family: Family, driver: Driver, scenario: str, api: str) -> dict[str, str]:
    """The contract's variables, and those that docs/connect.md names for OpenTelemetry."""
    service = service_name(family, scenario)
    ours = {
        "DRIFTD_API_URL": api,
        "DRIFTD_TOKEN": SECRET,
        "DRIFTD_SERVICE": service,
        "DRIFTD_CONVERSATION": conversation(family, scenario),
    }
    of_the_page = {
        "OTEL_SERVICE_NAME": service,
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        "OTEL_EXPORTER_OTLP_HEADERS": f"Authorization=Bearer%20{SECRET}",
        "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true",
    }
    clean = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    return {**clean, **QUIET, **of_the_page, **ours, **driver.environment}


def _wait_linked(daemon: Daemon) -> None:
    """Wait for a step of the link loop that began after the last driver ended."""
    before = _steps(daemon)
    end = time.monotonic() + LINKED_S
    while _steps(daemon) < before + 2:
        assert time.monotonic() < end, f"no step of the loop within {LINKED_S} s"
        time.sleep(0.1)


def _steps(daemon: Daemon) -> float:
    text = httpx.get(f"{daemon.api}/metrics", headers={"authorization": f"Bearer {SECRET}"}).raise_for_status().text
    lines = [line for line in text.splitlines() if line.startswith("driftd_loop_steps_total") and '"link"' in line]
    return float(lines[0].rsplit(" ", 1)[1])


def _read(family: Family, ended: Mapping[str, _DriverResult], file: Path, exit_code: int) -> FamilyRun:
    """Read the rows from the database of the stopped daemon. One more step pairs reports in different traces, which
    happens every 10 s.
    """
    clock = SystemClock()
    store = Store.open(file, clock=clock)
    try:
        JoinStep(store, clock, lambda item: item.response_model).step()
        with store.read() as tx:
            letters = dead_letters.page(tx, PageQuery(limit=500)).items
            scenarios = {}
            for name, end in ended.items():
                query = PageQuery(limit=500, deployment=service_name(family, name))
                scenarios[name] = ScenarioRun(
                    calls=end.calls,
                    rows=interactions.page(tx, query).items[::-1],
                    feedback=feedback.page(tx, query).items,
                    conversation=conversation(family, name),
                    exit_code=end.exit_code,
                    output=end.output,
                    was_sent=end.was_sent,
                )
    finally:
        store.close()
    return FamilyRun(scenarios=scenarios, letters=letters, exit_code=exit_code)
