"""Run by a python that has the real clients: gives one of each feedback to the base URL in its argument.

Prints what the clients answered as one JSON document.
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
    return [made["id"], note["id"], [*read, *notes]]


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
    """Logged, read, changed, overridden and deleted: what each answer is."""
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
    """An experiment is set, a call is traced as MLflow does by itself, and it is found again to be assessed."""
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
    return [experiment.name, again.name, len(found), found[0].info.trace_id]


def say_langsmith(url: str, token: str) -> list[Any]:
    """A run with its own OpenTelemetry export, a call of another instrumentation within it, and feedback about it."""
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
    # A client in the mode of OpenTelemetry does not ask what the server can do.
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


def say_logfire(url: str, token: str) -> list[Any]:
    """Feedback about a call, as Logfire's clients attach it, also from another process."""
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
    "logfire": say_logfire,
}

if __name__ == "__main__":
    product, base_url, secret = sys.argv[1:]
    sys.stdout.write(json.dumps(SAY[product](base_url, secret)))
