"""Settings of schedules: when replays run automatically."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

from pydantic import Field, ValidationInfo, field_validator, model_validator

from monitor.config.calendar.windows import known_zone
from monitor.config.section import Name, Section, fault, why

_UNIT_S = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_SHORTEST_S, _LONGEST_S = 300, 31 * 86_400


class ScheduleConfig(Section):
    """A cron line in a time zone, or an interval. Of several missed times, driftd catches up only the latest."""

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
    every: str | None = Field(
        default=None,
        description=(
            "Interval instead of a cron line: a number with m (minutes), h (hours) or d (24 hours), from 5m to 31d. "
            "It counts elapsed time, also when clocks change."
        ),
        json_schema_extra=why("several replays a day at equal distances need no list of hours"),
    )
    anchor: str | None = Field(
        default=None,
        description=(
            "A time at which the interval runs, as YYYY-MM-DDTHH:MM on the clock of the time zone. "
            "Default: 1970-01-01T00:00 UTC."
        ),
        json_schema_extra=why("6h runs at 00, 06, 12 and 18 UTC unless you choose another time"),
    )
    jitter_s: float = Field(
        default=0.0,
        ge=0,
        le=43_200,
        description=(
            "Longest delay in seconds. Each deployment has a fixed delay, which ends before the next planned time and "
            "before the day of the time zone ends."
        ),
        json_schema_extra=why("deployments that share a target should not all start in the same second"),
    )
    blackouts: tuple[Name, ...] = Field(
        default=(),
        description="Names of windows in which the schedule plans nothing.",
        json_schema_extra=why("a replay during a backup or a release measures the backup or the release"),
    )
    in_blackout: Literal["postpone", "skip"] = Field(
        default="postpone",
        description="What happens to a planned time inside a blackout: it runs at the end of it, or not at all.",
        json_schema_extra=why("a night without a replay is a night without a verdict"),
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

    @model_validator(mode="before")
    @classmethod
    def _one_kind(cls, values: Any) -> Any:
        if isinstance(values, Mapping):
            if values.get("every") is not None and values.get("cron") is not None:
                raise fault("every", "give cron or every, not both")
            if values.get("anchor") is not None and values.get("every") is None:
                raise fault("anchor", "an anchor needs every: a cron line names its times itself")
        return values

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

    @field_validator("every")
    @classmethod
    def _is_an_interval(cls, text: str | None) -> str | None:
        if text is not None and not _SHORTEST_S <= seconds_of(text) <= _LONGEST_S:
            raise ValueError(f"the interval {text!r} is not between 5m and 31d")
        return text

    @field_validator("anchor")
    @classmethod
    def _is_a_time(cls, text: str | None) -> str | None:
        try:
            if text is not None:
                datetime.fromisoformat(text)
        except ValueError:
            raise ValueError(f"the time {text!r} cannot be read; write it as 2026-11-01T02:00") from None
        return text

    @property
    def every_s(self) -> float | None:
        """The interval in seconds; None with a cron line."""
        return None if self.every is None else seconds_of(self.every)

    @property
    def anchor_at(self) -> datetime:
        """The anchor of the interval in UTC. A time without an offset is on the clock of the time zone."""
        at = datetime.fromisoformat(self.anchor) if self.anchor is not None else datetime(1970, 1, 1, tzinfo=UTC)
        return (at if at.tzinfo is not None else at.replace(tzinfo=ZoneInfo(self.timezone))).astimezone(UTC)


def seconds_of(text: str) -> float:
    """Return the seconds of an interval such as `6h`. Raise ValueError when it cannot be read.

    >>> seconds_of("90m")
    5400.0
    """
    found = re.fullmatch(r"([1-9][0-9]{0,4})([smhd])", text)
    if found is None:
        raise ValueError(f"the interval {text!r} cannot be read; write a number and s, m, h or d, for example 6h")
    return float(int(found[1]) * _UNIT_S[found[2]])
