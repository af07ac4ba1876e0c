import re

from hypothesis import given
from hypothesis import strategies as st

from replay.targets.base import CallContext


def context(run_id: str = "run-1") -> CallContext:
    return CallContext(run_id=run_id, trace_id="ab" * 16, span_id="cd" * 8)


def test_the_trace_context_is_sampled_and_names_trace_and_span() -> None:
    assert context().headers()["traceparent"] == f"00-{'ab' * 16}-{'cd' * 8}-01"


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_no_run_id_breaks_out_of_its_baggage_entry(run_id: str) -> None:
    assert re.fullmatch(r"driftd\.run=[A-Za-z0-9_.~%-]*", context(run_id).headers()["baggage"])


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_run_id_gives_a_valid_entry_of_tracestate(run_id: str) -> None:
    """W3C: at most 256 printable characters of ASCII without a comma and an equals sign, the last one no space."""
    assert re.fullmatch(r"driftd=[!-+\--<>-~]{1,256}", context(run_id).headers()["tracestate"])
