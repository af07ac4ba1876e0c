"""Amazon's client for Bedrock with OpenInference's instrumentation."""

import contract
import otel
from openinference.instrumentation.bedrock import BedrockInstrumentor

traces = otel.traces()
BedrockInstrumentor().instrument(tracer_provider=traces)

import bedrock_calls

contract.run(bedrock_calls.scenarios())
traces.shutdown()
