"""The data of a lake in a real object store: what `driftd lake init|check` refuse, and how a lake is opened."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from threading import Thread

import pytest

from monitor.domain.object_store import ObjectData, ObjectKeys
from monitor.errors import ConfigError, StoreUnavailable
from monitor.store.engine.database import Store
from monitor.store.lake.checks import check_lake
from monitor.store.lake.create import create_lake
from monitor.store.lake.lake_check import LakeState
from monitor.store.lake.objects.checks import check_objects
from monitor.store.traffic import interactions
from tests.ports import free_port
from tests.store.build import HandClock, interaction
from tests.store.lake.gateway import KEYS, Gateway, running_gateway
from tests.store.lake.lakes import Lakes
from tests.tls.authority import Authority

READ = ("s3:ListBucket", "s3:GetObject")
WRITE = (*READ, "s3:PutObject", "s3:DeleteObject")
SETTINGS = ("s3:GetBucketVersioning", "s3:GetBucketObjectLockConfiguration", "s3:ListBucketMultipartUploads")
NUMBERS = count()


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    with running_gateway() as started:
        yield started


@pytest.fixture
def bucket(gateway: Gateway) -> str:
    """A new bucket."""
    name = f"bucket-{next(NUMBERS)}"
    gateway.create_bucket(name)
    return name


@pytest.fixture
def data(gateway: Gateway, bucket: str) -> ObjectData:
    return gateway.data(bucket, "a/lake")


@pytest.fixture
def url(lakes: Lakes) -> Iterator[str]:
    """An empty database."""
    lakes.server.run("CREATE DATABASE of_objects")
    yield lakes.server.url("of_objects")
    lakes.server.run("DROP DATABASE of_objects WITH (FORCE)")


def user(gateway: Gateway, bucket: str, *actions: str) -> ObjectKeys:
    """Return the keys of a new user with these rights to a bucket."""
    keys = ObjectKeys(id=f"user-{next(NUMBERS)}", secret="s3cr3t-of-a-user")
    gateway.add_user(keys)
    gateway.allow(bucket, keys, *actions)
    return keys


def failed(url: str, data: ObjectData, state: LakeState = LakeState.FAIL) -> dict[str, str]:
    return {one.check: one.sentence for one in check_lake(url, data) if one.state is state}


def refusal(url: str, data: ObjectData, clock: HandClock) -> str:
    """Return why a lake cannot be created there."""
    with pytest.raises(ConfigError) as raised:
        create_lake(url, data, clock.now())
    assert data.keys is None or data.keys.secret not in f"{raised.value} {raised.value.__cause__}"
    return str(raised.value)


def test_a_lake_in_a_bucket_is_created_once(gateway: Gateway, url: str, data: ObjectData, clock: HandClock) -> None:
    assert "driftd lake init" in failed(url, data)["tables"]
    assert create_lake(url, data, clock.now())
    assert failed(url, data) == failed(url, data, LakeState.WARN) == {}
    assert not create_lake(url, data, clock.now())
    store = Store.open(url, data=data, clock=clock)
    with store.write() as tx:
        interactions.insert(tx, [interaction("a")])
    store.close()
    [file] = (gateway.folder / data.bucket / data.prefix).rglob("*.parquet")
    assert file.parts[-3:-1] == ("main", "interaction")


def test_an_object_store_that_refuses_is_named_in_one_sentence(
    gateway: Gateway, url: str, bucket: str, data: ObjectData, clock: HandClock
) -> None:
    wrong = {
        "does not know the key id": replace(data, keys=ObjectKeys(id="unknown-key", secret="s3cr3t")),
        "the secret does not belong to the key id": replace(data, keys=ObjectKeys(id=KEYS.id, secret="s3cr3t")),
        "the bucket does not exist": gateway.data("missing", "lake"),
        "does not answer": replace(data, endpoint=f"http://127.0.0.1:{free_port()}"),
        "s3:ListBucket": replace(data, keys=user(gateway, bucket)),
        "s3:PutObject": replace(data, keys=user(gateway, bucket, *READ)),
        "s3:DeleteObject": replace(data, keys=user(gateway, bucket, *READ, "s3:PutObject")),
        "s3:GetObject": replace(data, keys=user(gateway, bucket, "s3:ListBucket", "s3:PutObject", "s3:DeleteObject")),
    }
    for sentence, place in wrong.items():
        [found] = [one.sentence for one in check_objects(place) if one.state is LakeState.FAIL]
        assert sentence in found
        assert "\n" not in found
        assert place.keys is not None
        assert place.keys.secret not in found
    assert refusal(url, place, clock) == f"store.data: {found}"
    assert failed(url, place) == {"rights": found}


def test_a_bucket_that_keeps_versions_or_locks_objects_is_refused(
    gateway: Gateway, url: str, bucket: str, data: ObjectData, clock: HandClock
) -> None:
    gateway.create_bucket("locked", lock=True)
    assert "locks objects, so erased text would stay" in refusal(url, gateway.data("locked"), clock)
    gateway.set_versioning(bucket, "Enabled")
    assert "keeps versions, so erased text would stay" in refusal(url, data, clock)
    gateway.set_versioning(bucket, "Suspended")
    assert create_lake(url, data, clock.now())
    assert "kept versions earlier" in failed(url, data, LakeState.WARN)["versions"]
    gateway.set_versioning(bucket, "Enabled")
    assert failed(url, data).keys() == {"versions"}


def test_what_the_object_store_does_not_answer_is_unknown(
    gateway: Gateway, url: str, bucket: str, data: ObjectData, clock: HandClock
) -> None:
    place = replace(data, keys=user(gateway, bucket, *WRITE))
    assert create_lake(url, place, clock.now())
    assert failed(url, place) == {}
    unknown = failed(url, place, LakeState.WARN)
    assert unknown.keys() == {"versions", "object lock", "uploads"}
    assert "s3:GetBucketVersioning" in unknown["versions"]
    gateway.allow(bucket, place.keys or KEYS, *WRITE, *SETTINGS)
    assert failed(url, place, LakeState.WARN) == {}


def test_a_prefix_of_something_else_is_refused(
    gateway: Gateway, lakes: Lakes, url: str, bucket: str, data: ObjectData, clock: HandClock
) -> None:
    create_lake(url, data, clock.now())
    lakes.server.run("CREATE DATABASE second_of_objects")
    second = lakes.server.url("second_of_objects")
    assert "has the files of another lake; choose an empty prefix" in refusal(second, data, clock)
    gateway.request("PUT", f"/{bucket}/other/notes.txt", body="mine")
    assert "is not empty: it has other/notes.txt" in refusal(second, gateway.data(bucket, "other"), clock)
    with pytest.raises(ConfigError, match="the lake has its files in another folder"):
        Store.open(url, data=gateway.data(bucket, "other"), clock=clock)
    lakes.server.run("DROP DATABASE second_of_objects WITH (FORCE)")


def test_a_lake_is_not_opened_with_wrong_access(
    gateway: Gateway, url: str, bucket: str, data: ObjectData, clock: HandClock
) -> None:
    create_lake(url, data, clock.now())
    for keys, sentence in (
        (ObjectKeys(id="unknown-key", secret="s3cr3t"), "InvalidAccessKeyId: it does not know the key id"),
        (ObjectKeys(id=KEYS.id, secret="s3cr3t"), "SignatureDoesNotMatch: the secret does not belong"),
        (user(gateway, bucket), "AccessDenied: the key lacks a right"),
    ):
        with pytest.raises(ConfigError) as raised:
            Store.open(url, data=replace(data, keys=keys), clock=clock)
        assert sentence in str(raised.value)
        assert keys.secret not in f"{raised.value} {raised.value.__cause__}"
    with pytest.raises(StoreUnavailable, match="the object store fails: IO Error: Could not connect to server"):
        Store.open(url, data=replace(data, endpoint=f"http://127.0.0.1:{free_port()}"), clock=clock)
    gateway.request("DELETE", f"/{bucket}/a/lake/driftd-lake.json")
    with pytest.raises(ConfigError, match=r"has no file driftd-lake.json"):
        Store.open(url, data=data, clock=clock)


def test_duckdb_shows_no_secret(url: str, data: ObjectData, clock: HandClock) -> None:
    create_lake(url, data, clock.now())
    store = Store.open(url, data=data, clock=clock)
    with store.read() as tx:
        secrets = str(tx._cursor.execute("SELECT * FROM duckdb_secrets()").fetchall())
        settings = str(tx._cursor.execute("SELECT * FROM duckdb_settings()").fetchall())
    assert "redacted" in secrets
    assert KEYS.secret not in secrets + settings
    store.close()


def test_the_credentials_of_the_machine_are_used(
    gateway: Gateway, url: str, bucket: str, clock: HandClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    place = gateway.data(bucket, "lake", keys=None)
    assert "this machine has no credentials of an object store" in refusal(url, place, clock)
    (tmp_path / "credentials").write_text(
        f"[of-driftd]\naws_access_key_id = {KEYS.id}\naws_secret_access_key = {KEYS.secret}\n"
    )
    with monkeypatch.context() as patch:
        patch.setenv("AWS_PROFILE", "of-driftd")
        assert create_lake(url, place, clock.now())
        assert failed(url, place) == {}
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEYS.id)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", KEYS.secret)
    Store.open(url, data=place, clock=clock).close()


def test_the_credentials_of_a_role_are_renewed(
    gateway: Gateway, url: str, bucket: str, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service on the machine hands out keys of limited life, as in a container of a cloud."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    keys = [user(gateway, bucket, *WRITE, *SETTINGS) for _ in range(2)]
    with handed_out(keys) as address:
        monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", address)
        place = gateway.data(bucket, "lake", keys=None)
        create_lake(url, place, clock.now())
        store = Store.open(url, data=place, clock=clock)
        with store.write() as tx:
            interactions.insert(tx, [interaction("a")])
        gateway.remove_user(keys.pop(0))
        with store.write() as tx:
            interactions.insert(tx, [interaction("b")])
        with store.read() as tx:
            assert interactions.count(tx) == 2
        gateway.remove_user(keys.pop(0))
        with pytest.raises(StoreUnavailable, match="the machine gives no credentials"), store.write() as tx:
            interactions.insert(tx, [interaction("c")])
        store.close()


@contextmanager
def handed_out(keys: list[ObjectKeys]) -> Iterator[str]:
    """Yield the address of a service that hands out the first of the keys."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            until = datetime.now(UTC) + timedelta(hours=1)
            body = json.dumps(
                {
                    "AccessKeyId": keys[0].id,
                    "SecretAccessKey": keys[0].secret,
                    "Token": "",
                    "Expiration": f"{until:%Y-%m-%dT%H:%M:%SZ}",
                }
                if keys
                else {}
            ).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/keys"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_the_certificate_of_the_object_store_is_verified(url: str, clock: HandClock, tmp_path: Path) -> None:
    authority = Authority(folder=tmp_path)
    pair = authority.issue("gateway", ("127.0.0.1",))
    with running_gateway("--cert", str(pair.cert_file), "--key", str(pair.key_file), scheme="https") as started:
        started.create_bucket("over-tls")
        place = started.data("over-tls", "lake")
        assert "certificate" in refusal(url, place, clock)
        trusted = replace(place, ca_file=authority.ca_file)
        assert create_lake(url, trusted, clock.now())
        assert failed(url, trusted) == {}
        store = Store.open(url, data=trusted, clock=clock)
        with store.write() as tx:
            interactions.insert(tx, [interaction("a")])
        store.close()
        with pytest.raises(StoreUnavailable, match="certificate"):
            Store.open(url, data=place, clock=clock)
