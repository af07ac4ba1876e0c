"""The daemon's own traces and metrics: declared once, read at /metrics, sent over OTLP when somebody asked for it."""

from monitor.telemetry.instruments import Level, Telemetry
from monitor.telemetry.otlp import OtlpExport
from monitor.telemetry.recorder import SILENT, Recorder
from monitor.telemetry.traces import here, mark_failed

__all__ = ["SILENT", "Level", "OtlpExport", "Recorder", "Telemetry", "here", "mark_failed"]
