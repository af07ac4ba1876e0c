"""Settings of traffic reports: the comparison of yesterday's traffic with earlier traffic."""

from pathlib import Path

from pydantic import Field, ValidationInfo, field_validator

from monitor.config.section import Section, folder_of, why


class TrafficReportsConfig(Section):
    """A nightly Evidently report on the traffic of each deployment: numbers, and a page without texts of users."""

    enabled: bool = Field(
        default=True,
        description="Whether driftd makes traffic reports.",
        json_schema_extra=why("the questions of users can drift away from a private set"),
    )
    hour_utc: int = Field(
        default=4,
        ge=0,
        le=23,
        description="Hour of the night, in UTC, at which the window ends and driftd creates the report.",
        json_schema_extra=why("after the nightly replays and before the morning"),
    )
    window_days: int = Field(
        default=1,
        ge=1,
        le=31,
        description="Days of traffic in the window.",
        json_schema_extra=why("one day shows the change of yesterday; with more days the change is diluted"),
    )
    reference_days: int = Field(
        default=28,
        ge=7,
        le=180,
        description="Days of the reference, before the window.",
        json_schema_extra=why("whole weeks, so that each weekday has its share"),
    )
    min_calls: int = Field(
        default=200,
        ge=50,
        description=(
            "Minimum number of calls in the window and in the reference; with fewer the report is `insufficient`."
        ),
        json_schema_extra=why("distances of few calls are noise"),
    )
    max_calls: int = Field(
        default=10_000,
        ge=200,
        le=100_000,
        description="Maximum number of calls to read from the window and from the reference, as a fixed sample.",
        json_schema_extra=why("more calls do not change the distances but need memory: about 350 MiB during a report"),
    )
    timeout_s: float = Field(
        default=300.0,
        ge=10,
        le=3600,
        description="Seconds after which the process of the report is ended.",
        json_schema_extra=why("half a minute is usual on a busy machine"),
    )
    folder: Path | None = Field(
        default=None,
        description="Folder of the pages. Default: `traffic_reports` in the folder of the database file.",
        json_schema_extra=why("next to the database, for one backup"),
    )
    keep_pages: int = Field(
        default=30,
        ge=0,
        description="Newest pages that a deployment keeps; a page has about 4 MB.",
        json_schema_extra=why("people look back a month, and disks are finite"),
    )
    keep_numbers_d: float = Field(
        default=400.0,
        ge=60,
        description="Days for which the numbers of a report are kept; the next verdicts need the earlier ones.",
        json_schema_extra=why("they are small, and a year shows a season"),
    )

    @field_validator("folder")
    @classmethod
    def _from_folder(cls, folder: Path | None, info: ValidationInfo) -> Path | None:
        return folder and folder_of(info) / folder
