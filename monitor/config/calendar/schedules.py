"""Settings of schedules: when replays run automatically."""

from typing import Any
from zoneinfo import ZoneInfo

from pydantic import Field, ValidationInfo, field_validator

from monitor.config.calendar.windows import known_zone
from monitor.config.section import Name, Section, why


class ScheduleConfig(Section):
    """A cron line in a time zone. Of several missed times, driftd catches up only the latest."""

    timezone: str = Field(
        default="UTC",
        description="IANA time zone of the cron line, for example Europe/Berlin.",
        json_schema_extra=why("a schedule runs once every day, also when clocks change"),
    )
    cron: str = Field(
        default="0 2 * * *",
        description=(
            "Minute, hour, day of month, month, day of week (by name: mon-fri), on the clock of the time zone. "
            "When the clocks change, a time runs once every civil day, at the first valid minute if it is "
            "skipped; a schedule of every hour runs once every UTC hour."
        ),
        json_schema_extra=why("at night providers have less load, and the result is ready in the morning"),
    )
    deployments: tuple[Name, ...] = Field(
        default=(),
        description="Names of the deployments to replay. Default: all.",
        json_schema_extra=why("a new deployment should not be forgotten"),
    )
    catch_up_h: float = Field(
        default=24.0,
        ge=0,
        description="A missed time is caught up for at most this many hours.",
        json_schema_extra=why("the replay of yesterday is still useful; the replay of last week is not"),
    )

    _known_zone = field_validator("timezone")(known_zone)

    @field_validator("cron")
    @classmethod
    def _can_be_read(cls, line: str, info: ValidationInfo) -> str:
        from apscheduler.triggers.cron import CronTrigger  # slow to import, and only schedules need it

        fields = line.split()
        if len(fields) == 5 and any(c.isdigit() for c in fields[4].partition("/")[0]):
            raise ValueError(
                "write days of the week by name, for example mon-fri: their numbers differ between cron implementations"
            )
        zone: Any = ZoneInfo(info.data.get("timezone", "UTC"))
        try:
            CronTrigger.from_crontab(line, timezone=zone)
        except ValueError as error:
            raise ValueError(f"cron line {line!r} cannot be read: {error}") from None
        return line
