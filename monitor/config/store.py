"""Settings of the store: one file, or a lake for several processes."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Final

from pydantic import Field, SecretStr, ValidationInfo, field_validator, model_validator

from monitor.config.lake_objects import LakeObjectsConfig
from monitor.config.section import FileKey, Section, fault, folder_of, why
from monitor.domain.lake_address import LakeAddress
from monitor.domain.object_store import LakeData, ObjectData

OF_FILES: Final = ("disk_reserve_mb", "disk_reserve_share", "backup_folder")
OF_LAKES: Final = ("data", "work_folder")
BUCKETS: Final = "s3://"


class StoreConfig(Section):
    """The database: one file, used by one process, or a lake."""

    FILES: ClassVar[Mapping[str, FileKey]] = {"url_file": FileKey(key="url")}

    path: Path = Field(
        default=Path("data/driftd.duckdb"),
        description="The DuckDB file. Relative paths start at the folder of the configuration file.",
        json_schema_extra=why("next to the configuration, so that a checkout runs without changes"),
    )
    url: SecretStr | None = Field(
        default=None,
        description="PostgreSQL database of a lake, `postgresql://USER:PASSWORD@HOST/DATABASE`; use ${ENV}. Give this "
        "(or url_file) and data, or path.",
        json_schema_extra=why("one file is enough up to some millions of calls a day"),
    )
    url_file: Path | None = Field(
        default=None,
        description="File with the URL.",
        json_schema_extra=why("orchestrators mount secrets as files"),
    )
    data: str | None = Field(
        default=None,
        min_length=1,
        description="Folder of the Parquet files of a lake, the same for all its processes, or `s3://BUCKET/PREFIX`.",
        json_schema_extra=why("required with url; driftd cannot guess which folder all processes share"),
    )
    object_store: LakeObjectsConfig = Field(
        default=LakeObjectsConfig(),
        description="Access to the object store of `data`.",
        json_schema_extra=why("the credentials of the machine suffice"),
    )
    work_folder: Path | None = Field(
        default=None,
        description="With url: folder of the files that only this process needs, such as uploaded results and the "
        "pages of traffic reports. Default: `data` in the folder of the configuration file.",
        json_schema_extra=why("a file has its own folder; a container may have another writable one"),
    )
    memory_limit_mb: int | None = Field(
        default=None,
        ge=128,
        description="Memory limit of DuckDB, in MiB. Default: 55 % of the memory limit of the cgroup (a container or a "
        "systemd unit), 1024 without one.",
        json_schema_extra=why("leaves the rest of a container to Python and the replies in flight"),
    )
    threads: int | None = Field(
        default=None,
        ge=1,
        le=1024,
        description="Threads of DuckDB. Default: the processors that the process may use, by its cgroup and affinity.",
        json_schema_extra=why("more threads than usable processors cost a third"),
    )
    disk_reserve_mb: int | None = Field(
        default=None,
        ge=0,
        description="Free space of the disk of the database, in MiB, below which driftd refuses new records and starts "
        "no replay; 0 switches it off. Default: 1024, and at most 5 % of the disk.",
        json_schema_extra=why("alerts, reviews and a clean stop need space when the disk fills up"),
    )
    disk_reserve_share: float | None = Field(
        default=None,
        ge=0,
        lt=1,
        description="The same as a share of the disk. Give this or disk_reserve_mb.",
        json_schema_extra=why("a share fits disks of any size"),
    )
    backup_folder: Path | None = Field(
        default=None,
        description="Folder for the temporary copy of a backup or an export. Default: the folder of the database file.",
        json_schema_extra=why("the copy needs as much space as the rows, and another disk may have more"),
    )

    @model_validator(mode="after")
    def _one_reserve(self) -> "StoreConfig":
        if self.disk_reserve_mb is not None and self.disk_reserve_share is not None:
            raise fault("disk_reserve_share", "give disk_reserve_mb or disk_reserve_share, not both")
        return self

    @model_validator(mode="after")
    def _file_or_lake(self) -> "StoreConfig":
        if self.url is None:
            for key in OF_LAKES:
                if getattr(self, key) is not None:
                    raise fault(key, "it is for a lake; give url or url_file too")
        if "object_store" in self.model_fields_set and not (self.data or "").startswith(BUCKETS):
            raise fault("object_store", "it is for a lake whose data is s3://BUCKET/PREFIX")
        if self.url is None:
            return self
        if "path" in self.model_fields_set:
            raise fault("path", "give path for one file, or url for a lake, not both")
        if self.data is None:
            raise fault("data", "a lake needs the folder of its Parquet files")
        for key in OF_FILES:
            if getattr(self, key) is not None:
                raise fault(key, "it is for a store of one file (path), not for a lake (url)")
        return self

    @property
    def address(self) -> LakeAddress | None:
        """Return the parts of `url`; None for a file."""
        return None if self.url is None else LakeAddress.of(self.url.get_secret_value())

    @property
    def files(self) -> LakeData:
        """Return where the Parquet files of the lake are; an empty text for a file."""
        data = self.data or ""
        return self.object_store.at(data) if data.startswith(BUCKETS) else data

    @property
    def name(self) -> str:
        """Return the path of the file, or the URL of the lake without its password."""
        return str(self.path.resolve()) if (address := self.address) is None else address.shown

    @property
    def folder(self) -> Path:
        """Return the folder of the files of this process."""
        return self.work_folder or self.path.parent

    @field_validator("url")
    @classmethod
    def _is_an_address(cls, url: SecretStr | None) -> SecretStr | None:
        if url is not None:
            LakeAddress.of(url.get_secret_value())
        return url

    @field_validator("data")
    @classmethod
    def _in_folder(cls, data: str | None, info: ValidationInfo) -> str | None:
        if data is None:
            return None
        if data.startswith(BUCKETS):
            return str(ObjectData.of(data))
        if "://" in data:
            raise ValueError(f"{data.partition('://')[0]}:// is not supported; use a folder or s3://BUCKET/PREFIX")
        return str(folder_of(info).absolute() / data)

    @field_validator("path", "backup_folder", "work_folder")
    @classmethod
    def _from_folder(cls, path: Path | None, info: ValidationInfo) -> Path | None:
        return None if path is None else folder_of(info) / path
