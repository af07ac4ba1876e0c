"""The data of a lake in an object store: the place of its objects, and the keys, without their secrets in any text."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, Self

UrlStyle = Literal["path", "vhost"]
_PLACE: Final = re.compile(r"s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:/[A-Za-z0-9_.=-]+)*)/?")


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectKeys:
    """Keys of an object store. `token` is that of temporary keys."""

    id: str
    secret: str = field(repr=False)
    token: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectData:
    """A prefix of a bucket. Without `endpoint`, it is in Amazon S3. Without `keys`, its client finds those of the
    machine. `ca_file` has the certificate authorities of the endpoint.
    """

    bucket: str
    prefix: str
    endpoint: str | None = None
    region: str = "us-east-1"
    url_style: UrlStyle = "vhost"
    keys: ObjectKeys | None = None
    ca_file: Path | None = None

    def __str__(self) -> str:
        return f"s3://{self.bucket}" + (f"/{self.prefix}" if self.prefix else "")

    @classmethod
    def of(
        cls,
        place: str,
        *,
        endpoint: str | None = None,
        region: str | None = None,
        url_style: UrlStyle | None = None,
        keys: ObjectKeys | None = None,
        ca_file: Path | None = None,
    ) -> Self:
        """Return the data at `s3://BUCKET/PREFIX`. With an endpoint, URLs have the bucket in their path. Raises
        ValueError for another text.

        >>> str(ObjectData.of("s3://driftd/lake/"))
        's3://driftd/lake'
        """
        if (found := _PLACE.fullmatch(place)) is None or ".." in place:
            raise ValueError("it is not s3://BUCKET/PREFIX with letters, digits, `_`, `.`, `=` and `-` in the prefix")
        return cls(
            bucket=found[1],
            prefix=found[2].strip("/"),
            endpoint=None if endpoint is None else endpoint.rstrip("/"),
            region=region or "us-east-1",
            url_style=url_style or ("vhost" if endpoint is None else "path"),
            keys=keys,
            ca_file=ca_file,
        )

    @property
    def address(self) -> str:
        """Return the URL of the service, without the bucket."""
        return self.endpoint or f"https://s3.{self.region}.amazonaws.com"


LakeData = str | ObjectData
"""Where the Parquet files of a lake are: a folder, or a prefix of a bucket. The text of both is what DuckDB opens."""
