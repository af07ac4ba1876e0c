"""The objects of one program: a Job with one pod, and the Secret with the program and its input."""

import base64
import json
import secrets
import zlib
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, Final

from replay.sandbox.base import SandboxError
from replay.sandbox.bubblewrap import GUARD
from replay.sandbox.kubernetes.settings import ClusterSettings
from replay.sandbox.limits import SandboxLimits

MANAGED_BY: Final = "app.kubernetes.io/managed-by"
LABELS: Final = {MANAGED_BY: "driftd", "app.kubernetes.io/component": "code-sandbox"}
SELECTOR: Final = ",".join(f"{key}={value}" for key, value in LABELS.items())
CONTAINER: Final = "program"
MOST_BYTES: Final = (
    700_000  # of an order, compressed and as base64: a Secret has at most 1 MiB, the variables of a process 2 MB
)
_VARIABLE_BYTES: Final = 100_000  # the kernel allows 131,072 for one variable
_KEEP_S: Final = 300  # of an ended Job that this process did not remove
_LATE_S: Final = 60  # after the time for which this process waits
_SUPERVISOR_MB: Final = 64
_FREE_UIDS: Final = range(2_000_000_000, 2_100_000_000)  # of no person and no service
Object = dict[str, Any]


def order_of(program: str, stdin: str, limits: SandboxLimits, nonce: str) -> dict[str, str]:
    """Return the variables with the program and its input. Raise SandboxError if they are too large."""
    guard = GUARD.read_text(encoding="utf-8")
    order = {"program": program, "stdin": stdin, "limits": asdict(limits), "nonce": nonce, "guard": guard}
    text = base64.b64encode(zlib.compress(json.dumps(order).encode("utf-8", "replace"))).decode()
    if len(text) > MOST_BYTES:
        raise SandboxError(
            f"a program with its tests has {len(text):,} bytes compressed; the sandbox in Kubernetes takes "
            f"{MOST_BYTES:,}, because a Secret has at most 1 MiB"
        )
    parts = [text[at : at + _VARIABLE_BYTES] for at in range(0, len(text), _VARIABLE_BYTES)]
    return {f"ORDER_{number}": part for number, part in enumerate(parts)}


def job(name: str, settings: ClusterSettings, limits: SandboxLimits) -> Object:
    """Return the Job. It waits until its Secret exists: `suspend` is removed then."""
    seconds = int(settings.start_timeout_s + limits.seconds) + _LATE_S
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "labels": LABELS},
        "spec": {
            "suspend": True,
            "backoffLimit": 0,
            "activeDeadlineSeconds": seconds,
            "ttlSecondsAfterFinished": _KEEP_S,
            "template": {"metadata": {"labels": LABELS}, "spec": _pod(name, settings, limits)},
        },
    }


def secret(name: str, uid: str, order: dict[str, str]) -> Object:
    """Return the Secret of a Job. It is removed with the Job, whose `uid` the API server gave."""
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": uid}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "labels": LABELS, "ownerReferences": [owner]},
        "immutable": True,
        "stringData": order,
    }


def _pod(name: str, settings: ClusterSettings, limits: SandboxLimits) -> Object:
    memory = f"{limits.memory_mb + limits.files_mb + _SUPERVISOR_MB}Mi"
    user = secrets.choice(_FREE_UIDS)  # the kernel counts the processes of a user
    pod: Object = {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": 1,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": user,
            "runAsGroup": user,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [
            {
                "name": CONTAINER,
                "image": settings.image,
                "command": ["python3", "-I", "-S", "-c", _supervisor()],
                "envFrom": [{"secretRef": {"name": name}}],
                "workingDir": "/tmp",  # noqa: S108 (of the container: in memory)
                "securityContext": {
                    "allowPrivilegeEscalation": False,
                    "readOnlyRootFilesystem": True,
                    "capabilities": {"drop": ["ALL"]},
                },
                "resources": {
                    "requests": {"cpu": settings.cpu, "memory": memory},
                    "limits": {"cpu": "1", "memory": memory, "ephemeral-storage": "64Mi"},
                },
                "volumeMounts": [{"name": "files", "mountPath": "/tmp"}],  # noqa: S108
            }
        ],
        "volumes": [{"name": "files", "emptyDir": {"medium": "Memory", "sizeLimit": f"{limits.files_mb}Mi"}}],
    }
    if settings.runtime_class is not None:
        pod["runtimeClassName"] = settings.runtime_class
    return pod


@cache
def _supervisor() -> str:
    return Path(__file__).with_name("supervisor.py").read_text(encoding="utf-8")
