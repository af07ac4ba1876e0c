"""`driftd backtest`: input and output, line by line."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.conftest import Run
from tests.drift.histories import document, drawn, served, steady

QUIET = document(drawn(steady(60, 20), 1), id="quiet")
FIELDS = {"night", "kind", "trigger", "channel", "onset", "delta", "ci"}


def worse(nights: int = 24, **fields: Any) -> dict[str, Any]:
    """Return a history with a new and much worse version on night 16."""
    rates = steady(120, nights, 2)
    rates[16:] *= 0.6
    return served(document(drawn(rates, 2), **{"id": "worse", **fields}), "version", "v2", 16)


def write(folder: Path, *lines: object) -> Path:
    path = folder / "histories.jsonl"
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return path


def answers(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def test_every_line_is_answered_in_its_order_with_the_fields_of_the_contract(run: Run, tmp_path: Path) -> None:
    result = run("backtest", write(tmp_path, QUIET, worse()))
    quiet, told = answers(result.out)
    assert result.code == 0
    assert quiet == {"id": "quiet", "alerts": []}
    assert told["id"] == "worse"
    alert = told["alerts"][0]
    assert alert.keys() - {"e", "p"} == FIELDS
    assert len(alert.keys() & {"e", "p"}) == 1
    assert (alert["night"], alert["kind"], alert["trigger"], alert["onset"]) == (16, "score", "version", 16)
    assert alert["delta"] < 0
    assert alert["ci"][0] <= alert["delta"] <= alert["ci"][1]


def test_standard_input_is_read_like_a_file(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps(worse())
    from_file = run("backtest", write(tmp_path, text)).out
    for arguments in (["-"], []):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"{text}\n\n".encode())))
        result = run("backtest", *arguments)
        assert (result.code, result.out) == (0, from_file)


def test_a_line_that_cannot_be_read_is_reported_by_number_and_field_and_the_others_are_answered(
    run: Run, tmp_path: Path
) -> None:
    broken = json.loads(json.dumps(QUIET))
    broken["nights"][3]["passes"][2] = "yes"
    result = run("backtest", write(tmp_path, QUIET, broken, "{not json", {**QUIET, "id": "last"}))
    assert result.code == 2
    assert [line["id"] for line in answers(result.out)] == ["quiet", "last"]
    assert "line 2: nights[3].passes[2]: must be a number of at least 0, or null; got 'yes'" in result.err
    assert "line 3: invalid JSON" in result.err


def test_a_file_that_is_not_there_is_one_sentence(run: Run, tmp_path: Path) -> None:
    result = run("backtest", tmp_path / "nothing.jsonl")
    assert (result.code, result.out) == (2, "")
    assert "nothing.jsonl cannot be read: No such file or directory" in result.err


@pytest.mark.parametrize("silent", [False, True])
def test_nights_after_an_alert_do_not_change_it(run: Run, tmp_path: Path, *, silent: bool) -> None:
    whole = worse(30)
    if silent:
        whole = served(whole, "version", "v1", 0)
    (told,) = answers(run("backtest", write(tmp_path, whole)).out)
    assert told["alerts"]
    for alert in told["alerts"]:
        cut = {**whole, "nights": whole["nights"][: alert["night"] + 1]}
        (again,) = answers(run("backtest", write(tmp_path, cut)).out)
        kept = [each for each in told["alerts"] if each["night"] <= alert["night"]]
        assert [_facts(each) for each in again["alerts"]] == [_facts(each) for each in kept]
        assert [each.get("e") or each["p"] for each in again["alerts"]] == pytest.approx(
            [each.get("e") or each["p"] for each in kept]
        )


def _facts(alert: dict[str, Any]) -> dict[str, Any]:
    """Return all fields except the evidence, whose last digits depend on the order of summation."""
    return {name: value for name, value in alert.items() if name not in {"e", "p"}}


def test_the_same_line_gives_the_same_answer(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path, worse(), document(drawn(steady(90, 25), int(np.int64(3))), id="other"))
    assert run("backtest", path).out == run("backtest", path).out


def test_the_help_names_the_format_of_input_and_output(run: Run) -> None:
    result = run("backtest", "--help")
    assert result.code == 0
    assert "JSON Lines" in " ".join(result.out.split())


def test_a_deployment_that_stands_twice_is_refused_with_both_lines(run: Run, tmp_path: Path) -> None:
    result = run("backtest", write(tmp_path, QUIET, worse(), QUIET))
    assert result.code == 2
    assert [line["id"] for line in answers(result.out)] == ["quiet", "worse"]
    assert "line 3: id: 'quiet' is already used in line 1; ids must be unique" in result.err


def test_options_override_the_settings_of_every_line(run: Run, tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    options = ("--alpha", 0.01, "--horizon", 90, "--baseline-nights", 10, "--seed", 3, "--k", 2)
    result = run("backtest", write(tmp_path, QUIET), *options, "--write", kept)
    assert (result.code, result.out) == (0, "")
    (line,) = [json.loads(text) for text in kept.read_text().splitlines()]
    settings = ("alpha", "alpha_change", "horizon", "baseline_nights", "seed", "k")
    assert [line[name] for name in settings] == [0.01, 0.01, 90, 10, 3, 2]
    assert run("backtest", write(tmp_path, QUIET), "--alpha", 0.9).code == 2


def test_a_set_without_a_deployment_is_one_sentence(run: Run, tmp_path: Path) -> None:
    result = run("backtest", write(tmp_path, QUIET), "--set", "primes")
    assert (result.code, "--set requires --from-store DEPLOYMENT" in result.err) == (2, True)
