import os
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.errors import ReplayError
from replay.traces import call_context, check_trace_prefix


@given(st.text(), st.text(), st.integers(min_value=0, max_value=99), st.integers(min_value=1, max_value=9))
def test_ids_are_hex_of_the_right_length_and_begin_with_the_prefix(
    run_id: str, case_id: str, sample: int, attempt: int
) -> None:
    context = call_context(run_id, "0123456789abcdef", case_id, sample, attempt)
    assert re.fullmatch(r"0123456789abcdef[0-9a-f]{16}", context.trace_id)
    assert re.fullmatch(r"[0-9a-f]{16}", context.span_id)


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_a_resume_in_a_new_process_gives_a_sample_the_same_trace(hash_seed: str) -> None:
    code = "from replay.traces import call_context as c; x = c('r', 'ab' * 8, 'c', 0, 1); print(x.trace_id, x.span_id)"
    env = {**os.environ, "PYTHONHASHSEED": hash_seed}
    resumed = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    context = call_context("r", "ab" * 8, "c", 0, 1)
    assert resumed.stdout.split() == [context.trace_id, context.span_id]


def test_attempts_are_spans_of_one_trace() -> None:
    first, second = (call_context("r", "ab" * 8, "c", 0, attempt) for attempt in (1, 2))
    assert first.trace_id == second.trace_id
    assert first.span_id != second.span_id


def test_runs_cases_and_samples_have_traces_of_their_own() -> None:
    asked = [
        ("r", "c", 0),
        ("r", "c", 1),
        ("r", "c0", 1),
        ("rc", "", 0),
        ("r2", "c", 0),
        ("r", "c1", 1),
        ("r", "c", 11),
    ]
    assert len({call_context(run, "ab" * 8, case, sample, 1).trace_id for run, case, sample in asked}) == len(asked)


@pytest.mark.parametrize("prefix", ["", "ab" * 7, "ab" * 9, "AB" * 8, "xy" * 8, "0" * 16, "ab" * 8 + "\n"])
def test_a_prefix_that_makes_no_trace_id_is_refused(prefix: str) -> None:
    with pytest.raises(ReplayError, match="must be 16 lower-case hex digits"):
        check_trace_prefix(prefix)
