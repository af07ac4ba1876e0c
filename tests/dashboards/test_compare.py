"""The Compare page over the daemon's own API and a real file: content, sealed text and requests."""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.api.house import House, open_house, tokens_for_roles
from tests.api.routes.test_sealed import reveal_log
from tests.asgi_server import serving

from .answered import FLIPS, HOSTILE, OPERATE, READ, REVEAL, SECRET, furnish
from .conftest import OpenPage, everything

RUNS = {"baseline": "corrections-1", "candidate": "corrections-2"}
SEALED = {"baseline": "private-1", "candidate": "private-2"}
ROLE_SENTENCE = "are visible with the role `reveal` only, and every access is logged"
Compare = Callable[..., AppTest]


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, str]]:
    with open_house(tmp_path_factory.mktemp("house"), tokens=tokens_for_roles()) as house:
        furnish(house)
        with serving(house.app) as url:
            yield house, url


@pytest.fixture
def house(furnished: tuple[House, str]) -> Iterator[House]:
    """The application with an empty log of reveals."""
    yield furnished[0]
    with furnished[0].store.write() as tx:
        tx._cursor.execute("DELETE FROM reveal_log")


@pytest.fixture
def compare(furnished: tuple[House, str], open_page: OpenPage, tmp_path: Path) -> Compare:
    """Return a function: `compare(baseline=..., case=...)` opens the page with a read token, or `token`."""

    def open_at(token: str = READ, **query: str) -> AppTest:
        file = tmp_path / "token"
        file.write_text(token)
        return open_page(furnished[1], "compare", query=query, token_file=file)

    return open_at


def texts(page: AppTest) -> str:
    """Return the content of the text boxes."""
    return "\n".join(str(box.value) for box in page.html if 'class="driftd-text"' in str(box.value))


def listed(page: AppTest) -> list[str]:
    """Return the flipped cases in order: the table after those of categories and failure categories."""
    return list(page.dataframe[2].value["case"])


def displayed_case(page: AppTest) -> str:
    return str(page.query_params["case"])


def pick(page: AppTest, row: int) -> AppTest:
    """Click a row of the flipped cases."""
    key = page.dataframe[2].key
    assert key is not None
    page.session_state[key] = {"selection": {"rows": [row], "columns": [], "cells": []}}
    return page.run()


def choose(page: AppTest, label: str, value: str | None) -> AppTest:
    next(box for box in page.selectbox if box.label == label).set_value(value)
    return page.run()


def press(page: AppTest, label: str) -> AppTest:
    return next(button for button in page.button if button.label == label).click().run()


def value_of(page: AppTest, label: str) -> object:
    return next(box for box in page.selectbox if box.label == label).value


def test_a_comparison_is_summarized_with_its_difference_and_detectable_effect(compare: Compare) -> None:
    page = compare(**RUNS)
    text = everything(page)
    assert "Pass rate **96.4 % → 7.1 %**, **−89.3 points** (95 % interval −97.1 to −61.2" in text
    assert "on 28 paired cases" in text
    assert "**26** flipped to fail, **1** to pass. Smallest detectable effect: 25.8 points" in text
    categories, failures = (page.dataframe[i].value for i in (0, 1))
    assert list(categories["category"]) == ["composite", "prime", "hostile"]
    assert (list(failures["before"]), list(failures["now"])) == (["3.6 % (1)"], ["92.9 % (26)"])
    assert list(failures["points"]) == ["+89.3"]


def test_the_filters_and_the_metric_of_a_link_apply(compare: Compare) -> None:
    page = compare(**RUNS, metric="contains", flipped="to_pass", category="prime")
    assert listed(page) == ["mended"]
    kept = {name: page.query_params[name] for name in ("metric", "flipped", "category", "case")}
    assert kept == {"metric": "contains", "flipped": "to_pass", "category": "prime", "case": "mended"}


def test_all_comparable_nights_of_two_versions_are_pooled(compare: Compare) -> None:
    page = compare(**RUNS, by="versions")
    text = everything(page)
    assert "Pooled: **2 nights** of label of v1 (2 runs, " in text
    assert ", and **1 night** of label of v2 (1 run, " in text
    assert "the mean of its samples over all pooled nights" in text
    assert "on 28 cases" in text
    assert next(iter(page.dataframe[0].value["moved"])) == "fell"
    assert "Single cases are those of the newest comparable runs" in text
    assert "the same revision of the set" in text
    assert page.query_params["by"] == "versions"
    assert (page.query_params["baseline"], page.query_params["candidate"]) == ("corrections-1", "corrections-2")


def test_two_runs_are_not_pooled(compare: Compare) -> None:
    assert "Pooled:" not in everything(compare(**RUNS))


def test_latency_of_both_runs_is_compared_by_median_and_95th_percentile(compare: Compare) -> None:
    amounts = compare(**RUNS).dataframe[-1].value
    latency = amounts[amounts["amount"] == "Latency"]
    assert list(latency["quantile"]) == ["median", "p95"]
    assert list(latency["change"]) == ["0", "0"]  # every answer took 20 ms


def test_the_distributions_are_drawn_when_they_are_opened(compare: Compare) -> None:
    assert not compare(**RUNS).get("vega_lite_chart")
    page = compare(**RUNS, amounts="open")
    assert len(page.get("vega_lite_chart")) >= 1
    assert page.query_params["amounts"] == "open"


def test_a_case_links_to_its_history(compare: Compare) -> None:
    links = [link.proto for link in compare(**RUNS, case="case-07").page_link]
    assert [link.page for link in links] == ["cases"]
    assert "case=case-07" in links[0].query_string


def test_flipped_cases_are_listed_by_severity_one_page_at_a_time(compare: Compare) -> None:
    page = compare(**RUNS)
    seen = [listed(page)]
    assert seen[0][:2] == ["<b>case</b>", "case-00"]
    assert "Cases 1 to 10 of 27." in everything(page)
    seen += [listed(press(page, "Next")), listed(press(page, "Next"))]
    assert "Cases 21 to 27 of 27." in everything(page)
    assert [len(rows) for rows in seen] == [10, 10, 7]
    assert seen[2][-1] == "mended"
    assert len({case for rows in seen for case in rows}) == FLIPS + 2
    assert not [button for button in page.button if button.label == "Next"]
    assert listed(press(page, "Previous")) == seen[1]


def test_the_list_can_be_filtered_by_direction_category_and_failure_category(compare: Compare) -> None:
    page = compare(**RUNS)
    direction = next(row for row in page.segmented_control if row.label == "Flipped")
    assert listed(direction.set_value("to pass").run()) == ["mended"]
    assert "1 case." in everything(page)
    direction.set_value("both directions").run()
    assert listed(choose(page, "Category", "hostile")) == ["<b>case</b>"]
    choose(page, "Category", "prime")
    assert "Cases 1 to 10 of 13." in everything(page)
    assert {*page.dataframe[2].value["category"]} == {"prime"}
    choose(page, "Failure category", "wrong_answer")
    assert "Cases 1 to 10. " in everything(page)  # the comparison does not have this count


def test_a_case_of_an_open_set_is_shown_with_a_word_diff_of_both_answers(compare: Compare) -> None:
    page = compare(**RUNS, case="case-07")
    shown = texts(page)
    assert "Is 7 a prime?" in shown
    assert "<del>No</del>, 7 is <del>not</del> a prime.&#10;the private answer" in shown
    assert "<ins>Yes</ins>, 7 is <ins>surely</ins> a prime.&#10;the private answer" in shown
    assert "looked for it in: Yes, 7 is surely a prime." in shown
    assert "contains 1: **fail** (0), wrong" in everything(page)
    assert "**case-07**" in everything(page)


def test_selecting_a_row_shows_its_case_and_changes_the_address(compare: Compare) -> None:
    page = compare(**RUNS)
    assert displayed_case(page) == "<b>case</b>"
    pick(page, 3)
    assert displayed_case(page) == listed(page)[3] == "case-04"
    assert "Is 4 a prime?" in texts(page)
    press(page, "Next")
    assert "Is 4 a prime?" in texts(page)  # paging through the list keeps the case
    assert dict(page.query_params) == {**RUNS, "case": "case-04", "page": "2"}


def test_a_link_opens_the_page_of_the_flipped_cases(compare: Compare) -> None:
    page = compare(**RUNS, page="3")
    assert "Cases 21 to 27 of 27." in everything(page)
    assert "Cases 11 to 20 of 27." in everything(press(page, "Previous"))
    assert page.query_params["page"] == "2"
    choose(page, "Category", "prime")
    assert "Cases 1 to 10 of 13." in everything(page)  # another filter starts at its first page
    assert "page" not in page.query_params


@pytest.mark.parametrize(
    ("linked", "shown"), [("99", "Cases 21 to 27"), ("0", "Cases 1 to 10"), ("x", "Cases 1 to 10")]
)
def test_a_link_to_a_page_that_does_not_exist_opens_one_that_does(compare: Compare, linked: str, shown: str) -> None:
    assert f"{shown} of 27." in everything(compare(**RUNS, page=linked))


def test_a_link_to_a_case_that_did_not_flip_shows_it(compare: Compare) -> None:
    page = compare(**RUNS, case="steady")
    assert "Is 3 a prime?" in texts(page)
    assert not page.warning


def test_samples_are_in_tabs_errors_are_named_and_long_answers_are_cut(compare: Compare) -> None:
    page = compare(baseline="long", candidate="broken", case="case-01")
    assert [tab.label for tab in page.tabs] == ["sample 1", "sample 2"]
    first, second = page.tabs
    assert "The first 20,000 of 30,000 characters." in [str(row.value) for row in first.caption]
    assert "<ins>" not in "".join(str(row.value) for row in first.html)
    assert "No answer: timeout." in [str(row.value) for row in second.caption]
    assert "Empty text." in [str(row.value) for row in first.caption]


def test_answers_are_never_rendered_as_markup(compare: Compare) -> None:
    page = compare(**RUNS, case="<b>case</b>")
    shown = texts(page)
    assert "<script" not in shown
    assert "<img" not in shown
    assert shown.count("&lt;script&gt;window.hacked = 1&lt;/script&gt;") == 5
    assert HOSTILE not in everything(page)


def test_without_a_link_the_newest_finding_of_the_set_is_compared(compare: Compare) -> None:
    page = compare()
    assert (value_of(page, "Deployment"), value_of(page, "Eval set")) == ("bot", "private")
    assert (value_of(page, "Before"), value_of(page, "After")) == ("private-1", "private-2")
    choose(page, "Eval set", "corrections")
    assert dict(page.query_params) == {**RUNS, "case": "<b>case</b>"}


def test_other_runs_can_be_chosen(compare: Compare) -> None:
    page = choose(compare(**RUNS, case="case-07"), "After", "corrections-0")
    assert dict(page.query_params) == {"baseline": "corrections-1", "candidate": "corrections-0"}
    assert "No case flipped." in everything(page)


def test_one_run_is_not_compared_with_itself(compare: Compare) -> None:
    page = choose(compare(**RUNS), "After", "corrections-1")
    assert "the same run" in str(page.info[0].value)


def test_two_versions_are_compared_by_the_newest_run_of_each(compare: Compare) -> None:
    page = compare(baseline="corrections-0", candidate="corrections-2")
    next(row for row in page.segmented_control if row.label == "Compare").set_value("versions").run()
    assert (value_of(page, "Before"), value_of(page, "After")) == ("v1", "v2")
    assert (page.query_params["baseline"], page.query_params["candidate"]) == ("corrections-1", "corrections-2")


def test_a_link_to_unknown_runs_shows_a_warning(compare: Compare) -> None:
    page = compare(baseline="run-1?reveal=true", candidate="../whoami")
    assert "The runs of this link cannot be shown" in str(page.warning[0].value)
    assert "is unknown" in str(page.warning[0].value)
    assert value_of(page, "After") == "private-2"


def test_a_link_to_runs_of_two_sets_shows_a_warning(compare: Compare) -> None:
    page = compare(baseline="private-1", candidate="corrections-2")
    assert "only runs of one set can be compared" in str(page.warning[0].value)


def test_a_link_to_an_unknown_case_shows_a_warning(compare: Compare) -> None:
    page = compare(**RUNS, case="case-99")
    assert "cannot be shown" in str(page.warning[0].value)
    assert "case-99" in str(page.warning[0].value)


def test_a_reader_sees_only_the_verdicts_of_a_sealed_case(compare: Compare, house: House) -> None:
    page = compare(**SEALED, case="case-07")
    assert "**case-07**" in everything(page)
    assert len(listed(page)) == 10
    assert "fail] wrong" in everything(page)
    assert ROLE_SENTENCE in str(page.info[0].value)
    assert not [button for button in page.button if "Reveal" in button.label]
    assert texts(page) == ""
    assert reveal_log(house.store) == []


def test_opening_a_sealed_case_reveals_nothing_before_the_button_is_pressed(
    compare: Compare, house: House, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="uvicorn.access"):
        page = compare(REVEAL, **SEALED, case="case-07")
        pick(page, 2)
        press(page, "Next")
    assert texts(page) == ""
    assert SECRET not in everything(page)
    assert "reveal=true" not in caplog.text
    assert reveal_log(house.store) == []


def test_a_sealed_case_is_revealed_by_its_button_and_logged_once(compare: Compare, house: House) -> None:
    page = compare(REVEAL, **SEALED, case="case-07")
    assert f"under the name name of {REVEAL}" in everything(page)
    press(page, "Reveal (logged)")
    shown = texts(page)
    assert "Is 7 a prime?" in shown
    assert f"<ins>Yes</ins>, 7 is <ins>surely</ins> a prime.&#10;{SECRET}" in shown
    looks = [(f"name of {REVEAL}", "case in private-1 and private-2 (private)", ["case-07"])]
    assert reveal_log(house.store) == looks
    pick(page, 1)  # another case: sealed again, without text of the first case
    assert texts(page) == ""
    assert SECRET not in str(page.session_state.to_dict())
    assert reveal_log(house.store) == looks


def test_the_page_requests_one_page_of_cases_and_one_case(compare: Compare, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="uvicorn.access"):
        page = compare(**RUNS)
        pick(page, 3)
    lines = [record.getMessage() for record in caplog.records if record.name == "uvicorn.access"]
    requests = [line.split('"')[1].split()[1] for line in lines]
    assert [url for url in requests if "/outcomes" in url or "/cases" in url] == []
    assert len([url for url in requests if "/comparisons/flips" in url]) == 1
    assert all("limit=10" in url for url in requests if "/comparisons/flips" in url)
    assert [url.rpartition("=")[2] for url in requests if "/comparisons/case" in url] == [
        "%3Cb%3Ecase%3C%2Fb%3E",
        "case-04",
    ]


def test_a_set_without_two_runs_is_no_data(open_page: OpenPage, tmp_path: Path) -> None:
    with open_house(tmp_path, tokens=tokens_for_roles()) as bare, serving(bare.app) as url:
        (tmp_path / "token").write_text(OPERATE)
        refused = open_page(url, "compare", token_file=tmp_path / "token")
        assert "'read'" in str(refused.error[0].value)
        (tmp_path / "token").write_text(READ)
        page = open_page(url, "compare", token_file=tmp_path / "token")
        assert "needs two complete runs" in str(page.info[0].value)
