"""The Judges page over the daemon's own API: standing, calibration, sentinels, bias."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from monitor.api.auth import Role
from tests.api.house import House, import_cases, open_house, token_of, tokens_for_roles
from tests.api.rows import add_judged_run, add_rescore
from tests.asgi_server import serving

from .conftest import OpenPage, everything

PAGE = "judges"
PLACE = {"deployment": "bot", "set_name": "private", "scorer": "rubric"}
LINK = {"deployment": "bot", "set": "private", "scorer": "rubric"}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """A judge that passes two of three outcomes."""
    with open_house(tmp_path) as opened:
        import_cases(opened)
        add_judged_run(opened, "run-1", {(case, n): n % 3 > 0 for case in ("p-7", "c-9") for n in range(30)})
        yield opened


def review(house: House, count: int, *, disagree: int = 0) -> None:
    """Review outcomes of the sample as the judge did, except the last ones, over two days."""
    items = house.ask("GET", "/api/v1/judges/sample", params=PLACE | {"count": count}).json()["items"]
    for number, item in enumerate(items):
        passes = item["sample"] % 3 > 0
        body = {name: item[name] for name in ("run_id", "case_id", "sample")}
        verdict = body | {"scorer": "rubric", "passes": passes != (number >= count - disagree), "sampled": True}
        assert house.post("/api/v1/judges/reviews", verdict).status_code == 200
        if number == count // 2:
            house.clock.instant += timedelta(days=1)


def test_without_a_judge_the_page_says_that_rules_need_no_calibration(open_page: OpenPage, tmp_path: Path) -> None:
    with open_house(tmp_path) as empty, serving(empty.app) as url:
        text = everything(open_page(url, PAGE))
    assert "No judge has graded an outcome yet" in text
    assert "all scores come from rules" in text


def test_the_list_has_the_standing_of_each_judge_and_a_filter_in_the_address(open_page: OpenPage, house: House) -> None:
    with serving(house.app) as url:
        assert "○ unvalidated" in everything(open_page(url, PAGE))
        assert "20 are missing" in everything(open_page(url, PAGE))
        assert "No judge matches these filters" in everything(open_page(url, PAGE, {"standing": "validated"}))
        assert "No judge matches these filters" in everything(open_page(url, PAGE, {"text": "gpt-5"}))


def test_a_judge_without_reviews_says_what_is_enough_and_what_to_do(open_page: OpenPage, house: House) -> None:
    with serving(house.app) as url:
        text = everything(open_page(url, PAGE, LINK))
    assert "do not page" in text
    assert "Enough is 20 reviewed outcomes, 5 good and 5 bad ones among them" in text
    assert "Agreement with people is not known yet" in text
    assert "0 sentinels; 10 are needed" in text


def test_a_reviewed_judge_has_its_agreement_with_the_interval(open_page: OpenPage, house: House) -> None:
    review(house, 24, disagree=2)
    add_rescore(house, "rescore-1")
    with serving(house.app) as url:
        page = open_page(url, PAGE, LINK)
        agreement = everything(open_page(url, PAGE, LINK | {"measure": "agreement"}))
    text = everything(page)
    assert "✓ validated" in text
    assert "Each point is the agreement after all reviews until that day" in text
    assert "Each point is the agreement" in agreement
    found = re.search(r"all judged outcomes: \*\*([\d.]+) \(([\d.]+) to", text)
    assert found is not None
    low, value = float(found[2]), float(found[1])
    assert 0.4 < low < value < 1.0


def test_the_biases_have_an_interval_or_what_is_missing(open_page: OpenPage, house: House) -> None:
    with serving(house.app) as url:
        page = open_page(url, PAGE, LINK)
    biases = next(row.value for row in page.dataframe if "bias" in row.value.columns)
    assert biases["bias"].tolist()[0] == "position"
    assert biases["95 % interval"].tolist()[0] == "0 of 30 needed pairs were judged in both orders"


def test_an_unknown_judge_is_named(open_page: OpenPage, house: House) -> None:
    with serving(house.app) as url:
        text = everything(open_page(url, PAGE, LINK | {"scorer": "tone"}))
    assert "The judges cannot be shown" in text
    assert "rubric" in text


def test_a_token_that_only_reads_sees_the_page(open_page: OpenPage, tmp_path: Path) -> None:
    with open_house(tmp_path, tokens=tokens_for_roles()) as house, serving(house.app) as url:
        import_cases(house, token=token_of(Role.OPERATE))
        add_judged_run(house, "run-1", {("p-7", 0): True})
        (tmp_path / "token").write_text(token_of(Role.READ))
        assert "○ unvalidated" in everything(open_page(url, PAGE, LINK, tmp_path / "token"))
