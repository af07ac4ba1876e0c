"""A real API server of Kubernetes with etcd. No controller and no node runs."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any

import httpx
import yaml
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests.helm.chart import Object
from tests.kubernetes.network import Network
from tests.observability.real.prometheus import until
from tests.ports import free_ports
from tests.tls.authority import Authority

TOKEN = "token-of-the-tests"
RESTRICTED = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "audit", "warn")}


@dataclass(frozen=True, kw_only=True)
class ApiServer:
    url: str
    client: httpx.Client

    def helm_options(self) -> tuple[str, ...]:
        """Return the options with which helm reaches the server. Its certificate is made at its start."""
        return "--kube-apiserver", self.url, "--kube-token", TOKEN, "--kube-insecure-skip-tls-verify"

    def post(self, path: str, item: Object) -> httpx.Response:
        return self.client.post(path, json=item)

    def namespace(self, name: str) -> None:
        """Create a namespace in which only pods of the level *restricted* are admitted."""
        item = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": RESTRICTED}}
        self.post("/api/v1/namespaces", item).raise_for_status()

    def define(self, file: Path) -> None:
        """Create a definition of custom resources, and wait until the server serves them."""
        definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        answer = self.post(definitions, yaml.safe_load(file.read_text()))
        answer.raise_for_status()
        spec = answer.json()["spec"]
        resources = [
            f"/apis/{spec['group']}/{version['name']}/{spec['names']['plural']}"
            for version in spec["versions"]
            if version["served"]
        ]
        until(f"{file.name} is served", lambda: all(self.client.get(path).is_success for path in resources))

    def path(self, item: Object, namespace: str) -> str:
        """Return the path of an object that helm created."""
        group = item["apiVersion"]
        base = f"/api/{group}" if "/" not in group else f"/apis/{group}"
        served = self.client.get(base).raise_for_status().json()["resources"]
        (plural,) = [each["name"] for each in served if each["kind"] == item["kind"] and "/" not in each["name"]]
        return f"{base}/namespaces/{namespace}/{plural}/{item['metadata']['name']}"


@contextmanager
def ending_jobs(server: ApiServer, namespace: str, condition: str) -> Iterator[list[Object]]:
    """End every Job of a namespace with a condition, Complete or Failed, as a controller does. Yield the Jobs."""
    found: list[Object] = []
    stop = Event()

    def run() -> None:
        path = f"/apis/batch/v1/namespaces/{namespace}/jobs"
        with httpx.Client(base_url=server.url, headers=server.client.headers, verify=False, timeout=30.0) as client:
            while not stop.wait(0.1):
                for job in client.get(path).raise_for_status().json()["items"]:
                    if "conditions" not in job["status"]:
                        found.append(job)
                        ended = {"type": condition, "status": "True", "reason": "Test", "message": "of the test"}
                        now = job["metadata"]["creationTimestamp"]
                        done = {"completionTime": now, "succeeded": 1} if condition == "Complete" else {"failed": 1}
                        status = {"status": {"conditions": [ended], "startTime": now, **done}}
                        client.patch(
                            f"{path}/{job['metadata']['name']}/status",
                            json=status,
                            headers={"Content-Type": "application/merge-patch+json"},
                        ).raise_for_status()

    thread = Thread(target=run)
    thread.start()
    try:
        yield found
    finally:
        stop.set()
        thread.join()


@contextmanager
def running(binaries: Path, folder: Path, inside: Network | None = None) -> Iterator[ApiServer]:
    """Run etcd and the API server, and yield the server when it is ready. `folder` then has authority.pem, and
    accounts.pem, the key of the tokens of service accounts.

    They use free ports of this machine, or run `inside` a network of their own.
    """
    address = "127.0.0.1" if inside is None else inside.inside
    storage, peers, port = free_ports(3)
    etcd: list[Any] = [binaries / "etcd", "--data-dir", folder / "etcd", "--unsafe-no-fsync"]
    for option in ("--listen-client-urls", "--advertise-client-urls"):
        etcd += [option, f"http://127.0.0.1:{storage}"]
    etcd += ["--listen-peer-urls", f"http://127.0.0.1:{peers}"]
    key = folder / "accounts.pem"
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    key.write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    tokens = folder / "tokens.csv"
    tokens.write_text(f"{TOKEN},tests,1,system:masters\n")
    authority = Authority(folder=folder, name="authority")
    pair = authority.issue("api-server", (address,))
    assert authority.ca_file == folder / "authority.pem"
    options: dict[str, str | Path] = {
        "--etcd-servers": f"http://127.0.0.1:{storage}",
        "--bind-address": address,
        "--secure-port": str(port),
        "--tls-cert-file": pair.cert_file,
        "--tls-private-key-file": pair.key_file,
        "--cert-dir": folder / "certificates",
        "--kubelet-preferred-address-types": "InternalIP",
        "--token-auth-file": tokens,
        "--authorization-mode": "RBAC",
        "--service-account-issuer": "https://kubernetes.default.svc",
        "--service-account-key-file": key,
        "--service-account-signing-key-file": key,
        "--service-cluster-ip-range": "10.0.0.0/24",
    }
    if inside is None:  # it refuses pods until a controller has created the account of a namespace
        options["--disable-admission-plugins"] = "ServiceAccount"
    server: list[Any] = [binaries / "kube-apiserver", *(each for option in options.items() for each in option)]
    if inside is not None:
        etcd, server = inside.command(*etcd), inside.command(*server)
    with process(etcd, folder / "etcd.log"), process(server, folder / "kube-apiserver.log"):
        url = f"https://{address}:{port}"
        headers = {"Authorization": f"Bearer {TOKEN}"}
        with httpx.Client(base_url=url, headers=headers, verify=False, timeout=30.0) as client:
            until("the API server is ready", lambda: client.get("/readyz").is_success)
            yield ApiServer(url=url, client=client)


@contextmanager
def process(command: list[Any], log: Path) -> Iterator[None]:
    with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=output) as started:
        try:
            yield
        finally:
            started.terminate()
            try:
                started.wait(20)
            except subprocess.TimeoutExpired:
                started.kill()
