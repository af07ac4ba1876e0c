"""Checks whether a bucket can have the data of a lake: `driftd lake init` and `driftd lake check`."""

from collections.abc import Iterator
from typing import Final
from uuid import uuid4

from monitor.clock import SystemClock
from monitor.domain.object_store import ObjectData
from monitor.errors import DriftdError
from monitor.store.lake.lake_check import LakeCheck, failed, passed, warned
from monitor.store.lake.objects.bucket import Answer, Bucket
from monitor.store.lake.objects.httpfs import keys_of
from monitor.store.lake.objects.problems import MEANINGS

CONTENT: Final = b"driftd checks its rights"
NO_LOCK: Final = ("ObjectLockConfigurationNotFoundError", "NoSuchObjectLockConfiguration")


def check_objects(data: ObjectData) -> Iterator[LakeCheck]:
    """Yield the result of each check. It writes a small object below the prefix, and removes it."""
    try:
        with Bucket(data, keys_of(data), SystemClock()) as bucket:
            listed = bucket.first_object()
            if not listed.ok:
                yield failed("bucket", f"{_answers(data, listed)} to a list (s3:ListBucket): {_what(listed)}")
                return
            yield passed("bucket", f"the object store {data.address} has the bucket {data.bucket}")
            yield _check_rights(bucket, data)
            yield _check_versions(bucket, data)
            yield _check_lock(bucket, data)
            yield _check_uploads(bucket, data)
    except DriftdError as error:
        yield failed("bucket", str(error))


def first_key(data: ObjectData) -> str | None:
    """Return the key of an object below the prefix; None when there is none."""
    with Bucket(data, keys_of(data), SystemClock()) as bucket:
        text = bucket.first_object().text
    return text.partition("<Key>")[2].partition("</Key>")[0] or None


def _check_rights(bucket: Bucket, data: ObjectData) -> LakeCheck:
    name = f"driftd-probe-{uuid4()}"
    if not (put := bucket.put(name, CONTENT)).ok:
        return failed("rights", f"{_answers(data, put)} to a write (s3:PutObject): {_what(put)}")
    got, deleted = bucket.get(name), bucket.delete(name)
    if not deleted.ok:
        return failed(
            "rights",
            f"{_answers(data, deleted)} to the removal (s3:DeleteObject) of {data}/{name}, and erased text would stay: "
            f"{_what(deleted)}",
        )
    if not got.ok or got.text.encode() != CONTENT:
        return failed("rights", f"{_answers(data, got)} to a read (s3:GetObject): {_what(got)}")
    return passed("rights", f"the key can list, write, read and remove objects of {data}")


def _check_versions(bucket: Bucket, data: ObjectData) -> LakeCheck:
    answer = bucket.ask("versioning")
    if not answer.ok:
        return warned("versions", _unknown(answer, f"whether {data.bucket} keeps versions (s3:GetBucketVersioning)"))
    if "<Status>Enabled</Status>" in answer.text:
        return failed(
            "versions", f"the bucket {data.bucket} keeps versions, so erased text would stay; use a bucket without them"
        )
    if "<Status>Suspended</Status>" in answer.text:
        return warned(
            "versions", f"the bucket {data.bucket} kept versions earlier; remove the old versions below {data} if any"
        )
    return passed("versions", f"the bucket {data.bucket} keeps no old versions")


def _check_lock(bucket: Bucket, data: ObjectData) -> LakeCheck:
    answer = bucket.ask("object-lock")
    if answer.ok and "<ObjectLockEnabled>Enabled</ObjectLockEnabled>" in answer.text:
        return failed(
            "object lock",
            f"the bucket {data.bucket} locks objects, so erased text would stay; use another bucket",
        )
    if answer.ok or answer.code in NO_LOCK:
        return passed("object lock", f"the bucket {data.bucket} locks no objects")
    return warned(
        "object lock", _unknown(answer, f"whether {data.bucket} locks objects (s3:GetBucketObjectLockConfiguration)")
    )


def _check_uploads(bucket: Bucket, data: ObjectData) -> LakeCheck:
    answer = bucket.ask("uploads")
    if answer.ok:
        return passed("uploads", f"the key can list unfinished uploads of {data.bucket}, which maintenance removes")
    return warned(
        "uploads",
        f"the object store answers {answer.code or answer.status} to a list of unfinished uploads "
        "(s3:ListBucketMultipartUploads): give the key this right, or end them with a lifecycle rule of the bucket",
    )


def _answers(data: ObjectData, answer: Answer) -> str:
    return f"the object store {data.address} answers {answer.code or answer.status}"


def _what(answer: Answer) -> str:
    """Return what to do about an answer."""
    return MEANINGS.get("AccessDenied" if answer.status == 403 and not answer.code else answer.code, "see its log")


def _unknown(answer: Answer, question: str) -> str:
    return (
        f"the object store does not answer {question}; it sends {answer.code or answer.status}. Old versions keep "
        "erased text: give the key this right, or look it up in the settings of the bucket"
    )
