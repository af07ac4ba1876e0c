"""The review of judged outcomes: without the verdict of the judge, with the agreement afterwards."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from monitor.api.auth import Role
from monitor.store.judging import reviews
from tests.api.house import House, import_cases, open_house, token_of, tokens_for_roles
from tests.api.rows import HIDDEN, add_judged_run
from tests.asgi_server import serving

from .conftest import OpenPage, everything

LINK = {"queue": "outcomes", "deployment": "bot", "set": "private", "scorer": "rubric"}
OPERATOR = token_of(Role.OPERATE)
SIX = {(case, n): n % 3 > 0 for case in ("p-7", "c-9") for n in range(3)}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """Six outcomes of a sealed set, of which the judge passes four."""
    with open_house(tmp_path, tokens=tokens_for_roles()) as opened:
        import_cases(opened, token=OPERATOR)
        add_judged_run(opened, "run-1", SIX)
        yield opened


def press(page: AppTest, label: str) -> AppTest:
    next(button for button in page.button if button.label == label).click().run()
    assert not page.exception, [error.value for error in page.exception]
    return page


def access(house: House) -> list[tuple[str, int]]:
    reader = token_of(Role.READ)
    log = house.get("/api/v1/sets/access", token=reader, set_name="private").json()["items"]
    return [(entry["what"], entry["cases"]) for entry in log]


def test_sealed_outcomes_are_read_once_on_request_and_the_look_is_logged(
    open_page: OpenPage, house: House, tmp_path: Path
) -> None:
    path = tmp_path / "token"
    path.write_text(token_of(Role.READ, Role.REVEAL))
    with serving(house.app) as url:
        page = open_page(url, "review", LINK, path)
        assert HIDDEN not in str(page.html)
        assert access(house) == []
        press(page, "Reveal 6 outcomes (logged)")
        press(page, "Skip")
    assert HIDDEN in "".join(str(element.proto) for element in page.get("html"))
    assert access(house) == [("review sample of rubric", 2)]


def test_without_the_role_sealed_outcomes_stay_closed(open_page: OpenPage, house: House, tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text(token_of(Role.READ, Role.REVIEW))
    with serving(house.app) as url:
        page = open_page(url, "review", LINK, path)
    assert "lacks the role `reveal`" in everything(page)
    assert next(button for button in page.button if button.label.startswith("Reveal")).disabled


def test_a_batch_is_reviewed_blind_and_ends_with_the_agreement(open_page: OpenPage, tmp_path: Path) -> None:
    with open_house(tmp_path) as house, serving(house.app) as url:
        cases = [{"id": case, "input": f"Is {case} a prime?"} for case in ("p-7", "c-9")]
        house.post("/api/v1/sets", {"name": "corrections", "cases": cases})
        add_judged_run(house, "run-1", SIX, "corrections")
        page = open_page(url, "review", LINK | {"set": "corrections"})
        page.text_input(key="reviewer").set_value("anna").run()
        for _ in range(6):
            assert "0 of 20 needed outcomes are reviewed" in everything(page)  # the standing before the batch
            assert "The judge agrees" not in everything(page)
            press(page, "Pass")
        text = everything(page)
        table = page.dataframe[0].value
        with house.store.read() as tx:
            made = reviews.of_set(tx, "bot", "corrections", "rubric")
    assert "The judge agrees with you on 4 of 6 outcomes" in text
    assert sorted(table["the judge"]) == ["✓ pass"] * 4 + ["✗ fail"] * 2
    assert {(row.who, row.blind, row.sampled) for row in made} == {("anna", True, True)}


def test_without_a_judge_the_queue_says_that_rules_need_no_review(open_page: OpenPage, tmp_path: Path) -> None:
    with open_house(tmp_path) as empty, serving(empty.app) as url:
        assert "Scores that come from rules need no review" in everything(open_page(url, "review", LINK))
