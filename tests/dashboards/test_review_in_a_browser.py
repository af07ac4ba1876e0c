"""The Review page in real Chromium, over the daemon's own API: read, edit, accept, reject by key and mouse."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from monitor.api.auth import Role
from monitor.domain.interaction import ChatMessage, Document
from tests.api.house import House, open_house, token_of, tokens_for_roles
from tests.api.rows import add_candidate, add_judged_run
from tests.asgi_server import serving

from .answered import HOSTILE
from .browser import browser, dashboard

WAIT_MS = 60_000
REVIEWER, READER = token_of(Role.READ, Role.REVIEW), token_of(Role.READ)
TALK = (
    ChatMessage(role="user", content="I sent the kettle back a week ago."),
    ChatMessage(role="assistant", content="Thank you. It reached us yesterday and is being checked."),
    ChatMessage(role="user", content="So will I have my money today?"),
)


def furnish(house: House) -> None:
    """Store three waiting candidates. The correction of the newest has no correct answer."""
    feedback = [
        {
            "id": "f-kettle",
            "kind": "edit",
            "value": "[No] Within five working days.",
            "comment": "we never pay at once",
        },
        {"id": "f-pan", "kind": "report", "comment": HOSTILE, "failure_category": "tone"},
    ]
    rows = [{"deployment": "bot", "interaction_id": "call-1", "at": "2026-11-21T01:00:00Z", **row} for row in feedback]
    assert house.post("/api/v1/feedback", rows, token=token_of(Role.INGEST)).json()["accepted"] == 2
    stored = house.get("/api/v1/feedback", token=READER).json()["items"]
    ids = {row["kind"]: row["id"] for row in stored}
    add_candidate(house, "c1-lamp", input_text="Is a lamp returnable?", expected="[Yes]", bad_output="[No]")
    add_candidate(
        house, "c2-kettle", input_text=TALK[-1].content, messages=TALK, system_prompt="Answer about our policy.",
        documents=(Document(id="policy", content="Refunds arrive within five working days."),),
        bad_output="[Yes] It arrives today.", expected="[No] Within five working days.", feedback_id=ids["edit"],
        failure_category="wrong_policy", category="refunds",
    )  # fmt: skip
    add_candidate(
        house, "c3-pan", input_text=HOSTILE, expected="", bad_output=HOSTILE, feedback_id=ids["report"],
        failure_category="tone", category="liability",
    )  # fmt: skip


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


@pytest.fixture
def opened(tmp_path: Path, chromium: Browser) -> Iterator[tuple[House, Page]]:
    (tmp_path / "token").write_text(REVIEWER)
    with open_house(tmp_path, tokens=tokens_for_roles()) as house:
        furnish(house)
        with serving(house.app) as url, dashboard(url, tmp_path / "token") as address:
            yield house, page_at(chromium, address)


def page_at(chromium: Browser, address: str) -> Page:
    context = chromium.new_context(viewport={"width": 1360, "height": 1900}, base_url=address)
    context.set_default_timeout(WAIT_MS)
    return context.new_page()


def wait_until_drawn(page: Page) -> None:
    """Wait until the page is complete: a key that is pressed earlier may reach a button that the page replaces."""
    expect(page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_visible(timeout=WAIT_MS)


def stored(house: House, id_: str) -> dict[str, Any]:
    return dict(house.get(f"/api/v1/candidates/{id_}", token=READER).json())


def picture(page: Page, path: Path) -> None:
    page.screenshot(path=path, full_page=True)
    assert path.stat().st_size > 40_000  # an empty page is much smaller


def test_a_reviewer_works_through_the_queue(opened: tuple[House, Page], tmp_path: Path) -> None:
    house, page = opened
    requests: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto("/review")
    page.get_by_label("Your name").fill("ann")
    page.get_by_label("Your name").press("Enter")

    # The newest: its user reported only the error, and the page shows it as plain text.
    expect(page.get_by_text("This candidate cannot be accepted yet")).to_be_visible(timeout=WAIT_MS)
    assert page.locator(".driftd-text").first.inner_text() == HOSTILE
    assert page.evaluate("() => window.hacked") is None
    picture(page, tmp_path / "needs-an-edit.png")
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_text("Not saved:")).to_be_visible(timeout=WAIT_MS)
    page.get_by_label("Must include, one a line").fill("a person\nsorry")
    page.get_by_label("Last user message").fill("Your pan broke and I burnt my hand. Will you pay?")
    page.get_by_role("button", name="Accept").click()

    # The next one has the conversation before the answer, and the diff is marked.
    expect(page.get_by_text("being checked").first).to_be_visible(timeout=WAIT_MS)
    pan = stored(house, "c3-pan")
    assert (pan["state"], pan["must_include"]) == ("accepted", ["a person", "sorry"])
    assert pan["input_text"] == "Your pan broke and I burnt my hand. Will you pay?"
    assert pan["decided_by"] == f"name of {REVIEWER} (ann)"
    expect(page.get_by_text("we never pay at once")).to_be_visible()
    expect(page.locator(".driftd-text ins").first).to_be_visible()
    picture(page, tmp_path / "kettle.png")
    page.get_by_label("Reason, for the review log").fill("asked twice")
    page.get_by_label("Reason, for the review log").press("Alt+x")

    expect(page.locator(".driftd-text").get_by_text("Is a lamp returnable?")).to_be_visible(timeout=WAIT_MS)
    kettle = stored(house, "c2-kettle")
    assert (kettle["state"], kettle["reason"]) == ("rejected", "asked twice")
    wait_until_drawn(page)
    expect(page.get_by_label("Last user message")).to_have_value("Is a lamp returnable?", timeout=WAIT_MS)
    page.keyboard.press("Alt+a")
    expect(page.get_by_text("No candidate waits for a review.")).to_be_visible(timeout=WAIT_MS)
    assert stored(house, "c1-lamp")["state"] == "accepted"
    expect(page.locator("[data-testid=stException]")).to_have_count(0)
    hosts = {urlsplit(url).hostname for url in requests if urlsplit(url).scheme not in {"data", "blob"}}
    assert hosts == {"127.0.0.1"}
    assert complaints == []


def test_the_slower_reviewer_sees_the_conflict_and_the_current_state(opened: tuple[House, Page]) -> None:
    house, page = opened
    page.goto("/review?candidate=c1-lamp")
    expect(page.locator(".driftd-text").get_by_text("Is a lamp returnable?")).to_be_visible(timeout=WAIT_MS)
    expect(page.get_by_role("button", name="Accept")).to_be_enabled()
    order = {"action": "reject", "reason": "a joke"}
    house.post("/api/v1/candidates/c1-lamp/decisions", order, token=REVIEWER)
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_text("Another reviewer decided first.")).to_be_visible(timeout=WAIT_MS)
    assert stored(house, "c1-lamp")["state"] == "rejected"


def test_a_deployment_links_to_waiting_candidates(opened: tuple[House, Page], tmp_path: Path) -> None:
    page = opened[1]
    page.goto("/deployment?deployment=bot")
    link = page.get_by_text("3 corrected answers wait for a review")
    expect(link).to_be_visible(timeout=WAIT_MS)
    picture(page, tmp_path / "deployment.png")
    link.click()
    expect(page.get_by_role("heading", name="Review")).to_be_visible(timeout=WAIT_MS)
    expect(page.get_by_text("This candidate cannot be accepted yet")).to_be_visible(timeout=WAIT_MS)


def test_a_token_without_the_role_can_read_and_the_page_names_the_role(tmp_path: Path, chromium: Browser) -> None:
    (tmp_path / "token").write_text(READER)
    with open_house(tmp_path, tokens=tokens_for_roles()) as house:
        furnish(house)
        with serving(house.app) as url, dashboard(url, tmp_path / "token") as address:
            page = page_at(chromium, address)
            page.goto("/review")
            expect(page.get_by_text("lacks the role")).to_be_visible(timeout=WAIT_MS)
            expect(page.get_by_role("button", name="Accept")).to_be_disabled()
            picture(page, tmp_path / "reader.png")
            page.keyboard.press("Alt+x")
            expect(page.get_by_label("Last user message")).to_have_value(HOSTILE)
        assert stored(house, "c3-pan")["state"] == "proposed"


def test_outcomes_are_reviewed_by_keys_and_the_agreement_follows(opened: tuple[House, Page], tmp_path: Path) -> None:
    house, page = opened
    cases = [{"id": case, "input": f"Is {case} a prime?", "ideal": "yes"} for case in ("p-7", "c-9")]
    added = house.post("/api/v1/sets", {"name": "corrections", "cases": cases}, token=token_of(Role.OPERATE))
    assert added.status_code == 201, added.text
    add_judged_run(house, "run-1", {("p-7", 0): True, ("c-9", 0): False}, "corrections")
    page.goto("/review?queue=outcomes&deployment=bot&set=corrections&scorer=rubric")
    expect(page.get_by_text("Outcome 1 of 2.")).to_be_visible(timeout=WAIT_MS)
    picture(page, tmp_path / "outcome.png")
    wait_until_drawn(page)
    page.keyboard.press("Alt+p")
    expect(page.get_by_text("Outcome 2 of 2.")).to_be_visible(timeout=WAIT_MS)
    wait_until_drawn(page)
    page.keyboard.press("Alt+x")
    expect(page.get_by_text("The judge agrees with you on")).to_be_visible(timeout=WAIT_MS)
    picture(page, tmp_path / "agreement.png")
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("element => element.scrollWidth - element.clientWidth") <= 1
    judge = house.get("/api/v1/judges", token=READER, deployment="bot").json()["items"][0]
    assert judge["reviewed"] == 2
