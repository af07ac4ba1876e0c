"""One finding on every surface: alert text, webhook, API, console commands and pages show the same numbers."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from monitor.alerting.decided_text import points
from monitor.alerting.message import payload
from monitor.alerting.render import text
from monitor.api import encode_finding
from monitor.api.schema import FindingItem
from monitor.cli.findings.commands import _print_finding
from monitor.cli.findings.explain import explain_finding, print_explanation
from monitor.domain.finding import Finding
from tests.alerting.build import POLICY as ALERTS
from tests.alerting.build import an_alert
from tests.drift.judge.test_deciding_test import decided_of, dropped, judged, silent_drop, two_nights

from .conftest import OpenPage, everything
from .fake_daemon import FakeDaemon, regression

P_OR_E = re.compile(r"\b(?P<name>[pe]) ?(?:=|<)? ?(?P<value>[0-9][0-9.,e+-]*)")
SMALLEST = re.compile(r"a (?:fall|change) of ([0-9.]+) points(?:[^;.]*? and of ([0-9.]+) within [0-9]+ nights)?")


def sent(finding: Finding) -> dict[str, Any]:
    alert = an_alert(severity=finding.severity, summary=finding.reason)
    return payload(alert, finding, reason="first", policy=ALERTS, from_label=None, to_label=None)  # type: ignore[arg-type]


def without_rows(decided: dict[str, Any]) -> dict[str, Any]:
    """Return the numbers without the p-values of single rows, which only the API has."""
    strength = {"p", "p_needed", "e", "e_needed"}
    rows = [{name: row[name] for name in row.keys() - strength} for row in decided["moved"]]
    overall = decided["overall"] and {name: decided["overall"][name] for name in decided["overall"].keys() - strength}
    return {**decided, "moved": rows, "overall": overall}


def item_of(finding: Finding) -> FindingItem:
    """Return the item of the API, parsed from its JSON."""
    return FindingItem.model_validate_json(encode_finding.finding(finding).model_dump_json())


def page_of(open_page: OpenPage, finding: Finding, page: str) -> str:
    daemon: FakeDaemon = regression()
    kept = ("id", "deployment", "set_name", "set_kind", "candidate_run", "baseline_run", "at")
    daemon.findings = [
        item_of(finding).model_copy(update={name: getattr(row, name) for name in kept}) for row in daemon.findings
    ]
    return everything(open_page(daemon, page)).replace("\\", "")


FINDINGS: dict[str, Callable[[], Finding]] = {
    "known change, in a category": lambda: dropped(0.5),
    "silent drift": silent_drop,
    "two runs": two_nights,
}


@pytest.mark.parametrize("name", FINDINGS)
def test_every_surface_shows_the_numbers_of_the_test_that_decided(
    name: str, open_page: OpenPage, capsys: pytest.CaptureFixture[str]
) -> None:
    finding = FINDINGS[name]()
    decided, item, body = decided_of(finding), item_of(finding), sent(finding)
    assert finding.verdict == "regression"
    assert item.decided is not None
    assert without_rows(json.loads(json.dumps(body["decided"]))) == without_rows(item.decided.model_dump(mode="json"))
    moved = [row.channel for row in decided.categories_moved]
    assert [row["channel"] for row in body["decided"]["moved"] if row["kind"] == "score"] == moved
    assert item.comparison is not None
    assert sorted(row.category for row in item.comparison.categories if row.moved) == sorted(moved)

    _print_finding(item)
    print_explanation(explain_finding(item))
    pages = {page: page_of(open_page, finding, page) for page in ("deployment", "failure_modes")}
    surfaces = {"text": text(body), "console": capsys.readouterr().out, **pages}
    for surface, text_shown in surfaces.items():
        found = [f"{100 * each.effect:.1f}" for each in decided.detectable]
        assert found, surface
        assert {tuple(filter(None, sizes)) for sizes in SMALLEST.findall(text_shown)} == {tuple(found)}, surface
    for channel in moved:
        assert all(channel in text_shown for text_shown in surfaces.values()), channel
    for text_shown in (surfaces["text"], *pages.values()):
        shown = {match["name"] for match in P_OR_E.finditer(text_shown)}
        assert shown == {"p" if decided.e is None else "e"}


def test_the_effect_of_the_alert_is_that_of_the_evidence(open_page: OpenPage) -> None:
    finding = dropped(0.5)
    lead = decided_of(finding).lead
    assert lead.effect is not None
    assert lead.interval is not None
    size, ends = points(lead.effect), f"{points(lead.interval[0])} to {points(lead.interval[1])}"
    for text_shown in (text(sent(finding)), finding.reason.replace("-", "−")):
        assert size in text_shown
        assert ends in text_shown
    assert f"95 % interval of the change **{ends} points**" in page_of(open_page, finding, "deployment")


def test_nights_that_raise_no_alarm_show_one_test_as_well() -> None:
    quiet_finding = judged_ok()
    body = sent(quiet_finding)
    assert body["decided"]["p"] is None
    assert body["decided"]["moved"] == []
    assert {match["name"] for match in P_OR_E.finditer(text(body))} == {"e"}


def judged_ok() -> Finding:
    from tests.drift.judge.test_deciding_test import CATEGORIES
    from tests.drift.nights import quiet

    return judged(quiet(20, cases=len(CATEGORIES), seed=3), ["A"] * 20)
