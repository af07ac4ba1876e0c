"""The chart of a lake on a real node: helm installs it, and its pods run the image that `.ci/image` builds.

PostgreSQL and the model are on this machine, and the claims are folders of it. The cluster has no Services and no names
of hosts: pods and tests use addresses.
"""

import json
import os
import shutil
import threading
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from aiohttp import web

from tests.helm.binary import find_helm
from tests.helm.chart import CHART, ROLES, Chart, Object
from tests.kills.lake_processes import is_leading
from tests.kubernetes.network import published
from tests.kubernetes.node import Cluster
from tests.observability.real.prometheus import until
from tests.postgres import Postgres, running_postgres
from tests.replay.judges.served import served
from tests.replay.model_server import Asked, completion

pytestmark = [pytest.mark.xdist_group("kubernetes"), pytest.mark.timeout(600)]
SPACE = "driftd-lake"
IMAGE = "driftd.test/driftd:lake"
OWNER = 10001  # the user of the image
DATABASE = "driftd"
CASES = 200
START_S = 240.0  # an installation: seven pods start on one node
TOKENS = {"ingest-token": "of the senders", "team-token": "of the team"}
PODS = {"api": 1, "control": 2, "dashboards": 1, "ingest": 1, "maintain": 1, "work": 2}
SMALL = {"requests": {"cpu": "20m", "memory": "64Mi"}, "limits": {"memory": "2Gi"}}


@dataclass(slots=True)
class Model:
    """A model that adds. It counts the requests of each case, and answers while its gate is open."""

    calls: Counter[str] = field(default_factory=Counter)
    gate: threading.Event = field(default_factory=threading.Event)

    def answer(self, asked: Asked) -> web.Response:
        self.calls[asked.question] += 1
        if not self.gate.is_set() and sum(self.calls.values()) > CASES // 4:
            return web.Response(status=503, headers={"Retry-After": "1"})
        number = int(asked.question.rpartition(" ")[2].rstrip("?"))
        return completion(str(number + 1))


@dataclass(frozen=True, kw_only=True)
class Release:
    chart: Chart
    node: Cluster
    values: Path
    model: Model

    def helm(self, *arguments: str | Path) -> str:
        result = self.chart.run(*arguments, "--namespace", SPACE, *self.node.server.helm_options())
        assert result.returncode == 0, f"{result.stdout}{result.stderr}\n{self.state()}"
        return result.stdout

    def upgrade(self, *options: str) -> None:
        more: tuple[str | Path, ...] = ("--values", self.values, "--wait", "--timeout", f"{START_S:.0f}s", *options)
        self.helm("upgrade", "--install", "night", CHART, *more)

    def objects(self, plural: str, group: str = "/api/v1") -> list[Object]:
        answer = self.node.server.client.get(f"{group}/namespaces/{SPACE}/{plural}")
        return list(answer.raise_for_status().json()["items"])

    def pods(self, role: str | None = None) -> list[Object]:
        """Return the pods of the release, or those of one role, that no one has removed."""
        label = "app.kubernetes.io/component"
        found = [pod for pod in self.objects("pods") if "deletionTimestamp" not in pod["metadata"]]
        return [pod for pod in found if role in (None, pod["metadata"]["labels"].get(label))]

    def ready(self) -> Counter[str]:
        """Return the number of ready pods of each role."""
        label = "app.kubernetes.io/component"
        return Counter(pod["metadata"]["labels"][label] for pod in self.pods() if is_ready(pod))

    def remove(self, pod: Object, *, grace_s: int) -> None:
        """Remove a pod: with 0 s Kubernetes kills it."""
        path = f"/api/v1/namespaces/{SPACE}/pods/{pod['metadata']['name']}"
        self.node.server.client.delete(path, params={"gracePeriodSeconds": grace_s}).raise_for_status()

    def call(self, pod: Object, path: str, body: object = None, *, token: str = "team-token") -> dict[str, Any]:
        """Send a request to the API of a pod."""
        url = f"http://{pod['status']['podIP']}:8400/api/v1/{path}"
        headers = {"Authorization": f"Bearer {TOKENS[token]}"}
        method = "GET" if body is None else "POST"
        answer = httpx.request(method, url, json=body, headers=headers, timeout=30)
        assert answer.is_success, answer.text
        return dict(answer.json())

    def state(self) -> str:
        """Return the containers that wait or ended, and the last lines of each."""
        lines = []
        for pod in self.objects("pods"):
            name = pod["metadata"]["name"]
            lines.append(f"{name}: {json.dumps(pod['status'].get('containerStatuses', pod['status']))[:1500]}")
            log = self.node.server.client.get(f"/api/v1/namespaces/{SPACE}/pods/{name}/log", params={"tailLines": 15})
            lines.append(log.text)
        return "\n".join(lines)


def is_ready(pod: Object) -> bool:
    return {"type": "Ready", "status": "True"} in [
        {"type": each["type"], "status": each["status"]} for each in pod["status"].get("conditions", [])
    ]


@pytest.fixture(scope="module")
def image(node: Cluster) -> None:
    """Import the image into the cluster."""
    archive = os.environ.get("DRIFTD_IMAGE")
    if archive is None:
        message = "no image: run `.ci/image FILE`, and set the environment variable DRIFTD_IMAGE to the file"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    node.ctr("images", "import", archive)
    assert IMAGE in node.ctr("images", "list", "--quiet").split()


@pytest.fixture(scope="module")
def release(image: None, node: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Release]:
    helm, model, folder = find_helm(os.environ), Model(), tmp_path_factory.mktemp("release")
    assert helm is not None, "the chart needs helm"
    machine = node.network.outside
    node.connect_pods(reaches_node=True)
    with running_postgres() as postgres, served(model.answer) as server:
        port = urlsplit(server.base_url).port
        assert port is not None
        with published(machine, postgres.port, port):
            postgres.run(f"CREATE DATABASE {DATABASE}")
            prepare(node, folder, postgres)
            values = folder / "values.yaml"
            values.write_text(json.dumps(settings(f"http://{machine}:{port}/v1")))
            made = Release(chart=Chart(helm=helm, folder=folder), node=node, values=values, model=model)
            try:
                made.upgrade()
                yield made
            finally:
                node.server.client.delete(f"/api/v1/namespaces/{SPACE}").raise_for_status()
                until("Kubernetes removed every pod", lambda: made.objects("pods") == [], 120)
                node.connect_pods(reaches_node=False)


def prepare(node: Cluster, folder: Path, postgres: Postgres) -> None:
    """Create the namespace, the Secret and the claims that the release expects."""
    node.server.namespace(SPACE)
    url = postgres.url(DATABASE).replace("127.0.0.1", node.network.outside)
    texts = TOKENS | {"lake-url": url, "salt": "0" * 32, "sums.key": "1" * 64}
    secret = {name: b64encode(text.encode()).decode() for name, text in texts.items()}
    create(node, "secrets", {"kind": "Secret", "metadata": {"name": "driftd"}, "data": secret})
    for name in ("lake", "shared"):
        place = folder / name
        place.mkdir()
        shutil.chown(place, OWNER, OWNER)
        of = {"accessModes": ["ReadWriteMany"], "storageClassName": ""}
        size, owner = {"storage": "1Gi"}, {"namespace": SPACE, "name": name}
        spec = {**of, "capacity": size, "hostPath": {"path": str(place)}, "claimRef": owner}
        volume = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec}
        node.server.post("/api/v1/persistentvolumes", volume).raise_for_status()
        spec = {**of, "volumeName": name, "resources": {"requests": size}}
        claim = {"kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": spec}
        create(node, "persistentvolumeclaims", claim)


def create(node: Cluster, plural: str, item: Object) -> None:
    node.server.post(f"/api/v1/namespaces/{SPACE}/{plural}", {"apiVersion": "v1", **item}).raise_for_status()


def settings(model: str) -> dict[str, Any]:
    secret = "/run/secrets/driftd/"
    team = {"name": "team", "token_file": f"{secret}team-token", "roles": ["read", "operate", "admin"]}
    return {
        "image": {"repository": IMAGE.rpartition(":")[0], "lakeTag": IMAGE.rpartition(":")[2], "pullPolicy": "Never"},
        "existingSecret": "driftd",
        "config": {
            "store": {"url_file": f"{secret}lake-url", "data": "/srv/driftd/lake"},
            "redaction": {"salt_file": f"{secret}salt"},
            "api": {"tokens": [{"name": "app", "token_file": f"{secret}ingest-token", "roles": ["ingest"]}, team]},
            "targets": {"adder": {"base_url": model, "model": "adder-1", "concurrency": 4}},
            "deployments": {"bot": {"target": "adder", "sets": ["sums"]}},
            "sets": {"sums": {"kind": "frozen", "key_file": f"{secret}sums.key", "scorers": [{"kind": "contains"}]}},
        },
        "roles": {role: {"replicas": PODS[role], "resources": SMALL} for role in ROLES}
        | {"dataClaim": "lake", "sharedClaim": "shared"},
        "dashboards": {"resources": SMALL},
        "networkPolicy": {"enabled": False},
    }


def span(number: int) -> Object:
    """Return a span of OTLP in JSON."""
    texts = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "adder-1", "gen_ai.response.model": "adder-1"}
    return {
        "traceId": f"{number:032x}",
        "spanId": f"{number:016x}",
        "name": "chat",
        "kind": 3,
        "startTimeUnixNano": "1764300000000000000",
        "endTimeUnixNano": "1764300001000000000",
        "attributes": [{"key": key, "value": {"stringValue": text}} for key, text in texts.items()],
    }


def test_the_job_creates_the_lake_and_every_pod_becomes_ready(release: Release) -> None:
    assert release.ready() == PODS
    assert release.objects("jobs", "/apis/batch/v1") == []  # helm removes the Job when it has succeeded
    restarts = [each["restartCount"] for pod in release.pods() for each in pod["status"]["containerStatuses"]]
    assert set(restarts) == {0}


def test_telemetry_that_a_pod_receives_is_read_through_another_one(release: Release) -> None:
    (ingest,), (api,) = release.pods("ingest"), release.pods("api")
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "bot"}}]}
    body = {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": [span(n) for n in range(1, 41)]}]}]}
    headers = {"Authorization": f"Bearer {TOKENS['ingest-token']}"}
    url = f"http://{ingest['status']['podIP']}:4318/v1/traces"
    assert httpx.post(url, json=body, headers=headers, timeout=30).status_code == 200
    until("the calls are stored", lambda: stored(release, api) == 40, 30)


def stored(release: Release, pod: Object) -> int:
    return len(release.call(pod, "interactions?limit=100")["items"])


def test_workers_replay_each_case_once_while_their_pods_are_killed(release: Release) -> None:
    (api,), model = release.pods("api"), release.model
    cases = [{"id": f"c{n}", "input": f"What is one more than {n}?", "reference": str(n + 1)} for n in range(CASES)]
    release.call(api, "sets", {"name": "sums", "cases": cases})
    run = release.call(api, "runs", {"deployment": "bot", "set_name": "sums"})["id"]
    until("the run is at work", lambda: sum(model.calls.values()) > CASES // 4, 60)
    for pod in release.pods("work"):  # one of them has the slice
        release.remove(pod, grace_s=0)
    model.gate.set()
    until("the run is complete", lambda: release.call(api, f"runs/{run}")["state"] == "complete", 120)
    found = release.call(api, f"runs/{run}")
    assert (found["cases"], found["scored"]) == (CASES, CASES)
    assert set(model.calls) == {case["input"] for case in cases}
    until("the killed pods are replaced", lambda: release.ready() == PODS, 90)


def test_the_standby_leads_when_the_pod_that_leads_is_removed(release: Release) -> None:
    def leading() -> list[str]:
        return [
            pod["metadata"]["name"]
            for pod in release.pods("control")
            if is_ready(pod) and is_leading(release.call(pod, "status"))
        ]

    (first,) = leading()
    (pod,) = [each for each in release.pods("control") if each["metadata"]["name"] == first]
    release.remove(pod, grace_s=0)
    until("the other pod leads", lambda: bool(leading()) and first not in leading(), 30)
    until("the pod is replaced", lambda: release.ready() == PODS, 90)


def test_an_error_in_the_configuration_stops_an_upgrade_and_its_job_names_it(release: Release) -> None:
    before = {pod["metadata"]["uid"] for pod in release.pods()}
    with pytest.raises(AssertionError, match="pre-upgrade hooks failed") as refused:
        release.upgrade("--set", "config.retention.days=30,roles.init.retries=0")
    assert "retention.days: the key is unknown" in str(refused.value)
    assert {pod["metadata"]["uid"] for pod in release.pods() if is_ready(pod)} == before


def test_an_upgrade_replaces_every_pod_and_keeps_what_is_stored(release: Release) -> None:
    before = {pod["metadata"]["uid"] for pod in release.pods()}
    release.upgrade("--set", "config.retention.interactions.max_age_d=30")
    until("only new pods are ready", lambda: release.ready() == PODS, 90)
    after = {pod["metadata"]["uid"] for pod in release.pods() if "dashboards" not in pod["metadata"]["name"]}
    assert not before & after
    (api,) = release.pods("api")
    assert stored(release, api) == 40


def test_a_removed_release_stops_its_pods_and_keeps_its_claims(release: Release) -> None:
    release.helm("uninstall", "night", "--wait", "--timeout", "120s")
    until("every pod has stopped", lambda: release.objects("pods") == [], 60)
    assert sorted(claim["metadata"]["name"] for claim in release.objects("persistentvolumeclaims")) == [
        "lake",
        "shared",
    ]
