from monitor.ingest import otlp_json, otlp_protobuf
from monitor.ingest.conventions.claimants import claimant, claimants
from monitor.ingest.conventions.table import CONVENTIONS
from tests.ingest.captures import CLIENTS, captures


def test_by_its_names_every_captured_span_goes_to_the_first_convention_that_claims_it() -> None:
    candidates = claimants(tuple(CONVENTIONS))
    claimed = set()
    for client in CLIENTS:
        for capture in captures(client):
            if capture.path.endswith("/traces") and not capture.content_encoding:
                protobuf = "protobuf" in capture.content_type
                for span in (otlp_protobuf if protobuf else otlp_json).read_traces(capture.body).spans:
                    asked = next((c for c in CONVENTIONS if c.claims(span)), None)
                    assert claimant(span, candidates(span.attributes)) is asked
                    claimed.add(asked and asked.name)
    assert {"openinference", "vercel-ai", "mlflow", "litellm", "pydantic-ai", "openllmetry", "otel-genai"} <= claimed


def test_no_convention_claims_a_span_without_its_signs() -> None:
    for convention in CONVENTIONS:
        assert convention.signs
    assert claimants(tuple(CONVENTIONS))({"http.method": "GET"}) == ()
