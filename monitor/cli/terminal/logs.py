"""The daemon's log: one line a record on standard error, whatever the record holds."""

import json
import logging
import sys
from datetime import UTC, datetime
from enum import StrEnum

from monitor.cli.terminal.log_rate_limit import RepeatLimit
from monitor.printable import printable_json

CHATTY = ("uvicorn", "httpx", "asyncio")  # what happens often is a metric
LATE = "apscheduler"  # warns of a wake-up that came late; the next one comes within a second


class LogLevel(StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class OneLine(logging.Formatter):
    """logfmt: `at=2026-11-21T02:00:00.123Z level=info logger=monitor.app msg="driftd serves …"`.

    Texts are written as JSON strings, so that a line break in a message or a traceback stays inside its line.
    """

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = f"at={at} level={record.levelname.lower()} logger={record.name} msg={_quoted(record.getMessage())}"
        if record.exc_info:
            line += f" error={_quoted(self.formatException(record.exc_info))}"
        return line


def log_to_stderr(level: LogLevel) -> None:
    """Set the process up to log: libraries from WARNING on, and of lines that repeat a few a minute."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLine())
    handler.addFilter(RepeatLimit())
    logging.basicConfig(handlers=[handler], level=level.value.upper(), force=True)
    for name in CHATTY:
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLogger().level))
    logging.getLogger(LATE).setLevel(logging.ERROR)


def _quoted(text: str) -> str:
    return printable_json(json.dumps(text, ensure_ascii=False))
