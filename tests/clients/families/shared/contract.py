"""The contract of a driver: its variables, and the questions of each scenario. It uses only the standard library, which
every environment has.
"""

import os
import sys
from collections.abc import Callable, Mapping

PROVIDER = os.environ["DRIFTD_PROVIDER_URL"]
OTLP = os.environ["DRIFTD_OTLP_URL"]
OTLP_GRPC = os.environ["DRIFTD_OTLP_GRPC_URL"]
API = os.environ["DRIFTD_API_URL"]
TOKEN = os.environ["DRIFTD_TOKEN"]
SERVICE = os.environ["DRIFTD_SERVICE"]
CONVERSATION = os.environ["DRIFTD_CONVERSATION"]

MODEL = "gpt-4o-mini"
CLAUDE = "claude-sonnet-4-5"
GEMINI = "gemini-2.5-flash"
SYSTEM = "You answer questions of customers of a shop for kettles."
QUESTION = "May I return a used kettle?"
SECOND = "And without the receipt?"
PARALLEL = ("Is the red kettle in stock?", "Is the blue kettle in stock?", "Is the grey kettle in stock?")
WEATHER_QUESTION = "What is the weather in Paris?"
WEATHER = "19 degrees and dry"
TOOL_NAME = "get_weather"
TOOL_DESCRIPTION = "The weather in a city."
TOOL_PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TEMPERATURE, TOP_P, MAX_TOKENS, SEED = 0.2, 0.9, 256, 7
READ_OF_ABANDONED = 6  # chunks that are read of an abandoned stream


def without_otel_exporter() -> None:
    """Remove OpenTelemetry's variables for clients that send to their own address but prefer these variables."""
    for name in [name for name in os.environ if name.startswith("OTEL_EXPORTER_")]:
        del os.environ[name]


def run(scenarios: Mapping[str, Callable[[], object]]) -> None:
    """Run the scenario named on the command line."""
    scenarios[sys.argv[1]]()
