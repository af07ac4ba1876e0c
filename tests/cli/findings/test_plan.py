"""`driftd plan`: from noise to numbers of cases and nights."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.daemon import Daemon


def test_a_plan_for_given_noise_needs_neither_configuration_nor_daemon(run: Run, tmp_path: Path) -> None:
    given = ("--within-variance", 0.08, "--night-sd", 0.8, "--config", tmp_path / "nothing.yaml")
    result = run("plan", "--effect", 2, "--power", 0.8, *given, "--json")
    assert result.code == 0
    plan = result.document
    assert plan["alternatives"][0] == {"cases": 831, "repeats": 1, "nights": 7, "samples": 5817}
    assert (plan["measured"], plan["night_sd_points"]) == (False, 0.8)
    assert [floor["nights"] for floor in plan["floors"] if not floor["enough"]] == [1, 2]

    shown = run("plan", "--effect", 2, *given).out
    assert "given noise: variance within a case 0.0800, night effect 0.80 points" in shown
    assert "smallest effect for a set of any size: 2.6 points in 1 night" in shown


def test_an_effect_below_the_noise_of_whole_nights_is_exit_1(run: Run) -> None:
    result = run("plan", "--effect", 0.1, "--within-variance", 0.08, "--night-sd", 3)
    assert result.code == 1
    assert "no number of cases detects this effect at this noise" in result.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--effect", 0, "--within-variance", 0.1), "an effect must be a fraction between -1 and 1 and not 0"),
        (("--effect", 2, "--within-variance", 0.1, "--power", 0.2), "power must be between 0.5 and 1"),
        (("--effect", 2, "--within-variance", 0), "within-case variance above 0"),
    ],
)
def test_what_cannot_be_planned_is_exit_2_and_gives_the_reason(
    run: Run, arguments: tuple[object, ...], said: str
) -> None:
    result = run("plan", *arguments)
    assert result.code == 2
    assert said in " ".join(result.err.split())


def test_without_noise_it_asks_what_to_measure(run: Run, daemon: Daemon) -> None:
    result = run("plan", "--effect", 2, "--url", daemon.url)
    assert result.code == 2
    assert "name what to measure (--deployment and --set)" in result.err
