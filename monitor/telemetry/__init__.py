"""The daemon's own traces and metrics: declared once, read at /metrics, sent over OTLP when somebody asked for it.

What makes them with the SDK, `instruments`, is imported by who needs it: a command records nothing.
"""

from monitor.telemetry.recorder import SILENT, Instruments, Level, Recorder
from monitor.telemetry.spans import OWN, OWN_HEADER
from monitor.telemetry.traces import here, mark_failed

__all__ = ["OWN", "OWN_HEADER", "SILENT", "Instruments", "Level", "Recorder", "here", "mark_failed"]
