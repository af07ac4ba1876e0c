"""Every convention driftd reads, in the order they are asked: the first that recognises a record reads it.

A convention that is a dialect of another stands before it. Adding one is a file beside `genai.py` and a line here.
"""

from collections.abc import Sequence

from monitor.ingest.conventions.base import Convention
from monitor.ingest.conventions.genai.convention import GenAI
from monitor.ingest.conventions.langfuse import Langfuse
from monitor.ingest.conventions.langsmith import LangSmith
from monitor.ingest.conventions.litellm import LiteLLM
from monitor.ingest.conventions.mlflow import MLflow
from monitor.ingest.conventions.openinference import OpenInference
from monitor.ingest.conventions.pydantic_ai import PydanticAI
from monitor.ingest.conventions.traceloop import Traceloop
from monitor.ingest.conventions.vercel import Vercel

CONVENTIONS: Sequence[Convention] = (
    OpenInference(),
    Langfuse(),
    Vercel(),
    MLflow(),
    LangSmith(),
    LiteLLM(),
    PydanticAI(),
    Traceloop(),
    GenAI(),
)
