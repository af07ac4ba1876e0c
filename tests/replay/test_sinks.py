import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.errors import ReplayError
from replay.sinks import JsonlSink
from tests.replay.replays import answered_row, kept
from tests.replay.sink_contract import SinkContract


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "outcomes.jsonl"


@pytest.fixture
def sink(path: Path) -> Iterator[JsonlSink]:
    with JsonlSink(path) as opened:
        yield opened


class TestJsonlSink(SinkContract):
    pass


def test_a_sink_opened_again_knows_what_was_committed(path: Path) -> None:
    with JsonlSink(path) as first:
        first.commit("run-1", [answered_row(0)])
    with JsonlSink(path) as second:
        second.commit("run-1", [answered_row(0), answered_row(1)])
        assert second.answered("run-1") == {("c0", 0), ("c1", 0)}
    assert len(path.read_text().splitlines()) == 2


@given(cut=st.integers(min_value=0, max_value=2000))
def test_a_file_cut_anywhere_keeps_every_whole_line_and_takes_the_rest_again(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    path = tmp_path_factory.mktemp("torn") / "outcomes.jsonl"
    rows = [answered_row(number) for number in range(4)]
    with JsonlSink(path) as sink:
        sink.commit("run-1", rows)
    whole = path.read_bytes()
    path.write_bytes(whole[:cut])
    with JsonlSink(path) as sink:
        assert len(sink.answered("run-1")) == whole[:cut].count(b"\n")
        sink.commit("run-1", rows)
    assert path.read_bytes() == whole


def test_a_torn_line_longer_than_one_block_is_cut_off(path: Path) -> None:
    with JsonlSink(path) as sink:
        sink.commit("run-1", [answered_row(0)])
    with path.open("ab") as file:
        file.write(b"x" * 200_000)
    assert list(kept(path)) == [("c0", 0)]
    assert path.read_bytes().endswith(b"\n")


def test_a_line_that_is_no_outcome_is_named(path: Path) -> None:
    with JsonlSink(path) as sink:
        sink.commit("run-1", [answered_row(0)])
    with path.open("a") as file:
        file.write('{"run_id": "run-1"}\n')
    with pytest.raises(ReplayError, match=r"outcomes\.jsonl line 2 is not an outcome"):
        JsonlSink(path)
    path.write_text("")
    JsonlSink(path).close()  # the refused opening left no lock behind


def test_a_file_in_use_is_refused_with_a_sentence(path: Path, sink: JsonlSink) -> None:
    with pytest.raises(ReplayError, match="in use by another replay"):
        JsonlSink(path)


def test_a_commit_that_the_disk_cuts_short_leaves_nothing_of_itself(path: Path, sink: JsonlSink) -> None:
    sink.commit("run-1", [answered_row(0)])
    before = path.read_bytes()
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 100, old[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            sink.commit("run-1", [answered_row(1)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, ignored)
    assert path.read_bytes() == before
    assert sink.answered("run-1") == {("c0", 0)}
    sink.commit("run-1", [answered_row(1)])
    assert sink.answered("run-1") == {("c0", 0), ("c1", 0)}


def test_only_its_owner_may_read_the_file(path: Path, sink: JsonlSink) -> None:
    assert path.stat().st_mode & 0o777 == 0o600
