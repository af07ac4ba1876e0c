"""The named parts of a `multipart/form-data` body."""

import re
from collections.abc import Iterator
from typing import Final

from monitor.errors import MalformedRecord
from monitor.ingest.limits import Limits, check_record_count

TYPE: Final = "multipart/form-data"
BOUNDARY: Final = re.compile(r"""boundary=(?:"([^"]{1,70})"|([^\s;,"]{1,70}))""")
NAME: Final = re.compile(rb"""(?i)^content-disposition:[^\r\n]*?;\s*name="([^"\r\n]{1,400})\"""", re.MULTILINE)
PARTS_OF_A_RECORD: Final = 10  # factor between the limits of parts and records: each large field of a record is a part


def parts_of(body: bytes, content_type: str, limits: Limits) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each part. Raise MalformedRecord for a truncated body or another format."""
    found = BOUNDARY.search(content_type)
    if found is None:
        raise MalformedRecord("the content type has no boundary")
    delimiter = b"\r\n--" + (found[1] or found[2]).encode()
    whole = b"\r\n" + body
    check_record_count(whole.count(delimiter) // PARTS_OF_A_RECORD, limits)
    _before, *sections = whole.split(delimiter)
    if not sections or not sections[-1].startswith(b"--"):
        raise MalformedRecord("the body ends before its last part")
    for section in sections[:-1]:
        head, blank, content = section.partition(b"\r\n\r\n")
        named = NAME.search(head)
        if not blank or named is None:
            raise MalformedRecord("a part of the body has no name")
        yield named[1].decode(errors="replace"), content
