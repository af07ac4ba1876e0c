"""What every OutcomeSink keeps to. A test module gives a fixture `sink` and subclasses `SinkContract`:

    class TestJsonlSink(SinkContract): ...

`read_back(sink, run_id)` gives the rows a sink holds; override it for a sink that is no JsonlSink. Every case id of
the rows is `c0`, `c1`, ...; the runs are `run-1` and `run-2`.
"""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

from replay.sinks import JsonlSink, OutcomeSink
from replay.types import ScoredOutcome
from tests.replay.replays import answered_row, failed_row


class SinkContract:
    def read_back(self, sink: OutcomeSink, run_id: str) -> Iterable[ScoredOutcome]:
        assert isinstance(sink, JsonlSink)
        return sink.outcomes(run_id)

    def test_an_unknown_run_has_no_answers(self, sink: OutcomeSink) -> None:
        assert sink.answered("run-1") == set()

    def test_committed_outcomes_are_answered_the_failed_ones_too(self, sink: OutcomeSink) -> None:
        sink.commit("run-1", [answered_row(0), answered_row(0, sample=1), failed_row(1)])
        assert sink.answered("run-1") == {("c0", 0), ("c0", 1), ("c1", 0)}

    def test_runs_do_not_see_each_others_outcomes(self, sink: OutcomeSink) -> None:
        sink.commit("run-1", [answered_row(0)])
        sink.commit("run-2", [answered_row(1)])
        assert (sink.answered("run-1"), sink.answered("run-2")) == ({("c0", 0)}, {("c1", 0)})

    def test_what_is_committed_is_read_back_whole(self, sink: OutcomeSink) -> None:
        rows = [
            answered_row(
                0,
                text='naïve\n"quoted" 🙂 \u2028',
                finish_reason="stop",
                model="gpt-4-0314",
                reported_at=datetime(2023, 3, 15, 1, 2, 3, tzinfo=UTC),
                system_fingerprint="fp_1",
                response_id="chatcmpl-1",
                input_tokens=0,
                output_tokens=7,
                cost_usd=0.000125,
                reported={"recorded-resample": "0.3"},
            ),
            answered_row(1, text="no"),
            failed_row(2, "timeout"),
        ]
        sink.commit("run-1", rows)
        back = sorted(self.read_back(sink, "run-1"), key=lambda row: row.outcome.case_id)
        assert back == rows

    def test_a_sample_that_is_committed_again_keeps_its_first_outcome(self, sink: OutcomeSink) -> None:
        sink.commit("run-1", [answered_row(0, text="yes")])
        sink.commit("run-1", [answered_row(0, text="no"), answered_row(1, text="yes"), answered_row(1, text="no")])
        texts = {
            row.outcome.case_id: row.outcome.reply.text for row in self.read_back(sink, "run-1") if row.outcome.reply
        }
        assert texts == {"c0": "yes", "c1": "yes"}
        assert len(list(self.read_back(sink, "run-1"))) == 2

    def test_an_empty_commit_changes_nothing(self, sink: OutcomeSink) -> None:
        sink.commit("run-1", [])
        assert sink.answered("run-1") == set()

    def test_commits_from_several_threads_all_arrive(self, sink: OutcomeSink) -> None:
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(lambda number: sink.commit("run-1", [answered_row(number)]), range(40)))
        assert sink.answered("run-1") == {(f"c{number}", 0) for number in range(40)}
        assert len(list(self.read_back(sink, "run-1"))) == 40
