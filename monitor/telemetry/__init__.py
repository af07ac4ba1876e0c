"""The daemon's own traces and metrics: declared in one place, served at `/metrics`, and exported over OTLP if
configured.

`instruments`, which uses the SDK, is imported only where it is needed: a command records nothing.
"""

from monitor.telemetry.recorder import NO_TELEMETRY, GaugeValue, Instruments, Recorder
from monitor.telemetry.spans import OWN, OWN_HEADER
from monitor.telemetry.traces import call_context, current_span_context, mark_failed, root_of

__all__ = [
    "NO_TELEMETRY",
    "OWN",
    "OWN_HEADER",
    "GaugeValue",
    "Instruments",
    "Recorder",
    "call_context",
    "current_span_context",
    "mark_failed",
    "root_of",
]
