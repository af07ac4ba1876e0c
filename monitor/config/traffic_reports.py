"""Settings of traffic reports: how production traffic of the last day is compared with what it was."""

from pathlib import Path

from pydantic import Field, ValidationInfo, field_validator

from monitor.config.section import Section, folder_of, why


class TrafficReportsConfig(Section):
    """A nightly report by Evidently on each deployment's traffic: numbers, and a page that holds no text of a user."""

    enabled: bool = Field(
        default=True,
        description="Whether traffic reports are made.",
        json_schema_extra=why("a private set can stand still while what users ask moves away from it"),
    )
    hour_utc: int = Field(
        default=4,
        ge=0,
        le=23,
        description="Hour of the night, in UTC, at which the window ends and the traffic report is made.",
        json_schema_extra=why("after the nightly replays, before the morning"),
    )
    window_days: int = Field(
        default=1,
        ge=1,
        le=31,
        description="Days of traffic that are looked at.",
        json_schema_extra=why("what changed yesterday is seen today; more days share traffic and hide the day"),
    )
    reference_days: int = Field(
        default=28,
        ge=7,
        le=180,
        description="Days before them that they are compared with.",
        json_schema_extra=why("whole weeks, so that each weekday has its share"),
    )
    min_calls: int = Field(
        default=200,
        ge=50,
        description="Calls that the window and the reference need; with fewer the traffic report is `insufficient`.",
        json_schema_extra=why("distances of few calls are noise"),
    )
    max_calls: int = Field(
        default=10_000,
        ge=200,
        le=100_000,
        description="Calls of the window, and of the reference, that are read at most: a fixed sample of them.",
        json_schema_extra=why("more move no distance and cost memory: some 350 MiB while a traffic report is made"),
    )
    timeout_s: float = Field(
        default=300.0,
        ge=10,
        le=3600,
        description="Seconds after which the process that makes it is ended.",
        json_schema_extra=why("half a minute is usual on a busy machine"),
    )
    folder: Path | None = Field(
        default=None,
        description="Folder of the pages. Default: `traffic_reports` in the folder of the database file.",
        json_schema_extra=why("what is backed up together lies together"),
    )
    keep_pages: int = Field(
        default=30,
        ge=0,
        description="Newest pages of a deployment that are kept; a page has about 4 MB.",
        json_schema_extra=why("a month back is looked at, and a disk is finite"),
    )
    keep_numbers_d: float = Field(
        default=400.0,
        ge=60,
        description="Days that the numbers of a traffic report are kept; the verdict on tonight needs those before it.",
        json_schema_extra=why("they are small, and a year shows a season"),
    )

    @field_validator("folder")
    @classmethod
    def _from_folder(cls, folder: Path | None, info: ValidationInfo) -> Path | None:
        return folder and folder_of(info) / folder
