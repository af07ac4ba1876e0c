"""What the maintenance of a lake removes from a real object store."""

from collections.abc import Iterator

import pytest

from monitor.clock import SystemClock
from monitor.domain.object_store import ObjectData
from monitor.store.lake.lake_store import LakeStore
from monitor.store.lake.objects.bucket import Bucket
from monitor.store.traffic import interactions
from tests.store.build import interaction
from tests.store.lake.gateway import KEYS
from tests.store.lake.lakes import BUCKET, Lakes, running_lakes
from tests.store.lake.test_lake_maintenance import ids, maintain

SECRET = "hunter2-of-the-user"


@pytest.fixture(scope="module")
def on_s3(lakes: Lakes) -> Iterator[Lakes]:
    if lakes.gateway is not None:
        yield lakes
        return
    with running_lakes(on_s3=True) as started:
        yield started


@pytest.fixture
def store(on_s3: Lakes) -> Iterator[LakeStore]:
    with on_s3.in_folder(on_s3.files):
        opened = on_s3.open(on_s3.create(), SystemClock())
        yield opened
        opened.close()


def test_parts_of_an_upload_that_a_killed_process_left_are_removed(on_s3: Lakes, store: LakeStore) -> None:
    assert on_s3.gateway is not None
    assert isinstance(store.data, ObjectData)
    with store.append() as tx:
        interactions.insert(tx, [interaction("a")])
    key = f"/{BUCKET}/{store.data.prefix}/main/interaction/killed.parquet"
    begun = on_s3.gateway.request("POST", key, {"uploads": ""})
    upload = begun.partition("<UploadId>")[2].partition("<")[0]
    on_s3.gateway.request("PUT", key, {"partNumber": "1", "uploadId": upload}, SECRET)
    with Bucket(store.data, KEYS, SystemClock()) as bucket:
        assert [each.name for each in bucket.unfinished_uploads()] == ["main/interaction/killed.parquet"]
        assert files_with(on_s3, SECRET) == 1
        maintain(store)
        assert bucket.unfinished_uploads() == []
    assert files_with(on_s3, SECRET) == 0
    assert ids(store) == ["a"]


def files_with(lakes: Lakes, text: str) -> int:
    """Return how many files of the object store, of any kind, have the text."""
    assert lakes.gateway is not None
    return sum(text.encode() in path.read_bytes() for path in lakes.gateway.home.rglob("*") if path.is_file())
