"""Settings of recurring time windows, which schedules and alerts refer to by name."""

from datetime import time
from typing import Any, Literal
from zoneinfo import ZoneInfo

from pydantic import Field, field_validator

from monitor.config.section import Section, why
from monitor.domain.calendar.windows import Window

Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_MIDNIGHT = "24:00"


def known_zone(name: str) -> str:
    """Return the name of a time zone. Raise ValueError when it is unknown."""
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError(f"time zone {name!r} is unknown; use an IANA name, for example Europe/Berlin") from None
    return name


class WindowConfig(Section):
    """A recurring window on the wall clock of a time zone. The start belongs to the window, the end does not."""

    timezone: str = Field(
        default="UTC",
        description="IANA time zone of start and end, for example Europe/Berlin.",
        json_schema_extra=why("a window keeps its local time when clocks change"),
    )
    days: tuple[Weekday, ...] = Field(
        default=("mon", "tue", "wed", "thu", "fri", "sat", "sun"),
        min_length=1,
        description="Days of the week on which the window starts: mon, tue, wed, thu, fri, sat, sun.",
        json_schema_extra=why("most windows are the same every day"),
    )
    start: str = Field(
        pattern=r"^([01]\d|2[0-3]):[0-5]\d$",
        description="Start of the window as HH:MM.",
        json_schema_extra=why("the first minute of the window"),
    )
    end: str = Field(
        pattern=r"^(([01]\d|2[0-3]):[0-5]\d|24:00)$",
        description=(
            "End of the window as HH:MM, or 24:00. An end that is not after the start is on the next day; an equal "
            "end makes a window of one day."
        ),
        json_schema_extra=why("windows at night cross midnight"),
    )

    _known_zone = field_validator("timezone")(known_zone)

    @field_validator("start", "end", mode="before")
    @classmethod
    def _is_quoted(cls, value: Any) -> Any:
        if isinstance(value, int):  # YAML 1.1 reads 22:00 as a number in base 60
            raise ValueError('write the time in quotes, for example "22:00"')  # noqa: TRY004 - becomes a message
        return value

    def window(self, name: str) -> Window:
        """Return the window under its name."""
        return Window(
            name=name,
            timezone=self.timezone,
            days=frozenset(self.days),
            start=time.fromisoformat(self.start),
            end=time() if self.end == _MIDNIGHT else time.fromisoformat(self.end),
        )
