"""The commands of README's "Monitor your own product" run as they are printed, in order, from an empty folder.

Only the machine differs: free ports are appended to the configuration, and a local model and a local webhook take the
place of the two example addresses.
"""

import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from monitor.cli.demo.webhook_sink import WebhookSink
from tests.cli.house import Model, running_model
from tests.docs.markdown import ROOT
from tests.docs.shell import Shell
from tests.ports import free_ports

pytestmark = pytest.mark.timeout(300)
SECTION = "## Monitor your own product"
PATIENCE_S = 60.0


@dataclass(slots=True)
class Reader:
    """A reader who follows README in the folder of `shell`. `said` is what each command printed, in order."""

    shell: Shell
    api: str
    pages: str
    serving: "subprocess.Popen[str] | None" = None
    said: list[tuple[str, str]] = field(default_factory=list)

    def run(self, line: str) -> None:
        if line.startswith("driftd serve"):
            self.serve(line)
            return
        self.said.append((line, self.shell.run(line)))

    def serve(self, line: str) -> None:
        port = self.pages.rpartition(":")[2]
        command = ["bash", "-c", f"exec {line} --dashboard-port {port}"]
        self.serving = subprocess.Popen(
            command, cwd=self.shell.folder, env=self.shell.environment, stderr=subprocess.DEVNULL, text=True
        )
        wait_for(f"{self.api}/readyz")
        wait_for(f"{self.pages}/_stcore/health")

    def output_of(self, start: str) -> str:
        [found] = [out for line, out in self.said if line.startswith(start)]
        return found


def wait_for(url: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        try:
            httpx.get(url, timeout=1).raise_for_status()
        except httpx.HTTPError:
            time.sleep(0.1)
        else:
            return
    pytest.fail(f"{url} does not answer")


def steps() -> tuple[str, list[str]]:
    """The configuration of the section, and the lines of its shell blocks."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.partition(SECTION)[2].partition("\n## ")[0]
    yaml, lines, inside = "", list[str](), None
    for line in section.splitlines():
        if line.strip().startswith("```"):
            inside = line.strip().removeprefix("```") if inside is None else None
        elif inside == "yaml":
            yaml += line + "\n"
        elif inside is not None:
            lines.append(line.strip())
    return yaml, lines


@pytest.fixture
def model() -> Iterator[Model]:
    with running_model() as found:
        found.answer = "You may send it back within 30 days; the money takes five working days. Ask a person."
        yield found


@pytest.fixture
def reader(model: Model, tmp_path: Path) -> Iterator[Reader]:
    ports = free_ports(4)
    sink = WebhookSink()
    yaml, _ = steps()
    assert "https://models.example.com/v1" in yaml
    shell = Shell(tmp_path, {"WEBHOOK": sink.start()})
    shell.folder = tmp_path / "empty"
    shell.folder.mkdir()
    (shell.folder / "driftd.yaml").write_text(
        yaml.replace("https://models.example.com/v1", model.url)
        + f"api: {{port: {ports[0]}}}\n"
        + f"ingest: {{otlp: {{port: {ports[1]}}}, otlp_grpc: {{port: {ports[2]}}}}}\n"
    )
    found = Reader(
        shell=shell,
        api=f"http://127.0.0.1:{ports[0]}",
        pages=f"http://127.0.0.1:{ports[3]}",
    )
    try:
        yield found
    finally:
        sink.stop()
        if found.serving is not None:
            found.serving.send_signal(signal.SIGTERM)
            found.serving.communicate(timeout=PATIENCE_S)


def test_every_command_of_the_section_runs_in_order(reader: Reader, model: Model) -> None:
    _, lines = steps()
    assert len(lines) >= 12
    for line in lines:
        if line.startswith("driftd changes announce"):
            model.answer = "We make an exception and refund you tomorrow; we will pay."
        reader.run(line.replace("https://chat.example.com/hooks/driftd", reader.shell.environment["WEBHOOK"]))
    assert "support@8" in httpx.get(f"{reader.api}/api/v1/versions").text
    seen = set[str]()
    deadline = time.monotonic() + PATIENCE_S
    while len(seen) < 2 and time.monotonic() < deadline:
        runs = httpx.get(f"{reader.api}/api/v1/runs").json()["items"]
        seen = {failure["failure_category"] for run in runs for failure in run["failure_categories"]}
        time.sleep(0.2)
    assert seen == {"incomplete", "wrong_promise"}
    assert "5 cases" in reader.output_of("driftd sets import")
    alerts = reader.output_of("driftd alerts list")
    assert "Regression" not in alerts, "five cases prove no regression; the rule about that may fire by now"
    assert "receiver oncall accepted" in reader.output_of("driftd alerts test")
