"""Requests to the bucket of a lake that DuckDB cannot make: does it keep old versions, may this key remove objects."""

import re
import ssl
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Final, Self
from xml.sax.saxutils import unescape

import httpx

from monitor.clock import Clock
from monitor.domain.object_store import ObjectData, ObjectKeys
from monitor.errors import StoreUnavailable
from monitor.store.lake.objects.signature import query_text, signed_headers

TIMEOUT_S: Final = 10.0
_UPLOAD: Final = re.compile(r"<Upload>.*?</Upload>", re.DOTALL)
_CODE: Final = re.compile(r"<Code>([A-Za-z]+)</Code>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer of an object store. `code` is that of its error, and empty without one."""

    status: int
    code: str
    text: str

    @property
    def ok(self) -> bool:
        return self.status < 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """An upload in parts. `name` is that of the object below the prefix, `at` when it began."""

    name: str
    id: str
    at: datetime


class Bucket:
    """The bucket of a lake. Each call makes one request, and raises StoreUnavailable when there is no answer."""

    def __init__(self, data: ObjectData, keys: ObjectKeys, clock: Clock) -> None:
        self._data, self._keys, self._clock = data, keys, clock
        verify = ssl.create_default_context(cafile=None if data.ca_file is None else str(data.ca_file))
        self._client = httpx.Client(verify=verify, timeout=TIMEOUT_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def ask(self, question: str) -> Answer:
        """Ask for a setting of the bucket: `versioning` or `object-lock`."""
        return self._request("GET", "", {question: ""})

    def first_object(self) -> Answer:
        """Return a list with the first object below the prefix."""
        return self._request("GET", "", {"list-type": "2", "max-keys": "1", "prefix": self._below})

    def unfinished_uploads(self) -> list[Upload]:
        """Return at most 1,000 uploads in parts, below the prefix, that no process ended. Raises StoreUnavailable
        when the key may not list them.
        """
        answer = self._request("GET", "", {"uploads": "", "prefix": self._below})
        if not answer.ok:
            raise StoreUnavailable(f"the object store answers {answer.code or answer.status} to a list of uploads")
        return [
            Upload(
                name=_text(each, "Key").removeprefix(self._below),
                id=_text(each, "UploadId"),
                at=datetime.fromisoformat(_text(each, "Initiated")),
            )
            for each in _UPLOAD.findall(answer.text)
        ]

    def abort(self, upload: Upload) -> Answer:
        """Remove the parts of an upload."""
        return self._request("DELETE", upload.name, {"uploadId": upload.id})

    def put(self, name: str, body: bytes) -> Answer:
        return self._request("PUT", name, body=body)

    def get(self, name: str) -> Answer:
        return self._request("GET", name)

    def delete(self, name: str) -> Answer:
        return self._request("DELETE", name)

    def _request(self, method: str, name: str, query: dict[str, str] | None = None, body: bytes = b"") -> Answer:
        """`name` is that of an object below the prefix; empty for the bucket."""
        url, asked = self.url(name), query or {}
        headers = signed_headers(
            method, url, asked, body, keys=self._keys, region=self._data.region, now=self._clock.now()
        )
        try:
            answer = self._client.request(
                method, f"{url}?{query_text(asked)}" if asked else url, headers=headers, content=body
            )
        except httpx.HTTPError as error:
            raise StoreUnavailable(f"the object store {self._data.address} does not answer: {error}") from None
        code = _CODE.search(answer.text) if answer.status_code >= 300 else None
        return Answer(status=answer.status_code, code="" if code is None else code[1], text=answer.text)

    @property
    def _below(self) -> str:
        return f"{self._data.prefix}/" if self._data.prefix else ""

    def url(self, name: str) -> str:
        """Return the URL of an object below the prefix; of the bucket for an empty name."""
        data = self._data
        scheme, _, host = data.address.partition("://")
        root = f"{scheme}://{data.bucket}.{host}" if data.url_style == "vhost" else f"{data.address}/{data.bucket}"
        return f"{root}/{'/'.join(part for part in (data.prefix, name) if part)}" if name else f"{root}/"


def _text(element: str, name: str) -> str:
    return unescape(element.partition(f"<{name}>")[2].partition(f"</{name}>")[0])
