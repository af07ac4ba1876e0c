"""The files of deploy/compose for processes on loopback, instead of containers with names."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from tests.alerting.notify.real.alertmanager import find_alertmanager, without_alertmanager
from tests.ingest.collector import find_collector, without_collector
from tests.ingest.kafka.broker import CLUSTER_ID, QUICK, Broker, jars, jars_missing, without_broker
from tests.observability.compose import FOLDER
from tests.observability.real.prometheus import Prometheus, running, until
from tests.observability.rules import FILE, ROOT
from tests.ports import free_ports

DRIFTD: Final = (sys.executable, "-c", "from monitor.cli.main import main; main()")
TOKEN: Final = "a" * 64
HOW: Final = "run `.ci/composeconfig`, which builds it, or name it with the environment variable COMPOSECONFIG"
NAMES: Final = (
    "kafka:9092",
    "localhost:9093",
    "driftd:8400",
    "collector:8888",
    "alertmanager:9093",
    "0.0.0.0:4318",
    "0.0.0.0:4317",
)


def composeconfig() -> Path:
    """Return the loader of Compose files. Without one, skip on a developer's machine and fail in CI."""
    named = os.environ.get("COMPOSECONFIG")
    found = Path(named or subprocess.check_output([ROOT / ".ci/composeconfig", "--where"], text=True).strip())
    if not found.is_file():
        (pytest.fail if named or os.environ.get("CI") else pytest.skip)(f"there is no loader of Compose files; {HOW}")
    return found


def otelcol() -> Path:
    return find_collector(os.environ) or without_collector(os.environ)


def alertmanager() -> Path:
    return find_alertmanager(os.environ) or without_alertmanager(os.environ)


def amtool() -> Path:
    """Return amtool, which is in the package of Alertmanager."""
    amtool = alertmanager().parent / "usr/bin/amtool"
    return amtool if amtool.is_file() else Path(shutil.which("amtool") or "amtool")


@dataclass(frozen=True, kw_only=True)
class Files:
    """Copies of the files in `folder`, with an address on loopback for each name of a service."""

    folder: Path
    ports: Mapping[str, int] = field(default_factory=lambda: dict(zip(NAMES, free_ports(len(NAMES)), strict=True)))

    def address(self, name: str) -> str:
        return f"127.0.0.1:{self.ports[name]}"

    def url(self, name: str) -> str:
        return f"http://{self.address(name)}"

    def write(self, name: str, *more: tuple[str, str]) -> Path:
        """Write a copy of a file; `more` are further patterns and their replacements."""
        text = (FOLDER / name).read_text(encoding="utf-8")
        for one in NAMES:
            text = text.replace(one, self.address(one))
        for pattern, new in more:
            text, found = re.subn(pattern, new, text)
            assert found, f"{name} has no {pattern}"
        path = self.folder / name
        path.write_text(text)
        return path

    def kafka(self) -> Path:
        return self.write(
            "server.properties",
            (r"PLAINTEXT://:9092", f"PLAINTEXT://{self.address('kafka:9092')}"),
            (r"/var/lib/kafka/data", str(self.folder / "kafka")),
        )

    def collector(self) -> Path:
        port = str(self.ports["collector:8888"])
        return self.write("collector.yaml", (r"host: 0\.0\.0\.0, port: 8888", f"host: 127.0.0.1, port: {port}"))

    def driftd(self) -> Path:
        for name in ("admin_token", "metrics_token"):
            (self.folder / name).write_text(TOKEN if name == "admin_token" else TOKEN[::-1].replace("a", "b"))
        return self.write(
            "driftd.yaml",
            (r"host: 0\.0\.0\.0", "host: 127.0.0.1"),
            (r"port: 8400", f"port: {self.ports['driftd:8400']}"),
            (r"/run/secrets", str(self.folder)),
            (r"/var/lib/driftd", str(self.folder / "driftd")),
            (r"ingest:\n", "ingest:\n  otlp: {port: 0}\n  otlp_grpc: {port: 0}\n"),
        )

    def prometheus(self, *more: tuple[str, str]) -> Path:
        rules = self.folder / "driftd-alerts.yaml"
        rules.write_text(re.sub(r"^( +for: ).+$", r"\g<1>0s", FILE.read_text(encoding="utf-8"), flags=re.MULTILINE))
        return self.write(
            "prometheus.yml",
            (r"/etc/prometheus/driftd-alerts.yaml", str(rules)),
            (r"/run/secrets", str(self.folder)),
            *more,
        )

    def alertmanager(self, *more: tuple[str, str]) -> Path:
        return self.write("alertmanager.yml", *more)


@contextmanager
def process(name: str, command: Sequence[object], folder: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a program. Its output is in NAME.log, and it is ended with the block."""
    with (folder / f"{name}.log").open("wb") as log:
        one = subprocess.Popen([str(word) for word in command], stdout=log, stderr=subprocess.STDOUT, cwd=folder)
    try:
        yield one
    finally:
        one.terminate()
        try:
            one.wait(40)
        except subprocess.TimeoutExpired:
            one.kill()
            one.wait()


@dataclass(frozen=True, kw_only=True)
class Stack:
    files: Files
    prometheus: Prometheus
    daemon: "subprocess.Popen[bytes]"

    def interactions(self) -> list[dict[str, Any]]:
        headers = {"authorization": f"Bearer {TOKEN}"}
        answer = httpx.get(f"{self.files.url('driftd:8400')}/api/v1/interactions", headers=headers, timeout=30.0)
        return list(answer.raise_for_status().json()["items"])

    def alerts(self) -> dict[str, dict[str, Any]]:
        """Return the alerts of Alertmanager by name."""
        found = httpx.get(f"{self.files.url('alertmanager:9093')}/api/v2/alerts", timeout=10.0).raise_for_status()
        return {one["labels"]["alertname"]: one for one in found.json()}


@contextmanager
def running_stack(folder: Path) -> Iterator[Stack]:
    """Start Kafka, the Collector, the daemon, Alertmanager and Prometheus, with intervals of a second."""
    if (reason := jars_missing(os.environ)) is not None:
        without_broker(os.environ, reason)
    files = Files(folder=folder)
    with ExitStack() as opened:
        broker = _kafka(files)
        opened.callback(broker.stop)
        for topic in ("otlp_spans", "otlp_logs"):
            broker.make(topic, partitions=3)
        opened.enter_context(process("collector", [otelcol(), "--config", f"file:{files.collector()}"], folder))
        daemon = opened.enter_context(process("driftd", [*DRIFTD, "serve", "--config", files.driftd()], folder))
        paths = [f"--storage.path={folder / 'alerts'}", f"--web.listen-address={files.address('alertmanager:9093')}"]
        config = files.alertmanager((r"group_wait: 30s", "group_wait: 0s"))
        command = [alertmanager(), f"--config.file={config}", *paths, "--cluster.listen-address="]
        opened.enter_context(process("alertmanager", command, folder))
        ready = {"driftd:8400": "/readyz", "alertmanager:9093": "/-/ready", "collector:8888": "/metrics"}
        for name, path in ready.items():
            url = files.url(name) + path
            until(f"{name} is ready", partial(_answers, url), 120.0)
        often = (r"interval: 15s", "interval: 1s")
        prometheus = opened.enter_context(running(folder / "prometheus", files.prometheus(often)))
        yield Stack(files=files, prometheus=prometheus, daemon=daemon)


def _answers(url: str) -> bool:
    return httpx.get(url, timeout=10.0).status_code == httpx.codes.OK


def _kafka(files: Files) -> Broker:
    settings, classpath = files.kafka(), f"{jars(os.environ)}/*"
    tool = ["java", *QUICK, "-cp", classpath, "kafka.tools.StorageTool", "format"]
    subprocess.run([*tool, "-t", CLUSTER_ID, "-c", str(settings)], check=True, capture_output=True, timeout=120)
    broker = Broker(bootstrap=files.address("kafka:9092"), folder=files.folder, classpath=classpath)
    broker.start()
    return broker
