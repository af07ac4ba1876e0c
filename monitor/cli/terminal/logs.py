"""The log of the daemon: one line per record on standard error."""

import json
import logging
import sys
from datetime import UTC, datetime
from enum import StrEnum

from monitor.cli.terminal.log_rate_limit import RepeatLimit
from monitor.printable import printable_json

CHATTY = ("uvicorn", "httpx", "asyncio")  # frequent events are metrics
LATE = "apscheduler"  # warns about late wake-ups, which have no effect


class LogLevel(StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class OneLine(logging.Formatter):
    """Formats logfmt: `at=2026-11-21T02:00:00.123Z level=info logger=monitor.app msg="driftd serves …"`.

    Texts are JSON strings, so that line breaks of messages and tracebacks stay inside one line.
    """

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = f"at={at} level={record.levelname.lower()} logger={record.name} msg={_quoted(record.getMessage())}"
        if record.exc_info:
            line += f" error={_quoted(self.formatException(record.exc_info))}"
        return line


def log_to_stderr(level: LogLevel) -> None:
    """Configure logging for the process: libraries from WARNING on, and repeated lines limited."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLine())
    handler.addFilter(RepeatLimit())
    logging.basicConfig(handlers=[handler], level=level.value.upper(), force=True)
    for name in CHATTY:
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLogger().level))
    logging.getLogger(LATE).setLevel(logging.ERROR)


def _quoted(text: str) -> str:
    return printable_json(json.dumps(text, ensure_ascii=False))
