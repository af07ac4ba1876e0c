"""Removes the parts of uploads that a killed process did not end. A large file is uploaded in parts, and no list of
objects shows them.
"""

import logging
from datetime import datetime

from monitor.clock import SystemClock
from monitor.domain.object_store import ObjectData
from monitor.errors import StoreUnavailable
from monitor.store.lake.objects.bucket import Bucket
from monitor.store.lake.objects.httpfs import keys_of

log = logging.getLogger(__name__)


def abort_old_uploads(data: ObjectData, before: datetime) -> int:
    """Remove the uploads that began before a time, and return their number. Without the right, log a warning."""
    removed = 0
    with Bucket(data, keys_of(data), SystemClock()) as bucket:
        try:
            old = [each for each in bucket.unfinished_uploads() if each.at < before]
        except StoreUnavailable as error:
            log.warning("parts of files of killed processes stay in %s: %s", data, error)
            return 0
        for each in old:
            answer = bucket.abort(each)
            removed += answer.ok
            if not answer.ok:
                log.warning("parts of %s/%s stay: the object store answers %s", data, each.name, answer.code)
    return removed
