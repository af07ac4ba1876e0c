"""Settings of the object store with the Parquet files of a lake."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from pydantic import Field, SecretStr, ValidationInfo, field_validator, model_validator

from monitor.config.results import Endpoint
from monitor.config.section import FileKey, Section, fault, folder_of, why
from monitor.domain.object_store import ObjectData, ObjectKeys, UrlStyle


class LakeObjectsConfig(Section):
    """How to reach the object store of `data`. Without keys, its client finds those of the machine, and renews them."""

    FILES: ClassVar[Mapping[str, FileKey]] = {
        "secret_access_key_file": FileKey(key="secret_access_key"),
        "session_token_file": FileKey(key="session_token"),
    }

    endpoint: Endpoint | None = Field(
        default=None,
        description="Address of a compatible store, for example `https://minio.internal:9000`.",
        json_schema_extra=why("the address of Amazon S3 follows from the region"),
    )
    region: str | None = Field(
        default=None,
        pattern=r"^[a-z0-9-]+$",
        description="Region of the bucket. Default: us-east-1.",
        json_schema_extra=why("most compatible stores have this one"),
    )
    url_style: UrlStyle | None = Field(
        default=None,
        description="Where URLs have the bucket: `path` (`https://HOST/BUCKET/KEY`) or `vhost` "
        "(`https://BUCKET.HOST/KEY`). Default: path with an endpoint, vhost without.",
        json_schema_extra=why("compatible stores seldom have a host name for each bucket"),
    )
    access_key_id: str | None = Field(
        default=None,
        min_length=1,
        description="Key id. Without it: environment variables, profile (`AWS_PROFILE`), web identity, or role of the "
        "container or machine.",
        json_schema_extra=why("a machine in a cloud has a role"),
    )
    secret_access_key: SecretStr | None = Field(
        default=None,
        min_length=1,
        description="Secret of the key id; use ${ENV}. Give this or secret_access_key_file.",
        json_schema_extra=why("belongs to access_key_id"),
    )
    secret_access_key_file: Path | None = Field(
        default=None,
        description="File with the secret of the key id.",
        json_schema_extra=why("mounted secrets are files"),
    )
    session_token: SecretStr | None = Field(
        default=None,
        min_length=1,
        description="Token of temporary keys; use ${ENV}. driftd does not renew it: for keys that change, leave out "
        "access_key_id.",
        json_schema_extra=why("permanent keys have none"),
    )
    session_token_file: Path | None = Field(
        default=None,
        description="File with the token.",
        json_schema_extra=why("mounted secrets are files"),
    )
    ca_file: Path | None = Field(
        default=None,
        description="File with the certificate authorities of the endpoint, PEM. Default: those of the system.",
        json_schema_extra=why("a public store has a certificate of a public authority"),
    )

    @model_validator(mode="after")
    def _keys_are_complete(self) -> "LakeObjectsConfig":
        if (self.access_key_id is None) != (self.secret_access_key is None):
            raise fault("access_key_id", "access_key_id and secret_access_key belong together; give both or none")
        if self.session_token is not None and self.access_key_id is None:
            raise fault("session_token", "it belongs to access_key_id and secret_access_key; give them too")
        return self

    @field_validator("ca_file")
    @classmethod
    def _from_folder(cls, path: Path | None, info: ValidationInfo) -> Path | None:
        if path is None:
            return None
        if not (found := (folder_of(info) / path).absolute()).is_file():
            raise ValueError(f"file {found} does not exist")
        return found

    def at(self, place: str) -> ObjectData:
        """Return the data at `s3://BUCKET/PREFIX` with this access. Raises ValueError for another text."""
        return ObjectData.of(
            place,
            endpoint=self.endpoint,
            region=self.region,
            url_style=self.url_style,
            keys=self._keys(),
            ca_file=self.ca_file,
        )

    def _keys(self) -> ObjectKeys | None:
        if self.access_key_id is None or self.secret_access_key is None:
            return None
        token = None if self.session_token is None else self.session_token.get_secret_value()
        return ObjectKeys(id=self.access_key_id, secret=self.secret_access_key.get_secret_value(), token=token)
