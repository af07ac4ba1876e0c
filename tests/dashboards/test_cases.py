"""The page Cases: the list with its filters in the address, and one case."""

from streamlit.testing.v1 import AppTest

from dashboards.case_grid import cells_of, changes_of_version, markers_of

from .cases import history_of
from .conftest import OpenPage, commands, everything
from .fake_daemon import FakeDaemon, nights

PAGE = "cases"
CASE = {"deployment": "support-bot", "set": "primes", "case": "prime-0"}


def with_cases(cases: int = 4, *, sealed: bool = False) -> FakeDaemon:
    daemon = nights(2)
    daemon.cases, daemon.sealed = cases, sealed
    return daemon


def listed(page: AppTest) -> list[str]:
    return list(page.dataframe[0].value["case"])


def texts(page: AppTest) -> str:
    return "\n".join(str(box.value) for box in page.html if 'class="driftd-text"' in str(box.value))


def test_the_list_has_every_case_with_its_states(open_page: OpenPage) -> None:
    page = open_page(with_cases(), PAGE)
    assert listed(page) == ["prime-0", "prime-1", "prime-2", "prime-3"]
    assert list(page.dataframe[0].value["states"])[:2] == ["failing now, newly failing", "too easy"]
    assert "4 cases of 4. The newest of 5 runs ended 2026-03-06 02:00." in everything(page)
    assert (page.query_params["deployment"], page.query_params["set"]) == ("support-bot", "primes")


def test_the_filters_of_the_address_select_the_cases(open_page: OpenPage) -> None:
    page = open_page(with_cases(), PAGE, query={"state": "newly_failing", "category": "composite"})
    assert listed(page) == ["prime-0"]
    assert (page.query_params["state"], page.query_params["category"]) == ("newly_failing", "composite")


def test_a_search_without_a_match_says_what_to_do(open_page: OpenPage) -> None:
    page = open_page(with_cases(), PAGE, query={"text": "absent"})
    assert not page.dataframe
    assert "Remove a filter" in everything(page)


def test_the_page_of_the_table_is_in_the_address(open_page: OpenPage) -> None:
    page = open_page(with_cases(120), PAGE)
    next(button for button in page.button if button.label == "Next").click()
    page.run()
    assert page.query_params["cursor"] == "50"
    assert listed(page)[0] == "prime-50"
    again = open_page(with_cases(120), PAGE, query={"cursor": "100"})
    assert len(listed(again)) == 20
    next(button for button in again.button if button.label == "Previous").click()
    assert listed(again.run())[0] == "prime-0"


def test_a_named_run_is_the_newest_until_the_reader_returns(open_page: OpenPage) -> None:
    page = open_page(with_cases(), PAGE, query={"run": "run-2"})
    assert "`run-2`" in everything(page)
    next(button for button in page.button if button.label == "Newest run").click()
    page.run()
    assert "run" not in page.query_params


def test_a_set_without_cases_says_how_to_import_some(open_page: OpenPage) -> None:
    page = open_page(with_cases(0), PAGE)
    assert "has no cases" in everything(page)
    assert commands(page)[0].startswith("driftd sets import primes")


def test_one_case_has_its_figures_versions_replies_and_variants(open_page: OpenPage) -> None:
    page = open_page(with_cases(), PAGE, query=CASE)
    said = everything(page)
    assert [metric.value for metric in page.metric] == ["20.0 %", "0.0 %", "0.0 %", "not sealed"]
    assert "failed on 1 of 5 runs and under 1 of 2 versions" in said
    assert list(page.dataframe[0].value["answers passed"]) == ["8 of 8", "0 of 2"]
    assert "No, says run-4." in texts(page)
    assert "7 is a prime" in texts(page)
    assert "by" in texts(page)  # the arguments of the tool call
    assert "1,234 ms · 0.001250 USD · 12 tokens in · 1 token out" in said
    assert [link.proto.page for link in page.page_link] == ["review", "cases", "cases"]
    assert page.query_params["reply"] == "run-4"


def test_the_run_of_the_address_has_its_replies(open_page: OpenPage) -> None:
    page = open_page(with_cases(), PAGE, query={**CASE, "reply": "run-1"})
    assert "No, says run-1." in texts(page)


def test_a_sealed_case_shows_no_text_and_no_button_without_the_role(open_page: OpenPage) -> None:
    page = open_page(with_cases(sealed=True), PAGE, query=CASE)
    assert texts(page) == ""
    assert "are visible with the role `reveal` only" in everything(page)
    assert [button.label for button in page.button] == ["All cases"]


def test_all_cases_leads_back_to_the_list(open_page: OpenPage) -> None:
    page = open_page(with_cases(), PAGE, query=CASE)
    page.button[0].click()
    page.run()
    assert listed(page)[0] == "prime-0"
    assert "case" not in page.query_params


def test_the_grid_has_a_row_an_answer_and_a_marker_a_change() -> None:
    runs = history_of(with_cases(), {"case_id": "prime-0", "set_name": "primes"}).runs
    cells = cells_of(runs)
    assert [cell.answer for cell in cells] == ["sample 1"] * 5 + ["repeat"] * 5
    assert [cell.verdict for cell in cells[:5]] == ["pass"] * 4 + ["fail"]
    ((order, before, after),) = changes_of_version(runs)
    assert (order, before.split()[0], after.split()[0]) == (4, "gpt-4-0314", "gpt-4-0613")
    assert [(marker.label, marker.order) for marker in markers_of(runs)] == [("A", 3.5)]
