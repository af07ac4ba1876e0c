"""The real clients of other products, in their own environment, with only a new base URL."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bench.drift_study.rivals.environment import RivalUnavailableError, cache_folder, installed_python
from monitor.api.auth import Principal, Role, Token, Tokens
from monitor.domain.feedback import Feedback, LinkMethod
from monitor.ingest.http.credentials import bearer_of
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import feedback, interactions
from monitor.store.traffic.interactions import find_for_link
from tests.clients.send_feedback import SPAN, TRACE
from tests.clients.tokens import SECRET, TOKEN
from tests.ingest.pipeline import IngestPipeline, compat_app, ingest_pipeline, served
from tests.store.build import interaction

HERE = Path(__file__).parent
SAY_S = 120


@pytest.fixture(scope="session")
def client_python() -> Path:
    try:
        return installed_python("clients", lock=HERE / "requirements.lock", cache=cache_folder())
    except (RivalUnavailableError, OSError, subprocess.SubprocessError) as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"the real clients cannot be installed here: {error}")


def may_ingest(headers: Any, _caller: object) -> None:
    authenticated(headers, Role.INGEST).demand(Role.INGEST)


def may_both(headers: Any, _caller: object) -> None:
    authenticated(headers, Role.INGEST, Role.READ).demand(Role.READ)


def authenticated(headers: Any, *roles: Role) -> Principal:
    tokens = Tokens([Token(name="app", sha256=TOKEN, roles=frozenset(roles))])
    return tokens.authenticate(bearer_of(headers))


def say(python: Path, product: str, pipeline: IngestPipeline) -> list[Any]:
    with served(compat_app(pipeline, authorize=may_ingest, may_read=may_both)) as client:
        command = [str(python), str(HERE / "send_feedback.py"), product, str(client.base_url), SECRET]
        quiet = {**os.environ, "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "0", "DO_NOT_TRACK": "1"}
        done = subprocess.run(command, capture_output=True, text=True, timeout=SAY_S, check=False, env=quiet)
    assert done.returncode == 0, done.stderr
    assert "rror" not in done.stderr, done.stderr
    answers: list[Any] = json.loads(done.stdout)
    return answers


def store_call(pipeline: IngestPipeline) -> None:
    known: dict[str, Any] = {"trace_id": TRACE, "span_id": SPAN, "response_model": "gpt-4o-2024", "input_tokens": 9}
    with pipeline.store.write() as tx:
        interactions.insert(tx, [interaction("a", received_at=pipeline.clock.now(), **known)])


def signals(pipeline: IngestPipeline) -> dict[str, Feedback]:
    with pipeline.store.read() as tx:
        return {str(item.name): item for item in feedback.page(tx, PageQuery(limit=100)).items}


def test_phoenix_annotates_spans_traces_and_sessions(client_python: Path, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        store_call(pipeline)
        made, note, read_back, spans, failed, others = say(client_python, "phoenix", pipeline)
        found = signals(pipeline)
    [span] = spans
    assert (span["context"], span["span_kind"]) == ({"trace_id": TRACE, "span_id": SPAN}, "LLM")
    assert (span["status_code"], failed, others) == ("OK", 0, 0)
    attributes = span["attributes"]
    assert (attributes["llm.model_name"], attributes["llm.token_count.prompt"]) == ("gpt-4o-2024", 9)
    assert attributes["llm.input_messages.0.message.content"] == "Is 7 prime?"
    assert attributes["llm.output_messages.0.message.content"] == attributes["output.value"] == "Yes."
    assert sorted(found) == ["csat", "note", "relevance", "resolved", "toxicity", "user_feedback"]
    said = found["user_feedback"]
    assert (said.id, found["note"].id) == (made, note)
    assert (said.kind.value, said.value, said.source, said.is_correction) == ("thumb", -1.0, "user", True)
    assert (said.span_id, said.failure_category, said.comment) == ("c8ba3b94979b3df8", "wrong_policy", "wrong")
    assert found["toxicity"].source == "system"
    assert found["resolved"].conversation_id == "s-42"
    read = {one["name"]: one for one in read_back}
    assert sorted(read) == ["note", "toxicity", "user_feedback"]
    given = read["user_feedback"]
    assert (given["id"], given["span_id"], given["annotator_kind"]) == (made, "c8ba3b94979b3df8", "HUMAN")
    assert given["result"] == {"label": "thumbs-down", "score": 0.0, "explanation": "wrong"}
    assert given["metadata"] == {"failure_category": "wrong_policy"}
    assert (read["toxicity"]["annotator_kind"], read["toxicity"]["result"]) == ("LLM", {"score": 0.01})
    assert read["note"]["result"] == {"explanation": "sale items have 14 days"}


def test_langfuse_sends_scores_of_every_type(client_python: Path, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        checked = say(client_python, "langfuse", pipeline)
        found = signals(pipeline)
        assert pipeline.letters() == []
    assert sorted(found) == ["csat", "note", "output", "quality", "user_feedback"]
    assert {name: item.kind.value for name, item in found.items()} == {
        "csat": "comment",
        "note": "comment",
        "output": "edit",
        "quality": "thumb",
        "user_feedback": "thumb",
    }
    assert checked == [True, "unauthorized"]
    assert found["output"].expected == "14 days"
    assert found["user_feedback"].id == "langfuse-fb-1"


def test_mlflow_logs_feedback_and_expectations(client_python: Path, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        ids = say(client_python, "mlflow", pipeline)
        found = signals(pipeline)
    assert sorted(found) == ["expected_facts", "expected_response", "groundedness", "user_feedback"]
    assert {item.id for item in found.values()} == set(ids)
    assert found["user_feedback"].value == -1.0
    assert (found["groundedness"].score, found["groundedness"].source) == (0.2, "system")
    assert (found["expected_response"].expected, found["expected_response"].source) == ("14 days", "reviewer")
    assert found["expected_facts"].comment == '["14 days", "sale"]'


def test_mlflow_reads_changes_overrides_and_deletes_its_assessments(client_python: Path, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        answers, refused = say(client_python, "mlflow again", pipeline)
        found = signals(pipeline)
    thumb, wanted, facts, judged, failed, changed, later, person, overridden, restored = answers
    assert (thumb["feedback"], thumb["rationale"], thumb["metadata"]) == ({"value": False}, "wrong", {"page": "7"})
    assert (thumb["source"], thumb["span_id"]) == ({"source_type": "HUMAN"}, "c8ba3b94979b3df8")
    assert wanted["expectation"] == {"value": "14 days"}
    assert facts["expectation"]["serialized_value"]["value"] == '["14 days"]'
    assert (judged["feedback"], judged["source"]["source_id"]) == ({"value": 0.2}, "judge-1")
    assert failed["feedback"]["error"] == {"error_code": "ValueError", "error_message": "no answer"}
    assert (changed["assessment_id"], changed["create_time"]) == (thumb["assessment_id"], thumb["create_time"])
    assert (changed["feedback"], changed["rationale"]) == ({"value": True}, "it was right")
    assert changed["metadata"] == {"page": "7", "shift": "night"}
    assert later["expectation"]["serialized_value"]["value"] == '{"days": 30}'
    assert (person["overrides"], person["feedback"]) == (judged["assessment_id"], {"value": 0.9})
    assert (overridden["valid"], overridden["feedback"]) == (False, {"value": 0.2})
    assert restored == judged
    assert [code for code, _ in refused] == [
        "RESOURCE_DOES_NOT_EXIST",
        "RESOURCE_DOES_NOT_EXIST",
        "INVALID_PARAMETER_VALUE",
    ]
    assert sorted(found) == ["facts", "groundedness", "tone", "user_feedback"]
    assert (found["user_feedback"].value, found["user_feedback"].comment) == (1.0, "it was right")
    assert (found["groundedness"].score, found["facts"].comment) == (0.2, '{"days": 30}')


def test_mlflow_sets_an_experiment_traces_a_call_and_reads_it_back(client_python: Path, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        name, again, count, trace, given, gone = say(client_python, "mlflow experiment", pipeline)
        [call] = pipeline.rows()
        found = signals(pipeline)
    assert (name, again, count) == ("support bot", "support bot", 1)
    assert (call.deployment, f"tr-{call.trace_id}") == ("support bot", trace)
    assert (call.input_text, call.output_text) == ("refund?", "30 days.")
    assert found["user_feedback"].trace_id == call.trace_id
    asked, answered, kind, status, of, parent, spans = given
    assert asked == {"messages": [{"role": "user", "content": "refund?"}]}
    assert answered == {"messages": [{"role": "assistant", "content": "30 days."}]}
    assert (kind, status, of, parent, spans) == ("CHAT_MODEL", "SpanStatusCode.OK", trace, None, 1)
    assert gone is None


def test_langsmith_posts_feedback_that_reaches_the_calls_within_its_runs(client_python: Path, tmp_path: Path) -> None:
    """Spans of other instrumentations get their ids from the run; spans that LangSmith exports itself do not."""
    with ingest_pipeline(tmp_path) as pipeline:
        run, trace, made, judged, multipart = say(client_python, "langsmith", pipeline)
        [call] = pipeline.rows()
        found = signals(pipeline)
        assert pipeline.letters() == []
        with pipeline.store.read() as tx:
            candidates = find_for_link(tx, list(found.values()))
    assert multipart is True
    assert call.trace_id == trace.replace("-", "")
    assert call.parent_span_id == run.replace("-", "")[:16]
    assert sorted(found) == ["groundedness", "user_feedback"]
    said = found["user_feedback"]
    assert (said.id, said.trace_id, said.span_id) == (f"langsmith-{made}", call.trace_id, call.parent_span_id)
    assert (said.kind.value, said.expected, said.comment, said.is_correction) == ("edit", "14 days", "wrong", True)
    assert (found["groundedness"].id, found["groundedness"].source) == (f"langsmith-{judged}", "system")
    assert (found["groundedness"].score, found["groundedness"].span_id) == (0.2, call.parent_span_id)
    assert {one.feedback_id: one.interaction_id for one in candidates} == {item.id: call.id for item in found.values()}


def test_langsmith_posts_runs_in_its_own_protocol(client_python: Path, tmp_path: Path) -> None:
    """The runs are sent in compressed parts, in a batch, and one by one. Each call is stored once with its complete
    input.
    """
    with ingest_pipeline(tmp_path) as pipeline:
        made = say(client_python, "langsmith runs", pipeline)
        pipeline.join()
        calls = pipeline.rows()
        with pipeline.store.read() as tx:
            said = feedback.page(tx, PageQuery(limit=100)).items
            links = {(one.feedback_id, one.method): one.interaction_id for one in find_for_link(tx, said)}
        assert pipeline.letters() == []
    assert len(calls) == 15
    assert {call.deployment for call in calls} == {"support"}
    for mode, ids in zip(("parts", "batch", "single"), made, strict=True):
        own = {(call.output_text or "wrong").split()[0]: call for call in calls if mode in call.input_text}
        assert sorted(own) == ["help", "refund", "slow", "streamed", "wrong"]
        trace = ids["app"].replace("-", "")
        assert {call.trace_id for name, call in own.items() if name != "help"} == {trace}
        for name in ("refund", "slow", "streamed"):
            call = own[name]
            assert (call.system_prompt, call.input_text) == ("Be kind.", f"refund {mode}?")
            assert (call.output_text, call.response_id) == (f"{name} {mode}", f"chatcmpl-{name} {mode}")
            assert (call.request_model, call.response_model) == ("gpt-4o", "gpt-4o-2024-11-20")
            assert (call.input_tokens, call.output_tokens, call.cached_input_tokens) == (9, 4, 3)
            assert (call.system_fingerprint, call.provider, call.finish_reason) == ("fp-1", "openai", "stop")
            assert (call.status, call.content_state, call.duplicate_of) == ("ok", "full", None)
            assert call.conversation_id == f"thread-{mode}"
        assert 300 <= (own["slow"].duration_ms or 0) < 5000
        assert 20 <= (own["streamed"].ttft_ms or 0) < 1000
        if mode != "single":  # an update omits the input of the run, and so its parameters
            assert (own["refund"].temperature, own["refund"].max_tokens, own["refund"].seed) == (0.2, 50, 7)
        wrong = own["wrong"]
        assert (wrong.status, wrong.error_type, wrong.error_class) == ("error", "TimeoutError", "timeout")
        assert (wrong.output_text, wrong.input_text) == ("", f"refund {mode}?")
        of_slow, of_app = (
            [f for f in said if json.loads(f.record or "{}")["run_id"] == ids[n]] for n in ("slow", "app")
        )
        assert [links[one.id, LinkMethod.SPAN] for one in of_slow] == [own["slow"].id]
        assert [links[one.id, LinkMethod.TRACE] for one in of_app] == [own["streamed"].id]


def test_langsmith_reads_lists_changes_and_deletes_feedback(client_python: Path, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        read, changed, listed, judged, refused = say(client_python, "langsmith feedback", pipeline)
        found = signals(pipeline)
    assert (read["score"], read["comment"], read["correction"]) == (0, "wrong", {"answer": "14 days"})
    assert read["feedback_source"]["type"] == "api"
    assert (changed["score"], changed["comment"], changed["correction"]) == (1, "right after all", None)
    assert (changed["id"], changed["created_at"]) == (read["id"], read["created_at"])
    assert changed["modified_at"] > read["modified_at"]
    assert listed == [["groundedness", 0.2, None], ["user_feedback", 1.0, None]]
    assert judged == ["groundedness"]
    assert [name for name, _ in refused] == ["LangSmithNotFoundError", "LangSmithNotFoundError", "LangSmithError"]
    assert "name 1 to 1000 runs" in refused[2][1]
    assert sorted(found) == ["groundedness", "tone"]


def test_feedback_spans_of_logfire_are_feedback(client_python: Path, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        trace, span = say(client_python, "logfire", pipeline)
        [call] = pipeline.rows()
        found = signals(pipeline)
        assert pipeline.letters() == []
    assert (call.trace_id, call.span_id) == (trace, span)
    assert sorted(found) == ["groundedness", "tone", "user_feedback"]
    assert {(item.trace_id, item.span_id, item.deployment) for item in found.values()} == {(trace, span, "support")}
    said = found["user_feedback"]
    assert (said.kind.value, said.value, said.comment) == ("thumb", -1.0, "wrong")
    assert (said.failure_category, said.is_correction) == ("wrong_policy", True)
    assert (found["groundedness"].score, found["tone"].label) == (0.2, "rude")
