"""The details of one alert: notifications of its group, differences of its versions, evidence over the nights."""

from datetime import timedelta

from monitor.domain.alert import AlertState
from monitor.domain.evidence import CaseOverlap, ChannelEvidence, Evidence
from monitor.domain.finding import Verdict
from monitor.store.traffic import prompts
from tests.api.house import NOW, House
from tests.api.rows import add_alert, add_finding, add_notification, add_version

ALERT = "/api/v1/alerts/alert-1"


def nightly(e: float, channel: str) -> Evidence:
    row = ChannelEvidence(kind="score", channel=channel, e=e, e_needed=1000.0)
    return Evidence(
        phase="silent",
        nights=5,
        baseline_nights=3,
        baseline_first_run=None,
        baseline_last_run=None,
        case_overlap=CaseOverlap(cases=10, carried_over=10, revisions=1),
        kind="score",
        channel=channel,
        channels=(row,),
    )


def night(house: House, number: int, e: float, **changes: object) -> None:
    at = NOW + timedelta(days=number)
    add_finding(house, f"finding-{number}", at, evidence=nightly(e, "prime"), **changes)


def test_the_evidence_of_an_alert_grows_over_the_nights_of_its_set_and_ends_with_the_alert(house: House) -> None:
    for number, e in ((-2, 2.0), (-1, 90.0)):
        night(house, number, e, verdict=Verdict.OK)
    night(house, 1, 4000.0)
    night(house, 5, 9000.0)
    add_finding(house, "other-set", NOW, set_name="corrections")
    add_finding(house, "a-metric", NOW, signal="metric", metric="latency")
    add_alert(house, "alert-1", state=AlertState.RESOLVED, resolved_at=NOW + timedelta(days=2))
    found = house.get(f"{ALERT}/evidence").json()
    assert (found["channel"], found["rate_of"], found["is_share"]) == ("prime", "prime", True)
    assert [(row["finding_id"], row["e"], row["e_needed"]) for row in found["nights"]] == [
        ("finding--2", 2.0, 1000.0),
        ("finding--1", 90.0, 1000.0),
        ("finding-1", 4000.0, 1000.0),
    ]


def test_an_alert_whose_finding_has_expired_has_no_evidence(house: House) -> None:
    add_alert(house, "alert-1", finding_id="finding-of-last-year")
    assert house.get(f"{ALERT}/evidence").json()["nights"] == []


def test_the_diff_has_both_prompts_only_when_the_prompt_differs(house: House) -> None:
    add_version(house, "v1")
    add_version(house, "v2")
    add_alert(house, "alert-1")
    with house.store.write() as tx:
        prompts.store_announced(tx, "bot", "v1", "Be brief.", NOW)
        prompts.store_announced(tx, "bot", "v2", "Be kind.", NOW)
    found = house.get(f"{ALERT}/diff").json()
    assert found["differences"] == [{"what": "model", "name": "served model", "before": "v1", "after": "v2"}]
    assert (found["prompt_before"], found["prompt_after"]) == (None, None)
    assert (found["from_label"], found["to_label"]) == ("label of v1", "label of v2")


def test_the_notifications_of_an_alert_are_those_of_its_group_the_newest_first(house: House) -> None:
    add_alert(house, "alert-1", group_id="alert-1")
    add_notification(house, "n1", NOW, group_id="alert-1")
    add_notification(house, "n2", NOW + timedelta(minutes=5), group_id="alert-1")
    add_notification(house, "other", NOW, group_id="alert-9")
    rows = house.get(f"{ALERT}/notifications").json()["items"]
    assert [(row["id"], row["receiver"], row["status"]) for row in rows] == [
        ("n2", "console", "sent"),
        ("n1", "console", "sent"),
    ]


def test_the_list_of_alerts_is_narrowed_by_severity_and_text(house: House) -> None:
    add_alert(house, "alert-1", summary="refunds fell by 12 points")
    add_alert(house, "alert-2", severity="warning", rule="SetStale")

    def listed(**query: str) -> list[str]:
        return [row["id"] for row in house.get("/api/v1/alerts", **query).json()["items"]]

    assert listed(severity="warning") == ["alert-2"]
    assert listed(text="REFUNDS fell") == ["alert-1"]
    assert listed(text="setstale") == ["alert-2"]
    assert listed(text="%") == []
