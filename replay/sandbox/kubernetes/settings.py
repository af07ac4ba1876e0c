"""Settings of the sandbox in Kubernetes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")  # where Kubernetes mounts it in each pod


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSettings:
    """`url` None: the API server of the cluster in which this process runs. Times are in seconds."""

    namespace: str
    image: str
    url: str | None = None
    token_file: Path = ACCOUNT / "token"
    ca_file: Path = ACCOUNT / "ca.crt"
    runtime_class: str | None = None
    at_once: int = 16
    start_timeout_s: float = 120.0
    cpu: str = "1"
