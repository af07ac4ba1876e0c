"""Run by a python that has the real clients: gives one of each feedback to the base URL in its argument.

Prints what the clients answered as one JSON document.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

TRACE, SPAN = "abce9c308561dcc852c61dd348c41fff", "c8ba3b94979b3df8"


def say_phoenix(url: str, token: str) -> list[str]:
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
    return [made["id"], note["id"]]


def say_langfuse(url: str, token: str) -> list[str]:
    from langfuse import Langfuse

    client = Langfuse(public_key="pk", secret_key=token, base_url=url)
    common = {"trace_id": TRACE, "observation_id": SPAN}
    client.create_score(name="user_feedback", value=0, score_id="fb-1", data_type="BOOLEAN", comment="wrong", **common)
    client.create_score(name="quality", value="bad", data_type="CATEGORICAL", **common)
    client.create_score(name="output", value="14 days", data_type="CORRECTION", **common)
    client.create_score(name="note", value="rude", data_type="TEXT", **common)
    client.create_score(name="csat", value=2.0, session_id="s-42")
    client.flush()
    return []


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


SAY = {"phoenix": say_phoenix, "langfuse": say_langfuse, "mlflow": say_mlflow, "mlflow again": say_mlflow_again}

if __name__ == "__main__":
    product, base_url, secret = sys.argv[1:]
    sys.stdout.write(json.dumps(SAY[product](base_url, secret)))
