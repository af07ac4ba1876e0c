"""Settings of the console receiver."""

from typing import Any, Literal

from pydantic import Field

from monitor.config.receivers.base import MessageReceiver
from monitor.config.section import why


class ConsoleReceiver(MessageReceiver):
    """Writes the alert to the daemon's standard output."""

    kind: Literal["console"] = Field(
        description="console", json_schema_extra=why("a first test needs no other service")
    )

    def options(self) -> dict[str, Any]:
        """Return the options of `build_receiver`."""
        return {"templates": self.templates.sources()}
