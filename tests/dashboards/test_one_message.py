"""A daemon replays a set against a scripted endpoint and finds a regression. Every surface shows the same numbers.

The surfaces are the console, the webhook, the parts of a message (title, summary, text, HTML), the API, `drift explain`
with and without `--json`, `alerts show`, and the pages of the dashboard.
"""

import json
import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any

import pytest

from monitor.alerting.render import render
from monitor.cli.demo.story import as_case
from monitor.cli.main import main
from tests.alerting.notify.hook import listening
from tests.app.house import DEPLOYMENT, FROZEN, House, daemon

from .conftest import OpenPage, everything

EVERY = 4  # of the questions, so that both categories are there
NEW = "gpt-4-0613"
NUMBER = r"[-+−]?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?"
EFFECT = re.compile(rf"({NUMBER}) points, 95 % interval ({NUMBER}) to ({NUMBER})(?:, ({NUMBER}) cases)?")
STRENGTH = re.compile(rf"\b([pe]) ?([=<]?) ?({NUMBER}),? \(?threshold ({NUMBER})")
ANY_STRENGTH = re.compile(rf"\b[pe] ?[=<] ?{NUMBER}")
DETECTS = re.compile(rf"a (?:fall|change) of ({NUMBER}) points(?: in [\w-]+)?(?:[^.;|]*? and of ({NUMBER}) within)?")
FLIPS = re.compile(r"([0-9]+) passed before and fail now, ([0-9]+) the other way")
MOVED = re.compile(rf"\b(prime|composite) +{NUMBER} % → +{NUMBER} % +({NUMBER}) points +([0-9]+) cases")


class Finding:
    """The finding of the API, and its numbers as people read them."""

    def __init__(self, item: dict[str, Any]) -> None:
        self.item, self.id, self.decided = item, item["id"], item["decided"]
        lead = self.decided["overall"] or self.decided
        low, high = lead["interval"]
        self.effect = (points(lead["effect"]), points(low), points(high))
        self.cases = str(lead["cases"])
        letter = "e" if self.decided["e"] is not None else "p"
        value, needed = self.decided[letter], self.decided[f"{letter}_needed"]
        small = letter == "p" and value < 0.0001
        shown = "0.0001" if small else f"{value:.4f}" if letter == "p" else f"{value:.3g}"
        self.strength = (letter, shown, f"{needed:.2g}" if letter == "p" else f"{needed:.3g}")
        self.detects = tuple(f"{100 * each['effect']:.1f}" for each in self.decided["detectable"])
        self.moved = {
            (row["channel"], points(row["effect"]), str(row["cases"]))
            for row in self.decided["moved"]
            if row["kind"] == "score"
        }
        compared = item["comparison"]
        self.flips = (str(compared["flipped_to_fail"]), str(compared["flipped_to_pass"]))


def points(difference: float) -> str:
    return f"{100 * difference:+.1f}".replace("-", "−")


def signed(text: str) -> str:
    """Return a number with the minus sign of a message; the reason of a finding has a hyphen."""
    return text.replace("-", "−")


@pytest.fixture(scope="module")
def incident(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, Finding, Mapping[str, Any]]]:
    """Nights of one model, then one of another: the daemon, the finding that opened the alert, and the webhook body."""
    drift = {"min_cases": 20, "baseline_nights": 3}
    with (
        listening() as hook,
        daemon(
            tmp_path_factory.mktemp("house"),
            webhook_url=hook.url,
            deployments={DEPLOYMENT: {"target": "gpt-4", "sets": [FROZEN], "drift": drift}},
        ) as house,
    ):
        cases = [as_case(question) for question in house.data.questions[::EVERY]]
        house.api.post("/api/v1/sets", json={"name": FROZEN, "cases": cases}).raise_for_status()
        for _ in range(4):
            house.replay()
        house.serve(NEW)
        house.replay()
        item = next(row for row in house.listed("findings") if row["verdict"] == "regression")
        assert hook.arrived.wait(60)
        yield house, Finding(item), hook.bodies[0]


@pytest.fixture
def found(incident: tuple[House, Finding, Mapping[str, Any]]) -> Finding:
    return incident[1]


def assert_message(text: str, found: Finding) -> None:
    """A message has each number of the decision, and no other one of its kind."""
    assert {(signed(size), signed(low), signed(high)) for size, low, high, _ in EFFECT.findall(text)} == {found.effect}
    assert {cases for *_, cases in EFFECT.findall(text) if cases} == {found.cases}
    assert [(letter, value, needed) for letter, _, value, needed in STRENGTH.findall(text)] == [found.strength]
    assert len(ANY_STRENGTH.findall(text)) == 1
    assert {tuple(filter(None, sizes)) for sizes in DETECTS.findall(text)} == {found.detects}
    assert FLIPS.findall(text) == [found.flips]
    assert set(MOVED.findall(text)) == found.moved


def test_the_finding_is_a_regression_of_a_category_with_a_test(found: Finding) -> None:
    assert found.moved
    assert found.detects
    assert found.decided["p"] is not None or found.decided["e"] is not None


def test_console_text_and_html_agree(incident: tuple[House, Finding, Mapping[str, Any]]) -> None:
    house, found, body = incident
    page = render(body)
    console = (house.folder / "console.txt").read_text()
    assert page.text in console
    assert_message(page.text, found)
    lines = re.sub(r"<br>|</td>|</tr>|</p>", "\n", page.html)
    assert_message(unescape(re.sub(r"<[^>]+>", "", lines)), found)
    [(size, low, high, cases)] = EFFECT.findall(page.summary)
    assert ((size, low, high), cases) == (found.effect, found.cases)
    for channel, size, _ in found.moved:
        assert f"{channel} {size} points" in page.title


def test_the_webhook_has_each_number_of_the_api_once(incident: tuple[House, Finding, Mapping[str, Any]]) -> None:
    _, found, body = incident
    decided, strength = body["decided"], ("p", "p_needed", "e", "e_needed")
    for name in ("test", "channel", "cases", "before", "after", "effect", "interval", "detectable", *strength):
        assert decided[name] == found.decided[name], name
    assert [row["effect"] for row in decided["moved"]] == [row["effect"] for row in found.decided["moved"]]
    keys = re.findall(r'"(\w+)": ', json.dumps(body))
    assert [keys.count(name) for name in (*strength, "detectable")] == [1, 1, 1, 1, 1]
    assert not {"p_value", "p_value_adjusted", "mde", "alpha"} & set(keys)


def test_explain_agrees(incident: tuple[House, Finding, Mapping[str, Any]], capsys: pytest.CaptureFixture[str]) -> None:
    house, found, _ = incident
    document = json.loads(command(capsys, "drift", "explain", found.id, "--json", "--url", house.app.addresses["api"]))
    assert document["finding"]["decided"] == found.decided
    steps = {row["step"]: row["explanation"] for row in document["steps"]}
    assert [(letter, value, needed) for letter, _, value, needed in STRENGTH.findall(steps["evidence"])] == [
        found.strength
    ]
    assert {tuple(filter(None, sizes)) for sizes in DETECTS.findall(steps["detects"])} == {found.detects}
    for channel, size, cases in found.moved:
        assert re.search(rf"\b{channel} [^;]*? {re.escape(size)} points {cases} cases", steps["moved"])
    sizes = [signed(size) for size in re.findall(rf"({NUMBER}) points", steps["change"])]
    decided = found.decided
    assert sizes[0] == points(decided["effect"]), steps["change"]
    shown = command(capsys, "drift", "explain", found.id, "--url", house.app.addresses["api"])
    assert steps["evidence"] in " ".join(shown.split())


def test_the_summary_of_the_alert_agrees(
    incident: tuple[House, Finding, Mapping[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    house, found, body = incident
    shown = command(capsys, "alerts", "show", body["alert"]["id"], "--url", house.app.addresses["api"])
    newest = house.api.get(f"/api/v1/alerts/{body['alert']['id']}/message").raise_for_status().json()
    assert_message(newest["text"], found)
    assert newest["text"] in shown
    assert body["alert"]["summary"] == found.item["reason"]
    sizes = EFFECT.findall(" ".join(shown.split()))
    assert {tuple(signed(size) for size in row[:3]) for row in sizes} == {found.effect}


@pytest.mark.parametrize("page", ["deployment", "failure_modes"])
def test_the_dashboard_agrees(
    incident: tuple[House, Finding, Mapping[str, Any]], page: str, open_page: OpenPage
) -> None:
    house, found, _ = incident
    shown = everything(open_page(house.app.addresses["api"], page)).replace("\\", "")
    assert {(letter, value, needed) for letter, _, value, needed in STRENGTH.findall(shown)} == {found.strength}
    assert {tuple(filter(None, sizes)) for sizes in DETECTS.findall(shown)} == {found.detects}
    if page == "deployment":
        [(low, high, cases)] = re.findall(
            rf"95 % interval of the change \*\*({NUMBER}) to ({NUMBER}) points\*\*, ([0-9]+) paired cases", shown
        )
        assert ((low, high), cases) == (found.effect[1:], found.cases)
        for channel, size, _ in found.moved:
            assert f"**{size}** {channel}:" in shown


def command(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    out, err = capsys.readouterr()
    assert left.value.code == 0, err
    return out
