"""The file in which the measurements of a program are kept."""

from pathlib import Path

import pytest

from bench.ledger import Ledger
from bench.replay_study.measurement import Measurement, ledger_in
from tests.bench.speed import measured

TORN = '{"program":"dri'


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger[Measurement]:
    return ledger_in(tmp_path)


def test_what_was_appended_comes_back_and_what_a_kill_cut_off_is_left_out(
    ledger: Ledger[Measurement], tmp_path: Path
) -> None:
    made = measured(cpu_s=1.25)
    ledger.append(made)
    with (tmp_path / "driftd.jsonl").open("a") as file:
        file.write(TORN)
    ledger.append(made)
    assert ledger.of("driftd") == [made, made]
    assert ledger.of("deepeval") == []


def test_results_of_two_codes_are_never_averaged(ledger: Ledger[Measurement]) -> None:
    for code in ("old", "new", "new"):
        ledger.append(measured(code=code))
    assert [one.code for one in ledger.of("driftd")] == ["old", "new", "new"]
    assert [one.code for one in ledger.latest_of("driftd")] == ["new", "new"]


def test_it_is_detected_when_the_newest_measurement_is_of_other_code(
    ledger: Ledger[Measurement], capsys: pytest.CaptureFixture[str]
) -> None:
    ledger.tell_of_other_code("driftd", "new")
    for code in ("old", "new"):
        ledger.append(measured(code=code))
    ledger.tell_of_other_code("driftd", "new")
    assert capsys.readouterr().err == ""
    ledger.tell_of_other_code("driftd", "newer")
    assert capsys.readouterr().err == "driftd was changed since it was measured: --all measures it again\n"
