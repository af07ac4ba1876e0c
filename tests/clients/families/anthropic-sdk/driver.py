"""Anthropic's client with its own tracing."""

import os

os.environ["ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE"] = "content"

import otel

traces = otel.traces()

import anthropic_calls
import contract

contract.run(anthropic_calls.scenarios())
traces.shutdown()
