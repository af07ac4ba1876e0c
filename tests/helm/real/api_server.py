"""A real kube-apiserver with etcd, without controllers and nodes: it validates and admits objects, and runs no pod."""

import csv
import os
import secrets
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.cli.connection.test_client import free_port

STARTED_S = 180.0
RESTRICTED = {
    "pod-security.kubernetes.io/enforce": "restricted",
    "pod-security.kubernetes.io/enforce-version": "latest",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiServer:
    client: httpx.Client
    kubeconfig: Path

    def create(self, path: str, item: dict[str, Any], *, dry_run: bool = False) -> httpx.Response:
        return self.client.post(path, json=item, params={"dryRun": "All"} if dry_run else {})

    def get(self, path: str) -> Any:
        response = self.client.get(path)
        response.raise_for_status()
        return response.json()

    def namespace(self, name: str) -> str:
        """Create a namespace that admits only pods of the restricted standard."""
        item = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": RESTRICTED}}
        self.create("/api/v1/namespaces", item).raise_for_status()
        return name

    def define(self, files: Sequence[Path]) -> None:
        """Create custom resource definitions, and wait until the server has their kinds."""
        path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        for file in files:
            definition = yaml.safe_load(file.read_text())
            self.create(path, definition).raise_for_status()
            spec = definition["spec"]
            (served,) = [version["name"] for version in spec["versions"] if version["storage"]]
            resources = f"/apis/{spec['group']}/{served}/{spec['names']['plural']}"
            wait_until(lambda resources=resources: self.client.get(resources).status_code == 200, resources)


@contextmanager
def running(assets: Path, folder: Path) -> Iterator[ApiServer]:
    key, token = folder / "accounts.key", secrets.token_hex(16)
    key.write_bytes(
        rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    with (folder / "tokens.csv").open("w") as file:
        csv.writer(file).writerow([token, "admin", "admin", "system:masters"])
    etcd, peers, port = free_port(), free_port(), free_port()
    commands = {
        "etcd": [
            *(f"--{flag}=http://127.0.0.1:{etcd}" for flag in ("listen-client-urls", "advertise-client-urls")),
            f"--listen-peer-urls=http://127.0.0.1:{peers}",
            f"--data-dir={folder / 'etcd'}",
            "--unsafe-no-fsync",
        ],
        "kube-apiserver": [
            f"--etcd-servers=http://127.0.0.1:{etcd}",
            f"--secure-port={port}",
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1",
            f"--cert-dir={folder / 'certificates'}",
            "--authorization-mode=RBAC",
            f"--token-auth-file={folder / 'tokens.csv'}",
            "--service-account-issuer=https://localhost",
            f"--service-account-key-file={key}",
            f"--service-account-signing-key-file={key}",
            "--service-cluster-ip-range=10.0.0.0/24",
        ],
    }
    url = f"https://127.0.0.1:{port}"
    processes: list[subprocess.Popen[bytes]] = []
    try:
        for name, arguments in commands.items():
            with (folder / f"{name}.log").open("w") as log:
                env = {"PATH": os.environ["PATH"], "HOME": str(folder)}
                processes.append(subprocess.Popen([assets / name, *arguments], stdout=log, stderr=log, env=env))
        # The certificate is one that the server made for itself at this start.
        with httpx.Client(
            base_url=url, verify=False, headers={"Authorization": f"Bearer {token}"}, timeout=30
        ) as client:
            wait_until(lambda: is_ready(client, processes, folder), "/readyz")
            yield ApiServer(client=client, kubeconfig=kubeconfig(folder / "kubeconfig", url, token))
    finally:
        for process in reversed(processes):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def is_ready(client: httpx.Client, processes: Sequence["subprocess.Popen[bytes]"], folder: Path) -> bool:
    if any(process.poll() is not None for process in processes):
        logs = "\n".join(path.read_text()[-3000:] for path in folder.glob("*.log"))
        pytest.fail(f"the API server did not start: {logs}")
    try:
        return client.get("/readyz").status_code == 200
    except httpx.TransportError:
        return False


def wait_until(condition: Any, what: str) -> None:
    deadline = time.monotonic() + STARTED_S
    while not condition():
        assert time.monotonic() < deadline, f"{what} was not ready within {STARTED_S:.0f} s"
        time.sleep(0.2)


def kubeconfig(path: Path, url: str, token: str) -> Path:
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "it",
        "clusters": [{"name": "it", "cluster": {"server": url, "insecure-skip-tls-verify": True}}],
        "users": [{"name": "it", "user": {"token": token}}],
        "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
    }
    path.write_text(yaml.safe_dump(content))
    path.chmod(0o600)
    return path
