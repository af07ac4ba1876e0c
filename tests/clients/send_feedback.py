"""Send one feedback of each kind to the base URL in the argument. A Python with the real clients runs this script.

It prints the results of the clients as one JSON document.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

TRACE, SPAN = "abce9c308561dcc852c61dd348c41fff", "c8ba3b94979b3df8"


def say_phoenix(url: str, token: str) -> list[Any]:
    from phoenix.client import Client

    client = Client(base_url=url, api_key=token)
    spans = client.spans
    made = spans.add_span_annotation(
        span_id=SPAN, annotation_name="user_feedback", label="thumbs-down", score=0.0, explanation="wrong", sync=True,
        metadata={"failure_category": "wrong_policy"},
    )  # fmt: skip
    spans.add_span_annotation(span_id=SPAN, annotation_name="toxicity", annotator_kind="LLM", score=0.01)
    note = spans.add_span_note(span_id=SPAN, note="sale items have 14 days")
    client.traces.add_trace_annotation(trace_id=TRACE, annotation_name="csat", score=2.0, sync=True)
    client.sessions.add_session_annotation(session_id="s-42", annotation_name="resolved", label="no", sync=True)
    spans.add_document_annotation(
        span_id=SPAN, document_position=0, annotation_name="relevance", annotator_kind="LLM", score=1.0, sync=True
    )
    read = spans.get_span_annotations(span_ids=[SPAN, "0" * 15 + "1"], project_identifier="support", limit=2)
    notes = spans.get_span_annotations(
        span_ids=[SPAN], project_identifier="support", include_annotation_names=["note"], exclude_annotation_names=[]
    )
    read_spans = spans.get_spans(project_identifier="support", trace_ids=[TRACE])
    failed = spans.get_spans(project_identifier="support", status_code="ERROR")
    others = spans.get_spans(project_identifier="other", span_kind="LLM")
    return [made["id"], note["id"], [*read, *notes], read_spans, len(failed), len(others)]


def say_langfuse(url: str, token: str) -> list[Any]:
    from langfuse import Langfuse

    client = Langfuse(public_key="pk", secret_key=token, base_url=url)
    common = {"trace_id": TRACE, "observation_id": SPAN}
    client.create_score(name="user_feedback", value=0, score_id="fb-1", data_type="BOOLEAN", comment="wrong", **common)
    client.create_score(name="quality", value="bad", data_type="CATEGORICAL", **common)
    client.create_score(name="output", value="14 days", data_type="CORRECTION", **common)
    client.create_score(name="note", value="rude", data_type="TEXT", **common)
    client.create_score(name="csat", value=2.0, session_id="s-42")
    client.flush()
    accepted = client.auth_check()
    from langfuse.api.commons.errors import UnauthorizedError

    try:
        Langfuse(public_key="other", secret_key="not the token", base_url=url).auth_check()
    except UnauthorizedError:
        return [accepted, "unauthorized"]
    return [accepted]


def say_mlflow(url: str, token: str) -> list[str]:
    import os

    os.environ["MLFLOW_TRACKING_TOKEN"] = token
    import mlflow
    from mlflow.entities import AssessmentSource

    mlflow.set_tracking_uri(url)
    user = AssessmentSource(source_type="HUMAN", source_id="u")
    trace = f"tr-{TRACE}"
    made = [
        mlflow.log_feedback(trace_id=trace, name="user_feedback", value=False, source=user, rationale="wrong"),
        mlflow.log_feedback(trace_id=trace, name="groundedness", value=0.2),
        mlflow.log_expectation(trace_id=trace, name="expected_response", value="14 days", source=user),
        mlflow.log_expectation(trace_id=trace, name="expected_facts", value=["14 days", "sale"], source=user),
    ]
    return [one.assessment_id for one in made]


def say_mlflow_again(url: str, token: str) -> list[Any]:
    """Log, read, change, override and delete an assessment, and return each result."""
    import os

    os.environ["MLFLOW_TRACKING_TOKEN"] = token
    import mlflow
    from mlflow.entities import AssessmentSource, Expectation, Feedback

    mlflow.set_tracking_uri(url)
    user = AssessmentSource(source_type="HUMAN", source_id="u")
    judge = AssessmentSource(source_type="LLM_JUDGE", source_id="judge-1")
    trace = f"tr-{TRACE}"
    thumb = mlflow.log_feedback(
        trace_id=trace, name="user_feedback", value=False, source=user, rationale="wrong", span_id=SPAN,
        metadata={"page": "7"},
    )  # fmt: skip
    wanted = mlflow.log_expectation(trace_id=trace, name="expected_response", value="14 days", source=user)
    facts = mlflow.log_expectation(trace_id=trace, name="facts", value=["14 days"], source=user)
    judged = mlflow.log_feedback(trace_id=trace, name="groundedness", value=0.2, source=judge)
    failed = mlflow.log_feedback(trace_id=trace, name="tone", error=ValueError("no answer"), source=judge)
    got = [mlflow.get_assessment(trace, one.assessment_id) for one in (thumb, wanted, facts, judged, failed)]
    better = Feedback(name="user_feedback", value=True, rationale="it was right", metadata={"shift": "night"})
    changed = mlflow.update_assessment(trace, thumb.assessment_id, better)
    later = mlflow.update_assessment(trace, facts.assessment_id, Expectation(name="facts", value={"days": 30}))
    person = mlflow.override_feedback(trace_id=trace, assessment_id=judged.assessment_id, value=0.9, source=user)
    kept = mlflow.get_assessment(trace, judged.assessment_id)
    mlflow.delete_assessment(trace, wanted.assessment_id)
    mlflow.delete_assessment(trace, wanted.assessment_id)
    mlflow.delete_assessment(trace, person.assessment_id)
    restored = mlflow.get_assessment(trace, judged.assessment_id)
    answers = [one.to_dictionary() for one in (*got, changed, later, person, kept, restored)]
    refused = []
    asks: list[Callable[[], Any]] = [
        lambda: mlflow.get_assessment(trace, wanted.assessment_id),
        lambda: mlflow.update_assessment(trace, wanted.assessment_id, Expectation(name="x", value="y")),
        lambda: mlflow.update_assessment(trace, facts.assessment_id, better),
    ]
    for ask in asks:
        try:
            ask()
        except mlflow.MlflowException as error:
            refused.append([error.error_code, str(error)])
    return [answers, refused]


def say_mlflow_experiment(url: str, token: str) -> list[Any]:
    """Set an experiment, trace a call with MLflow's defaults, and find it again to assess it."""
    import os

    os.environ["MLFLOW_TRACKING_TOKEN"] = token
    os.environ["OTEL_SERVICE_NAME"] = "support bot"
    import mlflow
    from mlflow.entities import SpanType

    mlflow.set_tracking_uri(url)
    experiment = mlflow.set_experiment("support bot")

    @mlflow.trace(span_type=SpanType.CHAT_MODEL)  # type: ignore[untyped-decorator]  # of an environment of its own
    def ask(messages: list[dict[str, str]]) -> dict[str, Any]:
        mlflow.get_current_active_span().set_attribute("mlflow.chat.model", "gpt-4")
        return {"choices": [{"message": {"role": "assistant", "content": "30 days."}, "finish_reason": "stop"}]}

    ask([{"role": "user", "content": "refund?"}])
    mlflow.flush_trace_async_logging()
    found = mlflow.search_traces(locations=[experiment.experiment_id], return_type="list", include_spans=False)
    mlflow.log_feedback(trace_id=found[0].info.trace_id, name="user_feedback", value=False)
    again = mlflow.set_experiment(experiment_id=experiment.experiment_id)
    [trace] = mlflow.search_traces(locations=[experiment.experiment_id], return_type="list")
    [span] = trace.data.spans
    given = [span.inputs, span.outputs, span.span_type, str(span.status.status_code), span.trace_id, span.parent_id]
    alone = mlflow.get_trace(found[0].info.trace_id)
    given.append(len(alone.data.spans) if alone else None)
    gone = mlflow.get_trace("tr-" + "0" * 31 + "1", silent=True)
    return [experiment.name, again.name, len(found), found[0].info.trace_id, given, gone]


def say_langsmith(url: str, token: str) -> list[Any]:
    """Send a run with LangSmith's own OpenTelemetry export, a call of another instrumentation inside it, and feedback
    about it.
    """
    import os

    os.environ |= {"LANGSMITH_TRACING": "true", "LANGSMITH_TRACING_MODE": "otel"}
    os.environ |= {"LANGSMITH_ENDPOINT": url, "LANGSMITH_API_KEY": token, "OTEL_SERVICE_NAME": "support-bot"}
    from langsmith import Client, get_current_run_tree, traceable
    from opentelemetry import trace

    client = Client()
    runs = []
    named = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4", "gen_ai.system": "openai"}

    @traceable(run_type="chain", client=client)  # type: ignore[untyped-decorator]  # as above
    def answer(question: str) -> str:
        runs.append(get_current_run_tree())
        with trace.get_tracer("app").start_as_current_span("chat gpt-4", attributes=named):
            return f"30 days for {question}"

    answer("a refund")
    client.flush()
    trace.get_tracer_provider().force_flush()  # type: ignore[attr-defined,unused-ignore]  # of the SDK
    # A client in OpenTelemetry mode does not request the server information.
    plain = Client(api_url=url, api_key=token, tracing_mode="langsmith")
    [run] = runs
    about = {"run_id": run.id, "trace_id": run.trace_id}
    corrected = {"correction": {"answer": "14 days"}, "comment": "wrong"}
    made = plain.create_feedback(key="user_feedback", score=0, **corrected, **about)
    judged = plain.create_feedback(key="groundedness", score=0.2, feedback_source_type="model", run_id=run.id)
    gone = plain.create_feedback(key="mistake", value="oops", **about)
    plain.delete_feedback(gone.id)
    info = plain.info.batch_ingest_config or {}
    return [str(run.id), str(run.trace_id), str(made.id), str(judged.id), info["use_multipart_endpoint"]]


def say_langsmith_runs(url: str, token: str) -> list[Any]:
    """Send runs in LangSmith's own protocol: in multipart requests as the client does by default, in a batch, and one
    by one.
    """
    import os

    os.environ |= {"LANGSMITH_TRACING": "true", "LANGSMITH_PROJECT": "support-bot"}
    from langsmith import Client

    parts = Client(api_url=url, api_key=token)
    asked = parts.info.model_dump()
    asked["batch_ingest_config"]["use_multipart_endpoint"] = False
    clients = {
        "parts": parts,
        "batch": Client(api_url=url, api_key=token, info=asked),
        "single": Client(api_url=url, api_key=token, auto_batch_tracing=False),
    }
    return [langsmith_runs(mode, client) for mode, client in clients.items()]


def langsmith_runs(mode: str, client: Any) -> dict[str, str]:
    """Send each kind of run once, and feedback about two of them."""
    import time
    from contextlib import suppress

    from langsmith import get_current_run_tree, traceable, tracing_context

    runs: dict[str, Any] = {}
    named = {"ls_provider": "openai", "ls_model_name": "gpt-4o", "thread_id": f"thread-{mode}"}
    llm: dict[str, Any] = {"run_type": "llm", "client": client, "metadata": named}

    def answer(text: str) -> dict[str, Any]:
        runs.setdefault(text.split(maxsplit=1)[0], get_current_run_tree())
        message = {"role": "assistant", "content": text}
        usage = {"input_tokens": 9, "output_tokens": 4, "input_token_details": {"cache_read": 3}}
        return {
            "id": f"chatcmpl-{text}", "model": "gpt-4o-2024-11-20", "system_fingerprint": "fp-1",
            "choices": [{"finish_reason": "stop", "message": message}], "usage_metadata": usage,
        }  # fmt: skip

    @traceable(name="plain", **llm)  # type: ignore[untyped-decorator]  # of an environment of its own
    def plain_call(messages: list[Any], **_params: Any) -> dict[str, Any]:
        return answer(f"{messages[-1]['content'].split()[0]} {mode}")

    @traceable(name="slow", **llm)  # type: ignore[untyped-decorator]  # as above
    def slow_call(messages: list[Any]) -> dict[str, Any]:
        client.flush()  # the start is sent before the end
        time.sleep(0.3)
        return answer(f"slow {mode}")

    @traceable(name="wrong", **llm)  # type: ignore[untyped-decorator]  # as above
    def wrong_call(messages: list[Any]) -> dict[str, Any]:
        raise TimeoutError(f"no answer {mode}")

    @traceable(name="streamed", reduce_fn=lambda pieces: answer(" ".join(pieces)), **llm)  # type: ignore[untyped-decorator]
    def streamed_call(messages: list[Any], stream: bool = True) -> Any:
        for piece in ("streamed", mode):
            time.sleep(0.02)
            yield piece

    @traceable(name="helper", run_type="tool", client=client)  # type: ignore[untyped-decorator]  # as above
    def helper(messages: list[Any]) -> str:
        return str(plain_call(messages)["choices"])

    @traceable(name="app", client=client)  # type: ignore[untyped-decorator]  # as above
    def app(question: str) -> None:
        runs["app"] = get_current_run_tree()
        asked = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": question}]
        plain_call(asked, temperature=0.2, max_tokens=50, seed=7)
        slow_call(asked)
        list(streamed_call(asked))
        with suppress(TimeoutError):
            wrong_call(asked)

    with tracing_context(enabled=True, client=client):
        app(f"refund {mode}?")
        client.flush()
        ids = {name: str(run.id) for name, run in runs.items() if name != "streamed"}
        client.create_feedback(key="user_feedback", score=0, run_id=ids["slow"])
        client.create_feedback(key="user_feedback", score=1, run_id=ids["app"], trace_id=ids["app"])
        helper([{"role": "user", "content": f"help {mode}"}])
        client.flush()
    return ids


def say_langsmith_feedback(url: str, token: str) -> list[Any]:
    """Read, list, change and delete feedback."""
    from uuid import UUID

    from langsmith import Client
    from langsmith.utils import LangSmithError

    client = Client(api_url=url, api_key=token)
    run, other = (UUID(int=(7 << 76) + (2 << 62) + n) for n in (5, 6))
    first = client.create_feedback(
        key="user_feedback", score=0, comment="wrong", correction={"answer": "14 days"}, run_id=run, trace_id=run
    )
    client.create_feedback(key="groundedness", score=0.2, feedback_source_type="model", run_id=run, trace_id=run)
    client.create_feedback(key="tone", value="rude", run_id=other, trace_id=other)
    read = client.read_feedback(first.id)
    client.update_feedback(first.id, score=1.0, correction=None, comment="right after all")
    changed = client.read_feedback(first.id)
    listed = [[f.key, f.score, f.value] for f in client.list_feedback(run_ids=[run])]
    judged = [f.key for f in client.list_feedback(run_ids=[run, other], feedback_source_type=["model"])]
    client.delete_feedback(first.id)
    refused = []
    for ask in (
        lambda: client.read_feedback(first.id),
        lambda: client.update_feedback(first.id, score=1),
        lambda: list(client.list_feedback()),
    ):
        try:
            ask()
        except LangSmithError as error:
            refused.append([type(error).__name__, str(error)])
    return [json.loads(read.model_dump_json()), json.loads(changed.model_dump_json()), sorted(listed), judged, refused]


def say_logfire(url: str, token: str) -> list[Any]:
    """Send feedback about a call with Logfire's functions, also from another process."""
    import logfire
    from logfire.experimental.annotations import get_traceparent, record_feedback
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    exporter = OTLPSpanExporter(endpoint=f"{url}/v1/traces", headers={"authorization": f"Bearer {token}"})
    logfire.configure(
        send_to_logfire=False, console=False, service_name="support-bot", inspect_arguments=False,
        additional_span_processors=[SimpleSpanProcessor(exporter)],
    )  # fmt: skip
    named = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4", "gen_ai.system": "openai"}
    with logfire.span("chat gpt-4", **named) as span:  # type: ignore[arg-type,unused-ignore]  # attributes
        parent = get_traceparent(span)
    record_feedback(parent, "user_feedback", False, comment="wrong", extra={"failure_category": "wrong_policy"})
    record_feedback(parent, "groundedness", 0.2)
    record_feedback(parent, "tone", "rude")
    logfire.force_flush()
    return list(parent.split("-")[1:3])


SAY = {
    "phoenix": say_phoenix,
    "langfuse": say_langfuse,
    "mlflow": say_mlflow,
    "mlflow again": say_mlflow_again,
    "mlflow experiment": say_mlflow_experiment,
    "langsmith": say_langsmith,
    "langsmith runs": say_langsmith_runs,
    "langsmith feedback": say_langsmith_feedback,
    "logfire": say_logfire,
}

if __name__ == "__main__":
    product, base_url, secret = sys.argv[1:]
    sys.stdout.write(json.dumps(SAY[product](base_url, secret)))
