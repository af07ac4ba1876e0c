"""The daemon's own traces and metrics: declared once, read at /metrics, sent over OTLP when somebody asked for it."""

from monitor.telemetry.instruments import Level, Telemetry
from monitor.telemetry.otlp import OWN_HEADER, OtlpExport
from monitor.telemetry.recorder import SILENT, Recorder
from monitor.telemetry.spans import OWN
from monitor.telemetry.traces import here, mark_failed

__all__ = ["OWN", "OWN_HEADER", "SILENT", "Level", "OtlpExport", "Recorder", "Telemetry", "here", "mark_failed"]
