"""The daemon's own traces and metrics: declared once, read at /metrics, sent over OTLP when somebody asked for it.

What makes them with the SDK, `instruments`, is imported by who needs it: a command records nothing.
"""

from monitor.telemetry.recorder import NO_TELEMETRY, GaugeValue, Instruments, Recorder
from monitor.telemetry.spans import OWN, OWN_HEADER
from monitor.telemetry.traces import current_span_context, mark_failed

__all__ = [
    "NO_TELEMETRY",
    "OWN",
    "OWN_HEADER",
    "GaugeValue",
    "Instruments",
    "Recorder",
    "current_span_context",
    "mark_failed",
]
