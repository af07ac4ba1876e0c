"""A real object store (versitygw, built by `.ci/s3`) for a test session, on a free port and in a folder of its own."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import NoReturn

import httpx
import pytest

from monitor.clock import SystemClock
from monitor.domain.object_store import ObjectData, ObjectKeys
from monitor.store.lake.objects.signature import query_text, signed_headers
from tests.ports import free_port

ROOT = Path(__file__).parents[3]
BUILDER = ROOT / ".ci/s3"
HOW = "run `.ci/s3`, which builds one, or name one with the environment variable S3_GATEWAY"
START_S = 30.0
KEYS = ObjectKeys(id="driftd-test", secret="s3cr3t-of-the-tests")
REGION = "us-east-1"


def find_gateway(env: Mapping[str, str]) -> Path | None:
    """Return the path of a gateway, or None. Raise an error when S3_GATEWAY names no file."""
    if named := env.get("S3_GATEWAY"):
        if not Path(named).is_file():
            pytest.fail(f"S3_GATEWAY is {named}, which is no file; {HOW}")
        return Path(named)
    reported = subprocess.run([BUILDER, "--where"], env=dict(env), capture_output=True, text=True, check=True)
    built = Path(reported.stdout.strip())
    return built if built.is_file() else None


def without_gateway(env: Mapping[str, str]) -> NoReturn:
    """Skip on a developer's machine; fail in CI."""
    if env.get("CI"):
        pytest.fail(f"there is no object store; {HOW}")
    pytest.skip(f"there is no object store; {HOW}")


@dataclass(slots=True, kw_only=True)
class Gateway:
    """A running object store. `folder` has a folder for each bucket, with a file for each object."""

    program: Path
    home: Path
    port: int = field(default_factory=free_port)
    options: tuple[str, ...] = ()
    scheme: str = "http"
    rights: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)  # by bucket and user
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def folder(self) -> Path:
        return self.home / "objects"

    @property
    def endpoint(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the process, and wait until it answers."""
        for name in ("objects", "users", "versions"):
            (self.home / name).mkdir(parents=True, exist_ok=True)
        command = [
            *("setpriv", "--pdeathsig=KILL", "--", str(self.program)),
            *("--port", f"127.0.0.1:{self.port}", "--region", REGION, "--keep-alive", "--quiet"),
            *("--health", "/health", "--iam-dir", str(self.home / "users"), "--iam-cache-disable", *self.options),
            *("posix", "--versioning-dir", str(self.home / "versions"), str(self.folder)),
        ]
        env = os.environ | {"ROOT_ACCESS_KEY_ID": KEYS.id, "ROOT_SECRET_ACCESS_KEY": KEYS.secret}
        log = self.home / "log"
        with log.open("ab") as output:
            self.process = subprocess.Popen(command, env=env, stdout=output, stderr=output)
        until = monotonic() + START_S
        while True:
            try:
                httpx.get(f"{self.endpoint}/health", verify=False)
            except httpx.TransportError:
                if self.process.poll() is not None or monotonic() > until:
                    raise RuntimeError(f"the object store did not start: {log.read_text()}") from None
                sleep(0.05)
            else:
                return

    def stop(self) -> None:
        """Kill the process."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None

    def data(self, bucket: str, prefix: str = "", *, keys: ObjectKeys | None = KEYS) -> ObjectData:
        return ObjectData.of(f"s3://{bucket}/{prefix}".rstrip("/"), endpoint=self.endpoint, region=REGION, keys=keys)

    def create_bucket(self, name: str, *, lock: bool = False) -> None:
        self.request("PUT", f"/{name}", headers={"x-amz-bucket-object-lock-enabled": "true"} if lock else {})

    def set_versioning(self, bucket: str, status: str) -> None:
        body = f"<VersioningConfiguration><Status>{status}</Status></VersioningConfiguration>"
        self.request("PUT", f"/{bucket}", {"versioning": ""}, body)

    def add_user(self, keys: ObjectKeys) -> None:
        """Add a user without any right."""
        body = f"<Account><Access>{keys.id}</Access><Secret>{keys.secret}</Secret><Role>user</Role></Account>"
        self.request("PATCH", "/create-user", body=body)

    def remove_user(self, keys: ObjectKeys) -> None:
        self.request("PATCH", "/delete-user", {"access": keys.id})

    def allow(self, bucket: str, keys: ObjectKeys, *actions: str) -> None:
        """Give a user these rights to a bucket, and no others."""
        rights = self.rights.setdefault(bucket, {})
        rights[keys.id] = actions
        statements = [
            {"Effect": "Allow", "Principal": user, "Action": each, "Resource": _resource(each, bucket)}
            for user, granted in rights.items()
            for each in granted
        ]
        if statements:
            policy = json.dumps({"Version": "2012-10-17", "Statement": statements})
            self.request("PUT", f"/{bucket}", {"policy": ""}, policy)

    def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> str:
        """Make a request as the owner of all buckets."""
        url, asked, content = f"{self.endpoint}{path}", query or {}, body.encode()
        signed = signed_headers(
            method, url, asked, content, keys=KEYS, region=REGION, now=SystemClock().now(), headers=headers or {}
        )
        where = f"{url}?{query_text(asked)}" if asked else url
        answer = httpx.request(method, where, headers=signed, content=content, verify=False)
        if answer.status_code >= 300:
            raise RuntimeError(f"{method} {where}: {answer.status_code} {answer.text}")
        return answer.text


def _resource(action: str, bucket: str) -> str:
    of_object = action.endswith("Object")
    return f"arn:aws:s3:::{bucket}/*" if of_object else f"arn:aws:s3:::{bucket}"


@contextmanager
def running_gateway(*options: str, scheme: str = "http") -> Iterator[Gateway]:
    program = find_gateway(os.environ)
    if program is None:
        without_gateway(os.environ)
    home = Path(tempfile.mkdtemp(prefix="driftd-objects-"))
    gateway = Gateway(program=program, home=home, options=options, scheme=scheme)
    try:
        gateway.start()
        yield gateway
    finally:
        gateway.stop()
        shutil.rmtree(home, ignore_errors=True)
