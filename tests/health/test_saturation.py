import gzip
import json

import numpy as np
import pytest

from monitor.health.saturation import label_noise_of, saturation_of, unsteady_cases
from tests.docs.markdown import ROOT


def gsm8k() -> tuple[list[str], np.ndarray]:
    """Four real model versions on 1,319 problems."""
    with gzip.open(ROOT / "examples/gsm8k/versions.jsonl.gz", "rt") as file:
        rows = [json.loads(line) for line in file]
    names = sorted(rows[0]["versions"])
    return [row["id"] for row in rows], np.array([[float(r["versions"][n]["correct"]) for r in rows] for n in names])


def simulated(versions: int = 16, cases: int = 200, seed: int = 3) -> np.ndarray:
    """Versions of growing ability on cases of growing difficulty (Rasch's model)."""
    rng = np.random.default_rng(seed)
    ability, difficulty = np.linspace(-2, 2, versions)[:, None], np.linspace(-2, 2, cases)[None, :]
    return (rng.random((versions, cases)) < 1 / (1 + np.exp(difficulty - ability) ** 2)).astype(float)


def names(scores: np.ndarray) -> list[str]:
    return [f"c{n}" for n in range(scores.shape[1])]


def test_real_versions_saturate_a_part_of_a_real_set() -> None:
    ids, scores = gsm8k()
    found = saturation_of(ids, scores)
    same = [set(column) for column in scores.T.tolist()]
    assert (found.versions, found.judged) == (4, 1319)
    assert found.always_pass == sum(each == {1.0} for each in same) == 156
    assert found.always_fail == sum(each == {0.0} for each in same) == 432
    assert found.share == pytest.approx((156 + 432) / 1319)
    assert found.separating is None
    noise = label_noise_of(ids, scores, None)
    assert (noise.failed_by_better_versions, noise.never_passed) == (
        None,
        None,
    )  # none of the four is good enough to doubt a case


def test_cases_that_rise_with_the_set_separate_and_a_swapped_reference_is_a_suspect() -> None:
    scores = simulated()
    scores[:, 100] = 1.0 - scores[:, 100]
    scores[:, 20] = 0.0
    found, noise = saturation_of(names(scores), scores), label_noise_of(names(scores), scores, None)
    assert found.separating is not None
    assert found.separating > 100
    assert noise.failed_by_better_versions is not None
    assert "c100" in noise.failed_by_better_versions
    assert len(noise.failed_by_better_versions) <= 6
    assert noise.expected is not None
    assert 3.0 < noise.expected <= 5.0
    assert found.items[20].discrimination is None


def test_what_a_good_version_fails_with_all_others_is_a_suspect() -> None:
    scores = np.ones((4, 30))
    scores[:3, :10] = 0.0
    scores[:, 7] = 0.0
    assert label_noise_of(names(scores), scores, None).never_passed == ("c7",)
    scores[3, 10:] = 0.0
    assert label_noise_of(names(scores), scores, None).never_passed is None


def test_with_one_version_nothing_is_known_of_saturation() -> None:
    found = saturation_of(["a", "b"], np.array([[1.0, 0.0]]))
    assert (found.share, found.judged, found.versions) == (None, 0, 1)
    empty = saturation_of(["a"], np.full((0, 1), np.nan))
    assert (empty.share, empty.versions) == (None, 0)


def test_a_case_that_flips_from_run_to_run_of_one_version_is_unsteady() -> None:
    runs = np.full((2, 3), 6)
    passes = np.array([[6, 3, 0], [6, 2, 6]])
    assert unsteady_cases(passes, runs) == [False, True, False]
    assert unsteady_cases(passes[:, :1], np.array([[1], [1]])) is None
