"""The requests to the API server of Kubernetes that the sandbox needs.

Source: the reference of the Kubernetes API, batch/v1 and v1; "API Concepts", section on watches.
"""

import json
import os
import ssl
import threading
import time
from collections.abc import Iterator
from typing import Any, Final

import httpx

from replay.sandbox.base import SandboxError
from replay.sandbox.kubernetes.job import CONTAINER, Object
from replay.sandbox.kubernetes.settings import ClusterSettings

_TRIES: Final = 6
_FIRST_WAIT_S: Final = 0.5
_WATCH_S: Final = 5.0
_AGAIN: Final = frozenset({429, 500, 502, 503, 504})
_MERGE: Final = {"Content-Type": "application/merge-patch+json"}


class Cluster:
    """The API server, as one service account. Its methods may be called by several threads.

    A request is repeated while the server is busy or away: five times, with pauses of 15 s together. Each raises
    SandboxError with the reason of the server.
    """

    def __init__(self, settings: ClusterSettings) -> None:
        self._settings = settings
        self._space = settings.namespace
        self.url = _url(settings)
        self._client = httpx.Client(
            base_url=self.url, auth=self._signed, verify=_trusted(settings), timeout=30.0, trust_env=False
        )

    def close(self) -> None:
        self._client.close()

    def create(self, kind: str, item: Object) -> Object:
        """Create a Job or a Secret. One that exists already, from an earlier try of the same request, is returned."""
        path = self._path(kind)
        response = self._send("POST", path, "create", content=json.dumps(item))
        if response.status_code == httpx.codes.CONFLICT:
            response = self._send("GET", f"{path}/{item['metadata']['name']}", "get")
        return self._object(response, f"create {kind}")

    def begin(self, name: str) -> None:
        """Let the pod of a Job start."""
        content = json.dumps({"spec": {"suspend": False}})
        response = self._send("PATCH", f"{self._path('jobs')}/{name}", "patch", content=content, headers=_MERGE)
        self._object(response, "patch jobs")

    def remove(self, name: str) -> None:
        """Remove a Job, its pod and its Secret. One that is gone is removed."""
        response = self._send("DELETE", f"{self._path('jobs')}/{name}?propagationPolicy=Background", "delete")
        if response.status_code != httpx.codes.NOT_FOUND:
            self._object(response, "delete jobs")

    def jobs(self, selector: str) -> list[Object]:
        response = self._send("GET", self._path("jobs"), "list", params={"labelSelector": selector})
        items: list[Object] = self._object(response, "list jobs")["items"]
        return items

    def pods(self, job: str, until: float, closing: threading.Event) -> Iterator[Object | None]:
        """Yield the states of the pods of a Job until the time `until` of the monotonic clock, or until `closing`,
        which is read every 5 s. None is a removed pod.
        """
        params = {"labelSelector": f"batch.kubernetes.io/job-name={job}"}
        while (left_s := until - time.monotonic()) > 0 and not closing.is_set():
            found = self._object(self._send("GET", self._path("pods"), "list", params=params), "list pods")
            yield from found["items"]
            version = found["metadata"]["resourceVersion"]
            yield from self._changes(params | {"resourceVersion": version}, min(left_s, _WATCH_S))

    def _changes(self, params: dict[str, str], seconds: float) -> Iterator[Object | None]:
        """Yield the changes of pods for some seconds. The server may end a watch at any time."""
        watching = params | {"watch": "1", "timeoutSeconds": str(max(1, int(seconds)))}
        try:
            with self._client.stream("GET", self._path("pods"), params=watching, timeout=seconds + 10.0) as response:
                if not response.is_success:
                    response.read()
                    self._object(response, "watch pods")
                for line in response.iter_lines():
                    event = json.loads(line)
                    if event["type"] in ("ADDED", "MODIFIED"):
                        yield event["object"]
                    elif event["type"] == "DELETED":
                        yield None
                    elif event["type"] == "ERROR":  # the version is too old: list again
                        return
        except httpx.TransportError:
            time.sleep(_FIRST_WAIT_S)

    def log(self, pod: str, most_bytes: int) -> str:
        """Return the output of the program's container."""
        params = {"container": CONTAINER, "limitBytes": str(most_bytes)}
        response = self._send("GET", f"{self._path('pods')}/{pod}/log", "get", params=params)
        if not response.is_success:
            self._object(response, "get pods/log")
        return response.text

    def events(self, job: str) -> list[str]:
        """Return the messages of warnings about a Job and its pod, the newest first. None without the right to list."""
        response = self._send("GET", f"/api/v1/namespaces/{self._space}/events", "list")
        if not response.is_success:
            return []
        found = [event for event in response.json()["items"] if event["involvedObject"].get("name", "").startswith(job)]
        found.sort(key=lambda event: str(event.get("lastTimestamp") or event.get("eventTime") or ""), reverse=True)
        return [event["message"] for event in found if event.get("type") == "Warning"]

    def _path(self, kind: str) -> str:
        return (
            f"/apis/batch/v1/namespaces/{self._space}/jobs"
            if kind == "jobs"
            else f"/api/v1/namespaces/{self._space}/{kind}"
        )

    def _send(self, method: str, path: str, verb: str, **options: Any) -> httpx.Response:
        wait_s = _FIRST_WAIT_S
        for tries_left in reversed(range(_TRIES)):
            problem: str
            try:
                response = self._client.request(method, path, **options)
                if response.status_code not in _AGAIN:
                    return response
                problem = f"{response.status_code} {_reason(response)}"
            except httpx.TransportError as error:
                problem = str(error) or type(error).__name__
            if tries_left:
                time.sleep(wait_s)
                wait_s *= 2
        raise SandboxError(f"the API server of Kubernetes at {self.url} does not {verb} for the sandbox: {problem}")

    def _object(self, response: httpx.Response, what: str) -> Object:
        if not response.is_success:
            raise SandboxError(
                f"the API server of Kubernetes refuses to {what} in the namespace {self._space!r}: "
                f"{response.status_code} {_reason(response)}"
            )
        item: Object = response.json()
        return item

    def _signed(self, request: httpx.Request) -> httpx.Request:
        """Add the token. Kubernetes replaces the file about every hour."""
        try:
            token = self._settings.token_file.read_text().strip()
        except OSError as error:
            raise SandboxError(
                f"the token for Kubernetes cannot be read: {error}; mount the token of a service account, or set "
                "sandbox.token_file"
            ) from None
        request.headers["Authorization"] = f"Bearer {token}"
        return request


def _url(settings: ClusterSettings) -> str:
    if settings.url is not None:
        return settings.url.rstrip("/")
    host, port = os.environ.get("KUBERNETES_SERVICE_HOST"), os.environ.get("KUBERNETES_SERVICE_PORT", "443")
    if host is None:
        raise SandboxError(
            "sandbox.url is missing: this process does not run in a pod of Kubernetes, so the address of the API "
            "server is unknown"
        )
    return f"https://{f'[{host}]' if ':' in host else host}:{port}"


def _trusted(settings: ClusterSettings) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=settings.ca_file)
    except OSError as error:
        raise SandboxError(
            f"the certificate authority of Kubernetes cannot be read ({settings.ca_file}): {error}; set sandbox.ca_file"
        ) from None


def _reason(response: httpx.Response) -> str:
    try:
        return str(response.json()["message"])
    except (ValueError, KeyError, TypeError):
        return response.text[:200]
