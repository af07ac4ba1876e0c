"""OpenAI's client with OpenTelemetry's openai-v2 in its default mode: spans, and messages as log events."""

import contract
import openai_calls
import otel
from opentelemetry._logs import set_logger_provider
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor

traces = otel.traces()
logs = LoggerProvider()
logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
set_logger_provider(logs)
OpenAIInstrumentor().instrument()
contract.run(openai_calls.scenarios())
traces.shutdown()
logs.shutdown()
